import type { JsonValue } from '../core/index.ts';
import { defined, HoldpointError, isRecord, newId } from '../core/index.ts';
import type { ResumeEntry } from '../protocol/index.ts';
import { EventType } from '../protocol/index.ts';
import type { LeaseOwner } from '../store/index.ts';
import type { BeginRun, Claim, NoRun } from './begin-request.ts';
import { LEASE_MS, MAX_ATTEMPTS } from './begin-request.ts';
import type { NewAnswer } from './check-answer.ts';
import { assertCanOpen, keepSecrets } from './kept-secrets.ts';
import type {
  ExecutionRecord,
  HistoryFacts,
  InterruptRecord,
  Principal,
  RunRecord,
  ThreadRecord,
} from './records.ts';
import type { Decision, ThreadChange, ThreadDraft } from './thread-change.ts';
import { isResult, nextAskers, stagedFacts, storedPrincipal, withInput } from './thread-change.ts';
import type { ThreadView } from './thread-view.ts';

export interface Starting {
  /** The principal who begins the run. */
  readonly principal: Principal;
  readonly begin: BeginRun;
  readonly view: ThreadView;
  readonly thread: ThreadRecord;
  readonly fresh: ReadonlyMap<string, NewAnswer>;
  readonly warnings: readonly string[];
  /** This process, if it can be identified. */
  readonly owner: LeaseOwner | undefined;
}

/** The claim: answers, lease, input and the calls that start with it, as one change. */
export function startRun(starting: Starting): Decision<Claim | NoRun> {
  const { begin, view, thread, warnings, owner } = starting;
  const { runId, agent, leaseMs = LEASE_MS } = begin;
  const { key, now } = view;
  const attempts = begin.continues === 'background' ? (thread.attempts ?? 0) + 1 : undefined;
  if (attempts !== undefined && attempts > MAX_ATTEMPTS) return givenUp(starting);
  const epoch = thread.epoch + 1;
  const { claimed, answers, facts } = claim(starting);
  const hasTurn = thread.turn !== undefined || answers.length > 0;
  const continues = hasTurn || thread.unfinished === true || thread.active !== undefined;
  const { input = [] } = hasTurn ? withInput(thread, begin.newMessages) : thread;
  const principal = storedPrincipal(principalOf(starting, continues));
  const askers = nextAskers(thread, { ...begin, principal: starting.principal }, continues);
  const state = continues || begin.state === undefined ? thread.state : begin.state;
  const lostEvents = eventsOfLoss(thread);
  const cancelledBy = begin.continues === 'background' ? thread.active?.cancelledBy : undefined;
  // Calls of a turn from an older version keep their keys, which name no incarnation.
  const incarnation =
    thread.incarnation ?? (thread.turn === undefined ? (begin.newId ?? newId)() : undefined);
  const next: ThreadDraft = {
    ...thread,
    agent,
    incarnation,
    epoch,
    owner: thread.owner ?? thread.principal?.id ?? principal.id,
    principal,
    askers: askers.length === 1 && askers[0] === principal.id ? undefined : askers,
    active: {
      runId,
      leaseUntil: now + leaseMs,
      ...defined({ owner }),
      startedAt: now,
      eventsBefore: thread.logs.events + lostEvents.length,
      writes: 0,
      // Nothing new was said since the request to stop.
      ...defined({ cancelledBy }),
    },
    lastRun: runId,
    claimed: claimed.size === 0 ? undefined : [...claimed.keys()],
    input: input.length === 0 ? undefined : input,
    attempts,
    title: thread.title ?? begin.title,
    importedThrough: begin.newMessages.some(isImported)
      ? thread.logs.messages + begin.newMessages.length
      : thread.importedThrough,
    state,
    batch: undefined,
    unfinished: undefined,
    readyAt: undefined,
    failed: undefined,
    endedAt: undefined,
    restedAt: undefined,
    pruned: undefined,
  };
  const recovers = thread.active !== undefined || thread.unfinished === true;
  const keys = recovers ? undefined : begin.beginning?.(thread.turn, answers, incarnation);
  const begun = new Map<string, ExecutionRecord>(
    [...(keys ?? [])].map(([id, idempotencyKey]) => [id, { runId, startedAt: now, idempotencyKey }]),
  );
  const kept = keepSecrets(key, next, starting.fresh);
  assertCanOpen(kept.thread, begin.vault);
  const change: ThreadChange = {
    ...kept,
    interrupts: claimed,
    runs: new Map(lostRun(thread, now)),
    messages: hasTurn ? [] : begin.newMessages,
    history: facts,
    events: lostEvents,
    executions: begun,
  };
  return {
    change,
    result: {
      type: 'started',
      lease: { key, runId, epoch },
      leaseMs,
      recovers,
      ...defined({ lostAfter: thread.active?.eventsBefore }),
      appended: change.messages?.length ?? 0,
      begun,
      answers,
      claimed: [...claimed.values()],
      turn: thread.turn,
      input,
      state,
      warnings,
    },
  };
}

/** A new message that a client wrote in the name of the agent: it belongs to a conversation from elsewhere. */
function isImported(message: JsonValue): boolean {
  return isRecord(message) && message['role'] === 'assistant';
}

/**
 * The principal that the run works for. A turn that continues works for the principal of its run: another person who only answers
 * lends it no rights.
 */
function principalOf({ principal, begin, thread }: Starting, continues: boolean): Principal {
  const saysNothing = begin.continues !== undefined || begin.newMessages.every(isResult);
  const before = continues && saysNothing ? (thread.principal ?? principal) : principal;
  // The roles of the same person may have changed.
  return before.id === principal.id && begin.continues === undefined ? principal : before;
}

/** Claims the answers of the open batch, and those that an unfinished turn already holds. */
function claim({ principal, begin, view, thread, fresh }: Starting) {
  const { runId } = begin;
  const claimed = new Map<string, InterruptRecord>();
  const facts: HistoryFacts[] = [...stagedFacts(view, fresh)];
  const answers: ResumeEntry[] = [];
  for (const id of [...(thread.claimed ?? []), ...(thread.batch?.interruptIds ?? [])]) {
    const record = view.interrupts.get(id);
    const answer = fresh.get(id)?.answer ?? record?.answer;
    if (record === undefined || answer === undefined) continue;
    claimed.set(id, { ...record, answer, state: 'claimed', claimedBy: runId });
    facts.push({ what: 'claimed', interruptId: id, at: view.now, by: principal.id, runId });
    const { status, payload, metadata } = answer;
    answers.push({
      interruptId: id,
      status,
      ...defined({ payload, metadata }),
    });
  }
  assertOwnAnswers(begin, thread, answers);
  return { claimed, facts, answers };
}

/**
 * An answer is for the agent that asked: another agent may have another tool of the same name. A cancelled call runs no tool. Throws
 * `INTERRUPT_UNKNOWN` or `RUN_CONFLICT`.
 */
function assertOwnAnswers(begin: BeginRun, thread: ThreadRecord, answers: readonly ResumeEntry[]): void {
  if (begin.agent === thread.agent || answers.every(({ status }) => status === 'cancelled')) return;
  const code = begin.entries.length > 0 ? 'INTERRUPT_UNKNOWN' : 'RUN_CONFLICT';
  throw new HoldpointError(code, `The answers are for the agent ${thread.agent}, not for ${begin.agent}.`);
}

/** The background gives up after the maximum number of attempts. */
function givenUp({ thread, view }: Starting): Decision<NoRun> {
  const message = `The thread ${view.key.thread} was tried ${MAX_ATTEMPTS} times and did not get on.`;
  const change = giveUpLease(thread, view.now);
  return {
    change: {
      ...change,
      thread: { ...change.thread, readyAt: undefined, failed: { code: 'RUN_LOST', message } },
    },
    result: { type: 'as-is' },
  };
}

/** Ends the lease of a lost run; another run can continue its turn. */
export function giveUpLease(thread: ThreadRecord, now: number): ThreadChange {
  const unfinished = thread.batch === undefined ? true : thread.unfinished;
  return {
    thread: { ...thread, active: undefined, epoch: thread.epoch + 1, restedAt: now, unfinished },
    runs: new Map(lostRun(thread, now)),
    events: eventsOfLoss(thread),
  };
}

/** The event that tells the readers of a lost run. */
function eventsOfLoss({ active, logs }: ThreadRecord): JsonValue[] {
  if (active === undefined || logs.events === active.eventsBefore) return [];
  const message = `The run ${active.runId} was lost.`;
  return [{ type: EventType.RUN_ERROR, message, code: 'RUN_LOST' }];
}

/** The record of the run that lost its lease. */
function lostRun(thread: ThreadRecord, now: number): [string, RunRecord][] {
  if (thread.active === undefined) return [];
  const { agent, epoch, active } = thread;
  const principal = thread.principal ?? { id: '', scope: '' };
  const { runId, startedAt } = active;
  return [[runId, { agent, status: 'lost', epoch, principal, startedAt, endedAt: now }]];
}
