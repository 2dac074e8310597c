import type { ShapeTable } from '../shape.ts';
import { BASE, OWNED } from '../shape.ts';

/** What a run of text, tool calls, state and questions is made of. The whole table has these too. */
export const PLAIN_SHAPES: ShapeTable = {
  events: {
    RUN_STARTED: `${BASE} threadId runId protocolVersion? parentRunId? input:RunAgentInput?`,
    RUN_FINISHED: `${BASE} threadId runId result:any? outcome:RunFinishedOutcome? usage:TokenUsage[]?`,
    RUN_ERROR: `${BASE} message code? usage:TokenUsage[]?`,
    TEXT_MESSAGE_START: `${OWNED} messageId role:=developer|system|assistant|user? name?`,
    TEXT_MESSAGE_CONTENT: `${OWNED} messageId delta`,
    TEXT_MESSAGE_END: `${OWNED} messageId`,
    TOOL_CALL_START: `${OWNED} toolCallId toolCallName parentMessageId?`,
    TOOL_CALL_ARGS: `${OWNED} toolCallId delta`,
    TOOL_CALL_END: `${OWNED} toolCallId`,
    TOOL_CALL_RESULT: `${OWNED} messageId toolCallId content:Content role:=tool?`,
    STATE_SNAPSHOT: `${OWNED} snapshot:any`,
    CUSTOM: `${OWNED} name value:any`,
  },
  parts: {
    Interrupt:
      'subagentRunId? id reason message? toolCallId? responseSchema:record? expiresAt? metadata:record?',
    SuccessOutcome: 'pendingToolCallIds:string[]?',
    InterruptOutcome: 'interrupts:Interrupt[1]',
    EmptyOutcome: '',
    TokenUsage:
      'provider? model? inputTokens:count? outputTokens:count? totalTokens:count? reasoningTokens:count? ' +
      'cachedInputTokens:count? cacheWriteInputTokens:count?',
  },
  choices: {
    RunFinishedOutcome: {
      by: 'type',
      of: { success: 'SuccessOutcome', interrupt: 'InterruptOutcome', cancelled: 'EmptyOutcome' },
      strict: true,
    },
  },
};
