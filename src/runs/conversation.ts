import type { JsonValue } from '../core/index.ts';
import { canonicalJson, isRecord } from '../core/index.ts';
import { callState } from '../engine/index.ts';
import type { Access } from '../ledger/index.ts';
import { readLog } from '../ledger/index.ts';
import type { Message } from '../protocol/index.ts';
import type { LogItem } from '../store/index.ts';

/** Continues the conversation after this message; later messages stay on record. */
export interface Truncation {
  readonly truncateAfter: string;
}

/** Messages that are read at once. */
export const PAGE = 1000;

type ReadAccess = Access<'read' | 'run' | 'answer'>;

export interface ReadConversation {
  /** The last sequence of the log that counts. Default: all of it. */
  readonly through?: number;
  /** The first page of the log, where it was read before. */
  readonly read?: readonly LogItem[];
}

/** A thread's conversation: the log with what was cut off left out, and each message as it was last written. */
export async function readConversation(
  access: ReadAccess,
  { through = Number.POSITIVE_INFINITY, read }: ReadConversation = {},
): Promise<Message[]> {
  const fold = createFold([]);
  const readPage = (after: number) => readLog(access, { log: 'messages', after, limit: PAGE });
  for (let items = read ?? (await readPage(0)); ;) {
    for (const { sequence, item } of items) if (sequence <= through) fold.add(item);
    const { sequence: last } = items.at(-1) ?? { sequence: 0 };
    if (items.length < PAGE || last >= through) return fold.messages;
    items = await readPage(last);
  }
}

/** A conversation with further items of its log. */
export function extendConversation(messages: readonly Message[], items: readonly JsonValue[]): Message[] {
  const fold = createFold(messages);
  for (const item of items) fold.add(item);
  return fold.messages;
}

function createFold(begin: readonly Message[]): { readonly messages: Message[]; add(item: JsonValue): void } {
  const messages = [...begin];
  const places = new Map(begin.map(({ id }, place) => [id, place]));
  return {
    messages,
    add(item) {
      if (isRecord(item) && typeof item['truncateAfter'] === 'string') {
        const end = (places.get(item['truncateAfter']) ?? -1) + 1;
        for (const { id } of messages.splice(end)) places.delete(id);
        return;
      }
      // Only `toLog` writes these items.
      const message = item as unknown as Message;
      const place = places.get(message.id) ?? messages.length;
      places.set(message.id, place);
      messages[place] = message;
    },
  };
}

/** Calls without a result: in a stored conversation, and in a turn that waits, these are calls of the client. */
export function clientCalls(messages: readonly Message[]): Set<string> {
  const calls = new Set(
    messages.flatMap((message) =>
      message.role === 'assistant'
        ? (message.toolCalls ?? []).filter((call) => callState(call) === undefined).map(({ id }) => id)
        : [],
    ),
  );
  for (const message of messages) if (message.role === 'tool') calls.delete(message.toolCallId);
  return calls;
}

/** A conversation with further messages, without those that it has. */
export function withMessages(messages: readonly Message[], more: readonly Message[]): readonly Message[] {
  const known = new Set(messages.map(({ id }) => id));
  const missing = more.filter(({ id }) => !known.has(id));
  return missing.length === 0 ? messages : [...messages, ...missing];
}

/** Messages in the form of the log. */
export function toLog(messages: readonly (Message | Truncation)[]): JsonValue[] {
  return messages as unknown as JsonValue[];
}

/** The log items that turn the stored conversation into this one; usually the new messages. */
export function messageNews(
  before: readonly Message[],
  after: readonly Message[],
): readonly (Message | Truncation)[] {
  const differs = before.findIndex((message, index) => !isSame(message, after[index]));
  if (differs === -1) return after.slice(before.length);
  return [{ truncateAfter: before[differs - 1]?.id ?? '' }, ...after.slice(differs)];
}

/** Compares by identity first: a message that did not change was not copied. */
function isSame(one: Message, other: Message | undefined): boolean {
  return (
    one === other ||
    (other !== undefined && one.id === other.id && canonicalJson(one) === canonicalJson(other))
  );
}
