import type { Issue } from '../../../core/basics/index.ts';
import { isRecord, ownMember } from '../../../core/basics/index.ts';
import type { CompileSchema } from '../../../core/schema/evaluate/index.ts';
import type { Interrupt, InterruptReason, ResumeEntry } from '../../../protocol/index.ts';
import { isApproved } from '../is-approved.ts';
import { offersEdits } from '../offers-edits.ts';

const ERROR_RECOVERY: (typeof InterruptReason)['ErrorRecovery'] = 'error_recovery';

/** A check of answers with the given validator; `checkAnswer` says what it looks at. */
export function checkAnswerWith(
  compile: CompileSchema,
): (interrupt: Interrupt, entry: ResumeEntry) => Issue[] {
  return (interrupt, entry) => {
    if (entry.status === 'cancelled') return [];
    const payload: unknown = entry.payload ?? null;
    const { responseSchema, metadata = {} } = interrupt;
    const issues = responseSchema === undefined ? [] : compile(responseSchema).validate(payload);
    if (issues.length > 0 || !isRecord(payload)) return issues;
    const isApproval = Object.hasOwn(payload, 'approved');
    const decides = isApproval || interrupt.reason === ERROR_RECOVERY;
    if (decides && ownMember(payload, 'editedArgs') !== undefined && !offersEdits(interrupt)) {
      return [{ pointer: '/editedArgs', message: 'the arguments of this call cannot be changed' }];
    }
    if (!isApproval) return [];
    const approved = isApproved(payload);
    if (
      !approved &&
      ownMember(metadata, 'requireReason') === true &&
      !isFilled(ownMember(payload, 'reason'))
    ) {
      return [{ pointer: '/reason', message: 'expected a reason for the rejection' }];
    }
    const phrase = ownMember(metadata, 'confirmation');
    if (approved && typeof phrase === 'string' && ownMember(payload, 'confirmation') !== phrase) {
      return [{ pointer: '/confirmation', message: `expected the phrase ${JSON.stringify(phrase)}` }];
    }
    return [];
  };
}

function isFilled(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '';
}
