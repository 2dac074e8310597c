import { invalidInput } from '../../core/issues/index.ts';
import type { ResumeEntry } from '../../protocol/index.ts';
import { buildResume, validateCoverage } from '../../protocol/interrupts/resume/index.ts';
import type { Covering } from '../answers/covering.ts';

/** The `resume` of the next run, or the reason why there is none: `buildResume`, and one answer to a question. */
export function coverAnswers(
  entries: readonly ResumeEntry[],
  { open, staged, now }: Covering,
): readonly ResumeEntry[] {
  assertSingle(entries);
  if (open === undefined) return entries;
  const given = entries.map((entry) => [entry.interruptId, entry] as const);
  return buildResume(open, new Map([...staged, ...given]), now);
}

function assertSingle(entries: readonly ResumeEntry[]): void {
  const [twice] = validateCoverage([], entries, 0).duplicate;
  if (twice === undefined) return;
  const index = entries.findLastIndex(({ interruptId }) => interruptId === twice);
  const message = `the question ${twice} is answered twice`;
  throw invalidInput('run input', [{ pointer: `/resume/${index}/interruptId`, message }]);
}
