import type { Issue } from '../../core/index.ts';
import { invalidAnswer, isRecord, ownMember } from '../../core/index.ts';
import { compileJsonSchema } from '../../core/schema/index.ts';
import type { Interrupt, InterruptReason, ResumeEntry } from '../../protocol/index.ts';
import { isApproved } from './answer-effect.ts';
import { offersEdits } from './offers-edits.ts';

/** The reason of a question about a call that failed; written out, so that a page is not made to load the whole protocol. */
const RECOVERY: typeof InterruptReason.ErrorRecovery = 'error_recovery';

/**
 * What is wrong with an answer, by the question's response schema and by what the question asks beyond it: a
 * reason for a rejection, a phrase for an approval. `resolved` without a payload is the answer null.
 */
export function checkAnswer(interrupt: Interrupt, entry: ResumeEntry): Issue[] {
  if (entry.status === 'cancelled') return [];
  const payload: unknown = entry.payload ?? null;
  const { responseSchema, metadata = {} } = interrupt;
  const issues = responseSchema === undefined ? [] : compileJsonSchema(responseSchema).validate(payload);
  if (issues.length > 0 || !isRecord(payload)) return issues;
  const isApproval = Object.hasOwn(payload, 'approved');
  const decides = isApproval || interrupt.reason === RECOVERY;
  if (decides && ownMember(payload, 'editedArgs') !== undefined && !offersEdits(interrupt)) {
    return [{ pointer: '/editedArgs', message: 'the arguments of this call cannot be changed' }];
  }
  if (!isApproval) return [];
  const approved = isApproved(payload);
  if (!approved && ownMember(metadata, 'requireReason') === true && !isFilled(ownMember(payload, 'reason'))) {
    return [{ pointer: '/reason', message: 'expected a reason for the rejection' }];
  }
  const phrase = ownMember(metadata, 'confirmation');
  if (approved && typeof phrase === 'string' && ownMember(payload, 'confirmation') !== phrase) {
    return [{ pointer: '/confirmation', message: `expected the phrase ${JSON.stringify(phrase)}` }];
  }
  return [];
}

/** Throws `ANSWER_INVALID` for an answer that {@link checkAnswer} finds fault with. */
export function assertAnswer(interrupt: Interrupt, entry: ResumeEntry): void {
  const issues = checkAnswer(interrupt, entry);
  if (issues.length > 0) throw invalidAnswer(interrupt.id, issues);
}

function isFilled(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '';
}
