import { HoldpointError } from '../core/index.ts';
import type { ResumeEntry } from '../protocol/index.ts';
import type { PutRow, Store } from '../store/index.ts';
import type { AnswerRules } from './check-answer.ts';
import { checkAnswer } from './check-answer.ts';
import { stagedFacts } from './facts.ts';
import type { GivenAnswer, InterruptRecord, Principal, ThreadKey, ThreadRecord, Way } from './records.ts';
import type { Decision, ThreadView } from './thread-work.ts';
import { workOnThread } from './thread-work.ts';

export interface StageAnswer {
  readonly key: ThreadKey;
  readonly entry: ResumeEntry;
  readonly principal: Principal;
  readonly via: Way;
  readonly rules?: AnswerRules;
}

export interface Staged {
  /** `complete` when every question of the batch has its answer now: the run is to go on in the background. */
  readonly state: 'staged' | 'complete';
  /** The questions that still wait. */
  readonly open: readonly string[];
}

/**
 * Keeps an answer until all questions of its batch have theirs; the last one leaves a job for whoever continues the run, in
 * the same commit. The same answer again changes nothing. Throws as {@link checkAnswer} does, and `INTERRUPT_UNKNOWN`.
 */
export function stageAnswer(store: Store, stage: StageAnswer): Promise<Staged> {
  const { interruptId } = stage.entry;
  return workOnThread(store, { key: stage.key, interruptIds: [interruptId] }, async (view) => {
    const record = view.interrupts.get(interruptId);
    if (record === undefined || view.thread === undefined) {
      throw new HoldpointError('INTERRUPT_UNKNOWN', `The thread has no question ${interruptId}.`);
    }
    const { entry, principal, via } = stage;
    const checked = await checkAnswer({ entry, record, principal, now: view.now, via }, stage.rules);
    const answers = new Map(checked.type === 'new' ? [[interruptId, checked.answer]] : []);
    return keepAnswers(view, view.thread, answers);
  });
}

/** Keeps answers that hold, and leaves a job when they were the last ones. */
export function keepAnswers(
  view: ThreadView,
  thread: ThreadRecord,
  answers: ReadonlyMap<string, GivenAnswer>,
): Decision<Staged> {
  const changed = new Map<string, InterruptRecord>();
  for (const [id, answer] of answers) {
    const record = view.interrupts.get(id);
    if (record !== undefined) changed.set(id, { ...record, answer, state: 'answered' });
  }
  const ids = thread.batch?.interruptIds ?? [];
  const open = ids.filter((id) => (changed.get(id) ?? view.interrupts.get(id))?.answer === undefined);
  const result: Staged = { state: open.length === 0 ? 'complete' : 'staged', open };
  if (changed.size === 0) return { result };
  const puts = open.length === 0 && ids.length > 0 ? [continueJob(view, thread)] : [];
  return { change: { thread, interrupts: changed, history: stagedFacts(view, answers), puts }, result };
}

/** One job a thread: it says that the thread can go on, and nothing else. */
function continueJob(view: ThreadView, thread: ThreadRecord): PutRow {
  const { scope, thread: id } = view.key;
  return {
    table: 'jobs',
    key: { scope, thread: '', id },
    doc: { thread: id, agent: thread.agent, batch: thread.batch?.id ?? '', attempts: 0 },
    index: { status: 'ready', agent: thread.agent, dueAt: view.now },
  };
}
