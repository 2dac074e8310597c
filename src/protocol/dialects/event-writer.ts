import type { AgentStreamEvent } from '../events.ts';
import type { DialectName, WireEvent } from './dialect.ts';
import { dialectNamed } from './dialect-named.ts';
import { createStreamMemory } from './stream-memory.ts';

/** Writes one stream in a dialect; one event may become several on the wire. */
export type EventWriter = (event: AgentStreamEvent) => WireEvent[];

/** Creates a writer for one stream. Throws `PROTOCOL_UNSUPPORTED` for an unknown dialect. */
export function createEventWriter(name: DialectName): EventWriter {
  const dialect = dialectNamed(name);
  const memory = createStreamMemory();
  return (event) => dialect.encodeEvent(event, memory);
}
