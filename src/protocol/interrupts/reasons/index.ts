/** reasons: the reason of an interrupt. */
export { InterruptReason, reasonKind } from './reasons.ts';
