import type { CustomEvent, Interrupt } from '@ag-ui/core';
import { EventType } from '@ag-ui/core';
import type { UnknownRecord } from '../../../core/basics/index.ts';
import { ownMember } from '../../../core/basics/index.ts';
import { parseJson } from '../../../core/json/index.ts';
import type { AgentStreamEvent } from '../../events/index.ts';
import { functionDetails, UNNAMED_INTERRUPT } from '../../interrupts/approval/index.ts';
import { InterruptReason } from '../../interrupts/reasons/index.ts';
import type { StreamMemory } from '../stream-memory.ts';
import { decodeEvent as decodeV1 } from '../v1/decode-event.ts';

/** The CUSTOM event that announces a question. */
export const ON_INTERRUPT = 'on_interrupt';

/** The CUSTOM event of that name. */
export function ownsEvent(value: UnknownRecord): boolean {
  return value['type'] === EventType.CUSTOM && value['name'] === ON_INTERRUPT;
}

/** A question arrives as a CUSTOM event; the end of the run says whether it ended with it. */
export function decodeEvent(value: UnknownRecord, memory: StreamMemory): AgentStreamEvent[] {
  const events = decodeV1(value, memory);
  const [event] = events;
  if (event?.type !== EventType.CUSTOM || event.name !== ON_INTERRUPT) return events;
  memory.held.push({ interrupt: toInterrupt(event), event });
  return [];
}

function toInterrupt(event: CustomEvent): Interrupt {
  const payload = parsed(event.value);
  const id = event.metadata === undefined ? undefined : ownMember(event.metadata, 'interruptId');
  const isApproval = functionDetails(payload) !== undefined;
  return {
    id: typeof id === 'string' ? id : UNNAMED_INTERRUPT,
    reason: isApproval ? InterruptReason.ToolCall : InterruptReason.InputRequired,
    metadata: { payload },
  };
}

/** Some senders put the JSON text of the value where others put the value. */
function parsed(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
  try {
    return parseJson(value);
  } catch {
    return value;
  }
}
