import type { JsonValue, UnknownRecord } from '../core/index.ts';
import { defined, isRecord } from '../core/index.ts';
import type { Store } from '../store/index.ts';
import type { CallResult, InterruptRecord, ThreadKey } from './records.ts';

/** The result of a call from its message of the role `tool`. */
export function callResultOf(message: UnknownRecord): CallResult {
  const metadata = isRecord(message['metadata']) ? message['metadata'] : {};
  // The event of a result has no member for its error.
  const failed =
    [message['error'], metadata['error']].some((error) => typeof error === 'string') || undefined;
  const texts = metadata['display'];
  const display = isRecord(texts) ? texts['output'] : undefined;
  // The log has JSON only.
  return { result: messageText(message['content']), ...defined({ display: display as JsonValue, failed }) };
}

/**
 * Whether the result of its call belongs to an interrupt. The result after an interrupt that expired, or whose approval did not count,
 * belongs to the one that was asked in its place.
 */
export function ownsResult({ state, answer, supersededBy }: InterruptRecord): boolean {
  return supersededBy === undefined && !(state === 'cancelled' && answer?.status === 'resolved');
}

/** Characters of a message that are shown. */
const LONGEST = 4000;

/** The text of a message's content, cut after 4,000 characters. */
export function messageText(content: unknown): string {
  const text =
    typeof content === 'string'
      ? content
      : Array.isArray(content)
        ? content
            .flatMap((part) => (isRecord(part) && typeof part['text'] === 'string' ? [part['text']] : []))
            .join('\n')
        : '';
  return text.slice(0, LONGEST);
}

/** The results of these calls by their ids, from the messages of a thread after a position of the log. */
export async function readCallResults(
  store: Store,
  { key, after: start }: { readonly key: ThreadKey; readonly after: number },
  calls: ReadonlySet<string>,
): Promise<ReadonlyMap<string, CallResult>> {
  const found = new Map<string, CallResult>();
  if (calls.size === 0) return found;
  for (let after = start; ;) {
    const items = await store.read({ log: 'messages', ...key, after });
    const last = items.at(-1);
    if (last === undefined) return found;
    for (const { item } of items) {
      const call = isRecord(item) && item['role'] === 'tool' ? item['toolCallId'] : undefined;
      if (isRecord(item) && typeof call === 'string' && calls.has(call)) found.set(call, callResultOf(item));
    }
    after = last.sequence;
  }
}
