import { defined, HoldpointError } from '../../core/basics/index.ts';
import type { Interrupt, Metadata, ResumeEntry } from '../../protocol/index.ts';
import { isApprovable } from '../../protocol/interrupts/approval/index.ts';

/** An interrupt, or an object that has one. */
export type Asked = Interrupt | { readonly interrupt: Interrupt };

/** Options of an approval: edited arguments, a reason, and members that the interrupt offers. */
export interface ApproveOptions {
  readonly editedArgs?: unknown;
  readonly reason?: string;
  readonly confirmation?: string;
  readonly [extra: string]: unknown;
}

/** Approves an interrupt. Throws `ANSWER_INVALID` for an interrupt that is not an approval. */
export function approve(target: Asked, options: ApproveOptions = {}): ResumeEntry {
  const interrupt = interruptOf(target);
  assertApproval(interrupt);
  return resolved(interrupt, { ...defined(options), approved: true });
}

/**
 * Rejects an interrupt, optionally with a reason. Throws `ANSWER_INVALID` for an interrupt that is not an approval.
 */
export function reject(target: Asked, reason?: string): ResumeEntry {
  const interrupt = interruptOf(target);
  assertApproval(interrupt);
  return resolved(interrupt, reason === undefined ? { approved: false } : { approved: false, reason });
}

/** Answers an interrupt with a value. */
export function answer(target: Asked, value: unknown): ResumeEntry {
  return resolved(interruptOf(target), value);
}

/** Cancels an interrupt: no answer will come. A rejection is an answer. */
export function cancel(target: Asked, metadata?: Metadata): ResumeEntry {
  return {
    interruptId: interruptOf(target).id,
    status: 'cancelled',
    ...defined({ metadata }),
  };
}

function interruptOf(target: Asked): Interrupt {
  return 'interrupt' in target ? target.interrupt : target;
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
