import type { EventType } from '@ag-ui/core';

/** The media type of binary AG-UI, without parameters: official clients compare the whole string. */
export const AGUI_BINARY_MEDIA_TYPE = 'application/vnd.ag-ui.event+proto';

/** Bytes of the length before each event of a stream: 32 bits, big-endian. */
export const PREFIX_LENGTH = 4;

/**
 * The fields of a message with spaces between them, in the order of their numbers and of the bytes. A field is its
 * name and, after a colon, its kind when that is not `string`. `string` is always present in JSON and left out on
 * the wire when empty; `?` may be absent and is written even when empty; `[]` repeats, `[]?` reads as absent when
 * empty. A null is written only for a plain `Value`, which is absent when undefined.
 */
export type FieldList = string;

/** The messages inside events; their fields are numbered from 1. */
export const MESSAGES = {
  BaseEvent: 'type:int32 timestamp:int64? rawEvent:Value? metadata:Struct?',
  Context: 'description value',
  DataSource: 'value mimeType',
  FileSource: 'value provider? mimeType?',
  FunctionCall: 'name arguments',
  Interrupt: 'id reason message? toolCallId? responseSchema:Value? expiresAt? metadata:Value? subagentRunId?',
  MediaPart: 'source:Source metadata:Value? id?',
  /** The fields of every role; `wire-forms.ts` chooses among the three fields for the content. */
  Message:
    'id role content? name? toolCalls:ToolCall[]? toolCallId? error? contentParts:ContentPart[]? ' +
    'metadata:Struct? subagentRunId? encryptedValue? activityType? activityContent:Struct?',
  PatchOperation: 'op:int32 path from? value:Value',
  ResumeEntry: 'interruptId status payload:Value? metadata:Struct?',
  RunAgentInput:
    'threadId runId parentRunId? state:Value? messages:Message[] tools:Tool[] context:Context[] ' +
    'forwardedProps:Value? resume:ResumeEntry[] protocolVersion?',
  TextPart: 'text id? metadata:Value?',
  Tool: 'name description parameters:Value? metadata:Struct?',
  ToolCall: 'id type function:FunctionCall metadata:Struct? encryptedValue?',
  UrlSource: 'value mimeType?',
  Usage:
    'provider? model? inputTokens:int64? outputTokens:int64? totalTokens:int64? reasoningTokens:int64? ' +
    'cachedInputTokens:int64? cacheWriteInputTokens:int64?',
} as const satisfies Readonly<Record<string, FieldList>>;

/** A message inside an event. */
export type MessageName = keyof typeof MESSAGES;

/** The oneofs that JSON writes as an object with a `type`: the message of each type, in the order of their numbers. */
export const UNIONS = {
  ContentPart: {
    text: 'TextPart',
    image: 'MediaPart',
    audio: 'MediaPart',
    video: 'MediaPart',
    document: 'MediaPart',
  },
  Source: { data: 'DataSource', url: 'UrlSource', file: 'FileSource' },
} as const satisfies Readonly<Record<string, Readonly<Record<string, MessageName>>>>;

/** The kinds of field whose value is a JSON object. `Struct` is the message of `google/protobuf/struct.proto`. */
export type RecordKind = 'Struct' | MessageName | keyof typeof UNIONS;

/** The kind of a field; `Value` is any JSON of `google/protobuf/struct.proto`. */
export type Kind = 'string' | 'int32' | 'int64' | 'bool' | 'Value' | RecordKind;

/**
 * The events in the order of their arms of the envelope: the number of the type in the base event, and the fields,
 * numbered from 2 because the base event is field 1.
 */
export const EVENTS: Readonly<Record<`${EventType}`, readonly [type: number, fields: FieldList]>> = {
  TEXT_MESSAGE_START: [0, 'messageId role? name? subagentRunId?'],
  TEXT_MESSAGE_CONTENT: [1, 'messageId delta subagentRunId?'],
  TEXT_MESSAGE_END: [2, 'messageId subagentRunId?'],
  TOOL_CALL_START: [3, 'toolCallId toolCallName parentMessageId? subagentRunId?'],
  TOOL_CALL_ARGS: [4, 'toolCallId delta subagentRunId?'],
  TOOL_CALL_END: [5, 'toolCallId subagentRunId?'],
  STATE_SNAPSHOT: [6, 'snapshot:Value subagentRunId?'],
  STATE_DELTA: [7, 'delta:PatchOperation[] subagentRunId?'],
  MESSAGES_SNAPSHOT: [8, 'messages:Message[]'],
  RAW: [9, 'event:Value source? subagentRunId?'],
  CUSTOM: [10, 'name value:Value subagentRunId?'],
  RUN_STARTED: [11, 'threadId runId parentRunId? input:RunAgentInput? protocolVersion?'],
  RUN_FINISHED: [
    12,
    'threadId runId result:Value? outcome interrupts:Interrupt[]? usage:Usage[]? pendingToolCallIds[]?',
  ],
  RUN_ERROR: [13, 'code? message usage:Usage[]?'],
  STEP_STARTED: [14, 'stepName subagentRunId?'],
  STEP_FINISHED: [15, 'stepName subagentRunId?'],
  TEXT_MESSAGE_CHUNK: [19, 'messageId? role? delta? name? subagentRunId?'],
  TOOL_CALL_CHUNK: [20, 'toolCallId? toolCallName? parentMessageId? delta? subagentRunId?'],
  SUBAGENT_STARTED: [
    16,
    'subagentRunId name description? parentSubagentRunId? parentToolCallId? parentMessageId?',
  ],
  SUBAGENT_FINISHED: [17, 'subagentRunId result:Value? outcome interruptIds[]?'],
  SUBAGENT_ERROR: [18, 'subagentRunId message code?'],
  TOOL_CALL_RESULT: [21, 'subagentRunId? messageId toolCallId content? role? contentParts:ContentPart[]?'],
  ACTIVITY_SNAPSHOT: [22, 'subagentRunId? messageId activityType content:Struct replace:bool?'],
  ACTIVITY_DELTA: [23, 'subagentRunId? messageId activityType patch:PatchOperation[]'],
  REASONING_START: [24, 'subagentRunId? messageId'],
  REASONING_MESSAGE_START: [25, 'subagentRunId? messageId role'],
  REASONING_MESSAGE_CONTENT: [26, 'subagentRunId? messageId delta'],
  REASONING_MESSAGE_END: [27, 'subagentRunId? messageId'],
  REASONING_MESSAGE_CHUNK: [28, 'subagentRunId? messageId? delta?'],
  REASONING_END: [29, 'subagentRunId? messageId'],
  REASONING_ENCRYPTED_VALUE: [30, 'subagentRunId? subtype entityId encryptedValue'],
};
