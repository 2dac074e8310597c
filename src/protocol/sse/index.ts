/** sse: writes and reads server-sent events. */
export { createSseEncoder, SSE_HEADERS, SSE_KEEP_ALIVE } from './encode-sse.ts';
export type { SseEncoder } from './encode-sse.ts';
export { createSseParser } from './parse-sse.ts';
export type { SseFrame, SseParser, SseParserOptions } from './parse-sse.ts';
export { readEvents } from './read-events.ts';
export type { ReadEventsOptions, ReceivedEvent } from './read-events.ts';
