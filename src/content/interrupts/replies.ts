import { defined, HoldpointError, isRecord } from '../../core/index.ts';
import type { Interrupt, Metadata, ResumeEntry } from '../../protocol/index.ts';
import { isApprovable } from './approval-rules.ts';

/** An interrupt, or an object that has one. */
export type InterruptTarget = Interrupt | { readonly interrupt: Interrupt };

/** Options of an approval: edited arguments, a reason, and members that the interrupt offers. */
export interface ApproveOptions {
  /** Arguments that replace those of the call. Default: the call keeps its own. */
  readonly editedArgs?: unknown;
  /** Reason of the decision. Default: none. */
  readonly reason?: string;
  /** The phrase that the interrupt asks for. Default: none. */
  readonly confirmation?: string;
  readonly [extra: string]: unknown;
}

/**
 * Approves an interrupt. Throws `ANSWER_INVALID` for an interrupt that is not an approval.
 *
 * @example
 * ```ts
 * import { approve } from 'holdpoint/client';
 *
 * const { interrupts } = await client.run({ messages: 'Pay the bill.' }).finished;
 * client.resume({ threadId }, interrupts.map((interrupt) => approve(interrupt)));
 * ```
 */
export function approve(target: InterruptTarget, options: ApproveOptions = {}): ResumeEntry {
  const interrupt = approvable(target);
  return resolved(interrupt, { ...defined(options), approved: true });
}

/**
 * Rejects an interrupt, optionally with a reason. Throws `ANSWER_INVALID` for an interrupt that is not an approval.
 *
 * @example
 * ```ts
 * import { reject } from 'holdpoint/client';
 *
 * client.resume({ threadId }, [reject(interrupt, 'The amount is too high.')]);
 * ```
 */
export function reject(target: InterruptTarget, reason?: string): ResumeEntry {
  const interrupt = approvable(target);
  return resolved(interrupt, defined({ approved: false, reason }));
}

/**
 * Answers an interrupt with a value.
 *
 * @example
 * ```ts
 * import { answer } from 'holdpoint/client';
 *
 * client.resume({ threadId }, [answer(interrupt, { email: 'ada@example.com' })]);
 * ```
 */
export function answer(target: InterruptTarget, value: unknown): ResumeEntry {
  return resolved(interruptOf(target), value);
}

/**
 * Cancels an interrupt: no answer will come. A rejection is an answer.
 *
 * @example
 * ```ts
 * import { cancel } from 'holdpoint/client';
 *
 * client.resume({ threadId }, [cancel(interrupt)]);
 * ```
 */
export function cancel(target: InterruptTarget, metadata?: Metadata): ResumeEntry {
  const { id: interruptId } = interruptOf(target);
  return defined({ interruptId, status: 'cancelled', metadata });
}

/** The interrupt of a target. Throws `INPUT_INVALID` for any other value. */
export function interruptOf(target: InterruptTarget): Interrupt {
  const interrupt: unknown = isRecord(target) && 'interrupt' in target ? target['interrupt'] : target;
  if (isRecord(interrupt) && typeof interrupt['id'] === 'string') return interrupt as unknown as Interrupt;
  throw new HoldpointError('INPUT_INVALID', 'An answer needs an interrupt.');
}

function approvable(target: InterruptTarget): Interrupt {
  const interrupt = interruptOf(target);
  if (isApprovable(interrupt)) return interrupt;
  const sentence = `The interrupt ${interrupt.id} is not an approval. Use answer() instead.`;
  throw new HoldpointError('ANSWER_INVALID', sentence);
}

/** An answer with this payload. */
export function resolved({ id: interruptId }: Interrupt, payload: unknown): ResumeEntry {
  return defined({ interruptId, status: 'resolved', payload });
}
