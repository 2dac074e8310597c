/** json: reads JSON from outside within limits; a door of its own, so that a page which needs no more loads no more. */
export { parseJson } from '../json-limits.ts';
