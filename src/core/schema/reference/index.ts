/** core/schema/reference: where a `$ref` leads; needed only for a schema that has one. */
export { findEndlessReferences } from './find-endless-references.ts';
export { findReference } from './find-reference.ts';
export type { ReferenceResult } from './find-reference.ts';
