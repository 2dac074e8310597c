import type { ApproveOptions, Asked } from '../../content/index.ts';
import { HoldpointError, defined } from '../../core/basics/index.ts';
import type { Interrupt, Metadata, ResumeEntry } from '../../protocol/index.ts';
import { isApprovable } from '../../protocol/interrupts/approval/index.ts';

/** The replies of `holdpoint/content`, through an import that loads nothing else. */

/**
 * Approves an interrupt. Throws `ANSWER_INVALID` for an interrupt that is not an approval.
 *
 * @example
 * ```ts
 * const { interrupts } = await client.run({ messages: 'Pay the bill.' }).finished;
 * client.resume({ threadId }, interrupts.map((interrupt) => approve(interrupt)));
 * ```
 */
export function approve(target: Asked, options: ApproveOptions = {}): ResumeEntry {
  const interrupt = approvable(target);
  return resolved(interrupt, { ...defined(options), approved: true });
}

/**
 * Rejects an interrupt, optionally with a reason. Throws `ANSWER_INVALID` for an interrupt that is not an approval.
 *
 * @example
 * ```ts
 * client.resume({ threadId }, [reject(interrupt, 'The amount is too high.')]);
 * ```
 */
export function reject(target: Asked, reason?: string): ResumeEntry {
  const interrupt = approvable(target);
  return resolved(interrupt, defined({ approved: false, reason }));
}

/**
 * Answers an interrupt with a value.
 *
 * @example
 * ```ts
 * client.resume({ threadId }, [answer(interrupt, { email: 'ada@example.com' })]);
 * ```
 */
export function answer(target: Asked, value: unknown): ResumeEntry {
  return resolved(interruptOf(target), value);
}

/**
 * Cancels an interrupt: no answer will come. A rejection is an answer.
 *
 * @example
 * ```ts
 * client.resume({ threadId }, [cancel(interrupt)]);
 * ```
 */
export function cancel(target: Asked, metadata?: Metadata): ResumeEntry {
  const { id: interruptId } = interruptOf(target);
  return defined({ interruptId, status: 'cancelled', metadata });
}

function interruptOf(target: Asked): Interrupt {
  return 'interrupt' in target ? target.interrupt : target;
}

function approvable(target: Asked): Interrupt {
  const interrupt = interruptOf(target);
  if (isApprovable(interrupt)) return interrupt;
  const sentence = `The interrupt ${interrupt.id} is not an approval. Use answer() instead.`;
  throw new HoldpointError('ANSWER_INVALID', sentence);
}

function resolved({ id: interruptId }: Interrupt, payload: unknown): ResumeEntry {
  return defined({ interruptId, status: 'resolved', payload });
}
