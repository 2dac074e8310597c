import { checkAnswerWith } from '../../content/questions/checking/index.ts';
import type { Issue } from '../../core/basics/index.ts';
import { invalidAnswer } from '../../core/answers/index.ts';
import { onDemand } from '../../core/basics/index.ts';
import { createSchemaCompiler } from '../../core/schema/evaluate/index.ts';
import type { Interrupt, ResumeEntry } from '../../protocol/index.ts';

/** What few schemas and few answers need: patterns, formats, references, and words for what is wrong. */
const patterns = onDemand(() => import('./schema-patterns.ts'));
const formats = onDemand(() => import('./schema-formats.ts'));
const references = onDemand(() => import('./schema-references.ts'));
const words = onDemand(() => import('./schema-words.ts'));

/** Stands for what is wrong, before there are words for it. */
const WRONG: Issue = { pointer: '', message: '' };

const check = checkAnswerWith(
  createSchemaCompiler({
    judgePattern: (pattern) => patterns.need().judgePattern(pattern),
    isFormat: (format) => formats.need().isFormat(format),
    fitsFormat: (format, text) => formats.need().fitsFormat(format, text),
    findReference: (root, reference) => references.need().findReference(root, reference),
    findEndlessReferences: (links) => references.need().findEndlessReferences(links),
    describeFailures: (failures, context) => words.loaded?.describeFailures(failures, context) ?? [WRONG],
  }),
);

/** Throws `ANSWER_INVALID` as `assertAnswer` of content does, and `INPUT_INVALID` for a schema that is unusable. */
export async function assertAnswer(interrupt: Interrupt, entry: ResumeEntry): Promise<void> {
  const schema = JSON.stringify(interrupt.responseSchema ?? {});
  if (/"pattern(?:Properties)?":/.test(schema)) await patterns.load();
  if (schema.includes('"format":')) await formats.load();
  if (schema.includes('"$ref":')) await references.load();
  let issues = check(interrupt, entry);
  if (issues.includes(WRONG)) {
    await words.load();
    issues = check(interrupt, entry);
  }
  if (issues.length > 0) throw invalidAnswer(interrupt.id, issues);
}
