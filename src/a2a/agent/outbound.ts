import type { Part, SendMessageRequest } from '@a2a-js/sdk';
import type { ContentPart, Message } from '../../protocol/index.ts';
import type { MessagePlace } from '../parts.ts';
import { a2aMessage, textPart } from '../parts.ts';
import type { ThreadMemory } from './a2a-memory.ts';

/** The messages at the end of a conversation that are the user's and were not sent before. */
export function freshMessages(messages: readonly Message[], { sent }: ThreadMemory): Message[] {
  const known = new Set(sent.flatMap(({ sources }) => sources));
  const spoken = messages.filter(({ role }) => role !== 'activity');
  const last = spoken.findLastIndex(({ role }) => role !== 'user');
  return spoken.slice(last + 1).filter(({ id }) => !known.has(id));
}

/** What goes to an agent. Only ids of its own, and a new one for the message, are in it. */
export function sendRequest(place: Omit<MessagePlace, 'role'>, parts: readonly Part[]): SendMessageRequest {
  return {
    tenant: '',
    message: a2aMessage({ ...place, role: 'user' }, parts),
    // Agents that do not stream answer at once and are looked at; those that do ignore it.
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
  const rest = { mediaType, filename: '', metadata: undefined };
  if (source.type === 'url') return [{ ...rest, content: { $case: 'url', value: source.value } }];
  if (source.type !== 'data') return [];
  const bytes = Uint8Array.from(atob(source.value), (character) => character.charCodeAt(0));
  // The SDK declares Node's own kind of bytes, and takes any.
  return [
    {
      ...rest,
      content: {
        $case: 'raw',
        value: bytes as Uint8Array as Extract<Part['content'], { $case: 'raw' }>['value'],
      },
    },
  ];
}
