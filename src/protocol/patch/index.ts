/** patch: JSON Patch over shared documents. A separate entry, so that a reader can load it with the first patch. */
export { patchJson } from './patch-json.ts';
export type { Owned, Patch } from './patch-json.ts';
