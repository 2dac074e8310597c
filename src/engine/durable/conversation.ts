import type { JsonValue } from '../../core/index.ts';
import { isRecord } from '../../core/index.ts';
import type { Access } from '../../ledger/index.ts';
import { readLog } from '../../ledger/index.ts';
import type { Message } from '../../protocol/index.ts';

/** The conversation goes on after this message; what followed it stays on record. */
export interface Truncation {
  readonly truncateAfter: string;
}

/** Messages that are read at once. */
export const PAGE = 1000;

type ReadAccess = Access<'read' | 'run' | 'answer'>;

/**
 * A thread's conversation: the log with what was cut off left out, and each message as it was last written. `through` is
 * the last place of the log that counts.
 */
export async function readConversation(
  access: ReadAccess,
  { through = Number.POSITIVE_INFINITY }: { readonly through?: number } = {},
): Promise<Message[]> {
  const fold = createFold([]);
  for (let after = 0; ;) {
    const items = await readLog(access, { log: 'messages', after, limit: PAGE });
    for (const { sequence, item } of items) if (sequence <= through) fold.add(item);
    const last = items.at(-1);
    const head = last?.sequence ?? after;
    if (items.length < PAGE || head >= through) return fold.messages;
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
      // Written by `toLog`, and by nobody else.
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
