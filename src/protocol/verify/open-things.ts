import { EventType } from '@ag-ui/core';

/** What an event opens, continues or closes, and the member that says which one. */
export interface Span {
  readonly kind: SpanKind;
  readonly does: 'open' | 'continue' | 'close';
  readonly id: 'messageId' | 'toolCallId';
}

export type SpanKind = 'text message' | 'tool call' | 'reasoning span' | 'reasoning message';

/** Whose ids share a space when it comes to which subagent owns them. */
export const OWNER_SPACE: Readonly<Record<SpanKind, OwnerSpace>> = {
  'text message': 'message',
  'tool call': 'tool call',
  'reasoning span': 'reasoning message',
  'reasoning message': 'reasoning message',
};

export type OwnerSpace = 'message' | 'tool call' | 'reasoning message' | 'activity';

export const SPANS: ReadonlyMap<EventType, Span> = new Map<EventType, Span>([
  [EventType.TEXT_MESSAGE_START, { kind: 'text message', does: 'open', id: 'messageId' }],
  [EventType.TEXT_MESSAGE_CONTENT, { kind: 'text message', does: 'continue', id: 'messageId' }],
  [EventType.TEXT_MESSAGE_END, { kind: 'text message', does: 'close', id: 'messageId' }],
  [EventType.TOOL_CALL_START, { kind: 'tool call', does: 'open', id: 'toolCallId' }],
  [EventType.TOOL_CALL_ARGS, { kind: 'tool call', does: 'continue', id: 'toolCallId' }],
  [EventType.TOOL_CALL_END, { kind: 'tool call', does: 'close', id: 'toolCallId' }],
  [EventType.REASONING_START, { kind: 'reasoning span', does: 'open', id: 'messageId' }],
  [EventType.REASONING_END, { kind: 'reasoning span', does: 'close', id: 'messageId' }],
  [EventType.REASONING_MESSAGE_START, { kind: 'reasoning message', does: 'open', id: 'messageId' }],
  [EventType.REASONING_MESSAGE_CONTENT, { kind: 'reasoning message', does: 'continue', id: 'messageId' }],
  [EventType.REASONING_MESSAGE_END, { kind: 'reasoning message', does: 'close', id: 'messageId' }],
]);
