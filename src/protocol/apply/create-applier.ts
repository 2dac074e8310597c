import type { Applier, ApplierOptions } from './create-applier-with.ts';
import { createApplierWith } from './create-applier-with.ts';
import { patchJson } from '../patch/index.ts';

export function createApplier(options: ApplierOptions = {}): Applier {
  return createApplierWith(patchJson, options);
}
