import { patchJson } from '../patch-json.ts';
import type { Applier, ApplierOptions } from './applier.ts';
import { createApplierWith } from './applier.ts';

/**
 * Creates an applier for one thread.
 *
 * @example
 * ```ts
 * import { createApplier } from 'holdpoint/protocol';
 *
 * const applier = createApplier();
 * for (const event of events) applier.apply(event);
 * console.log(applier.messages, applier.state);
 * ```
 */
export function createApplier(options: ApplierOptions = {}): Applier {
  return createApplierWith(patchJson, options);
}
