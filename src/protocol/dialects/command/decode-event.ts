import type { CustomEvent, Interrupt } from '@ag-ui/core';
import { EventType } from '@ag-ui/core';
import type { UnknownRecord } from '../../../core/index.ts';
import { isRecord } from '../../../core/index.ts';
import type { AgentStreamEvent } from '../../events.ts';
import { functionDetails } from '../../interrupts/approval.ts';
import { UNNAMED_INTERRUPT } from '../../interrupts/unnamed-interrupt.ts';
import { InterruptReason } from '../../interrupts/reasons.ts';
import type { StreamMemory } from '../stream-memory.ts';
import { decodeEvent as decodeV1Event } from '../v1/decode-event.ts';
import { announcedId, interruptIdIn, ON_INTERRUPT, parsedJson } from './announcement.ts';

/** True for the CUSTOM event `on_interrupt` and for the events of its message. */
export function ownsEvent(value: UnknownRecord): boolean {
  if (value['type'] === EventType.CUSTOM) return value['name'] === ON_INTERRUPT;
  return TEXT_MESSAGE.has(value['type']) && announcedId(value['messageId']) !== undefined;
}

const TEXT_MESSAGE: ReadonlySet<unknown> = new Set([
  EventType.TEXT_MESSAGE_START,
  EventType.TEXT_MESSAGE_CONTENT,
  EventType.TEXT_MESSAGE_END,
]);

/**
 * Holds an interrupt that arrives as a CUSTOM event until the end of the run. The message that announces the
 * interrupt is dropped.
 */
export function decodeEvent(value: UnknownRecord, memory: StreamMemory): AgentStreamEvent[] {
  if (TEXT_MESSAGE.has(value['type']) && announcedId(value['messageId']) !== undefined) return [];
  const events = decodeV1Event(value, memory);
  const [event] = events;
  if (event?.type !== EventType.CUSTOM || event.name !== ON_INTERRUPT) return events;
  memory.held.push({ interrupt: toInterrupt(event), event });
  return [];
}

function toInterrupt(event: CustomEvent): Interrupt {
  const id = interruptIdIn(event) ?? UNNAMED_INTERRUPT;
  const payload = withoutId(parsedJson(event.value), id);
  const isApproval = functionDetails(payload) !== undefined;
  return {
    id,
    reason: isApproval ? InterruptReason.ToolCall : InterruptReason.InputRequired,
    metadata: { payload },
  };
}

/** Removes the id that the writer added; it is not part of the payload. */
function withoutId(value: unknown, id: string): unknown {
  if (!isRecord(value) || value['interruptId'] !== id) return value;
  const { interruptId: _put, ...payload } = value;
  return payload;
}
