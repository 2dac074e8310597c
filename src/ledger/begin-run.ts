import type { JsonValue } from '../core/index.ts';
import { HoldpointError } from '../core/index.ts';
import type { ResumeEntry } from '../protocol/index.ts';
import type { Store } from '../store/index.ts';
import type { AnswerRules } from './check-answer.ts';
import { checkAnswer } from './check-answer.ts';
import { stagedFacts } from './facts.ts';
import type { HistoryFacts } from './history-chain.ts';
import type {
  GivenAnswer,
  InterruptRecord,
  Principal,
  RunRecord,
  ThreadKey,
  ThreadRecord,
  Way,
} from './records.ts';
import type { Decision, ThreadView } from './thread-work.ts';
import { newThread, workOnThread } from './thread-work.ts';

/** The right to write to a thread; every write says which epoch it belongs to. */
export interface Lease {
  readonly key: ThreadKey;
  readonly runId: string;
  readonly epoch: number;
}

export interface BeginRun {
  readonly key: ThreadKey;
  readonly runId: string;
  readonly agent: string;
  readonly principal: Principal;
  /** Answers to open questions. */
  readonly entries: readonly ResumeEntry[];
  /** What is new in the conversation. */
  readonly newMessages: readonly JsonValue[];
  readonly via: Way;
  readonly leaseMs: number;
  /** What an input does that leaves a question out: it is refused, or what came is kept and the rest asked again. */
  readonly uncovered?: 'refuse' | 'reinterrupt';
  readonly rules?: AnswerRules;
}

export type Begun =
  | {
      readonly type: 'started';
      readonly lease: Lease;
      /** The answers that this run took, in the order of the questions. */
      readonly answers: readonly ResumeEntry[];
      readonly claimed: readonly InterruptRecord[];
      readonly turn: JsonValue | undefined;
      readonly state: JsonValue;
      readonly warnings: readonly string[];
    }
  /** The same answers are already at work in this run. */
  | { readonly type: 'follow'; readonly runId: string }
  /** There is nothing to do but to show the thread. */
  | { readonly type: 'as-is' }
  /** Some questions have their answers now, these have none. */
  | { readonly type: 'staged'; readonly open: readonly string[] };

/**
 * Begins a run: takes the answers of the whole open batch, the lease and the input in one commit, or says why not. Throws
 * `INTERRUPTS_PENDING`, `INTERRUPTS_UNANSWERED`, `INTERRUPT_UNKNOWN`, `INTERRUPT_CONFLICT`, `INTERRUPT_EXPIRED`,
 * `ANSWER_INVALID`, `ANSWER_FORBIDDEN` or `RUN_CONFLICT`; nothing is changed then.
 */
export function beginRun(store: Store, begin: BeginRun): Promise<Begun> {
  const interruptIds = begin.entries.map(({ interruptId }) => interruptId);
  return workOnThread(store, { key: begin.key, interruptIds }, (view) => decide(begin, view));
}

async function decide(begin: BeginRun, view: ThreadView): Promise<Decision<Begun>> {
  const { entries, newMessages } = begin;
  const thread = view.thread ?? newThread(begin.agent);
  const active =
    thread.active !== undefined && thread.active.leaseUntil > view.now ? thread.active : undefined;
  const open = thread.batch?.interruptIds ?? [];
  const { fresh, known, warnings } = await readAnswers(begin, view);
  if (entries.length > 0 && known.length === 0) {
    const ids = entries.map(({ interruptId }) => interruptId).join(', ');
    throw new HoldpointError('INTERRUPT_UNKNOWN', `The thread has no question ${ids}.`);
  }
  const concernsOpen = known.some((id) => open.includes(id));
  if (active !== undefined) {
    const isTheirs =
      known.length > 0 && known.every((id) => view.interrupts.get(id)?.claimedBy === active.runId);
    if (isTheirs) return { result: { type: 'follow', runId: active.runId } };
    if (entries.length === 0 && newMessages.length === 0) return { result: { type: 'as-is' } };
    const sentence = `The run ${active.runId} is at work on the thread ${begin.key.thread}.`;
    throw new HoldpointError('RUN_CONFLICT', sentence, { details: { runId: active.runId } });
  }
  if (open.length > 0 && !concernsOpen) {
    if (newMessages.length === 0) return { result: { type: 'as-is' } };
    const sentence = `A new message has to wait: ${open.join(', ')} is still open.`;
    throw new HoldpointError('INTERRUPTS_PENDING', sentence, { details: { interruptIds: open } });
  }
  if (open.length === 0 && newMessages.length === 0) return { result: { type: 'as-is' } };
  const missing = open.filter((id) => !fresh.has(id) && view.interrupts.get(id)?.answer === undefined);
  if (missing.length === 0) return start({ begin, view, thread, fresh }, warnings);
  if (begin.uncovered !== 'reinterrupt') {
    const sentence = `There is no answer to ${missing.join(', ')}; all open questions are answered together.`;
    throw new HoldpointError('INTERRUPTS_UNANSWERED', sentence, { details: { interruptIds: missing } });
  }
  return {
    change: { thread, interrupts: withAnswers(view, fresh), history: stagedFacts(view, fresh) },
    result: { type: 'staged', open: missing },
  };
}

/** Checks every answer before any of them counts. */
async function readAnswers(begin: BeginRun, view: ThreadView) {
  const fresh = new Map<string, GivenAnswer>();
  const known: string[] = [];
  const warnings: string[] = [];
  for (const entry of begin.entries) {
    const record = view.interrupts.get(entry.interruptId);
    if (record === undefined) {
      warnings.push(`The thread has no question ${entry.interruptId}.`);
      continue;
    }
    const { principal, via } = begin;
    const checked = await checkAnswer({ entry, record, principal, now: view.now, via }, begin.rules);
    known.push(entry.interruptId);
    if (checked.type === 'new') fresh.set(entry.interruptId, checked.answer);
  }
  return { fresh, known, warnings };
}

interface Starting {
  readonly begin: BeginRun;
  readonly view: ThreadView;
  readonly thread: ThreadRecord;
  readonly fresh: ReadonlyMap<string, GivenAnswer>;
}

function start({ begin, view, thread, fresh }: Starting, warnings: readonly string[]): Decision<Begun> {
  const { runId, agent, key, principal, leaseMs, newMessages } = begin;
  const epoch = thread.epoch + 1;
  const ids = thread.batch?.interruptIds ?? [];
  const claimed = new Map<string, InterruptRecord>();
  const facts: HistoryFacts[] = [...stagedFacts(view, fresh)];
  const answers: ResumeEntry[] = [];
  for (const id of ids) {
    const record = view.interrupts.get(id);
    const answer = fresh.get(id) ?? record?.answer;
    if (record === undefined || answer === undefined) continue;
    claimed.set(id, { ...record, answer, state: 'claimed', claimedBy: runId });
    facts.push({ what: 'claimed', interruptId: id, at: view.now, by: principal.id, runId });
    const { status, payload, metadata } = answer;
    answers.push({
      interruptId: id,
      status,
      ...(payload === undefined ? {} : { payload }),
      ...(metadata === undefined ? {} : { metadata }),
    });
  }
  const { batch: _taken, ...rest } = thread;
  const active = { runId, leaseUntil: view.now + leaseMs, principal: principal.id, startedAt: view.now };
  const run: RunRecord = { agent, status: 'active', epoch, principal: principal.id, startedAt: view.now };
  return {
    change: {
      thread: { ...rest, agent, epoch, active },
      interrupts: claimed,
      runs: new Map([[runId, run], ...lostRun(thread, view)]),
      messages: newMessages,
      history: facts,
    },
    result: {
      type: 'started',
      lease: { key, runId, epoch },
      answers,
      claimed: [...claimed.values()],
      turn: thread.turn,
      state: thread.state,
      warnings,
    },
  };
}

/** Whoever held the lease before did not come back. */
function lostRun(thread: ThreadRecord, view: ThreadView): [string, RunRecord][] {
  if (thread.active === undefined) return [];
  const { agent, epoch, active } = thread;
  const { runId, principal, startedAt } = active;
  return [[runId, { agent, status: 'lost', epoch, principal, startedAt, endedAt: view.now }]];
}

function withAnswers(
  view: ThreadView,
  fresh: ReadonlyMap<string, GivenAnswer>,
): Map<string, InterruptRecord> {
  const changed = new Map<string, InterruptRecord>();
  for (const [id, answer] of fresh) {
    const record = view.interrupts.get(id);
    if (record !== undefined) changed.set(id, { ...record, answer, state: 'answered' });
  }
  return changed;
}
