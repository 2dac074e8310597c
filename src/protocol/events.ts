import type {
  AGUIEventByType,
  RunErrorEvent,
  RunFinishedEvent,
  RunStartedEvent,
  TextMessageContentEvent,
  TextMessageEndEvent,
  TextMessageStartEvent,
} from '@ag-ui/core';
import { EventType } from '@ag-ui/core';
import type { SnakeStreamEvent } from './dialects/snake-events.ts';

export { aggregateTokenUsage } from '@ag-ui/core';

/** The six events of a text stream. */
export type CoreStreamEvent =
  | RunStartedEvent
  | RunFinishedEvent
  | RunErrorEvent
  | TextMessageStartEvent
  | TextMessageContentEvent
  | TextMessageEndEvent;

/** Every event of AG-UI 1.0; the core events are among them. */
export type AgentStreamEvent = AGUIEventByType[EventType];

/** Any event with a `type`, decoded or raw. */
interface Typed {
  readonly type: string;
}

/** True for the events of one type, as AG-UI 1.0 or as the snake dialect writes them. */
export interface EventGuard<Type extends EventType> {
  (event: SnakeStreamEvent): event is Extract<SnakeStreamEvent, { readonly type: Lowercase<`${Type}`> }>;
  (event: Typed): event is AGUIEventByType[Type];
}

function guard<Type extends EventType>(type: Type): EventGuard<Type> {
  const snakeType = type.toLowerCase();
  const isOfType = (event: Typed) => event.type === type || event.type === snakeType;
  // One function for both forms; the type of the argument says which it is.
  return isOfType as EventGuard<Type>;
}

/** True for a RUN_STARTED event. */
export const isRunStarted = /* @__PURE__ */ guard(EventType.RUN_STARTED);
/** True for a RUN_FINISHED event. */
export const isRunFinished = /* @__PURE__ */ guard(EventType.RUN_FINISHED);
/** True for a RUN_ERROR event. */
export const isRunError = /* @__PURE__ */ guard(EventType.RUN_ERROR);
/** True for a STEP_STARTED event. */
export const isStepStarted = /* @__PURE__ */ guard(EventType.STEP_STARTED);
/** True for a STEP_FINISHED event. */
export const isStepFinished = /* @__PURE__ */ guard(EventType.STEP_FINISHED);
/** True for a TEXT_MESSAGE_START event. */
export const isTextMessageStart = /* @__PURE__ */ guard(EventType.TEXT_MESSAGE_START);
/** True for a TEXT_MESSAGE_CONTENT event. */
export const isTextMessageContent = /* @__PURE__ */ guard(EventType.TEXT_MESSAGE_CONTENT);
/** True for a TEXT_MESSAGE_END event. */
export const isTextMessageEnd = /* @__PURE__ */ guard(EventType.TEXT_MESSAGE_END);
/** True for a TEXT_MESSAGE_CHUNK event. */
export const isTextMessageChunk = /* @__PURE__ */ guard(EventType.TEXT_MESSAGE_CHUNK);
/** True for a TOOL_CALL_START event. */
export const isToolCallStart = /* @__PURE__ */ guard(EventType.TOOL_CALL_START);
/** True for a TOOL_CALL_ARGS event. */
export const isToolCallArgs = /* @__PURE__ */ guard(EventType.TOOL_CALL_ARGS);
/** True for a TOOL_CALL_END event. */
export const isToolCallEnd = /* @__PURE__ */ guard(EventType.TOOL_CALL_END);
/** True for a TOOL_CALL_CHUNK event. */
export const isToolCallChunk = /* @__PURE__ */ guard(EventType.TOOL_CALL_CHUNK);
/** True for a TOOL_CALL_RESULT event. */
export const isToolCallResult = /* @__PURE__ */ guard(EventType.TOOL_CALL_RESULT);
/** True for a STATE_SNAPSHOT event. */
export const isStateSnapshot = /* @__PURE__ */ guard(EventType.STATE_SNAPSHOT);
/** True for a STATE_DELTA event. */
export const isStateDelta = /* @__PURE__ */ guard(EventType.STATE_DELTA);
/** True for a MESSAGES_SNAPSHOT event. */
export const isMessagesSnapshot = /* @__PURE__ */ guard(EventType.MESSAGES_SNAPSHOT);
/** True for a ACTIVITY_SNAPSHOT event. */
export const isActivitySnapshot = /* @__PURE__ */ guard(EventType.ACTIVITY_SNAPSHOT);
/** True for a ACTIVITY_DELTA event. */
export const isActivityDelta = /* @__PURE__ */ guard(EventType.ACTIVITY_DELTA);
/** True for a RAW event. */
export const isRaw = /* @__PURE__ */ guard(EventType.RAW);
/** True for a CUSTOM event. */
export const isCustom = /* @__PURE__ */ guard(EventType.CUSTOM);
/** True for a REASONING_START event. */
export const isReasoningStart = /* @__PURE__ */ guard(EventType.REASONING_START);
/** True for a REASONING_MESSAGE_START event. */
export const isReasoningMessageStart = /* @__PURE__ */ guard(EventType.REASONING_MESSAGE_START);
/** True for a REASONING_MESSAGE_CONTENT event. */
export const isReasoningMessageContent = /* @__PURE__ */ guard(EventType.REASONING_MESSAGE_CONTENT);
/** True for a REASONING_MESSAGE_END event. */
export const isReasoningMessageEnd = /* @__PURE__ */ guard(EventType.REASONING_MESSAGE_END);
/** True for a REASONING_MESSAGE_CHUNK event. */
export const isReasoningMessageChunk = /* @__PURE__ */ guard(EventType.REASONING_MESSAGE_CHUNK);
/** True for a REASONING_END event. */
export const isReasoningEnd = /* @__PURE__ */ guard(EventType.REASONING_END);
/** True for a REASONING_ENCRYPTED_VALUE event. */
export const isReasoningEncryptedValue = /* @__PURE__ */ guard(EventType.REASONING_ENCRYPTED_VALUE);
/** True for a SUBAGENT_STARTED event. */
export const isSubagentStarted = /* @__PURE__ */ guard(EventType.SUBAGENT_STARTED);
/** True for a SUBAGENT_FINISHED event. */
export const isSubagentFinished = /* @__PURE__ */ guard(EventType.SUBAGENT_FINISHED);
/** True for a SUBAGENT_ERROR event. */
export const isSubagentError = /* @__PURE__ */ guard(EventType.SUBAGENT_ERROR);
