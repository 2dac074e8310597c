import { isRecord } from '../core/index.ts';
import { EventType } from '../protocol/index.ts';

/** Events that come by the thousand, and usually have nothing but texts in them. */
const PLAIN: ReadonlySet<unknown> = new Set<unknown>([
  EventType.TEXT_MESSAGE_START,
  EventType.TEXT_MESSAGE_CONTENT,
  EventType.TEXT_MESSAGE_END,
  EventType.TOOL_CALL_START,
  EventType.TOOL_CALL_ARGS,
  EventType.TOOL_CALL_END,
]);

/** What an agent gave as it is kept: a copy, since it may go on with what it gave. Throws for what is no JSON. */
export function copyEvent(event: unknown): unknown {
  if (!isRecord(event)) return event;
  if (PLAIN.has(event['type']) && Object.values(event).every(isPlain)) return { ...event };
  const text: string | undefined = JSON.stringify(event);
  return text === undefined ? event : JSON.parse(text);
}

function isPlain(value: unknown): boolean {
  return typeof value === 'string' || value === undefined;
}
