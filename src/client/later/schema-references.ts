export { findEndlessReferences, findReference } from '../../core/schema/reference/index.ts';
