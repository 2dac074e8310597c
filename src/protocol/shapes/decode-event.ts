import type { AgentStreamEvent } from '../events/stream-event.ts';
import { checkEvent } from './check-event.ts';
import { SHAPES } from './shape-table.ts';

export interface DecodeOptions {
  /** Told where something a newer protocol must have added was left out; the root pointer means the event. */
  readonly onUnknown?: (pointer: string) => void;
}

/**
 * Reads a value as an event of AG-UI 1.0. Members the protocol does not name stay; optional members that
 * are null are left out; the same object comes back when nothing had to change. An event type that this
 * version does not know gives undefined. Throws `INPUT_INVALID` with pointers for anything malformed.
 */
export function decodeEvent(value: unknown, { onUnknown }: DecodeOptions = {}): AgentStreamEvent | undefined {
  const event = checkEvent(value, SHAPES, onUnknown);
  if (event === undefined) onUnknown?.('');
  return event;
}
