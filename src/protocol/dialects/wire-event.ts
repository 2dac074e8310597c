import type { AgentStreamEvent } from '../events.ts';
import type { WireEvent } from './dialect.ts';

const received = new WeakMap<AgentStreamEvent, WireEvent>();

/** The events with what came over the wire for them. */
export function fromWire(value: WireEvent, events: AgentStreamEvent[]): AgentStreamEvent[] {
  for (const event of events) if (event !== value) received.set(event, value);
  return events;
}

/** An event as it came over the wire; an event of AG-UI 1.0 is the JSON that came. */
export function wireEventOf(event: AgentStreamEvent): WireEvent {
  return received.get(event) ?? event;
}
