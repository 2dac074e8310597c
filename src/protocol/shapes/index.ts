/** shapes: the shape of every protocol object, with the checks, the JSON Schema and the decoders made from it. */
export { decodeEvent } from './decode-event.ts';
export type { DecodeOptions } from './decode-event.ts';
export { decodeRunInput } from './decode-input.ts';
export { protocolJsonSchema } from './json-schema.ts';
