import type { Interrupt } from '@ag-ui/core';
import { approvalOf, payloadOf } from '../interrupts/approval.ts';
import type { StreamMemory } from './stream-memory.ts';
import { findCall } from './stream-memory.ts';

/**
 * The payload of an interrupt for dialects with one payload: its own, else the function to approve, else its
 * message and metadata; undefined without any of these.
 */
export function draftPayload(interrupt: Interrupt, memory: StreamMemory): unknown {
  const payload = payloadOf(interrupt);
  if (payload !== undefined) return payload;
  const approval = approvalOf(interrupt, (id) => findCall(id, memory));
  if (approval !== undefined) {
    const { functionName, functionArguments } = approval;
    return functionArguments === undefined ? { functionName } : { functionName, functionArguments };
  }
  const { message, metadata } = interrupt;
  if (message === undefined && metadata === undefined) return undefined;
  return message === undefined ? { ...metadata } : { prompt: message, ...metadata };
}
