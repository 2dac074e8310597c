import { HoldpointError } from '../../core/index.ts';
import type { ResumeEntry } from '../../protocol/index.ts';
import type { AnswerForm } from './answer-form.ts';
import { answerFormsOf } from './answer-form.ts';
import { isApprovable } from './approval-rules.ts';
import type { InterruptTarget } from './replies.ts';
import { interruptOf, resolved } from './replies.ts';

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
