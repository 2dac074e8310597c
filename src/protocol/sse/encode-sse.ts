import { EventType } from '@ag-ui/core';
import type { UnknownRecord } from '../../core/basics/index.ts';

/** The events that make up most of a stream, and the member that says what their delta belongs to. */
const HOT: ReadonlyMap<unknown, string> = new Map([
  [EventType.TEXT_MESSAGE_CONTENT, 'messageId'],
  [EventType.TOOL_CALL_ARGS, 'toolCallId'],
  [EventType.REASONING_MESSAGE_CONTENT, 'messageId'],
]);

/** A comment that keeps a silent connection open; readers skip it. */
export const SSE_KEEP_ALIVE = ': keep-alive\n\n';

/** What every SSE answer carries. */
export const SSE_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

/** Turns wire events into frames, one JSON object each, LF only. */
export interface SseEncoder {
  /** `id` becomes the frame's `id:`, by which a reader can come back. */
  encode(event: UnknownRecord, id?: number | string): string;
}

/**
 * An encoder for one stream: it remembers the head of the last content frame, so that the deltas of one
 * message only write their text. Members that are undefined are left out, as JSON does.
 */
export function createSseEncoder(): SseEncoder {
  let headType: unknown;
  let headId: unknown;
  let head = '';
  return {
    encode(event, id) {
      const prefix = id === undefined ? '' : `id: ${id}\n`;
      const { type, delta } = event;
      const idMember = HOT.get(type);
      if (idMember === undefined || typeof delta !== 'string' || !isBare(event)) {
        return `${prefix}data: ${JSON.stringify(event)}\n\n`;
      }
      const owner = event[idMember];
      if (type !== headType || owner !== headId || head === '') {
        headType = type;
        headId = owner;
        head = `data: ${JSON.stringify({ type, [idMember]: owner }).slice(0, -1)},"delta":`;
      }
      return `${prefix}${head}${JSON.stringify(delta)}}\n\n`;
    },
  };
}

/** Exactly type, id and delta: anything more takes the long way. */
function isBare(event: UnknownRecord): boolean {
  let count = 0;
  for (const _key in event) if ((count += 1) > 3) return false;
  return count === 3;
}
