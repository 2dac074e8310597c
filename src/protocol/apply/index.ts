/** apply: what a stream of events makes of messages and state, sharing what did not change. */
export { createApplier } from './create-applier.ts';
export type { Applier, ApplierOptions } from './create-applier.ts';
export { patchJson } from './patch-json.ts';
