import type { Interrupt, RunFinishedEvent } from '@ag-ui/core';
import { EventType } from '@ag-ui/core';
import type { UnknownRecord } from '../../../core/basics/index.ts';
import { defined } from '../../../core/basics/index.ts';
import type { AgentStreamEvent } from '../../events/index.ts';
import { UNNAMED_INTERRUPT } from '../../interrupts/approval/index.ts';
import type { WireEvent } from '../dialect.ts';
import { draftPayload } from '../draft-payload.ts';
import type { StreamMemory } from '../stream-memory.ts';
import { rememberCalls } from '../stream-memory.ts';

/** Writes one interrupt, because the draft has no list: the first of several; the rest follow after its answer. */
export function encodeEvent(event: AgentStreamEvent, memory: StreamMemory): WireEvent[] {
  rememberCalls(event, memory);
  return [event.type === EventType.RUN_FINISHED ? encodeFinished(event, memory) : event];
}

function encodeFinished(event: RunFinishedEvent, memory: StreamMemory): WireEvent {
  const { outcome, ...rest } = event;
  switch (outcome?.type) {
    case undefined:
      return rest;
    case 'interrupt': {
      const { result: _never, ...bare } = rest;
      const [first] = outcome.interrupts;
      const interrupt = first === undefined ? {} : encodeInterrupt(first, memory);
      return { ...bare, outcome: 'interrupt', interrupt };
    }
    case 'success': {
      const { pendingToolCallIds } = outcome;
      return {
        ...rest,
        outcome: 'success',
        ...defined({ pendingToolCallIds }),
      };
    }
    case 'cancelled':
      return { ...rest, outcome: 'cancelled' };
  }
}

/** Drops members that 1.0 names and the draft does not; keeps members that neither names. */
function encodeInterrupt(interrupt: Interrupt, memory: StreamMemory): UnknownRecord {
  const { id, reason, message, toolCallId, responseSchema, expiresAt, metadata, subagentRunId, ...extra } =
    interrupt;
  void [message, toolCallId, responseSchema, expiresAt, metadata, subagentRunId];
  const payload = draftPayload(interrupt, memory);
  return {
    ...extra,
    ...(id === UNNAMED_INTERRUPT ? {} : { id }),
    reason,
    ...defined({ payload }),
  };
}
