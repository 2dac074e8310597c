import type { ReasoningMessageChunkEvent, TextMessageChunkEvent, ToolCallChunkEvent } from '@ag-ui/core';
import { EventType } from '@ag-ui/core';

export type ChunkEvent = TextMessageChunkEvent | ToolCallChunkEvent | ReasoningMessageChunkEvent;

/** How one kind of chunk is expanded. */
export interface ChunkKind {
  readonly start: EventType;
  readonly content: EventType;
  readonly end: EventType;
  readonly id: 'messageId' | 'toolCallId';
  /** Members of the start event; a later chunk may repeat but not change them. */
  readonly opening: readonly string[];
  readonly required: readonly string[];
  readonly fixed: Readonly<Record<string, string>>;
}

export const CHUNK_KINDS: Readonly<Record<ChunkEvent['type'], ChunkKind>> = {
  [EventType.TEXT_MESSAGE_CHUNK]: {
    start: EventType.TEXT_MESSAGE_START,
    content: EventType.TEXT_MESSAGE_CONTENT,
    end: EventType.TEXT_MESSAGE_END,
    id: 'messageId',
    opening: ['role', 'name'],
    required: [],
    fixed: { role: 'assistant' },
  },
  [EventType.TOOL_CALL_CHUNK]: {
    start: EventType.TOOL_CALL_START,
    content: EventType.TOOL_CALL_ARGS,
    end: EventType.TOOL_CALL_END,
    id: 'toolCallId',
    opening: ['toolCallName', 'parentMessageId'],
    required: ['toolCallName'],
    fixed: {},
  },
  [EventType.REASONING_MESSAGE_CHUNK]: {
    start: EventType.REASONING_MESSAGE_START,
    content: EventType.REASONING_MESSAGE_CONTENT,
    end: EventType.REASONING_MESSAGE_END,
    id: 'messageId',
    opening: [],
    required: [],
    fixed: { role: 'reasoning' },
  },
};

/** True for a chunk event. */
export function isChunk(event: { readonly type: string }): event is ChunkEvent {
  return Object.hasOwn(CHUNK_KINDS, event.type);
}
