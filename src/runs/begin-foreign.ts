import { checkBeyondSchema } from '../content/interrupts/index.ts';
import type { BeginRun, NoRun } from '../ledger/index.ts';
import {
  beginRun,
  openAgentMemory,
  openAnswers,
  openSession,
  operatorAccess,
  readInterrupt,
} from '../ledger/index.ts';
import type { AgentStreamEvent } from '../protocol/index.ts';
import { readConversation } from './conversation.ts';
import { createLogItems } from './event-log.ts';
import { readForeignTurn } from './foreign-turn.ts';
import { runForeign } from './run-foreign.ts';
import type { PreparedRun, RunRequest, RunsOptions } from './run-request.ts';

/** The options of a foreign run; `onEvent` receives the events in place of the thread's log. */
export type ForeignOptions = Pick<
  RunsOptions,
  'store' | 'newId' | 'onError' | 'onOutcome' | 'contextFor' | 'approversOf'
> & {
  readonly onEvent?: (event: AgentStreamEvent) => void;
};

/** Begins a run of an agent that keeps its own checkpoint. */
export async function beginForeign(
  request: RunRequest,
  begin: BeginRun,
  options: ForeignOptions,
): Promise<PreparedRun | NoRun> {
  const { access, agent, input } = request;
  const { key } = access;
  const { store, newId, onError } = options;
  const claim = await beginRun(access, {
    ...begin,
    rules: (record, entry) => checkBeyondSchema(record.interrupt, entry),
  });
  if (claim.type !== 'started') return claim;
  const session = openSession(store, claim, {
    onOutcome: (outcome) => options.onOutcome(outcome, agent.id),
  });
  const messageHead = claim.thread.view.thread?.logs.messages ?? 0;
  const emit = options.onEvent ?? session.openLog(createLogItems({ messageHead }));
  const cancel = new AbortController();
  // The agent knows its interrupts by its own ids.
  const { names } = readForeignTurn(claim.turn);
  const work = async () => {
    // The run reads its thread with operator permission, for any principal.
    const own = operatorAccess(store, key);
    const conversation = await readConversation(own);
    await runForeign({
      agent,
      claim,
      vault: begin.vault,
      opened: (answers) => openAnswers(store, { ...claim, answers }, begin.vault),
      conversation,
      newMessages: begin.newMessages,
      input,
      session,
      emit,
      context: {
        ...options.contextFor(request),
        principal: claim.thread.view.thread?.principal ?? access.principal,
        openInterrupts: claim.claimed.map(({ interrupt }) => ({
          ...interrupt,
          id: names[interrupt.id] ?? interrupt.id,
        })),
        recovers: claim.recovers,
        memory: openAgentMemory(store, session, agent.id),
        newId,
      },
      cancelSignal: cancel.signal,
      approversOf: async (interrupt) => options.approversOf?.(interrupt, agent.id),
      newId,
      usedIds: async (ids) => {
        const found = await Promise.all(ids.map((id) => readInterrupt(own, id)));
        return new Set(ids.filter((_id, index) => found[index] !== undefined));
      },
      onError: (error) => onError(error, { thread: key.thread, runId: claim.lease.runId }),
    });
  };
  return { type: 'started', claim, session, work, cancel: () => cancel.abort() };
}
