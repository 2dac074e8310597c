import type { ShapeTable } from './shape.ts';

/** The members of every event, and of every event that a subagent may send. */
const BASE = 'timestamp:integer? rawEvent:any? metadata:record?';
const OWNED = `${BASE} subagentRunId?`;

const MESSAGE = 'subagentRunId? id encryptedValue? metadata:record?';
const CHAT_MESSAGE = `${MESSAGE} name?`;

/** The shapes of all objects of AG-UI 1.0. */
export const SHAPES: ShapeTable = {
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
    STEP_STARTED: `${OWNED} stepName`,
    STEP_FINISHED: `${OWNED} stepName`,
    TEXT_MESSAGE_CHUNK: `${OWNED} messageId? role:=developer|system|assistant|user? delta? name?`,
    TOOL_CALL_CHUNK: `${OWNED} toolCallId? toolCallName? parentMessageId? delta?`,
    STATE_DELTA: `${OWNED} delta:JsonPatchOperation[]`,
    MESSAGES_SNAPSHOT: `${BASE} messages:Message[]`,
    ACTIVITY_SNAPSHOT: `${OWNED} messageId activityType content:record replace:boolean?`,
    ACTIVITY_DELTA: `${OWNED} messageId activityType patch:JsonPatchOperation[]`,
    RAW: `${OWNED} event:any source?`,
    REASONING_START: `${OWNED} messageId`,
    REASONING_MESSAGE_START: `${OWNED} messageId role:=reasoning`,
    REASONING_MESSAGE_CONTENT: `${OWNED} messageId delta`,
    REASONING_MESSAGE_END: `${OWNED} messageId`,
    REASONING_MESSAGE_CHUNK: `${OWNED} messageId? delta?`,
    REASONING_END: `${OWNED} messageId`,
    REASONING_ENCRYPTED_VALUE: `${OWNED} subtype:=tool-call|message entityId encryptedValue`,
    SUBAGENT_STARTED: `${BASE} subagentRunId name description? parentSubagentRunId? parentToolCallId? parentMessageId?`,
    SUBAGENT_FINISHED: `${BASE} subagentRunId result:any? outcome:SubagentFinishedOutcome?`,
    SUBAGENT_ERROR: `${BASE} subagentRunId message code?`,
  },
  parts: {
    Interrupt:
      'subagentRunId? id reason message? toolCallId? responseSchema:record? expiresAt? metadata:record?',
    SuccessOutcome: 'pendingToolCallIds:string[]? interrupts:none?',
    InterruptOutcome: 'interrupts:Interrupt[1]',
    CancelledOutcome: 'interrupts:none?',
    TokenUsage:
      'provider? model? inputTokens:count? outputTokens:count? totalTokens:count? reasoningTokens:count? ' +
      'cachedInputTokens:count? cacheWriteInputTokens:count?',
    RunAgentInput:
      'threadId runId protocolVersion? parentRunId? state:any? messages:Message[] tools:Tool[]? ' +
      'context:Context[]? forwardedProps:any? resume:ResumeEntry[]?',
    Tool: 'name description parameters:any? metadata:record?',
    Context: 'description value',
    ResumeEntry: 'interruptId status:=resolved|cancelled payload:any? metadata:record?',
    SubagentSuccessOutcome: 'interruptIds:none?',
    SuspendedOutcome: 'interruptIds:string[]?',
    DeveloperMessage: `${CHAT_MESSAGE} content`,
    SystemMessage: `${CHAT_MESSAGE} content`,
    AssistantMessage: `${CHAT_MESSAGE} content? toolCalls:ToolCall[]?`,
    UserMessage: `${CHAT_MESSAGE} content:Content`,
    ToolMessage: `${MESSAGE} content:Content toolCallId error?`,
    ActivityMessage: 'subagentRunId? id activityType content:record metadata:record?',
    ReasoningMessage: `${MESSAGE} content`,
    ToolCall: 'id type:=function function:FunctionCall encryptedValue? metadata:record?',
    FunctionCall: 'name arguments',
    TextPart: 'id? text metadata:any?',
    MediaPart: 'id? source:PartSource metadata:any?',
    DataSource: 'value mimeType',
    UrlSource: 'value mimeType?',
    FileSource: 'value provider? mimeType?',
    ValueOperation: 'path:pointer value:any',
    PathOperation: 'path:pointer',
    FromOperation: 'path:pointer from:pointer',
  },
  choices: {
    RunFinishedOutcome: {
      by: 'type',
      of: { success: 'SuccessOutcome', interrupt: 'InterruptOutcome', cancelled: 'CancelledOutcome' },
      strict: true,
    },
    SubagentFinishedOutcome: {
      by: 'type',
      of: { success: 'SubagentSuccessOutcome', suspended: 'SuspendedOutcome' },
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
    },
  },
};
