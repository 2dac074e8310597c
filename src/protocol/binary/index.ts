/**
 * protocol/binary: AG-UI events as `application/vnd.ag-ui.event+proto`, with the same bytes as `@ag-ui/proto`
 * 1.0.0. One table describes the messages; one writer and one reader use it. Imports core and the protobuf wire
 * primitives; knows nothing of HTTP, SSE or dialects.
 */
export { createBinaryParser } from './binary-parser.ts';
export type { BinaryParser, BinaryParserOptions } from './binary-parser.ts';
export { decodeBinaryEvent } from './decode-event.ts';
export { encodeBinaryEvent, encodeBinaryFrame } from './encode-event.ts';
export { AGUI_BINARY_MEDIA_TYPE } from './wire-format.ts';
