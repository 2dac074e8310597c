import type { CustomEvent, Interrupt } from '@ag-ui/core';
import { EventType } from '@ag-ui/core';
import type { UnknownRecord } from '../../core/index.ts';
import { defined, invalidInput, isRecord, ownMember } from '../../core/index.ts';
import type { AgentStreamEvent } from '../events.ts';
import type { FunctionDetails } from '../interrupts/approval.ts';
import { InterruptReason } from '../interrupts/interrupt.ts';
import type { ApprovalDecidedEvent, ApprovalRequestedEvent } from './snake-events.ts';

/**
 * True for an `approval_requested` event.
 *
 * @example
 * ```ts
 * import { createEventWriter, isApprovalRequested } from 'holdpoint/protocol';
 *
 * const write = createEventWriter('snake');
 * const requests = events.flatMap(write).filter(isApprovalRequested);
 * ```
 */
export function isApprovalRequested(event: { readonly type: unknown }): event is ApprovalRequestedEvent {
  return event.type === 'approval_requested';
}

/**
 * True for an event with the decision about an approval.
 *
 * @example
 * ```ts
 * import { isApprovalDecided } from 'holdpoint/protocol';
 *
 * const wire = { type: 'approval_decided', approval_id: 'i1', decision: 'approved', timestamp: 1 } as const;
 * if (isApprovalDecided(wire)) console.log(wire.approval_id);
 * ```
 */
export function isApprovalDecided(event: { readonly type: unknown }): event is ApprovalDecidedEvent {
  return event.type === 'approval_decided';
}

/** The event that announces an approval interrupt. */
export function toApprovalRequested(
  interrupt: Interrupt,
  details: FunctionDetails,
): Omit<ApprovalRequestedEvent, 'timestamp'> {
  const toolId = interrupt.metadata === undefined ? undefined : ownMember(interrupt.metadata, 'toolId');
  return {
    type: 'approval_requested',
    approval_id: interrupt.id,
    tool_id: typeof toolId === 'string' ? toolId : details.functionName,
    tool_name: details.functionName,
    parameters: details.functionArguments ?? {},
    ...defined({ parameters_summary: interrupt.message }),
  };
}

/** The interrupt that an `approval_requested` announces. */
export function fromApprovalRequested(value: UnknownRecord): Interrupt {
  const {
    approval_id: id,
    tool_id: toolId,
    tool_name: name,
    parameters,
    parameters_summary: summary,
  } = value;
  if (typeof id !== 'string') throw invalidEvent('/approval_id');
  if (typeof name !== 'string') throw invalidEvent('/tool_name');
  return {
    id,
    reason: InterruptReason.ToolCall,
    ...defined({ message: typeof summary === 'string' ? summary : undefined }),
    metadata: {
      functionName: name,
      functionArguments: parameters ?? {},
      ...defined({ toolId: typeof toolId === 'string' && toolId !== name ? toolId : undefined }),
    },
  };
}

/** Reads a decision as a CUSTOM event of the same name. */
export function fromApprovalDecided(event: UnknownRecord): CustomEvent {
  const { type, timestamp, ...value } = event;
  return {
    type: EventType.CUSTOM,
    name: String(type),
    value,
    ...defined({ timestamp: typeof timestamp === 'number' ? timestamp : undefined }),
  };
}

/** The wire form of a CUSTOM event that is a decision; undefined for other events. */
export function toApprovalDecided(event: AgentStreamEvent): UnknownRecord | undefined {
  if (event.type !== EventType.CUSTOM || !isApprovalDecided({ type: event.name }) || !isRecord(event.value))
    return undefined;
  const { timestamp, name, value } = event;
  return { type: name, ...value, ...defined({ timestamp }) };
}

/** The decisions that a run continues with, from the answers in its RUN_STARTED. */
export function decisionsIn(event: AgentStreamEvent): Omit<ApprovalDecidedEvent, 'timestamp'>[] {
  const resume = event.type === EventType.RUN_STARTED ? (event.input?.resume ?? []) : [];
  return resume.flatMap(({ interruptId, status, payload }): ReturnType<typeof decisionsIn> => {
    const decided = { type: 'approval_decided', approval_id: interruptId } as const;
    if (status === 'cancelled') return [{ ...decided, decision: 'cancelled' }];
    const approved = isRecord(payload) ? ownMember(payload, 'approved') : undefined;
    return typeof approved === 'boolean'
      ? [{ ...decided, decision: approved ? 'approved' : 'rejected' }]
      : [];
  });
}

function invalidEvent(pointer: string) {
  return invalidInput('approval_requested event', [{ pointer, message: 'expected a string' }]);
}
