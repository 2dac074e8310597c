import type { Issue, UnknownRecord } from '../../core/index.ts';
import { isRecord, ownMember } from '../../core/index.ts';
import type { Interrupt, ResumeEntry } from '../../protocol/index.ts';
import type { InterruptKind } from './answer-effect.ts';

/**
 * What an answer is to a call whose body asked with `ctx.interrupt`: `output` is the output of the call, and the body does not run
 * again; with `resume` the body runs again, and the answer is its `ctx.resumed`.
 */
export type AnswerForm = 'output' | 'resume';

/** The part of an answer that says its form. */
type Formed = Pick<ResumeEntry, 'metadata'>;

/**
 * The forms of answer that an interrupt takes, its default first: the member `answerAs` of its metadata. Empty for an interrupt whose
 * answers have one meaning, such as an approval.
 *
 * @example
 * ```ts
 * import { answerFormsOf } from 'holdpoint/content';
 *
 * answerFormsOf({ metadata: { answerAs: ['resume', 'output'] } }); // ['resume', 'output']
 * ```
 */
export function answerFormsOf(interrupt: Pick<Interrupt, 'metadata'>): readonly AnswerForm[] {
  const forms = memberOf(interrupt, 'answerAs');
  return Array.isArray(forms) ? forms.filter(isForm) : [];
}

/** The form of an answer: that of its `metadata.as`, else the default. Undefined for an interrupt without forms. */
export function answerFormOf(interrupt: Pick<Interrupt, 'metadata'>, entry: Formed): AnswerForm | undefined {
  const [first] = answerFormsOf(interrupt);
  const named = formNamedBy(entry);
  return first === undefined || !isForm(named) ? first : named;
}

/**
 * The schema of an answer of this form; undefined for any JSON.
 *
 * @example
 * ```ts
 * import { answerFormsOf, schemaOfForm } from 'holdpoint/client';
 *
 * for (const form of answerFormsOf(interrupt)) console.log(form, schemaOfForm(interrupt, form));
 * ```
 */
export function schemaOfForm(interrupt: Interrupt, form: AnswerForm | undefined): UnknownRecord | undefined {
  if (form === answerFormsOf(interrupt)[0]) return interrupt.responseSchema;
  const schema = form === 'output' ? memberOf(interrupt, 'outputSchema') : undefined;
  return isRecord(schema) ? schema : undefined;
}

/** The schema that an answer has to fit: that of its form. */
export function schemaOfAnswer(interrupt: Interrupt, entry: Formed): UnknownRecord | undefined {
  return schemaOfForm(interrupt, answerFormOf(interrupt, entry));
}

/** The kind whose effect an answer has: the output of a call has the effect of an answer to `defineInterrupt`. */
export function kindOfAnswer(kind: InterruptKind, interrupt: Interrupt, entry: Formed): InterruptKind {
  return kind === 'restart' && answerFormOf(interrupt, entry) === 'output' ? 'respond' : kind;
}

/** The issue of an answer whose `metadata.as` names a form that the interrupt does not take. */
export function checkForm(interrupt: Interrupt, entry: ResumeEntry): Issue[] {
  const forms = answerFormsOf(interrupt);
  const named = formNamedBy(entry);
  if (entry.status === 'cancelled' || named === undefined || forms.length === 0) return [];
  if (forms.some((form) => form === named)) return [];
  const expected = forms.map((form) => `"${form}"`).join(' or ');
  const reason = forms.includes('resume')
    ? 'its tool declares no `output`'
    : 'its tool declares no `resume`, so its body does not run again';
  return [
    { pointer: '', message: `metadata.as is ${JSON.stringify(named)}, expected ${expected}: ${reason}` },
  ];
}

function formNamedBy({ metadata = {} }: Formed): unknown {
  return ownMember(metadata, 'as');
}

/** A member of the metadata, which the draft has in its payload. */
function memberOf({ metadata = {} }: Pick<Interrupt, 'metadata'>, name: string): unknown {
  const payload = ownMember(metadata, 'payload');
  return ownMember(metadata, name) ?? (isRecord(payload) ? ownMember(payload, name) : undefined);
}

function isForm(value: unknown): value is AnswerForm {
  return value === 'output' || value === 'resume';
}
