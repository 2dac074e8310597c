import { EventType } from '@ag-ui/core';
import type { UnknownRecord } from '../../core/index.ts';

/** The most frequent events, and the member that names their message or call. */
const HOT: ReadonlyMap<unknown, string> = new Map([
  [EventType.TEXT_MESSAGE_CONTENT, 'messageId'],
  [EventType.TOOL_CALL_ARGS, 'toolCallId'],
  [EventType.REASONING_MESSAGE_CONTENT, 'messageId'],
]);

/** A comment that keeps a silent connection open; readers skip it. */
export const SSE_KEEP_ALIVE = ': keep-alive\n\n';

/** The headers of every SSE response. */
export const SSE_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

/** Turns wire events into frames, one JSON object each, with LF only. */
export interface SseEncoder {
  /** `id` becomes the frame's `id:`; a reader can resume after it. */
  encode(event: UnknownRecord, id?: number | string): string;
}

/**
 * Creates an encoder for one stream. It caches the start of the last content frame, so that the deltas of one
 * message only write their text. Undefined members are left out, as in JSON.
 *
 * @example
 * ```ts
 * import { createSseEncoder } from 'holdpoint/protocol';
 *
 * const encoder = createSseEncoder();
 * const text = events.map((event, index) => encoder.encode({ ...event }, index + 1)).join('');
 * ```
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

/** True for exactly type, id and delta; other events are encoded without the cache. */
function isBare(event: UnknownRecord): boolean {
  let count = 0;
  for (const _key in event) if ((count += 1) > 3) return false;
  return count === 3;
}
