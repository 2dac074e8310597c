/** json: reads any JSON from outside; a door of its own, since `parsePlainJson` of the basics reads most of it. */
export { parseJson } from '../json-limits.ts';
