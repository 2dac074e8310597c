import { checkBeyondSchema } from '../../content/questions/checking/index.ts';
import { invalidAnswer } from '../../core/answers/index.ts';
import { compileForeignSchema } from '../../core/schema/index.ts';
import type { Interrupt, ResumeEntry } from '../../protocol/index.ts';

/** Throws `ANSWER_INVALID` as `assertAnswer` of content does, and `INPUT_INVALID` for a schema that is unusable. */
export async function assertAnswer(interrupt: Interrupt, entry: ResumeEntry): Promise<void> {
  const { id, responseSchema } = interrupt;
  if (entry.status === 'cancelled') return;
  const compiled =
    responseSchema === undefined ? undefined : await compileForeignSchema(responseSchema, 'browser');
  const bySchema = compiled?.validate(entry.payload ?? null) ?? [];
  const issues = bySchema.length > 0 ? bySchema : checkBeyondSchema(interrupt, entry);
  if (issues.length > 0) throw invalidAnswer(id, issues);
}
