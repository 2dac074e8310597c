import type { AgentStreamEvent } from '../../events/stream-event.ts';
import { checkEvent } from '../check-event.ts';
import { PLAIN_SHAPES } from './plain-shapes.ts';

/**
 * Reads a value as `decodeEvent` does, if it is an event of a plain run; undefined says that the whole table has to
 * tell. Throws `INPUT_INVALID` with pointers for anything malformed.
 */
export function decodePlainEvent(value: unknown): AgentStreamEvent | undefined {
  return checkEvent(value, PLAIN_SHAPES);
}
