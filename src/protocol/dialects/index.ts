/** dialects: the wire dialects, translated at the edge; the inside uses AG-UI 1.0 only. */
export { decodeInput } from './decode-input.ts';
export type { DecodedInput } from './decode-input.ts';
export type { Dialect, DialectName, InputContext, WireEvent } from './dialect.ts';
export { DIALECTS, dialectNamed } from './dialect-named.ts';
export { createEventReader } from './event-reader.ts';
export type { EventReader, EventReaderOptions } from './event-reader.ts';
export { createEventWriter } from './event-writer.ts';
export type { EventWriter } from './event-writer.ts';
export { isApprovalDecided, isApprovalRequested } from './snake/index.ts';
export type { ApprovalDecidedEvent, ApprovalRequestedEvent } from './snake/index.ts';
