import type {
  ToolCall,
  ToolCallArgsEvent,
  ToolCallEndEvent,
  ToolCallResultEvent,
  ToolCallStartEvent,
  ToolMessage,
} from '@ag-ui/core';
import { defined } from '../../core/index.ts';
import type { MessageList, Warn } from './message-list.ts';

/** Adds a call to the assistant message it names, or to a new one. */
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
  const owner = list.find(id) === undefined ? subagentRunId : undefined;
  list.push({ id, role: 'assistant', toolCalls: [call], ...defined({ subagentRunId: owner }) });
}

/** Applies arguments or the end of a call; an end only has metadata. */
export function applyCallPart(
  event: ToolCallArgsEvent | ToolCallEndEvent,
  list: MessageList,
  warn: Warn,
): void {
  const { type, toolCallId, metadata } = event;
  if (list.findCall(toolCallId) === undefined) {
    warn(`${type}: there is no tool call ${toolCallId}`);
  } else if (type === 'TOOL_CALL_ARGS' || metadata !== undefined) {
    list.changeCall(toolCallId, (call) => {
      if (type === 'TOOL_CALL_ARGS') call.function.arguments += event.delta;
      list.annotate(call, metadata);
    });
  }
}

/** Inserts a result after its call and the results that follow the call. */
export function applyCallResult(event: ToolCallResultEvent, list: MessageList): void {
  const { messageId: id, toolCallId, content, role = 'tool', subagentRunId, metadata } = event;
  const message: ToolMessage = { id, toolCallId, role, content, ...defined({ subagentRunId }) };
  list.annotate(message, metadata);
  list.insertResult(toolCallId, message);
}
