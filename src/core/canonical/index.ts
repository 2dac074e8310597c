/** canonical: the one text of a JSON value; a door of its own, so that a page which needs no more loads no more. */
export { canonicalJson } from '../canonical-json.ts';
