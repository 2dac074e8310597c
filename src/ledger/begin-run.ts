import { defined, HoldpointError } from '../core/index.ts';
import type { Access } from './access.ts';
import { assertMayRun, storeOf, unknownInterrupt } from './access.ts';
import type { BeginResult, BeginRun, Claim, NoRun } from './begin-request.ts';
import type { NewAnswer } from './check-answer.ts';
import { checkAnswer } from './check-answer.ts';
import { isAtWork } from './lease.ts';
import { assertThreadQuota } from './quotas.ts';
import { keepAnswers, undoableUntil } from './stage-answer.ts';
import { startRun } from './start-run.ts';
import type { Decision } from './thread-change.ts';
import { isResult, newThread, withInput } from './thread-change.ts';
import type { ThreadView } from './thread-view.ts';
import { changeAs } from './thread-work.ts';

/** The permission to begin a run, with a message or with answers. */
type RunAccess = Access<'run' | 'answer'>;

/**
 * Begins a run: claims the answers of the open batch, the lease and the input in one commit, or returns the reason
 * why no run begins. Continues the unfinished turn of an earlier run. Throws `INTERRUPTS_PENDING`,
 * `INTERRUPTS_UNANSWERED`, `INTERRUPT_UNKNOWN`, `INTERRUPT_CONFLICT`, `INTERRUPT_EXPIRED`, `ANSWER_INVALID`,
 * `ANSWER_FORBIDDEN`, `RUN_CONFLICT` or `RATE_LIMITED`, and `INPUT_INVALID` for two answers to one interrupt. An
 * error changes nothing.
 */
export async function beginRun(access: RunAccess, begin: BeginRun): Promise<BeginResult> {
  const interruptIds = begin.entries.map(({ interruptId }) => interruptId);
  const place = { interruptIds, look: begin.look, ...defined({ messages: begin.messages }) };
  const changed = await changeAs(access, place, (view) => decide(access, begin, view));
  const { result, after, messages, database, since } = changed;
  return result.type === 'started' ? { ...result, thread: after, messages, database, since } : result;
}

async function decide(
  access: RunAccess,
  begin: BeginRun,
  view: ThreadView,
): Promise<Decision<Claim | NoRun>> {
  const { entries, newMessages } = begin;
  const results = newMessages.filter(isResult);
  const isNewThread = view.thread === undefined || view.thread.pruned !== undefined;
  if (isNewThread && newMessages.length > 0 && begin.quotas !== undefined) {
    await assertThreadQuota(storeOf(access), view.key.scope, begin.quotas);
  }
  const thread = view.thread ?? newThread(begin.agent);
  // The permission to answer does not include new messages.
  if (access.action === 'answer' && newMessages.length > 0)
    await assertMayRun(access, [thread.agent, begin.agent]);
  const open = thread.batch?.interruptIds ?? [];
  const { fresh, known, warnings } =
    entries.length === 0 ? NO_ANSWERS : await readAnswers(access, begin, view);
  if (entries.length > 0 && known.length === 0) {
    throw unknownInterrupt(entries.map(({ interruptId }) => interruptId));
  }
  // Checked before the active run, because a request that was sent twice may contain nothing new.
  const isStale = begin.expectMessages !== undefined && begin.expectMessages !== thread.logs.messages;
  if (isStale) return { result: { type: 'stale' } };
  const store = storeOf(access);
  if (isAtWork(thread, view.now, store)) return { result: besideLive(begin, view, { known, fresh }) };
  const { principal } = access;
  const starting = { principal, begin, view, thread, fresh, warnings, owner: store.processes?.self };
  if (open.length === 0) {
    const unfinished = thread.unfinished === true || thread.active !== undefined;
    const isNew = newMessages.length > 0;
    return isNew || unfinished ? startRun(starting) : { result: { type: 'as-is' } };
  }
  const concernsOpen = known.some((id) => open.includes(id)) || begin.continues !== undefined;
  if (!concernsOpen) {
    if (newMessages.length === 0) return { result: { type: 'as-is' } };
    if (newMessages.length === results.length)
      return { change: { thread: withInput(thread, results) }, result: { type: 'as-is' } };
    const sentence = `A new message must wait: ${open.join(', ')} is still open.`;
    throw new HoldpointError('INTERRUPTS_PENDING', sentence, { details: { interruptIds: open } });
  }
  const staged = open.filter((id) => !fresh.has(id));
  const missing = staged.filter((id) => view.interrupts.get(id)?.answer === undefined);
  const keep = () => keepAnswers(view, withInput(thread, results), fresh);
  if (missing.length === 0) {
    const isBackground = begin.continues === 'background';
    // Authors may still take their answers back. A person who wants to go on gives that up for their own answers; a person
    // who answers another interrupt of the turn does not.
    const goesOn = newMessages.length > results.length || (begin.continues !== undefined && !isBackground);
    const undoUntil = undoableUntil(view.interrupts, staged, goesOn ? principal.id : undefined);
    const waitsUntil = isBackground ? Math.max(undoUntil, thread.readyAt ?? 0) : undoUntil;
    if (waitsUntil <= view.now) return startRun(starting);
    if (newMessages.length === results.length)
      return { ...defined({ change: keep().change }), result: { type: 'as-is' } };
    const sentence = `A new message must wait: an answer can be taken back until ${new Date(waitsUntil).toISOString()}.`;
    throw new HoldpointError('INTERRUPTS_PENDING', sentence, { details: { interruptIds: open } });
  }
  if (begin.continues !== undefined) return { result: { type: 'as-is' } };
  if (begin.uncovered !== 'reinterrupt') {
    const sentence = `These interrupts have no answer: ${missing.join(', ')}; all open interrupts are answered together.`;
    throw new HoldpointError('INTERRUPTS_UNANSWERED', sentence, { details: { interruptIds: missing } });
  }
  return { ...defined({ change: keep().change }), result: { type: 'staged', open: missing } };
}

/**
 * A request while a run is active: the same answers follow the run, a request without news shows the thread, other
 * requests are rejected.
 */
function besideLive(
  begin: BeginRun,
  view: ThreadView,
  { known, fresh }: { readonly known: readonly string[]; readonly fresh: ReadonlyMap<string, NewAnswer> },
): NoRun {
  const runId = view.thread?.active?.runId ?? '';
  const isTheirs = known.length > 0 && known.every((id) => view.interrupts.get(id)?.claimedBy === runId);
  if (isTheirs) return { type: 'follow', runId };
  if (fresh.size === 0 && begin.newMessages.length === 0) return { type: 'as-is' };
  const sentence = `The run ${runId} is at work on the thread ${view.key.thread}.`;
  throw new HoldpointError('RUN_CONFLICT', sentence, { details: { runId } });
}

interface ReadAnswers {
  readonly fresh: ReadonlyMap<string, NewAnswer>;
  /** The interrupts that exist. */
  readonly known: readonly string[];
  readonly warnings: readonly string[];
}

const NO_ANSWERS: ReadAnswers = { fresh: new Map(), known: [], warnings: [] };

/** Checks all answers before any of them is used. */
async function readAnswers(access: RunAccess, begin: BeginRun, view: ThreadView): Promise<ReadAnswers> {
  const fresh = new Map<string, NewAnswer>();
  const known: string[] = [];
  const warnings: string[] = [];
  for (const entry of begin.entries) {
    const record = view.interrupts.get(entry.interruptId);
    if (record === undefined) {
      warnings.push(`The thread has no interrupt ${entry.interruptId}.`);
      continue;
    }
    const { via, vault } = begin;
    const toCheck = { access, entry, record, now: view.now, via, vault };
    const checked = await checkAnswer(toCheck, begin.rules);
    if (known.includes(entry.interruptId)) {
      throw new HoldpointError('INPUT_INVALID', `The interrupt ${entry.interruptId} has two answers.`);
    }
    known.push(entry.interruptId);
    if (checked.type === 'new') fresh.set(entry.interruptId, checked);
  }
  return { fresh, known, warnings };
}
