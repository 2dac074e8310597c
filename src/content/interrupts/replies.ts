import { defined, HoldpointError, isRecord } from '../../core/index.ts';
import type { Interrupt, Metadata, ResumeEntry } from '../../protocol/index.ts';
import type { AnswerForm } from './answer-form.ts';
import { answerFormsOf } from './answer-form.ts';
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
 * Answers an interrupt with the output of its call: the body of its tool does not run again. Throws `ANSWER_INVALID` for an interrupt
 * that takes no output, such as an approval.
 *
 * @example
 * ```ts
 * import { respond } from 'holdpoint/client';
 *
 * client.resume({ threadId }, [respond(interrupt, 'Rear Window')]);
 * ```
 */
export function respond(target: InterruptTarget, output: unknown): ResumeEntry {
  return formed(target, 'output', output);
}

/**
 * Runs the body of the asking call again, with `resumed` as its `ctx.resumed`. Throws `ANSWER_INVALID` for an interrupt of a call that
 * does not run again.
 *
 * @example
 * ```ts
 * import { restart } from 'holdpoint/client';
 *
 * client.resume({ threadId }, [restart(interrupt, { status: 'APPROVED' })]);
 * ```
 */
export function restart(target: InterruptTarget, resumed: unknown): ResumeEntry {
  return formed(target, 'resume', resumed);
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

function interruptOf(target: InterruptTarget): Interrupt {
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

function formed(target: InterruptTarget, form: AnswerForm, payload: unknown): ResumeEntry {
  const interrupt = interruptOf(target);
  const forms = answerFormsOf(interrupt);
  const entry = resolved(interrupt, payload);
  if (forms.includes(form)) return { ...entry, metadata: { as: form } };
  // The answer to a question without a body, as of `defineInterrupt`, is its output.
  if (form === 'output' && forms.length === 0 && !isApprovable(interrupt)) return entry;
  const sentence =
    form === 'output'
      ? `The interrupt ${interrupt.id} takes no output of its call. Use ${forms.length > 0 ? 'restart' : 'approve() or reject'}() instead.`
      : `The call of the interrupt ${interrupt.id} does not run again with its answer. Use ${isApprovable(interrupt) ? 'approve() or reject' : 'respond() or answer'}() instead.`;
  throw new HoldpointError('ANSWER_INVALID', sentence);
}

function resolved({ id: interruptId }: Interrupt, payload: unknown): ResumeEntry {
  return defined({ interruptId, status: 'resolved', payload });
}
