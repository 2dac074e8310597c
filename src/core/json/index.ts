/** json: parses JSON from outside within limits. A separate entry, so that a page loads only this. */
export { parseJson } from '../json-limits.ts';
