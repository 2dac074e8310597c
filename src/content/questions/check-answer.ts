import type { Issue } from '../../core/index.ts';
import { invalidAnswer } from '../../core/index.ts';
import { compileJsonSchema } from '../../core/schema/index.ts';
import type { Interrupt, ResumeEntry } from '../../protocol/index.ts';
import { checkAnswerWith } from './checking/index.ts';

const check = /* @__PURE__ */ checkAnswerWith(compileJsonSchema);

/**
 * What is wrong with an answer, by the question's response schema and by what the question asks beyond it: a
 * reason for a rejection, a phrase for an approval. `resolved` without a payload is the answer null.
 */
export function checkAnswer(interrupt: Interrupt, entry: ResumeEntry): Issue[] {
  return check(interrupt, entry);
}

/** Throws `ANSWER_INVALID` for an answer that {@link checkAnswer} finds fault with. */
export function assertAnswer(interrupt: Interrupt, entry: ResumeEntry): void {
  const issues = checkAnswer(interrupt, entry);
  if (issues.length > 0) throw invalidAnswer(interrupt.id, issues);
}
