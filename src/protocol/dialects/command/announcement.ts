import type { Interrupt } from '@ag-ui/core';
import { isRecord, ownMember, parseJson } from '../../../core/index.ts';

/** The CUSTOM event that announces an interrupt. */
export const ON_INTERRUPT = 'on_interrupt';

const PREFIX = `${ON_INTERRUPT}:`;

/**
 * The id of the assistant message that announces an interrupt. A client that drops metadata and answers without an
 * id still sends its transcript, and this message names the interrupt that the client saw.
 */
export function announcementId({ id }: Interrupt): string {
  return `${PREFIX}${id}`;
}

/** The interrupt that a message announces; undefined for other messages. */
export function announcedId(messageId: unknown): string | undefined {
  return typeof messageId === 'string' && messageId.startsWith(PREFIX)
    ? messageId.slice(PREFIX.length)
    : undefined;
}

/** The id in an `on_interrupt` event, in its value, or in the JSON text of either. */
export function interruptIdIn(value: unknown): string | undefined {
  const event = parsedJson(value);
  for (const one of [event, memberOf(event, 'metadata'), parsedJson(memberOf(event, 'value'))]) {
    const id = memberOf(one, 'interruptId');
    if (typeof id === 'string' && id !== '') return id;
  }
  return undefined;
}

/** Parses JSON text: some senders write the text of a value in place of the value. */
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
