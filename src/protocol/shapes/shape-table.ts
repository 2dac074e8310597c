/**
 * What every protocol object looks like, as data. Decoding, snake-case naming and the JSON Schema
 * export all read this one table, so none of them can drift from the others.
 *
 * A field is written `type`, then `[]` for a list (`[1]`: of at least one), then `?` when it may be
 * absent: `string`, `integer`, `count` (an integer from 0), `boolean`, `record` (any object), `pointer`
 * (RFC 6901), `any` (any JSON), `Content` (text or content parts), `=a|b` (one of these words), or the
 * name of another shape.
 */
export type Shape = Readonly<Record<string, string>>;

/** A choice of shapes by the word in one member; `strict` refuses an unknown word. */
export interface Choice {
  readonly by: string;
  readonly of: Readonly<Record<string, string>>;
  readonly strict?: boolean;
}

const BASE = { timestamp: 'integer?', rawEvent: 'any?', metadata: 'record?' };
const OWNED = { ...BASE, subagentRunId: 'string?' };
const MESSAGE = { subagentRunId: 'string?', id: 'string', encryptedValue: 'string?', metadata: 'record?' };
const CHAT_MESSAGE = { ...MESSAGE, name: 'string?' };
const MEDIA_PART = { id: 'string?', source: 'PartSource', metadata: 'any?' };

/** The events of AG-UI 1.0 by type; `type` itself is not repeated in the shapes. */
export const EVENT_SHAPES = {
  RUN_STARTED: {
    ...BASE,
    threadId: 'string',
    runId: 'string',
    protocolVersion: 'string?',
    parentRunId: 'string?',
    input: 'RunAgentInput?',
  },
  RUN_FINISHED: {
    ...BASE,
    threadId: 'string',
    runId: 'string',
    result: 'any?',
    outcome: 'RunFinishedOutcome?',
    usage: 'TokenUsage[]?',
  },
  RUN_ERROR: { ...BASE, message: 'string', code: 'string?', usage: 'TokenUsage[]?' },
  STEP_STARTED: { ...OWNED, stepName: 'string' },
  STEP_FINISHED: { ...OWNED, stepName: 'string' },
  TEXT_MESSAGE_START: {
    ...OWNED,
    messageId: 'string',
    role: '=developer|system|assistant|user?',
    name: 'string?',
  },
  TEXT_MESSAGE_CONTENT: { ...OWNED, messageId: 'string', delta: 'string' },
  TEXT_MESSAGE_END: { ...OWNED, messageId: 'string' },
  TEXT_MESSAGE_CHUNK: {
    ...OWNED,
    messageId: 'string?',
    role: '=developer|system|assistant|user?',
    delta: 'string?',
    name: 'string?',
  },
  TOOL_CALL_START: { ...OWNED, toolCallId: 'string', toolCallName: 'string', parentMessageId: 'string?' },
  TOOL_CALL_ARGS: { ...OWNED, toolCallId: 'string', delta: 'string' },
  TOOL_CALL_END: { ...OWNED, toolCallId: 'string' },
  TOOL_CALL_CHUNK: {
    ...OWNED,
    toolCallId: 'string?',
    toolCallName: 'string?',
    parentMessageId: 'string?',
    delta: 'string?',
  },
  TOOL_CALL_RESULT: {
    ...OWNED,
    messageId: 'string',
    toolCallId: 'string',
    content: 'Content',
    role: '=tool?',
  },
  STATE_SNAPSHOT: { ...OWNED, snapshot: 'any' },
  STATE_DELTA: { ...OWNED, delta: 'JsonPatchOperation[]' },
  MESSAGES_SNAPSHOT: { ...BASE, messages: 'Message[]' },
  ACTIVITY_SNAPSHOT: {
    ...OWNED,
    messageId: 'string',
    activityType: 'string',
    content: 'record',
    replace: 'boolean?',
  },
  ACTIVITY_DELTA: {
    ...OWNED,
    messageId: 'string',
    activityType: 'string',
    patch: 'JsonPatchOperation[]',
  },
  RAW: { ...OWNED, event: 'any', source: 'string?' },
  CUSTOM: { ...OWNED, name: 'string', value: 'any' },
  REASONING_START: { ...OWNED, messageId: 'string' },
  REASONING_MESSAGE_START: { ...OWNED, messageId: 'string', role: '=reasoning' },
  REASONING_MESSAGE_CONTENT: { ...OWNED, messageId: 'string', delta: 'string' },
  REASONING_MESSAGE_END: { ...OWNED, messageId: 'string' },
  REASONING_MESSAGE_CHUNK: { ...OWNED, messageId: 'string?', delta: 'string?' },
  REASONING_END: { ...OWNED, messageId: 'string' },
  REASONING_ENCRYPTED_VALUE: {
    ...OWNED,
    subtype: '=tool-call|message',
    entityId: 'string',
    encryptedValue: 'string',
  },
  SUBAGENT_STARTED: {
    ...BASE,
    subagentRunId: 'string',
    name: 'string',
    description: 'string?',
    parentSubagentRunId: 'string?',
    parentToolCallId: 'string?',
    parentMessageId: 'string?',
  },
  SUBAGENT_FINISHED: {
    ...BASE,
    subagentRunId: 'string',
    result: 'any?',
    outcome: 'SubagentFinishedOutcome?',
  },
  SUBAGENT_ERROR: { ...BASE, subagentRunId: 'string', message: 'string', code: 'string?' },
} as const satisfies Record<string, Shape>;

/** What events and inputs are made of. */
export const PART_SHAPES: Readonly<Record<string, Shape>> = {
  RunAgentInput: {
    threadId: 'string',
    runId: 'string',
    protocolVersion: 'string?',
    parentRunId: 'string?',
    state: 'any?',
    messages: 'Message[]',
    tools: 'Tool[]',
    context: 'Context[]',
    forwardedProps: 'any?',
    resume: 'ResumeEntry[]?',
  },
  Tool: { name: 'string', description: 'string', parameters: 'any?', metadata: 'record?' },
  Context: { description: 'string', value: 'string' },
  ResumeEntry: {
    interruptId: 'string',
    status: '=resolved|cancelled',
    payload: 'any?',
    metadata: 'record?',
  },
  Interrupt: {
    subagentRunId: 'string?',
    id: 'string',
    reason: 'string',
    message: 'string?',
    toolCallId: 'string?',
    responseSchema: 'record?',
    expiresAt: 'string?',
    metadata: 'record?',
  },
  SuccessOutcome: { pendingToolCallIds: 'string[]?' },
  InterruptOutcome: { interrupts: 'Interrupt[1]' },
  EmptyOutcome: {},
  SuspendedOutcome: { interruptIds: 'string[]?' },
  TokenUsage: {
    provider: 'string?',
    model: 'string?',
    inputTokens: 'count?',
    outputTokens: 'count?',
    totalTokens: 'count?',
    reasoningTokens: 'count?',
    cachedInputTokens: 'count?',
    cacheWriteInputTokens: 'count?',
  },
  DeveloperMessage: { ...CHAT_MESSAGE, content: 'string' },
  SystemMessage: { ...CHAT_MESSAGE, content: 'string' },
  AssistantMessage: { ...CHAT_MESSAGE, content: 'string?', toolCalls: 'ToolCall[]?' },
  UserMessage: { ...CHAT_MESSAGE, content: 'Content' },
  ToolMessage: { ...MESSAGE, content: 'Content', toolCallId: 'string', error: 'string?' },
  ActivityMessage: {
    subagentRunId: 'string?',
    id: 'string',
    activityType: 'string',
    content: 'record',
    metadata: 'record?',
  },
  ReasoningMessage: { ...MESSAGE, content: 'string' },
  ToolCall: {
    id: 'string',
    type: '=function',
    function: 'FunctionCall',
    encryptedValue: 'string?',
    metadata: 'record?',
  },
  FunctionCall: { name: 'string', arguments: 'string' },
  TextPart: { id: 'string?', text: 'string', metadata: 'any?' },
  MediaPart: MEDIA_PART,
  DataSource: { value: 'string', mimeType: 'string' },
  UrlSource: { value: 'string', mimeType: 'string?' },
  FileSource: { value: 'string', provider: 'string?', mimeType: 'string?' },
  ValueOperation: { path: 'pointer', value: 'any' },
  PathOperation: { path: 'pointer' },
  FromOperation: { path: 'pointer', from: 'pointer' },
};

export const CHOICES: Readonly<Record<string, Choice>> = {
  RunFinishedOutcome: {
    by: 'type',
    of: { success: 'SuccessOutcome', interrupt: 'InterruptOutcome', cancelled: 'EmptyOutcome' },
    strict: true,
  },
  SubagentFinishedOutcome: {
    by: 'type',
    of: { success: 'EmptyOutcome', suspended: 'SuspendedOutcome' },
    strict: true,
  },
  Message: {
    by: 'role',
    of: {
      developer: 'DeveloperMessage',
      system: 'SystemMessage',
      assistant: 'AssistantMessage',
      user: 'UserMessage',
      tool: 'ToolMessage',
      activity: 'ActivityMessage',
      reasoning: 'ReasoningMessage',
    },
  },
  ContentPart: {
    by: 'type',
    of: {
      text: 'TextPart',
      image: 'MediaPart',
      audio: 'MediaPart',
      video: 'MediaPart',
      document: 'MediaPart',
    },
  },
  PartSource: {
    by: 'type',
    of: { data: 'DataSource', url: 'UrlSource', file: 'FileSource' },
    strict: true,
  },
  JsonPatchOperation: {
    by: 'op',
    of: {
      add: 'ValueOperation',
      remove: 'PathOperation',
      replace: 'ValueOperation',
      move: 'FromOperation',
      copy: 'FromOperation',
      test: 'ValueOperation',
    },
    strict: true,
  },
};
