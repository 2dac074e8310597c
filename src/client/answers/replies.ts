import type { ApproveOptions, Asked } from '../../content/index.ts';
import { HoldpointError, present } from '../../core/basics/index.ts';
import type { Interrupt, Metadata, ResumeEntry } from '../../protocol/index.ts';
import { isApprovable } from '../../protocol/interrupts/approval/index.ts';

/** The replies of `holdpoint/content`, by a way that loads nothing else. */

/** Says yes. Throws `ANSWER_INVALID` where the question is not one to approve. */
export function approve(asked: Asked, options: ApproveOptions = {}): ResumeEntry {
  const interrupt = approvable(asked);
  return resolved(interrupt, { ...present(options), approved: true });
}

/** Says no, and why. Throws `ANSWER_INVALID` where the question is not one to reject. */
export function reject(asked: Asked, reason?: string): ResumeEntry {
  const interrupt = approvable(asked);
  return resolved(interrupt, present({ approved: false, reason }));
}

/** Answers with a value. */
export function answer(asked: Asked, value: unknown): ResumeEntry {
  return resolved(questionOf(asked), value);
}

/** Says that nobody will answer; a rejection is another thing. */
export function cancel(asked: Asked, metadata?: Metadata): ResumeEntry {
  const { id: interruptId } = questionOf(asked);
  return present({ interruptId, status: 'cancelled', metadata });
}

function questionOf(asked: Asked): Interrupt {
  return 'interrupt' in asked ? asked.interrupt : asked;
}

function approvable(asked: Asked): Interrupt {
  const interrupt = questionOf(asked);
  if (isApprovable(interrupt)) return interrupt;
  const sentence = `The interrupt ${interrupt.id} asks for an answer, not for an approval: use answer().`;
  throw new HoldpointError('ANSWER_INVALID', sentence);
}

function resolved({ id: interruptId }: Interrupt, payload: unknown): ResumeEntry {
  return present({ interruptId, status: 'resolved', payload });
}
