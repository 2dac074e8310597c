import { isPaused } from './task-state.ts';
import type { PauseMemory } from './a2a-memory.ts';
import type { TaskView } from './task-view.ts';

/** What tells one pause of a task from the next: the message that asks, and when it was said. */
export function pauseMarks({ status }: TaskView): Pick<PauseMemory, 'statusMessageId' | 'timestamp'> {
  return { statusMessageId: status?.message?.messageId ?? '', timestamp: status?.timestamp ?? '' };
}

/** Whether a task waits where this pause was asked: an agent may show the old question again after the answer. */
export function isSamePause(view: TaskView, pause: PauseMemory | undefined): boolean {
  if (pause === undefined || !isPaused(view.state) || view.state !== pause.state) return false;
  const { statusMessageId, timestamp } = pauseMarks(view);
  return statusMessageId === pause.statusMessageId && timestamp === pause.timestamp;
}
