/** patch: JSON Patch over shared documents; a room of its own, so that a reader can load it with the first patch. */
export { patchJson } from './patch-json.ts';
export type { Owned, Patch } from './patch-json.ts';
