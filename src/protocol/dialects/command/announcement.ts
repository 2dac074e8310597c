import type { Interrupt } from '@ag-ui/core';
import { isRecord, ownMember } from '../../../core/basics/index.ts';
import { parseJson } from '../../../core/json/index.ts';

/** The CUSTOM event that announces an interrupt. */
export const ON_INTERRUPT = 'on_interrupt';

const PREFIX = `${ON_INTERRUPT}:`;

/**
 * The id of the assistant message that announces an interrupt. Clients that drop metadata and send no id with an answer send
 * their whole transcript: this message in it says which interrupt they saw.
 */
export function announcementId({ id }: Interrupt): string {
  return `${PREFIX}${id}`;
}

/** The interrupt that a message of this id announces; undefined for any other message. */
export function announcedId(messageId: unknown): string | undefined {
  return typeof messageId === 'string' && messageId.startsWith(PREFIX)
    ? messageId.slice(PREFIX.length)
    : undefined;
}

/** The id that an `on_interrupt` event holds, or its value, or the JSON text of either. */
export function interruptIdIn(given: unknown): string | undefined {
  const event = parsedJson(given);
  for (const one of [event, memberOf(event, 'metadata'), parsedJson(memberOf(event, 'value'))]) {
    const id = memberOf(one, 'interruptId');
    if (typeof id === 'string' && id !== '') return id;
  }
  return undefined;
}

/** Some senders put the JSON text of a value where others put the value. */
export function parsedJson(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
  try {
    return parseJson(value);
  } catch {
    return value;
  }
}

function memberOf(value: unknown, name: string): unknown {
  return isRecord(value) ? ownMember(value, name) : undefined;
}
