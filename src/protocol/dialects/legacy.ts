import { EventType } from '@ag-ui/core';
import type { UnknownRecord } from '../../core/index.ts';
import { newId } from '../../core/index.ts';
import type { AgentStreamEvent } from '../events.ts';
import type { StreamMemory } from './stream-memory.ts';

/** The text of the frame that ends a legacy stream. */
export const LEGACY_DONE = '[DONE]';

/** True for a `{content, finishReason, isComplete}` chunk, which has no type. */
export function isLegacyChunk(value: UnknownRecord): boolean {
  return (
    value['type'] === undefined && (Object.hasOwn(value, 'content') || Object.hasOwn(value, 'isComplete'))
  );
}

/** Reads a chunk of the format before AG-UI as events. There is no writer for it. */
export function decodeEvent(value: UnknownRecord, memory: StreamMemory): AgentStreamEvent[] {
  if (memory.legacyState === 'done') return [];
  const events = open(memory);
  const { content, finishReason, isComplete } = value;
  const messageId = memory.legacyMessageId ?? '';
  if (typeof content === 'string' && content !== '') {
    events.push({ type: EventType.TEXT_MESSAGE_CONTENT, messageId, delta: content });
  }
  const isLast = isComplete === true || (typeof finishReason === 'string' && finishReason !== '');
  return isLast ? [...events, ...endLegacyStream(memory)] : events;
}

/** The events for `[DONE]`; none when the stream has ended already. */
export function endLegacyStream(memory: StreamMemory): AgentStreamEvent[] {
  if (memory.legacyState === 'done') return [];
  const opened = open(memory);
  memory.legacyState = 'done';
  const { threadId, runId, legacyMessageId } = memory;
  return [
    ...opened,
    { type: EventType.TEXT_MESSAGE_END, messageId: legacyMessageId ?? '' },
    { type: EventType.RUN_FINISHED, threadId, runId },
  ];
}

function open(memory: StreamMemory): AgentStreamEvent[] {
  if (memory.legacyState !== 'idle') return [];
  memory.legacyState = 'open';
  memory.legacyMessageId = newId();
  const { threadId, runId, legacyMessageId: messageId } = memory;
  return [
    { type: EventType.RUN_STARTED, threadId, runId },
    { type: EventType.TEXT_MESSAGE_START, messageId, role: 'assistant' },
  ];
}
