/**
 * protocol: AG-UI events, their wire dialects and their meaning. Imports core only; no Node built-in, no zod.
 * Holdpoint uses AG-UI 1.0 inside; the dialects translate at the edge.
 */
export type { Applier, ApplierOptions } from './apply/applier.ts';
export { createApplier } from './apply/create-applier.ts';
export { createBinaryParser } from './binary/binary-parser.ts';
export type { BinaryParser, BinaryParserOptions } from './binary/binary-parser.ts';
export { decodeBinaryEvent } from './binary/decode-event.ts';
export { encodeBinaryEvent, encodeBinaryFrame } from './binary/encode-event.ts';
export { AGUI_BINARY_MEDIA_TYPE } from './binary/wire-table.ts';
export { isApprovalDecided, isApprovalRequested } from './dialects/approval-events.ts';

export type { Dialect, DialectName, InputContext, WireEvent } from './dialects/dialect.ts';
export {
  createEventReader,
  createEventWriter,
  decodeInput,
  dialectNamed,
  DIALECTS,
} from './dialects/dialects.ts';
export type {
  DecodedInput,
  EventReader,
  EventReaderOptions,
  EventWriter,
  EventWriterOptions,
} from './dialects/dialects.ts';
export { createEmitter } from './emit/create-emitter.ts';
export type { Emitter, EmitterOptions, EndOptions } from './emit/create-emitter.ts';
export type {
  OpenStream,
  StreamEmitter,
  SubagentEmitter,
  SubagentOptions,
  TextOptions,
  ToolCallOptions,
} from './emit/stream-emitter.ts';
export {
  isActivityDelta,
  isActivitySnapshot,
  isCustom,
  isMessagesSnapshot,
  isRaw,
  isReasoningEncryptedValue,
  isReasoningEnd,
  isReasoningMessageChunk,
  isReasoningMessageContent,
  isReasoningMessageEnd,
  isReasoningMessageStart,
  isReasoningStart,
  isRunError,
  isRunFinished,
  isRunStarted,
  isStateDelta,
  isStateSnapshot,
  isStepFinished,
  isStepStarted,
  isSubagentError,
  isSubagentFinished,
  isSubagentStarted,
  isTextMessageChunk,
  isTextMessageContent,
  isTextMessageEnd,
  isTextMessageStart,
  isToolCallArgs,
  isToolCallChunk,
  isToolCallEnd,
  isToolCallResult,
  isToolCallStart,
} from './events.ts';
export type { AgentStreamEvent, CoreStreamEvent, EventGuard } from './events.ts';
export type {
  ApprovalDecidedEvent,
  ApprovalRequestedEvent,
  SnakeStreamEvent,
} from './dialects/snake-events.ts';
export { createChunkExpander } from './expand-chunks.ts';
export type { ChunkExpander } from './expand-chunks.ts';
export { approvalOf, functionDetails, payloadOf, schemaEffectOf } from './interrupts/approval.ts';
export type { FindCall, FunctionDetails, SchemaEffect } from './interrupts/approval.ts';
export type { DraftInterrupt } from './interrupts/draft-interrupt.ts';
export {
  ERROR_FOLLOWS,
  expiryOf,
  InterruptReason,
  interruptsOf,
  isExpired,
  outcomeOf,
  reasonKind,
  RunFinishedOutcome,
  UNNAMED_INTERRUPT,
} from './interrupts/interrupt.ts';
export { buildResume, validateCoverage } from './interrupts/resume.ts';
export type { Answer, Coverage } from './interrupts/resume.ts';
export { patchJson } from './patch-json.ts';
export { decodeEvent } from './shapes/decode.ts';
export { decodeRunInput } from './shapes/decode-earlier.ts';
export type { DecodeOptions } from './shapes/decode.ts';
export { protocolJsonSchema } from './shapes/json-schema.ts';
export { createSseEncoder, SSE_HEADERS, SSE_KEEP_ALIVE } from './sse/encode-sse.ts';
export type { SseEncoder } from './sse/encode-sse.ts';
export { createSseParser } from './sse/parse-sse.ts';
export type { SseFrame, SseParser, SseParserOptions } from './sse/parse-sse.ts';
export { readEvents } from './sse/read-events.ts';
export type { ReadEventsOptions, ReceivedEvent } from './sse/read-events.ts';
export { createVerifier } from './verify/create-verifier.ts';
export type { Verifier } from './verify/create-verifier.ts';
export { aggregateTokenUsage, EventType, PROTOCOL_VERSION } from '@ag-ui/core';
export type {
  ContentPart,
  Context,
  Interrupt,
  JsonPatch,
  JsonPatchOperation,
  Message,
  Metadata,
  ResumeEntry,
  RunAgentInput,
  RunErrorEvent,
  RunFinishedEvent,
  RunStartedEvent,
  TokenUsage,
  Tool,
  ToolCall,
} from '@ag-ui/core';
