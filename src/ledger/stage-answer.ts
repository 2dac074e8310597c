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
  /** Milliseconds for which a complete batch waits before it continues in the background; default 0. */
  readonly undoMs?: number | undefined;
}

export interface Staged {
  /** `complete` if every interrupt of the batch has its answer, so that the run continues in the background. */
  readonly state: 'staged' | 'complete';
  /** The interrupts without an answer. */
  readonly open: readonly string[];
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
    const { via, vault } = stage;
    const given = { access, entry, record, now: view.now, via, vault };
    const checked = await checkAnswer(given, stage.rules);
    const answers = new Map<string, NewAnswer>(checked.type === 'new' ? [[interruptId, checked]] : []);
    const { change, result } = keepAnswers(view, view.thread, answers);
    if (change?.thread.readyAt === undefined) return { result, ...defined({ change }) };
    const readyAt = change.thread.readyAt + (stage.undoMs ?? 0);
    return { result, change: { ...change, thread: { ...change.thread, readyAt } } };
  });
}

/** Stages valid answers, and makes the thread ready if they complete the batch. */
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
  const open = ids.filter((id) => (changed.get(id) ?? view.interrupts.get(id))?.answer === undefined);
  const result: Staged = { state: open.length === 0 ? 'complete' : 'staged', open };
  if (changed.size === 0) return { result };
  // `readyAt` marks the thread as ready; the background sweep finds it by that.
  const ready = open.length === 0 && ids.length > 0 ? { ...thread, readyAt: view.now } : thread;
  const kept = keepSecrets(view.key, ready, answers);
  return { change: { ...kept, interrupts: changed, history: stagedFacts(view, answers) }, result };
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
    if (record.answer?.status === 'cancelled') return keepAnswers(view, thread, new Map());
    if (!['pending', 'answered', 'expired'].includes(record.state)) throw conflict(record);
    const answer = cancelledAnswer({ by, at: now, via, reason, withdrawn: true });
    return keepAnswers(view, thread, new Map([[interruptId, { answer }]]));
  });
}
