import { patchJson } from '../patch-json.ts';
import type { Applier, ApplierOptions } from './create-applier-with.ts';
import { createApplierWith } from './create-applier-with.ts';
import { applyOptionalEvent } from './apply-optional-event.ts';

/**
 * Creates an applier for one thread.
 *
 * @example
 * ```ts
 * const applier = createApplier();
 * for (const event of events) applier.apply(event);
 * console.log(applier.messages, applier.state);
 * ```
 */
export function createApplier(options: ApplierOptions = {}): Applier {
  return createApplierWith({ patch: patchJson, applyOptional: applyOptionalEvent }, options);
}
