/**
 * fast-check arbitraries for everything AG-UI 1.0 sends, valid against `EventSchemas`. Optional fields are absent
 * rather than undefined or null, strings have no lone surrogates, numbers survive JSON (no -0), and no object has a
 * member named `__proto__` or `constructor`.
 */
import type {
  AGUIEventOf,
  ContentPart,
  Event,
  Interrupt,
  JsonPatchOperation,
  Message,
  PartSource,
  RunAgentInput,
  TokenUsage,
  ToolCall,
} from '@ag-ui/core';
import { EventType } from '@ag-ui/core';
import * as fc from 'fast-check';
import type { JsonObject, JsonValue } from '../../core/index.ts';
import { isForbiddenKey } from '../../core/index.ts';

const text = fc.oneof(
  fc.constant(''),
  fc.string({ maxLength: 12 }),
  fc.string({ unit: 'grapheme', maxLength: 8 }),
  fc.string({ unit: 'binary', maxLength: 8 }),
);

/** A plain object: required members (all by default) are always present, the others sometimes. */
function record<T, K extends keyof T = keyof T>(
  model: { [Key in keyof T]: fc.Arbitrary<T[Key]> },
  requiredKeys?: K[],
): fc.Arbitrary<fc.RecordValue<T, K>> {
  return fc.record(model, { noNullPrototype: true, ...(requiredKeys && { requiredKeys }) });
}

const number = fc
  .oneof(
    fc.integer(),
    fc.maxSafeInteger(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom(0, 0.1, -1.5, 1e21, -1e-7, Number.MAX_VALUE, Number.MIN_VALUE),
  )
  .map((value) => (value === 0 ? 0 : value));

const json = fc.letrec<{ value: JsonValue; object: JsonObject; array: readonly JsonValue[] }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthIdentifier: 'json' },
    fc.oneof(fc.constant(null), fc.boolean(), number, text),
    tie('array'),
    tie('object'),
  ),
  array: fc.array(tie('value'), { maxLength: 4, depthIdentifier: 'json' }),
  object: fc.dictionary(
    text.filter((key) => !isForbiddenKey(key)),
    tie('value'),
    {
      maxKeys: 4,
      noNullPrototype: true,
      depthIdentifier: 'json',
    },
  ),
}));

const jsonObject = json.object;
/** An optional member of any kind except null, which AG-UI drops. */
const jsonPresent = json.value.filter((value) => value !== null);
const flag = fc.boolean();
const pointer = fc
  .array(text, { maxLength: 3 })
  .map((tokens) => tokens.map((token) => `/${token.replaceAll('~', '~0').replaceAll('/', '~1')}`).join(''));
const dateTime = fc
  .date({ min: new Date('1970-01-01T00:00:00Z'), max: new Date('2200-01-01T00:00:00Z'), noInvalidDate: true })
  .map((date) => date.toISOString());

const count = fc.maxSafeNat();
const usage: fc.Arbitrary<TokenUsage> = record(
  {
    provider: text,
    model: text,
    inputTokens: count,
    outputTokens: count,
    totalTokens: count,
    reasoningTokens: count,
    cachedInputTokens: count,
    cacheWriteInputTokens: count,
  },
  [],
);
const usages = fc.array(usage, { maxLength: 3 });

const source: fc.Arbitrary<PartSource> = fc.oneof(
  record({ type: fc.constant('data' as const), value: text, mimeType: text }),
  record({ type: fc.constant('url' as const), value: text, mimeType: text }, ['type', 'value']),
  record({ type: fc.constant('file' as const), value: text, provider: text, mimeType: text }, [
    'type',
    'value',
  ]),
);

const contentPart: fc.Arbitrary<ContentPart> = fc.oneof(
  record({ type: fc.constant('text' as const), id: text, text, metadata: jsonPresent }, ['type', 'text']),
  record(
    {
      type: fc.constantFrom('image' as const, 'audio' as const, 'video' as const, 'document' as const),
      id: text,
      source,
      metadata: jsonPresent,
    },
    ['type', 'source'],
  ),
);
const content = fc.oneof(text, fc.array(contentPart, { maxLength: 3 }));

const toolCall: fc.Arbitrary<ToolCall> = record(
  {
    id: text,
    type: fc.constant('function' as const),
    function: record({ name: text, arguments: text }),
    encryptedValue: text,
    metadata: jsonObject,
  },
  ['id', 'type', 'function'],
);

const messageBase = { id: text, subagentRunId: text, metadata: jsonObject };
const namedMessage = { ...messageBase, name: text, encryptedValue: text };

const message: fc.Arbitrary<Message> = fc.oneof(
  record(
    {
      ...namedMessage,
      role: fc.constantFrom('developer' as const, 'system' as const),
      content: text,
    },
    ['id', 'role', 'content'],
  ),
  record(
    {
      ...namedMessage,
      role: fc.constant('assistant' as const),
      content: text,
      toolCalls: fc.array(toolCall, { maxLength: 3 }),
    },
    ['id', 'role'],
  ),
  record({ ...namedMessage, role: fc.constant('user' as const), content }, ['id', 'role', 'content']),
  record(
    {
      ...messageBase,
      role: fc.constant('tool' as const),
      content,
      toolCallId: text,
      error: text,
      encryptedValue: text,
    },
    ['id', 'role', 'content', 'toolCallId'],
  ),
  record(
    { ...messageBase, role: fc.constant('activity' as const), activityType: text, content: jsonObject },
    ['id', 'role', 'activityType', 'content'],
  ),
  record({ ...messageBase, role: fc.constant('reasoning' as const), content: text, encryptedValue: text }, [
    'id',
    'role',
    'content',
  ]),
);
const messages = fc.array(message, { maxLength: 4 });

const interrupt: fc.Arbitrary<Interrupt> = record(
  {
    id: text,
    reason: fc.oneof(fc.constantFrom('tool_call', 'input_required', 'confirmation'), text),
    message: text,
    toolCallId: text,
    responseSchema: jsonObject,
    expiresAt: dateTime,
    subagentRunId: text,
    metadata: jsonObject,
  },
  ['id', 'reason'],
);

const runAgentInput: fc.Arbitrary<RunAgentInput> = record(
  {
    threadId: text,
    runId: text,
    protocolVersion: text,
    parentRunId: text,
    state: jsonPresent,
    messages,
    tools: fc.array(
      record({ name: text, description: text, parameters: jsonPresent, metadata: jsonObject }, [
        'name',
        'description',
      ]),
      { maxLength: 2 },
    ),
    context: fc.array(record({ description: text, value: text }), { maxLength: 2 }),
    forwardedProps: jsonPresent,
    resume: fc.array(
      record(
        {
          interruptId: text,
          status: fc.constantFrom('resolved' as const, 'cancelled' as const),
          payload: jsonPresent,
          metadata: jsonObject,
        },
        ['interruptId', 'status'],
      ),
      { maxLength: 3 },
    ),
  },
  ['threadId', 'runId', 'messages', 'tools', 'context'],
);

const patchOperation: fc.Arbitrary<JsonPatchOperation> = fc.oneof(
  record({
    op: fc.constantFrom('add' as const, 'replace' as const, 'test' as const),
    path: pointer,
    value: json.value,
  }),
  record({ op: fc.constant('remove' as const), path: pointer }),
  record({ op: fc.constantFrom('move' as const, 'copy' as const), from: pointer, path: pointer }),
);
const patch = fc.array(patchOperation, { maxLength: 4 });

const runOutcome = fc.oneof(
  record({ type: fc.constant('success' as const), pendingToolCallIds: fc.array(text, { maxLength: 3 }) }, [
    'type',
  ]),
  record({
    type: fc.constant('interrupt' as const),
    interrupts: fc.array(interrupt, { minLength: 1, maxLength: 3 }),
  }),
  record({ type: fc.constant('cancelled' as const) }),
);
const subagentOutcome = fc.oneof(
  record({ type: fc.constant('success' as const) }),
  record({ type: fc.constant('suspended' as const), interruptIds: fc.array(text, { maxLength: 3 }) }, [
    'type',
  ]),
);

const textRole = fc.constantFrom(
  'developer' as const,
  'system' as const,
  'assistant' as const,
  'user' as const,
);
const subagent = { subagentRunId: text };

type Fields = Record<string, fc.Arbitrary<unknown>>;
interface EventFields {
  readonly required: Fields;
  readonly optional?: Fields;
}

/** The fields of each event beside `type`, `timestamp`, `rawEvent` and `metadata`. */
const EVENT_FIELDS: Record<EventType, EventFields> = {
  TEXT_MESSAGE_START: {
    required: { messageId: text },
    optional: { ...subagent, role: textRole, name: text },
  },
  TEXT_MESSAGE_CONTENT: { required: { messageId: text, delta: text }, optional: subagent },
  TEXT_MESSAGE_END: { required: { messageId: text }, optional: subagent },
  TEXT_MESSAGE_CHUNK: {
    required: {},
    optional: { ...subagent, messageId: text, role: textRole, delta: text, name: text },
  },
  TOOL_CALL_START: {
    required: { toolCallId: text, toolCallName: text },
    optional: { ...subagent, parentMessageId: text },
  },
  TOOL_CALL_ARGS: { required: { toolCallId: text, delta: text }, optional: subagent },
  TOOL_CALL_END: { required: { toolCallId: text }, optional: subagent },
  TOOL_CALL_CHUNK: {
    required: {},
    optional: { ...subagent, toolCallId: text, toolCallName: text, parentMessageId: text, delta: text },
  },
  TOOL_CALL_RESULT: {
    required: { messageId: text, toolCallId: text, content },
    optional: { ...subagent, role: fc.constant('tool') },
  },
  STATE_SNAPSHOT: { required: { snapshot: json.value }, optional: subagent },
  STATE_DELTA: { required: { delta: patch }, optional: subagent },
  MESSAGES_SNAPSHOT: { required: { messages } },
  ACTIVITY_SNAPSHOT: {
    required: { messageId: text, activityType: text, content: jsonObject },
    optional: { ...subagent, replace: flag },
  },
  ACTIVITY_DELTA: { required: { messageId: text, activityType: text, patch }, optional: subagent },
  RAW: { required: { event: json.value }, optional: { ...subagent, source: text } },
  CUSTOM: { required: { name: text, value: json.value }, optional: subagent },
  RUN_STARTED: {
    required: { threadId: text, runId: text },
    optional: { protocolVersion: text, parentRunId: text, input: runAgentInput },
  },
  RUN_FINISHED: {
    required: { threadId: text, runId: text },
    optional: { result: jsonPresent, outcome: runOutcome, usage: usages },
  },
  RUN_ERROR: { required: { message: text }, optional: { code: text, usage: usages } },
  STEP_STARTED: { required: { stepName: text }, optional: subagent },
  STEP_FINISHED: { required: { stepName: text }, optional: subagent },
  REASONING_START: { required: { messageId: text }, optional: subagent },
  REASONING_MESSAGE_START: {
    required: { messageId: text, role: fc.constant('reasoning') },
    optional: subagent,
  },
  REASONING_MESSAGE_CONTENT: { required: { messageId: text, delta: text }, optional: subagent },
  REASONING_MESSAGE_END: { required: { messageId: text }, optional: subagent },
  REASONING_MESSAGE_CHUNK: { required: {}, optional: { ...subagent, messageId: text, delta: text } },
  REASONING_END: { required: { messageId: text }, optional: subagent },
  REASONING_ENCRYPTED_VALUE: {
    required: { subtype: fc.constantFrom('tool-call', 'message'), entityId: text, encryptedValue: text },
    optional: subagent,
  },
  SUBAGENT_STARTED: {
    required: { subagentRunId: text, name: text },
    optional: { description: text, parentSubagentRunId: text, parentToolCallId: text, parentMessageId: text },
  },
  SUBAGENT_FINISHED: {
    required: { subagentRunId: text },
    optional: { result: jsonPresent, outcome: subagentOutcome },
  },
  SUBAGENT_ERROR: { required: { subagentRunId: text, message: text }, optional: { code: text } },
};

const timestamp = fc.oneof(fc.constantFrom(0, 1_763_000_000_000), fc.maxSafeInteger());
const baseOptional = { timestamp, rawEvent: jsonPresent, metadata: jsonObject };

/** An event of one type, with each optional field present or absent. */
export function arbitraryEventOf<T extends EventType>(type: T): fc.Arbitrary<AGUIEventOf<T>> {
  const { required, optional = {} } = EVENT_FIELDS[type];
  const fields: Fields = { type: fc.constant(type), ...baseOptional, ...required, ...optional };
  const event = record(fields, ['type', ...Object.keys(required)]);
  // The compiler cannot tell which event a row makes; the tests compare it with `EventSchemas`.
  return event as fc.Arbitrary<unknown> as fc.Arbitrary<AGUIEventOf<T>>;
}

/** Any of the 31 events. */
export function arbitraryEvent(): fc.Arbitrary<Event> {
  return fc.oneof(...Object.values(EventType).map((type) => arbitraryEventOf(type)));
}

/** Any JSON value, null included, nested up to four levels. */
export function arbitraryJson(): fc.Arbitrary<JsonValue> {
  return json.value;
}

/** A JSON object without forbidden member names. */
export function arbitraryJsonObject(): fc.Arbitrary<JsonObject> {
  return jsonObject;
}

/** The body of a run request, with every member. */
export function arbitraryRunAgentInput(): fc.Arbitrary<RunAgentInput> {
  return runAgentInput;
}
