import type { Issue } from '../../core/index.ts';
import { isRecord, ownMember } from '../../core/index.ts';
import type { Interrupt, InterruptReason, ResumeEntry } from '../../protocol/index.ts';
import { isApproved } from './is-approved.ts';
import { offersEdits } from './offers-member.ts';

const ERROR_RECOVERY: (typeof InterruptReason)['ErrorRecovery'] = 'error_recovery';

/** The issues of an answer beyond the response schema: edits, reason and confirmation. */
export function checkBeyondSchema(interrupt: Interrupt, { status, payload }: ResumeEntry): Issue[] {
  if (status === 'cancelled' || !isRecord(payload)) return [];
  const { metadata = {} } = interrupt;
  const isApproval = Object.hasOwn(payload, 'approved');
  const decides = isApproval || interrupt.reason === ERROR_RECOVERY;
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

function isFilled(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '';
}
