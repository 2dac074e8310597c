/** canonical: the canonical text of a JSON value. A separate entry, so that a page loads only this. */
export { canonicalJson } from '../canonical-json.ts';
