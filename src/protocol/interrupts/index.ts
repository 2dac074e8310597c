/** interrupts: what the questions in a RUN_FINISHED mean, and how answers to them are put together. */
export { approvalOf, functionDetails, payloadOf } from './approval.ts';
export type { FindCall, FunctionDetails } from './approval.ts';
export { buildResume } from './build-resume.ts';
export type { Answer } from './build-resume.ts';
export { expiryOf, isExpired } from './is-expired.ts';
export { interruptsOf, outcomeOf, RunFinishedOutcome } from './outcome.ts';
export { InterruptReason, reasonKind } from './reasons.ts';
export { validateCoverage } from './validate-coverage.ts';
export type { Coverage } from './validate-coverage.ts';
