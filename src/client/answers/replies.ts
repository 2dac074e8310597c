import type { ApproveOptions, Asked } from '../../content/index.ts';
import { HoldpointError, isRecord } from '../../core/basics/index.ts';
import type { Interrupt, Metadata, ResumeEntry } from '../../protocol/index.ts';
import { approvalOf } from '../../protocol/interrupts/approval/index.ts';

/**
 * The replies of `holdpoint/content`, by a way that loads nothing else. They differ in one thing: a foreign server
 * that asks about a tool call may send no schema, and such a question can be approved too.
 */

/** Says yes. Throws `ANSWER_INVALID` where the question is not one to approve. */
export function approve(asked: Asked, options: ApproveOptions = {}): ResumeEntry {
  const interrupt = approvable(asked);
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  return resolved(interrupt, { ...given, approved: true });
}

/** Says no, and why. Throws `ANSWER_INVALID` where the question is not one to reject. */
export function reject(asked: Asked, reason?: string): ResumeEntry {
  const interrupt = approvable(asked);
  return resolved(interrupt, reason === undefined ? { approved: false } : { approved: false, reason });
}

/** Answers with a value. */
export function answer(asked: Asked, value: unknown): ResumeEntry {
  return resolved(questionOf(asked), value);
}

/** Says that nobody will answer; a rejection is another thing. */
export function cancel(asked: Asked, metadata?: Metadata): ResumeEntry {
  const { id: interruptId } = questionOf(asked);
  return { interruptId, status: 'cancelled', ...(metadata === undefined ? {} : { metadata }) };
}

function questionOf(asked: Asked): Interrupt {
  return 'interrupt' in asked ? asked.interrupt : asked;
}

function approvable(asked: Asked): Interrupt {
  const interrupt = questionOf(asked);
  if (isApprovable(interrupt)) return interrupt;
  const sentence = `The question ${interrupt.id} asks for an answer, not for an approval.`;
  throw new HoldpointError('ANSWER_INVALID', sentence);
}

function isApprovable(interrupt: Interrupt): boolean {
  const { responseSchema } = interrupt;
  if (responseSchema === undefined) {
    return approvalOf(interrupt, (functionName) => ({ functionName })) !== undefined;
  }
  const properties = responseSchema['properties'];
  return isRecord(properties) && Object.hasOwn(properties, 'approved');
}

function resolved({ id: interruptId }: Interrupt, payload: unknown): ResumeEntry {
  return { interruptId, status: 'resolved', ...(payload === undefined ? {} : { payload }) };
}
