import { defined } from '../core/index.ts';
import type { ResumeEntry } from '../protocol/index.ts';
import type { Access } from './access.ts';
import { unknownInterrupt } from './access.ts';
import type { AnswerRules, NewAnswer } from './check-answer.ts';
import { cancelledAnswer, checkAnswer, conflict } from './check-answer.ts';
import { stagedFacts } from './thread-change.ts';
import { keepSecrets } from './kept-secrets.ts';
import type { InterruptRecord, ThreadRecord, Way } from './records.ts';
import type { Decision } from './thread-change.ts';
import type { ThreadView } from './thread-view.ts';
import { workAs } from './thread-work.ts';
import type { Vault } from './vault.ts';

export interface StageAnswer {
  readonly entry: ResumeEntry;
  readonly via: Way;
  readonly rules?: AnswerRules;
  /** Encrypts the secrets of the answer. Without it, an answer with secrets is rejected. */
  readonly vault?: Vault | undefined;
  /** Milliseconds for which nobody but the author of the answer can let its batch continue; default 0. */
  readonly undoMs?: number | undefined;
}

export interface Staged {
  /** `complete` if every interrupt of the batch has its answer, so that the run continues in the background. */
  readonly state: 'staged' | 'complete';
  /** The interrupts without an answer. */
  readonly open: readonly string[];
  /** Milliseconds until a complete batch continues: the longest undo time of its answers. Absent without undo times. */
  readonly waitMs?: number;
}

/**
 * Stages an answer until its batch is complete. The last answer makes the thread ready in the same commit. The same
 * answer again changes nothing. Throws like {@link checkAnswer}, and `INTERRUPT_UNKNOWN`.
 */
export function stageAnswer(access: Access<'answer'>, stage: StageAnswer): Promise<Staged> {
  return workAs(access, [stage.entry.interruptId], async (view) => {
    const { entry } = stage;
    const { interruptId } = entry;
    const record = view.interrupts.get(interruptId);
    if (record === undefined || view.thread === undefined) throw unknownInterrupt([interruptId]);
    const { via, vault, undoMs = 0 } = stage;
    const given = { access, entry, record, now: view.now, via, vault };
    const checked = await checkAnswer(given, stage.rules);
    if (checked.type === 'same') return keepAnswers(view, view.thread, new Map());
    const undoUntil = undoMs === 0 ? undefined : view.now + undoMs;
    const answer = { ...checked.answer, ...defined({ undoUntil }) };
    return keepAnswers(view, view.thread, new Map([[interruptId, { ...checked, answer }]]));
  });
}

/** Stages valid answers, and makes the thread ready at the end of the undo times if they complete the batch. */
export function keepAnswers(
  view: ThreadView,
  thread: ThreadRecord,
  answers: ReadonlyMap<string, NewAnswer>,
): Decision<Staged> {
  const changed = new Map<string, InterruptRecord>();
  for (const [id, { answer }] of answers) {
    const record = view.interrupts.get(id);
    if (record !== undefined) changed.set(id, { ...record, answer, state: 'answered' });
  }
  const ids = thread.batch?.interruptIds ?? [];
  const records = new Map([...view.interrupts, ...changed]);
  const open = ids.filter((id) => records.get(id)?.answer === undefined);
  const readyAt = Math.max(view.now, undoableUntil(records, ids));
  const state = open.length === 0 ? 'complete' : 'staged';
  const waitMs = readyAt === view.now ? undefined : readyAt - view.now;
  const result: Staged = { state, open, ...defined({ waitMs }) };
  if (changed.size === 0 && thread === view.thread) return { result };
  // `readyAt` marks the thread as ready; the background sweep finds it by that.
  const isReady = open.length === 0 && ids.length > 0 && changed.size > 0;
  const ready = isReady ? { ...thread, readyAt } : thread;
  const kept = keepSecrets(view.key, ready, answers);
  return { change: { ...kept, interrupts: changed, history: stagedFacts(view, answers) }, result };
}

/** The time until which the authors of these answers can take them back, without the answers of one author; else 0. */
export function undoableUntil(
  records: ReadonlyMap<string, InterruptRecord>,
  ids: readonly string[],
  author?: string,
): number {
  const answers = ids.flatMap((id) => records.get(id)?.answer ?? []);
  return Math.max(0, ...answers.map(({ by, undoUntil = 0 }) => (by === author ? 0 : undoUntil)));
}

/**
 * Withdraws an interrupt before a run claims it, for its asker or the application. The interrupt counts as cancelled, and
 * a staged answer is replaced. If every other interrupt of the batch has an answer, the same commit makes the thread ready.
 * Repeating it changes nothing. Throws `INTERRUPT_UNKNOWN`, or `INTERRUPT_CONFLICT` once a run has claimed the interrupt.
 */
export function withdrawInterrupt(
  access: Access<'withdraw'>,
  withdrawal: { readonly interruptId: string; readonly reason?: string | undefined; readonly via: Way },
): Promise<Staged> {
  const { interruptId, reason, via } = withdrawal;
  const by = access.principal.id;
  return workAs(access, [interruptId], (view) => {
    const { thread, now } = view;
    const record = view.interrupts.get(interruptId);
    if (thread === undefined || record === undefined) throw unknownInterrupt([interruptId]);
    if (record.supersededBy !== undefined) throw conflict(record);
    if (record.answer?.status === 'cancelled') return keepAnswers(view, thread, new Map());
    if (!['pending', 'answered', 'expired'].includes(record.state)) throw conflict(record);
    const answer = cancelledAnswer({ by, at: now, via, reason, withdrawn: true });
    return keepAnswers(view, thread, new Map([[interruptId, { answer }]]));
  });
}
