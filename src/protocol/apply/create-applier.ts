import { patchJson } from '../patch/index.ts';
import type { Applier, ApplierOptions } from './create-applier-with.ts';
import { createApplierWith } from './create-applier-with.ts';
import { applyOptionalEvent } from './optional/index.ts';

export function createApplier(options: ApplierOptions = {}): Applier {
  return createApplierWith({ patch: patchJson, applyOptional: applyOptionalEvent }, options);
}
