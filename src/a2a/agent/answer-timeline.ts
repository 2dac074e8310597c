import type { ResumeEntry } from '../../protocol/index.ts';
import type { Bridge } from './bridge.ts';
import type { Paused } from './claim-pause.ts';

/** What the timeline is told of answers. */
export interface AnswerTimeline {
  /** The agent has gone on. */
  readonly taken: () => void;
  readonly end: (asksAgain: boolean) => void;
}

/** Tells the timeline what became of the answers: nothing is approved before the agent goes on. */
export function answerTimeline(
  { activities }: Bridge,
  { taskId, pause }: Paused,
  entries: readonly ResumeEntry[],
): AnswerTimeline {
  const given = new Map(entries.map((entry) => [entry.interruptId, entry]));
  let isTaken = false;
  return {
    taken: () => {
      isTaken = true;
      for (const question of pause.questions) {
        activities.answered(taskId, question, { stage: 'working', entry: given.get(question.id) });
      }
    },
    end: (asksAgain) => {
      for (const question of pause.questions) {
        const entry = isTaken || asksAgain ? undefined : given.get(question.id);
        activities.answered(taskId, question, { stage: 'completed', entry, refused: asksAgain && !isTaken });
      }
    },
  };
}
