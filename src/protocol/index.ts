/**
 * protocol: AG-UI events, their wire dialects and their meaning. Imports core only; no Node built-in, no zod.
 * Holdpoint uses AG-UI 1.0 inside; the dialects translate at the edge.
 */
export { createApplier } from './apply/index.ts';
export type { Applier, ApplierOptions } from './apply/index.ts';
export {
  AGUI_BINARY_MEDIA_TYPE,
  createBinaryParser,
  decodeBinaryEvent,
  encodeBinaryEvent,
  encodeBinaryFrame,
} from './binary/index.ts';
export type { BinaryParser, BinaryParserOptions } from './binary/index.ts';
export { createChunkExpander } from './chunks/index.ts';
export type { ChunkExpander } from './chunks/index.ts';
export {
  createEventReader,
  createEventWriter,
  decodeInput,
  dialectNamed,
  DIALECTS,
  isApprovalDecided,
  isApprovalRequested,
} from './dialects/index.ts';
export type {
  ApprovalDecidedEvent,
  ApprovalRequestedEvent,
  DecodedInput,
  Dialect,
  DialectName,
  EventReader,
  EventReaderOptions,
  EventWriter,
  InputContext,
  WireEvent,
} from './dialects/index.ts';
export { createEmitter } from './emit/index.ts';
export type {
  Emitter,
  EmitterOptions,
  EndOptions,
  OpenStream,
  StreamEmitter,
  SubagentEmitter,
  SubagentOptions,
  TextOptions,
  ToolCallOptions,
} from './emit/index.ts';
export {
  aggregateTokenUsage,
  EventType,
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
} from './events/index.ts';
export type { AgentStreamEvent, CoreStreamEvent } from './events/index.ts';
export {
  approvalOf,
  buildResume,
  expiryOf,
  functionDetails,
  interruptsOf,
  InterruptReason,
  isApprovable,
  isExpired,
  outcomeOf,
  payloadOf,
  reasonKind,
  RunFinishedOutcome,
  UNNAMED_INTERRUPT,
  validateCoverage,
} from './interrupts/index.ts';
export type { Answer, Coverage, FindCall, FunctionDetails } from './interrupts/index.ts';
export { patchJson } from './patch/index.ts';
export { decodeEvent, decodeRunInput, protocolJsonSchema } from './shapes/index.ts';
export type { DecodeOptions } from './shapes/index.ts';
export { createSseEncoder, createSseParser, readEvents, SSE_HEADERS, SSE_KEEP_ALIVE } from './sse/index.ts';
export type {
  ReadEventsOptions,
  ReceivedEvent,
  SseEncoder,
  SseFrame,
  SseParser,
  SseParserOptions,
} from './sse/index.ts';
export { createVerifier } from './verify/index.ts';
export type { Verifier } from './verify/index.ts';
export { PROTOCOL_VERSION } from '@ag-ui/core';
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
