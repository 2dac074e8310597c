import { checkBeyondSchema } from '../../content/interrupts/index.ts';
import { readConversation } from '../../engine/index.ts';
import type { BeginRun } from '../../ledger/index.ts';
import { beginRun, openAnswers, openSession, operatorAccess, readQuestion } from '../../ledger/index.ts';
import { createEventLog } from './event-log.ts';
import { readForeignTurn } from './foreign-turn.ts';
import { runForeign } from './run-foreign.ts';
import type { BegunRequest, RunRequest, RunsOptions } from './run-request.ts';
import { placeOf } from './run-request.ts';
import { watchEnd } from './watch-end.ts';

/** Begins a run of an agent that keeps its own checkpoint. */
export async function beginForeign(
  request: RunRequest,
  given: BeginRun,
  options: RunsOptions,
): Promise<BegunRequest> {
  const { access, agent, input } = request;
  const { key } = access;
  const { store, newId, onError } = options;
  const begun = await beginRun(access, {
    ...given,
    rules: (record, entry) => checkBeyondSchema(record.interrupt, entry),
  });
  if (begun.type !== 'started') return begun;
  const session = openSession(store, begun, { leaseMs: given.leaseMs });
  const opened = watchEnd(session, (outcome) => options.onOutcome(outcome, agent.id));
  const messageHead = begun.thread.view.thread?.logs.messages ?? 0;
  const log = createEventLog(opened, { messageHead });
  const cancel = new AbortController();
  const place = placeOf(begun);
  // The agent knows its interrupts by its own ids.
  const { names } = readForeignTurn(begun.turn);
  const work = async () => {
    // The run itself reads its thread, for any principal.
    const own = operatorAccess(store, key);
    const conversation = await readConversation(own);
    await runForeign({
      agent,
      started: begun,
      vault: given.vault,
      opened: (answers) => openAnswers(store, { ...begun, answers }, given.vault),
      conversation,
      newMessages: given.newMessages,
      input,
      log,
      context: {
        ...options.contextFor(request),
        principal: begun.thread.view.thread?.principal ?? access.principal,
        openInterrupts: begun.claimed.map(({ interrupt }) => ({
          ...interrupt,
          id: names[interrupt.id] ?? interrupt.id,
        })),
        recovers: begun.recovers,
        newId,
      },
      cancelSignal: cancel.signal,
      newId,
      usedIds: async (ids) => {
        const found = await Promise.all(ids.map((id) => readQuestion(own, id)));
        return new Set(ids.filter((_id, index) => found[index] !== undefined));
      },
      onError: (error) => onError(error, { thread: key.thread, runId: place.runId }),
    });
  };
  return { type: 'begun', run: { ...place, session: log.session, cancel: () => cancel.abort() }, work };
}
