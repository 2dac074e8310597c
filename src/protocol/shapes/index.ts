/** shapes: what every protocol object looks like, and the checks, schema and reading made from that. */
export { decodeEvent } from './decode-event.ts';
export type { DecodeOptions } from './decode-event.ts';
export { decodeRunInput } from './decode-input.ts';
export { protocolJsonSchema } from './json-schema.ts';
