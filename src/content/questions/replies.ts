import { HoldpointError } from '../../core/basics/index.ts';
import type { Interrupt, Metadata, ResumeEntry } from '../../protocol/index.ts';
import { isApprovable } from '../../protocol/interrupts/approval/index.ts';

/** A question, or whatever carries one. */
export type Asked = Interrupt | { readonly interrupt: Interrupt };

/** The options of an approval: edited arguments, a reason, and whatever else the question offers. */
export interface ApproveOptions {
  readonly editedArgs?: unknown;
  readonly reason?: string;
  readonly confirmation?: string;
  readonly [extra: string]: unknown;
}

/** Says yes. Throws `ANSWER_INVALID` where the question is not one to approve. */
export function approve(asked: Asked, options: ApproveOptions = {}): ResumeEntry {
  const interrupt = questionOf(asked);
  assertApproval(interrupt);
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  return resolved(interrupt, { ...given, approved: true });
}

/** Says no, and why. Throws `ANSWER_INVALID` where the question is not one to reject. */
export function reject(asked: Asked, reason?: string): ResumeEntry {
  const interrupt = questionOf(asked);
  assertApproval(interrupt);
  return resolved(interrupt, reason === undefined ? { approved: false } : { approved: false, reason });
}

/** Answers with a value. */
export function answer(asked: Asked, value: unknown): ResumeEntry {
  return resolved(questionOf(asked), value);
}

/** Says that nobody will answer; a rejection is another thing. */
export function cancel(asked: Asked, metadata?: Metadata): ResumeEntry {
  return {
    interruptId: questionOf(asked).id,
    status: 'cancelled',
    ...(metadata === undefined ? {} : { metadata }),
  };
}

function questionOf(asked: Asked): Interrupt {
  return 'interrupt' in asked ? asked.interrupt : asked;
}

function assertApproval(interrupt: Interrupt): void {
  if (isApprovable(interrupt)) return;
  const sentence = `The interrupt ${interrupt.id} is not an approval. Use answer() instead.`;
  throw new HoldpointError('ANSWER_INVALID', sentence);
}

function resolved(interrupt: Interrupt, payload: unknown): ResumeEntry {
  const entry: ResumeEntry = { interruptId: interrupt.id, status: 'resolved' };
  return payload === undefined ? entry : { ...entry, payload };
}
