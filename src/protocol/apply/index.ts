/** apply: builds messages and state from a stream of events; unchanged values are shared. */
export { createApplier } from './create-applier.ts';
export { createApplierWith } from './create-applier-with.ts';
export type { Applier, ApplierOptions } from './create-applier-with.ts';
