import { EventType } from '@ag-ui/core';
import type { Interrupt } from '@ag-ui/core';
import { isRecord, ownMember } from '../../../core/index.ts';
import type { AgentStreamEvent } from '../../events.ts';
import { UNNAMED_INTERRUPT } from '../../interrupts/unnamed-interrupt.ts';
import type { WireEvent } from '../dialect.ts';
import { draftPayload } from '../draft-payload.ts';
import type { StreamMemory } from '../stream-memory.ts';
import { rememberCalls } from '../stream-memory.ts';
import { announcementId, ON_INTERRUPT } from './announcement.ts';

/**
 * Writes one interrupt at a time: the first of several; the rest follow after its answer. The interrupt is
 * announced by an assistant message and a CUSTOM event, and is also in the outcome.
 */
export function encodeEvent(event: AgentStreamEvent, memory: StreamMemory): WireEvent[] {
  rememberCalls(event, memory);
  if (event.type !== EventType.RUN_FINISHED || event.outcome?.type !== 'interrupt') return [event];
  const [first] = event.outcome.interrupts;
  if (first === undefined) return [event];
  const payload = draftPayload(first, memory) ?? {};
  const isNamed = first.id !== UNNAMED_INTERRUPT;
  const announcement = {
    type: EventType.CUSTOM,
    name: ON_INTERRUPT,
    value: isNamed && isRecord(payload) ? { ...payload, interruptId: first.id } : payload,
    ...(isNamed ? { metadata: { interruptId: first.id } } : {}),
  };
  const asksOne = { ...event, outcome: { ...event.outcome, interrupts: [first] } };
  return [...(isNamed ? messageFor(first) : []), announcement, asksOne];
}

function messageFor(interrupt: Interrupt): WireEvent[] {
  const messageId = announcementId(interrupt);
  const title = interrupt.metadata === undefined ? undefined : ownMember(interrupt.metadata, 'title');
  const words = [interrupt.message, title].find((text) => typeof text === 'string' && text !== '');
  return [
    { type: EventType.TEXT_MESSAGE_START, messageId, role: 'assistant' },
    { type: EventType.TEXT_MESSAGE_CONTENT, messageId, delta: words ?? 'An answer is needed.' },
    { type: EventType.TEXT_MESSAGE_END, messageId },
  ];
}
