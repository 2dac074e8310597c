import type { ApproveOptions, Asked } from '../../content/index.ts';
import { HoldpointError, isRecord, ownMember, present } from '../../core/basics/index.ts';
import type { Interrupt, Metadata, ResumeEntry } from '../../protocol/index.ts';

/**
 * The replies of `holdpoint/content`, by a way that loads nothing else. They differ in one thing: a foreign server
 * that asks about a tool call may send no schema, and such a question can be approved too.
 */

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
  const sentence = `The question ${interrupt.id} asks for an answer, not for an approval.`;
  throw new HoldpointError('ANSWER_INVALID', sentence);
}

/** Offers `approved`; without a schema, what `approvalOf` takes for an approval, whatever the call is. */
function isApprovable({ responseSchema, metadata, toolCallId, reason }: Interrupt): boolean {
  if (responseSchema !== undefined) return has(responseSchema['properties'], 'approved');
  if (toolCallId !== undefined && reason === 'tool_call') return true;
  return has(metadata, 'functionName') || has(metadata?.['payload'], 'functionName');
}

function has(value: unknown, key: string): boolean {
  return isRecord(value) && ownMember(value, key) !== undefined;
}

function resolved({ id: interruptId }: Interrupt, payload: unknown): ResumeEntry {
  return present({ interruptId, status: 'resolved', payload });
}
