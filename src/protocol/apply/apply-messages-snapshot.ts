import type { Message, MessagesSnapshotEvent, Metadata } from '@ag-ui/core';
import { isRecord, ownMember } from '../../core/index.ts';
import type { MessageList } from './message-list.ts';

/**
 * Applies a snapshot, which contains everything its producer owns. Activities and reasoning stay when the snapshot
 * has no message of their role, because they may be the consumer's own; other missing messages are removed.
 * Remaining messages keep their order, new ones follow.
 */
export function applyMessagesSnapshot(event: MessagesSnapshotEvent, list: MessageList): void {
  const snapshot = new Map(event.messages.map((message) => [message.id, message]));
  const stays = keepRule(event);
  const before = list.look();
  const kept = before
    .filter((message) => snapshot.has(message.id) || stays(message))
    .map((message) => snapshot.get(message.id) ?? message);
  const present = new Set(kept.map(({ id }) => id));
  list.replaceAll([...kept, ...event.messages.filter(({ id }) => !present.has(id))]);
}

function keepRule(event: MessagesSnapshotEvent): (message: Message) => boolean {
  const roles = new Set(event.messages.map(({ role }) => role));
  const ownedTypes = ownedActivityTypes(event.metadata);
  return (message) => {
    if (message.role === 'reasoning') return !roles.has('reasoning');
    if (message.role !== 'activity' || ownedTypes === 'all') return false;
    return ownedTypes === undefined ? !roles.has('activity') : !ownedTypes.includes(message.activityType);
  };
}

/** The activity types that a snapshot owns, an extension of `@ag-ui/client`; undefined when it names none. */
function ownedActivityTypes(metadata: Metadata | undefined): readonly string[] | 'all' | undefined {
  if (metadata === undefined || !Object.hasOwn(metadata, '@ag-ui/client')) return undefined;
  const declared: unknown = metadata['@ag-ui/client'];
  if (!isRecord(declared)) return [];
  if (!Object.hasOwn(declared, 'authoritativeActivityTypes')) return undefined;
  const types = ownMember(declared, 'authoritativeActivityTypes');
  if (types === null) return 'all';
  return Array.isArray(types) && types.every((type): type is string => typeof type === 'string') ? types : [];
}
