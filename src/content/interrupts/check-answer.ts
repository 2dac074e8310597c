import type { Issue } from '../../core/index.ts';
import { invalidAnswer } from '../../core/index.ts';
import { compileJsonSchema } from '../../core/schema/index.ts';
import type { Interrupt, ResumeEntry } from '../../protocol/index.ts';
import { checkBeyondSchema } from './approval-rules.ts';

/**
 * The issues of an answer: by the response schema of the interrupt, and by its further rules (a reason for a
 * rejection, a phrase for an approval). `resolved` without a payload is the answer null.
 *
 * @example
 * ```ts
 * import { answer, checkAnswer } from 'holdpoint/content';
 *
 * const issues = checkAnswer(interrupt, answer(interrupt, { email: 'ada@example.com' }));
 * for (const { pointer, message } of issues) console.log(pointer, message);
 * ```
 */
export function checkAnswer(interrupt: Interrupt, entry: ResumeEntry): Issue[] {
  if (entry.status === 'cancelled') return [];
  const { responseSchema } = interrupt;
  const bySchema =
    responseSchema === undefined ? [] : compileJsonSchema(responseSchema).validate(entry.payload ?? null);
  return bySchema.length > 0 ? bySchema : checkBeyondSchema(interrupt, entry);
}

/**
 * Throws `ANSWER_INVALID` for an answer with issues of {@link checkAnswer}.
 *
 * @example
 * ```ts
 * import { approve, assertAnswer } from 'holdpoint/content';
 *
 * assertAnswer(interrupt, approve(interrupt, { reason: 'The invoice is right.' }));
 * ```
 */
export function assertAnswer(interrupt: Interrupt, entry: ResumeEntry): void {
  const issues = checkAnswer(interrupt, entry);
  if (issues.length > 0) throw invalidAnswer(interrupt.id, issues);
}
