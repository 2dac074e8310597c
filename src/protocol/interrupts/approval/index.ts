/** approval: the function that an interrupt asks approval for. */
export { approvalOf, functionDetails, payloadOf } from './approval.ts';
export type { FindCall, FunctionDetails } from './approval.ts';
export { isApprovable } from './is-approvable.ts';
export { UNNAMED_INTERRUPT } from './unnamed-interrupt.ts';
