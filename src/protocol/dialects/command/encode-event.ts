import { EventType } from '@ag-ui/core';
import type { AgentStreamEvent } from '../../events/index.ts';
import { interruptsOf } from '../../interrupts/outcome/index.ts';
import type { WireEvent } from '../dialect.ts';
import { draftPayload } from '../draft-payload.ts';
import type { StreamMemory } from '../stream-memory.ts';
import { rememberCalls } from '../stream-memory.ts';
import { ON_INTERRUPT } from './decode-event.ts';

/** Each question is announced as a CUSTOM event as well as in the outcome. */
export function encodeEvent(event: AgentStreamEvent, memory: StreamMemory): WireEvent[] {
  rememberCalls(event, memory);
  if (event.type !== EventType.RUN_FINISHED) return [event];
  const announcements = interruptsOf(event).map((interrupt) => ({
    type: EventType.CUSTOM,
    name: ON_INTERRUPT,
    value: draftPayload(interrupt, memory) ?? {},
    metadata: { interruptId: interrupt.id },
  }));
  return [...announcements, event];
}
