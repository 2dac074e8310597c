import { EventType } from '@ag-ui/core';
import type { AgentStreamEvent } from '../../events.ts';
import { approvalOf } from '../../interrupts/approval.ts';
import { interruptsOf } from '../../interrupts/outcome.ts';
import type { WireEvent } from '../dialect.ts';
import type { StreamMemory } from '../stream-memory.ts';
import { findCall, rememberCalls } from '../stream-memory.ts';
import { toApprovalDecided, toApprovalRequested } from './approval-events.ts';
import { renameEvent } from './rename-members.ts';

/** Writes an `approval_requested` for each tool approval before the end of an interrupted run. */
export function encodeEvent(event: AgentStreamEvent, memory: StreamMemory): WireEvent[] {
  rememberCalls(event, memory);
  const decided = toApprovalDecided(event);
  if (decided !== undefined) return [decided];
  const renamed = { ...renameEvent(event, event.type, 'toSnake'), type: event.type.toLowerCase() };
  if (event.type !== EventType.RUN_FINISHED) return [renamed];
  const requests = interruptsOf(event).flatMap((interrupt): WireEvent[] => {
    const details = approvalOf(interrupt, (id) => findCall(id, memory));
    if (details === undefined) return [];
    const request = toApprovalRequested(interrupt, details);
    return [event.timestamp === undefined ? { ...request } : { ...request, timestamp: event.timestamp }];
  });
  return [...requests, renamed];
}
