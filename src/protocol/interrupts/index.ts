/**
 * interrupts: reads the interrupts of a RUN_FINISHED and builds the answers to them. Each part has a separate
 * entry, so that a page loads only what it uses.
 */
export { approvalOf, functionDetails, isApprovable, payloadOf, UNNAMED_INTERRUPT } from './approval/index.ts';
export type { FindCall, FunctionDetails } from './approval/index.ts';
export { interruptsOf, outcomeOf, RunFinishedOutcome } from './outcome/index.ts';
export { InterruptReason, reasonKind } from './reasons/index.ts';
export { buildResume, expiryOf, isExpired, validateCoverage } from './resume/index.ts';
export type { Answer, Coverage } from './resume/index.ts';
