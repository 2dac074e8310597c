import type { AgentStreamEvent } from '../../events.ts';
import type { WireEvent } from '../dialect.ts';

export function encodeEvent(event: AgentStreamEvent): WireEvent[] {
  return [event];
}
