import type { UnknownRecord } from '../../../core/index.ts';
import { isRecord } from '../../../core/index.ts';
import type { AgentStreamEvent } from '../../events.ts';
import { decodeEvent as decodeDraftEvent } from '../draft/decode-event.ts';
import type { StreamMemory } from '../stream-memory.ts';
import {
  fromApprovalDecided,
  fromApprovalRequested,
  isApprovalDecided,
  isApprovalRequested,
} from './approval-events.ts';
import { renameEvent } from './rename-members.ts';

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
  if (isApprovalDecided({ type })) return [fromApprovalDecided(value)];
  const canonicalType = type.toUpperCase();
  const event = { ...renameEvent(value, canonicalType, 'toCamel'), type: canonicalType };
  return decodeDraftEvent(fillIn(event, memory), memory);
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
