/** reasons: why a question is asked. */
export { InterruptReason, reasonKind } from './reasons.ts';
