import type { Issue, UnknownRecord } from '../../core/index.ts';
import { invalidAnswer, isRecord, ownMember } from '../../core/index.ts';
import { compileJsonSchema } from '../../core/schema/index.ts';
import type { Interrupt, ResumeEntry } from '../../protocol/index.ts';
import { checkForm, schemaOfAnswer } from './answer-form.ts';
import { checkDecision, offersRemember } from './approval-rules.ts';

/**
 * The issues of an answer: by the schema of its form, and by the further rules of the interrupt (a reason for a
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
  const byForm = checkForm(interrupt, entry);
  return byForm.length > 0 ? byForm : checkPayload(interrupt, entry, schemaOfAnswer(interrupt, entry));
}

/** The issues of an answer by this schema and by the further rules of the interrupt. */
export function checkPayload(
  interrupt: Interrupt,
  entry: ResumeEntry,
  schema: UnknownRecord | undefined,
): Issue[] {
  if (entry.status === 'cancelled') return [];
  const bySchema = schema === undefined ? [] : compileJsonSchema(schema).validate(entry.payload ?? null);
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

/** The issues of an answer beyond the response schema: edits, reason, confirmation and what to remember. */
export function checkBeyondSchema(interrupt: Interrupt, entry: ResumeEntry): Issue[] {
  const issues = checkDecision(interrupt, entry);
  const { status, payload } = entry;
  if (issues.length > 0 || status === 'cancelled' || !isRecord(payload) || !offersRemember(interrupt))
    return issues;
  return Object.hasOwn(payload, 'approved') ? checkRemember(ownMember(payload, 'remember')) : [];
}

const LIMITS = ['forMs', 'maxUses', 'maxTotal'] as const;

/** The issues of `remember`: an unknown choice, or a limit that is not above 0. */
function checkRemember(remember: unknown): Issue[] {
  if (!isRecord(remember)) return [];
  const { what, where } = remember;
  const issues: Issue[] = [];
  if (what !== 'tool' && what !== 'arguments')
    issues.push({ pointer: '/remember/what', message: 'expected "tool" or "arguments"' });
  if (where !== 'thread' && where !== 'principal')
    issues.push({ pointer: '/remember/where', message: 'expected "thread" or "principal"' });
  for (const name of LIMITS) {
    const limit = ownMember(remember, name);
    if (limit !== undefined && !(typeof limit === 'number' && limit > 0))
      issues.push({ pointer: `/remember/${name}`, message: 'expected a number above 0' });
  }
  return issues;
}
