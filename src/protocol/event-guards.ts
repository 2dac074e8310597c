import type { AGUIEventByType } from '@ag-ui/core';
import { EventType } from '@ag-ui/core';

/** Any event with a `type`, decoded or raw. */
interface Typed {
  readonly type: string;
}

function guard<Type extends EventType>(type: Type) {
  return (event: Typed): event is AGUIEventByType[Type] => event.type === type;
}

export const isRunStarted = /* @__PURE__ */ guard(EventType.RUN_STARTED);
export const isRunFinished = /* @__PURE__ */ guard(EventType.RUN_FINISHED);
export const isRunError = /* @__PURE__ */ guard(EventType.RUN_ERROR);
export const isStepStarted = /* @__PURE__ */ guard(EventType.STEP_STARTED);
export const isStepFinished = /* @__PURE__ */ guard(EventType.STEP_FINISHED);
export const isTextMessageStart = /* @__PURE__ */ guard(EventType.TEXT_MESSAGE_START);
export const isTextMessageContent = /* @__PURE__ */ guard(EventType.TEXT_MESSAGE_CONTENT);
export const isTextMessageEnd = /* @__PURE__ */ guard(EventType.TEXT_MESSAGE_END);
export const isTextMessageChunk = /* @__PURE__ */ guard(EventType.TEXT_MESSAGE_CHUNK);
export const isToolCallStart = /* @__PURE__ */ guard(EventType.TOOL_CALL_START);
export const isToolCallArgs = /* @__PURE__ */ guard(EventType.TOOL_CALL_ARGS);
export const isToolCallEnd = /* @__PURE__ */ guard(EventType.TOOL_CALL_END);
export const isToolCallChunk = /* @__PURE__ */ guard(EventType.TOOL_CALL_CHUNK);
export const isToolCallResult = /* @__PURE__ */ guard(EventType.TOOL_CALL_RESULT);
export const isStateSnapshot = /* @__PURE__ */ guard(EventType.STATE_SNAPSHOT);
export const isStateDelta = /* @__PURE__ */ guard(EventType.STATE_DELTA);
export const isMessagesSnapshot = /* @__PURE__ */ guard(EventType.MESSAGES_SNAPSHOT);
export const isActivitySnapshot = /* @__PURE__ */ guard(EventType.ACTIVITY_SNAPSHOT);
export const isActivityDelta = /* @__PURE__ */ guard(EventType.ACTIVITY_DELTA);
export const isRaw = /* @__PURE__ */ guard(EventType.RAW);
export const isCustom = /* @__PURE__ */ guard(EventType.CUSTOM);
export const isReasoningStart = /* @__PURE__ */ guard(EventType.REASONING_START);
export const isReasoningMessageStart = /* @__PURE__ */ guard(EventType.REASONING_MESSAGE_START);
export const isReasoningMessageContent = /* @__PURE__ */ guard(EventType.REASONING_MESSAGE_CONTENT);
export const isReasoningMessageEnd = /* @__PURE__ */ guard(EventType.REASONING_MESSAGE_END);
export const isReasoningMessageChunk = /* @__PURE__ */ guard(EventType.REASONING_MESSAGE_CHUNK);
export const isReasoningEnd = /* @__PURE__ */ guard(EventType.REASONING_END);
export const isReasoningEncryptedValue = /* @__PURE__ */ guard(EventType.REASONING_ENCRYPTED_VALUE);
export const isSubagentStarted = /* @__PURE__ */ guard(EventType.SUBAGENT_STARTED);
export const isSubagentFinished = /* @__PURE__ */ guard(EventType.SUBAGENT_FINISHED);
export const isSubagentError = /* @__PURE__ */ guard(EventType.SUBAGENT_ERROR);
