import type {
  AssistantMessage,
  ToolCall,
  ToolCallArgsEvent,
  ToolCallEndEvent,
  ToolCallResultEvent,
  ToolCallStartEvent,
  ToolMessage,
} from '@ag-ui/core';
import type { MessageList } from './message-list.ts';
import type { Warn } from './warn.ts';

/** A call joins the assistant message it names, or begins one of its own. */
export function applyCallStart(event: ToolCallStartEvent, list: MessageList, warn: Warn): void {
  const { toolCallId, toolCallName, parentMessageId, subagentRunId, metadata } = event;
  const existing = list.findCall(toolCallId);
  if (existing !== undefined) {
    const { name } = existing.call.function;
    if (name !== toolCallName) warn(`TOOL_CALL_START: ${toolCallId} was ${name} and is now ${toolCallName}`);
    if (name === toolCallName && metadata === undefined) return;
    list.changeCall(toolCallId, (call) => {
      call.function = { ...call.function, name: toolCallName };
      list.annotate(call, metadata);
    });
    return;
  }
  const call: ToolCall = {
    id: toolCallId,
    type: 'function',
    function: { name: toolCallName, arguments: '' },
  };
  list.annotate(call, metadata);
  const parent = parentMessageId === undefined ? undefined : list.find(parentMessageId);
  if (parent?.role === 'assistant') {
    list.change(parent.id, (message) => {
      if (message.role === 'assistant') message.toolCalls = [...(message.toolCalls ?? []), call];
    });
    return;
  }
  if (parent !== undefined) warn(`TOOL_CALL_START: ${parent.id} is a ${parent.role} message`);
  const id = parent === undefined ? (parentMessageId ?? toolCallId) : toolCallId;
  const isNew = list.find(id) === undefined;
  const owner = isNew && subagentRunId !== undefined ? { subagentRunId } : {};
  const message: AssistantMessage = { id, role: 'assistant', toolCalls: [call], ...owner };
  list.push(message);
}

export function applyCallArgs(event: ToolCallArgsEvent, list: MessageList, warn: Warn): void {
  const found = list.changeCall(event.toolCallId, (call) => {
    call.function.arguments += event.delta;
    list.annotate(call, event.metadata);
  });
  if (!found) warn(`TOOL_CALL_ARGS: there is no tool call ${event.toolCallId}`);
}

/** The end of a call says nothing but its metadata. */
export function applyCallMetadata(event: ToolCallEndEvent, list: MessageList, warn: Warn): void {
  if (list.findCall(event.toolCallId) === undefined) {
    warn(`TOOL_CALL_END: there is no tool call ${event.toolCallId}`);
  } else if (event.metadata !== undefined) {
    list.changeCall(event.toolCallId, (call) => list.annotate(call, event.metadata));
  }
}

/** A result stands behind its call and the results that are there already. */
export function applyCallResult(event: ToolCallResultEvent, list: MessageList): void {
  const { messageId, toolCallId, content, role, subagentRunId, metadata } = event;
  const message: ToolMessage = {
    id: messageId,
    toolCallId,
    role: role ?? 'tool',
    content,
    ...(subagentRunId === undefined ? {} : { subagentRunId }),
  };
  list.annotate(message, metadata);
  list.insertResult(toolCallId, message);
}
