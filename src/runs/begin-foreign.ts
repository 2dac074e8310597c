import { approversCheck } from '../content/interrupts/index.ts';
import { checkOptions, defined, optional } from '../core/index.ts';
import type { Access, BeginRun, ClaimedRun, InterruptRecord, NoRun } from '../ledger/index.ts';
import {
  assertInterruptQuota,
  beginRun,
  openAgentMemory,
  openAnswers,
  openSession,
  operatorAccess,
  readInterrupt,
  readLog,
} from '../ledger/index.ts';
import type { AgentStreamEvent, Interrupt, Message } from '../protocol/index.ts';
import { createApplier, EventType } from '../protocol/index.ts';
import { answerRules, answersBy, askerOf } from './begin-durable.ts';
import { extendConversation, messageNews, PAGE, readConversation, toLog } from './conversation.ts';
import { createLogItems, fromLogItem } from './event-log.ts';
import { readForeignTurn } from './foreign-turn.ts';
import { runForeign } from './run-foreign.ts';
import type { PreparedRun, RunRequest, RunsOptions } from './run-request.ts';

/** The options of a foreign run; `onEvent` receives the events in place of the thread's log. */
export type ForeignOptions = Pick<
  RunsOptions,
  'store' | 'newId' | 'onError' | 'onOutcome' | 'contextFor' | 'approversOf' | 'onExpire' | 'maxCharacters'
> & {
  readonly onEvent?: (event: AgentStreamEvent) => void;
};

/** Limit for the events of a run: many times what a model writes, and little enough for the memory of a process. */
const MAX_CHARACTERS = 256 * 1024 * 1024;

/** Begins a run of an agent that keeps its own checkpoint. */
export async function beginForeign(
  request: RunRequest,
  begin: BeginRun,
  options: ForeignOptions,
): Promise<PreparedRun | NoRun> {
  const { access, agent, input } = request;
  const { key } = access;
  const { store, newId, onError } = options;
  const context = options.contextFor(request);
  const claim = await beginRun(access, {
    ...begin,
    rules: answerRules(context.files),
  });
  if (claim.type !== 'started') return claim;
  const session = openSession(store, claim, {
    onOutcome: (outcome) => options.onOutcome(outcome, agent.id),
  });
  const messageHead = claim.thread.view.thread?.logs.messages ?? 0;
  const emit = options.onEvent ?? session.openLog(createLogItems({ messageHead }));
  const cancel = new AbortController();
  // The agent knows its interrupts by its own ids.
  const { names, inDoubt = [] } = readForeignTurn(claim.turn);
  const work = async () => {
    // The run reads its thread with operator permission, for any principal.
    const own = operatorAccess(store, key);
    const stored = await readConversation(own);
    // A person may send an answer in doubt again: the agent then learns who gave it.
    const doubted = await readInterrupts(
      own,
      inDoubt.map(({ interruptId }) => interruptId),
    );
    const shown = agent.takesUp === true ? await shownByLostRun(own, claim, stored) : [];
    // Readers of the thread have these messages: the run adds to them and repeats none.
    if (shown.length > 0) await session.keep({ messages: toLog(shown) });
    const conversation = extendConversation(stored, toLog(shown));
    await runForeign({
      agent,
      claim,
      asked: [...doubted, ...claim.claimed],
      vault: begin.vault,
      opened: (answers) => openAnswers(store, { ...claim, answers }, begin.vault),
      conversation,
      newMessages: begin.newMessages,
      input,
      session,
      emit,
      context: {
        ...context,
        principal: claim.thread.view.thread?.principal ?? access.principal,
        ...answersBy([...doubted, ...claim.claimed], names),
        openInterrupts: claim.claimed.map(({ interrupt }) => toAgentIds(interrupt, names)),
        recovers: claim.recovers,
        memory: openAgentMemory(store, session, agent.id),
        newId,
      },
      cancelSignal: cancel.signal,
      approversOf: async (interrupt) => {
        const approvers = await options.approversOf?.(interrupt, agent.id);
        checkOptions(`approvers of an interrupt of ${agent.id}`, approvers, optional(approversCheck));
        return approvers;
      },
      onExpire: options.onExpire,
      async assertRoom(adding) {
        const { quotas } = begin;
        const principal = { scope: key.scope, id: askerOf(claim, access.principal) };
        if (quotas !== undefined) await assertInterruptQuota(store, { principal, adding }, quotas);
      },
      newId,
      usedIds: async (ids) => new Set((await readInterrupts(own, ids)).map(({ interrupt }) => interrupt.id)),
      onError: (error) => onError(error, { thread: key.thread, runId: claim.lease.runId }),
      maxCharacters: options.maxCharacters ?? MAX_CHARACTERS,
    });
  };
  return { type: 'started', claim, session, work, cancel: () => cancel.abort() };
}

/** The interrupts of these ids that the thread has. */
async function readInterrupts(
  access: Access<'read' | 'run' | 'answer'>,
  ids: readonly string[],
): Promise<readonly InterruptRecord[]> {
  const found = await Promise.all(ids.map((id) => readInterrupt(access, id)));
  return found.filter((record) => record !== undefined);
}

/** An interrupt with the agent's own ids, also of the interrupts that an `error_recovery` stands for. */
function toAgentIds(interrupt: Interrupt, names: Readonly<Record<string, string>>): Interrupt {
  const { id, metadata } = interrupt;
  const ids: unknown = metadata?.['interruptIds'];
  const named = Array.isArray(ids) ? { interruptIds: ids.map((one) => names[String(one)] ?? one) } : {};
  return {
    ...interrupt,
    id: names[id] ?? id,
    ...defined({ metadata: metadata && { ...metadata, ...named } }),
  };
}

/** The messages that a lost run showed but could not store, from the events that it logged. */
async function shownByLostRun(
  access: Access<'read' | 'run' | 'answer'>,
  { lostAfter, thread }: ClaimedRun,
  stored: readonly Message[],
): Promise<readonly Message[]> {
  const end = thread.view.thread?.active?.eventsBefore ?? 0;
  if (lostAfter === undefined) return [];
  const applier = createApplier({ messages: stored, state: {}, onWarning: () => undefined });
  for (let after = lostAfter; after < end;) {
    const items = await readLog(access, { log: 'events', after, limit: PAGE });
    const last = items.at(-1);
    // Events that were trimmed are no longer shown.
    if (last === undefined || items[0]?.sequence !== after + 1) break;
    for (const { item, sequence } of items) {
      const event = await fromLogItem(item, access);
      if (sequence <= end && !SKIPPED.has(event.type)) applier.apply(event);
    }
    after = last.sequence;
  }
  const news = messageNews(stored, applier.messages);
  return news.filter((one): one is Message => !('truncateAfter' in one));
}

/** Events that show no message of the run. */
const SKIPPED: ReadonlySet<string> = new Set([
  EventType.RUN_STARTED,
  EventType.STATE_SNAPSHOT,
  EventType.STATE_DELTA,
  EventType.MESSAGES_SNAPSHOT,
]);
