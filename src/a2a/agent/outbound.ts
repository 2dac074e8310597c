import type { Part, SendMessageRequest } from '@a2a-js/sdk';
import type { ContentPart, Message } from '../../protocol/index.ts';
import type { MessageIds } from '../parts.ts';
import { a2aMessage, filePart, textPart } from '../parts.ts';
import type { ThreadMemory } from './a2a-memory.ts';

/** The user messages at the end of a conversation that were not sent yet. */
export function freshMessages(messages: readonly Message[], { sent }: ThreadMemory): Message[] {
  const known = new Set(sent.flatMap(({ sources }) => sources));
  const spoken = messages.filter(({ role }) => role !== 'activity');
  const last = spoken.findLastIndex(({ role }) => role !== 'user');
  return spoken.slice(last + 1).filter(({ id }) => !known.has(id));
}

/** A request to the agent. It contains no ids of ours except the new id of the message. */
export function sendRequest(ids: Omit<MessageIds, 'role'>, parts: readonly Part[]): SendMessageRequest {
  return {
    tenant: '',
    message: a2aMessage({ ...ids, role: 'user' }, parts),
    // An agent without streaming replies at once and is polled; an agent with streaming ignores this.
    configuration: {
      acceptedOutputModes: [],
      taskPushNotificationConfig: undefined,
      returnImmediately: true,
    },
    metadata: undefined,
  };
}

/** The content of messages as parts. */
export function partsOfMessages(messages: readonly Message[]): Part[] {
  return messages.flatMap((message) => {
    if (message.role !== 'user') return [];
    const { content } = message;
    return typeof content === 'string' ? [textPart(content)] : content.flatMap(toPart);
  });
}

function toPart(part: ContentPart): Part[] {
  if (part.type === 'text') return [textPart(part.text)];
  if (!('source' in part)) return [];
  const { source } = part;
  const mediaType = 'mimeType' in source ? (source.mimeType ?? '') : '';
  const names = { mediaType, filename: '' };
  if (source.type === 'url') return [filePart({ url: source.value, ...names })];
  return source.type === 'data' ? [filePart({ bytes: source.value, ...names })] : [];
}
