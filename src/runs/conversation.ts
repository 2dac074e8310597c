import type { JsonValue } from '../core/index.ts';
import { canonicalJson, isRecord } from '../core/index.ts';
import type { Access } from '../ledger/index.ts';
import { readLog } from '../ledger/index.ts';
import type { Message } from '../protocol/index.ts';

/** The conversation goes on after this message; what followed it stays on record. */
export interface Truncation {
  readonly truncateAfter: string;
}

const PAGE = 1000;

type ReadAccess = Access<'read' | 'run' | 'answer'>;

/** A conversation, and the place of the log that it was read to. */
export interface Conversation {
  readonly messages: readonly Message[];
  readonly head: number;
}

/**
 * A thread's conversation: the log with what was cut off left out, and each message as it was last written. `through` is
 * the last place of the log that counts.
 */
export async function readConversation(
  access: ReadAccess,
  options: { readonly through?: number } = {},
): Promise<Message[]> {
  return [...(await readConversationTo(access, options)).messages];
}

/** The same, with where it ended. */
export async function readConversationTo(
  access: ReadAccess,
  { through = Number.POSITIVE_INFINITY }: { readonly through?: number } = {},
): Promise<Conversation> {
  const fold = createFold([]);
  for (let after = 0; ;) {
    const items = await readLog(access, { log: 'messages', after, limit: PAGE });
    for (const { sequence, item } of items) if (sequence <= through) fold.add(item);
    const last = items.at(-1);
    const head = last?.sequence ?? after;
    if (items.length < PAGE || head >= through) return { messages: fold.messages, head };
    after = head;
  }
}

/** A conversation with what was added to its log. */
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

/** Messages as the log keeps them. */
export function toLog(messages: readonly (Message | Truncation)[]): JsonValue[] {
  return messages as unknown as JsonValue[];
}

/** What the log needs to be told so that the conversation becomes this one: usually what came after its end. */
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
