import type {
  EventType,
  Message,
  ReasoningMessageContentEvent,
  ReasoningMessageEndEvent,
  ReasoningMessageStartEvent,
  TextMessageContentEvent,
  TextMessageEndEvent,
  TextMessageStartEvent,
} from '@ag-ui/core';
import type { MessageList } from './message-list.ts';
import type { Warn } from './warn.ts';

/** A start for a message that is already there continues it. */
export function applyStart(
  event: TextMessageStartEvent | ReasoningMessageStartEvent,
  list: MessageList,
  warn: Warn,
): void {
  const { messageId, metadata } = event;
  const existing = list.find(messageId);
  if (existing === undefined) {
    const message = newMessage(event);
    list.annotate(message, metadata);
    list.push(message);
  } else if (existing.role === 'activity') {
    warn(`${event.type}: ${messageId} is an activity`);
  } else if (metadata !== undefined) {
    list.change(messageId, (message) => list.annotate(message, metadata));
  }
}

export function applyDelta(
  event: TextMessageContentEvent | ReasoningMessageContentEvent,
  list: MessageList,
  warn: Warn,
): void {
  edit(event, { list, warn }, (message) => {
    const before = typeof message.content === 'string' ? message.content : '';
    message.content = before + event.delta;
    list.annotate(message, event.metadata);
  });
}

/** The end of a message says nothing but its metadata. */
export function applyMetadata(
  event: TextMessageEndEvent | ReasoningMessageEndEvent,
  list: MessageList,
  warn: Warn,
): void {
  edit(event, { list, warn }, (message) => list.annotate(message, event.metadata));
}

function edit(
  event: { readonly type: EventType; readonly messageId: string },
  { list, warn }: { list: MessageList; warn: Warn },
  change: (message: Exclude<Message, { role: 'activity' }>) => void,
): void {
  const existing = list.find(event.messageId);
  if (existing === undefined || existing.role === 'activity') {
    const what = existing === undefined ? 'there is no message' : 'it is an activity';
    warn(`${event.type}: ${what} ${event.messageId}`);
    return;
  }
  list.change(event.messageId, (message) => {
    if (message.role !== 'activity') change(message);
  });
}

function newMessage(event: TextMessageStartEvent | ReasoningMessageStartEvent): Message {
  const { messageId: id, subagentRunId } = event;
  const owner = subagentRunId === undefined ? {} : { subagentRunId };
  if (event.type === 'REASONING_MESSAGE_START') return { id, role: 'reasoning', content: '', ...owner };
  const name = event.name === undefined ? {} : { name: event.name };
  return { id, role: event.role ?? 'assistant', content: '', ...name, ...owner };
}
