import type { Issue } from '../../../core/basics/index.ts';
import type { CompileSchema } from '../../../core/schema/evaluate/index.ts';
import type { Interrupt, ResumeEntry } from '../../../protocol/index.ts';
import { checkBeyondSchema } from './check-beyond-schema.ts';

/** A check of answers with the given validator; `checkAnswer` says what it looks at. */
export function checkAnswerWith(
  compile: CompileSchema,
): (interrupt: Interrupt, entry: ResumeEntry) => Issue[] {
  return (interrupt, entry) => {
    if (entry.status === 'cancelled') return [];
    const { responseSchema } = interrupt;
    const issues =
      responseSchema === undefined ? [] : compile(responseSchema).validate(entry.payload ?? null);
    return issues.length > 0 ? issues : checkBeyondSchema(interrupt, entry);
  };
}
