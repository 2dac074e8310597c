import type {
  Message,
  ReasoningMessageContentEvent,
  ReasoningMessageEndEvent,
  ReasoningMessageStartEvent,
  TextMessageContentEvent,
  TextMessageEndEvent,
  TextMessageStartEvent,
} from '@ag-ui/core';
import { defined } from '../../core/index.ts';
import type { MessageList, Warn } from './message-list.ts';

type TextEvent =
  | ReasoningMessageContentEvent
  | ReasoningMessageEndEvent
  | ReasoningMessageStartEvent
  | TextMessageContentEvent
  | TextMessageEndEvent
  | TextMessageStartEvent;

/** Applies a text or reasoning event. A start for a known message continues it; an end only has metadata. */
export function applyText(event: TextEvent, list: MessageList, warn: Warn): void {
  const { type, messageId, metadata } = event;
  const delta =
    type === 'TEXT_MESSAGE_CONTENT' || type === 'REASONING_MESSAGE_CONTENT' ? event.delta : undefined;
  const existing = list.find(messageId) ?? begin(event, list);
  if (existing === undefined) warn(`${type}: the message ${messageId} does not exist`);
  else if (existing.role === 'activity') warn(`${type}: ${messageId} is an activity`);
  else if (delta !== undefined || metadata !== undefined) {
    list.change(messageId, (message) => {
      if (delta !== undefined) message.content = textOf(message) + delta;
      list.annotate(message, metadata);
    });
  }
}

/** Creates the message of a start event. */
function begin(event: TextEvent, list: MessageList): Message | undefined {
  const { messageId: id, subagentRunId } = event;
  let message: Message;
  if (event.type === 'REASONING_MESSAGE_START') {
    message = { id, role: 'reasoning', content: '', ...defined({ subagentRunId }) };
  } else if (event.type === 'TEXT_MESSAGE_START') {
    const { role = 'assistant', name } = event;
    message = { id, role, content: '', ...defined({ name, subagentRunId }) };
  } else {
    return undefined;
  }
  list.push(message);
  return message;
}

function textOf({ content }: Message): string {
  return typeof content === 'string' ? content : '';
}
