/** apply: what a stream of events makes of messages and state, sharing what did not change. */
export { createApplier } from './create-applier.ts';
export { createApplierWith } from './create-applier-with.ts';
export type { Applier, ApplierOptions } from './create-applier-with.ts';
