import type { UnknownRecord } from '../../core/index.ts';
import { isRecord, newId } from '../../core/index.ts';
import type { StreamMemory } from './stream-memory.ts';

const PREFIX = 'THINKING_';

/** True for an event of the names that reasoning had up to 0.0.45. */
export function isThinking({ type }: UnknownRecord): boolean {
  return typeof type === 'string' && type.startsWith(PREFIX);
}

/**
 * The reasoning event of a `THINKING_*` event. Those events have no ids, so this function gives one id to each span and to
 * each message. The title of a span goes into its metadata.
 */
export function fromThinking(value: UnknownRecord, memory: StreamMemory): UnknownRecord {
  const { type, title, ...rest } = value;
  const name = String(type).slice(PREFIX.length);
  const isMessage = name.startsWith('TEXT_MESSAGE_');
  const kind = isMessage ? 'message' : 'span';
  if (name.endsWith('START')) memory.thinkingIds.set(kind, newId());
  const event: UnknownRecord = {
    ...rest,
    type: isMessage ? name.replace('TEXT_', 'REASONING_') : `REASONING_${name}`,
    messageId: memory.thinkingIds.get(kind) ?? '',
  };
  if (isMessage && name.endsWith('START')) event['role'] = 'reasoning';
  if (typeof title === 'string') {
    event['metadata'] = { ...(isRecord(rest['metadata']) ? rest['metadata'] : {}), title };
  }
  return event;
}
