import type { RunAgentInput } from '@ag-ui/core';
import { EventType } from '@ag-ui/core';
import type { UnknownRecord } from '../../core/index.ts';
import { defined, isRecord } from '../../core/index.ts';
import type { AgentStreamEvent } from '../events.ts';
import { approvalOf } from '../interrupts/approval.ts';
import { interruptsOf } from '../interrupts/interrupt.ts';
import {
  decisionsIn,
  fromApprovalDecided,
  fromApprovalRequested,
  isApprovalDecided,
  isApprovalRequested,
  toApprovalDecided,
  toApprovalRequested,
} from './approval-events.ts';
import type { Dialect, InputContext, WireEvent } from './dialect.ts';
import { decodeEvent as decodeDraftEvent, decodeInput as decodeDraftInput } from './draft.ts';
import { renameEvent, renamePart } from './snake-names.ts';
import type { StreamMemory } from './stream-memory.ts';
import { findCall, rememberCalls } from './stream-memory.ts';

/** Lower-case event types and snake_case members, as two-tier servers write them. */
export const snake: Dialect = {
  name: 'snake',
  ownsEvent,
  ownsInput,
  decodeEvent,
  encodeEvent,
  decodeInput,
  encodeInput,
};

const LOWER_CASE = /^[a-z]+(?:_[a-z]+)*$/;

/** True for an event whose type is in lower case. */
export function ownsEvent({ type }: UnknownRecord): boolean {
  return typeof type === 'string' && LOWER_CASE.test(type);
}

/** Reads snake-case names, of 1.0 or of the draft, and fills in the members that two-tier servers leave out. */
export function decodeEvent(value: UnknownRecord, memory: StreamMemory): AgentStreamEvent[] {
  const { type } = value;
  if (typeof type !== 'string') return decodeDraftEvent(value, memory);
  if (isApprovalRequested({ type })) {
    memory.held.push({ interrupt: fromApprovalRequested(value), event: undefined });
    return [];
  }
  if (isApprovalDecided({ type })) {
    // Announced by the RUN_STARTED before it.
    return memory.decided.has(String(value['approval_id'])) ? [] : [fromApprovalDecided(value)];
  }
  const canonicalType = type.toUpperCase();
  const event = { ...renameEvent(value, canonicalType, 'toCamel'), type: canonicalType };
  const events = decodeDraftEvent(fillIn(event, memory), memory);
  for (const one of events.flatMap(decisionsIn)) memory.decided.add(one.approval_id);
  return events;
}

function fillIn(event: UnknownRecord, memory: StreamMemory): UnknownRecord {
  switch (event['type']) {
    case 'RUN_STARTED':
    case 'RUN_FINISHED':
      return {
        ...event,
        threadId: event['threadId'] ?? memory.threadId,
        runId: event['runId'] ?? memory.runId,
      };
    case 'RUN_ERROR':
      return { ...event, message: event['message'] ?? 'The run failed.' };
    case 'TEXT_MESSAGE_CONTENT':
    case 'TOOL_CALL_ARGS':
      return { ...event, delta: event['delta'] ?? '' };
    case 'MESSAGES_SNAPSHOT': {
      const { messages } = event;
      return Array.isArray(messages) ? { ...event, messages: messages.map(fillInMessage) } : event;
    }
    default:
      return event;
  }
}

function fillInMessage(message: unknown, index: number): unknown {
  if (!isRecord(message)) return message;
  const filled: UnknownRecord = { ...message, id: message['id'] ?? `message-${index + 1}` };
  if (filled['content'] === undefined && message['role'] !== 'assistant') filled['content'] = '';
  const { toolCalls } = filled;
  if (Array.isArray(toolCalls)) {
    filled['toolCalls'] = toolCalls.map((call: unknown) =>
      isRecord(call) ? { type: 'function', ...call } : call,
    );
  }
  return filled;
}

/**
 * Writes an `approval_requested` for each tool approval before the end of an interrupted run, and an `approval_decided` for each
 * decision after the start of the run that continues. Every event has a timestamp.
 */
function encodeEvent(event: AgentStreamEvent, memory: StreamMemory): WireEvent[] {
  const timestamp = event.timestamp ?? memory.now();
  return encodeBare(event, memory).map((wire) => ({ ...wire, timestamp }));
}

function encodeBare(event: AgentStreamEvent, memory: StreamMemory): WireEvent[] {
  rememberCalls(event, memory);
  const decided = toApprovalDecided(event);
  if (decided !== undefined) return [decided];
  const renamed = { ...renameEvent(event, event.type, 'toSnake'), type: event.type.toLowerCase() };
  if (event.type === EventType.RUN_STARTED)
    return [renamed, ...decisionsIn(event).map((one) => ({ ...one }))];
  if (event.type !== EventType.RUN_FINISHED) return [renamed];
  const requests = interruptsOf(event).flatMap((interrupt): WireEvent[] => {
    const details = approvalOf(interrupt, (id) => findCall(id, memory));
    return details === undefined ? [] : [{ ...toApprovalRequested(interrupt, details) }];
  });
  return [...requests, renamed];
}

/** True for an input with snake-case ids. */
function ownsInput(value: UnknownRecord): boolean {
  return Object.hasOwn(value, 'thread_id') || Object.hasOwn(value, 'run_id');
}

/** Reads snake-case names, with the `resume` of 1.0 or of the draft. */
function decodeInput(value: UnknownRecord, context: InputContext): RunAgentInput {
  const input = renamePart(value, 'RunAgentInput', 'toCamel');
  if (!isRecord(input) || !isRecord(input['resume']))
    return decodeDraftInput(isRecord(input) ? input : value, context);
  const { thread_id: threadId, ...resume } = input['resume'];
  return decodeDraftInput({ ...input, resume: { ...resume, ...defined({ threadId }) } }, context);
}

function encodeInput(input: RunAgentInput): UnknownRecord {
  const renamed = renamePart(input, 'RunAgentInput', 'toSnake');
  return isRecord(renamed) ? renamed : {};
}
