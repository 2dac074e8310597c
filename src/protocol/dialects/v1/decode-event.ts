import { EventType } from '@ag-ui/core';
import type { UnknownRecord } from '../../../core/index.ts';
import type { AgentStreamEvent } from '../../events.ts';
import { decodeEvent as decodeShape } from '../../shapes/decode-event.ts';
import { releaseHeld, settleHeld } from '../settle-held.ts';
import type { StreamMemory } from '../stream-memory.ts';

/** Always false: 1.0 is the default when no other dialect claims an event. */
export function ownsEvent(): boolean {
  return false;
}

/** Reads AG-UI 1.0; returns an empty list for an event of a newer minor version. */
export function decodeEvent(value: UnknownRecord, memory: StreamMemory): AgentStreamEvent[] {
  const event = decodeShape(value, memory.decodeOptions);
  if (event === undefined) return [];
  switch (event.type) {
    case EventType.RUN_STARTED:
      memory.threadId = event.threadId;
      memory.runId = event.runId;
      return [event];
    case EventType.RUN_FINISHED:
      return settleHeld(event, memory);
    case EventType.RUN_ERROR: {
      const released = releaseHeld(memory.held);
      memory.held = [];
      return [...released, event];
    }
    default:
      return [event];
  }
}
