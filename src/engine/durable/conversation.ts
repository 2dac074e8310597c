import type { JsonValue } from '../../core/index.ts';
import { isRecord } from '../../core/index.ts';
import type { LogItem, Store } from '../../store/index.ts';
import type { ThreadKey } from '../../ledger/index.ts';
import type { Message } from '../../protocol/index.ts';

/** The conversation goes on after this message; what followed it stays on record. */
export interface Truncation {
  readonly truncateAfter: string;
}

const PAGE = 1000;

/** A thread's conversation as it is now: the log with what was cut off left out. */
export async function readConversation(store: Store, key: ThreadKey): Promise<Message[]> {
  const messages: Message[] = [];
  for (let after = 0; ;) {
    const items = await store.read({ log: 'messages', ...key, after, limit: PAGE });
    for (const item of items) add(messages, item);
    const last = items.at(-1);
    if (last === undefined || items.length < PAGE) return messages;
    after = last.sequence;
  }
}

function add(messages: Message[], { item }: LogItem): void {
  if (isRecord(item) && typeof item['truncateAfter'] === 'string') {
    const index = messages.findLastIndex(({ id }) => id === item['truncateAfter']);
    messages.length = index + 1;
    return;
  }
  // Written by `toLog`, and by nobody else.
  messages.push(item as unknown as Message);
}

/** Messages as the log keeps them. */
export function toLog(messages: readonly (Message | Truncation)[]): JsonValue[] {
  return messages as unknown as JsonValue[];
}
