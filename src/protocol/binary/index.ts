/**
 * protocol/binary: AG-UI events as `application/vnd.ag-ui.event+proto`, byte for byte what `@ag-ui/proto`
 * 1.0.0 writes. One table says what each message holds, one writer and one reader follow it.
 * May touch core and the protobuf wire primitives; knows nothing of HTTP, SSE or dialects.
 */
export { createBinaryParser } from './binary-parser.ts';
export type { BinaryParser, BinaryParserOptions } from './binary-parser.ts';
export { decodeBinaryEvent } from './decode-event.ts';
export { encodeBinaryEvent, encodeBinaryFrame } from './encode-event.ts';
export { AGUI_BINARY_MEDIA_TYPE } from './wire-format.ts';
