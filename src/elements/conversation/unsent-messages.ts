import { HoldpointError } from '../../core/index.ts';
import type { Conversation } from './conversation.ts';
import { textOf } from './message-text.ts';
import { TAB_STORAGE } from '../base/viewer-storage.ts';

const keyOf = ({ threadId }: Conversation) => `holdpoint:unsent:${threadId}`;

/** Codes of a message that the host may not have. */
const UNREACHED: ReadonlySet<string> = new Set(['RUN_LOST', 'UNAVAILABLE', 'STORE_FAILED']);

/** Call it when a message was sent: stores the messages that did not reach the host for a reload of the page, or forgets them. */
export function keepUnsent(conversation: Conversation): void {
  const { trouble, messages } = conversation.getSnapshot();
  if (trouble === undefined) TAB_STORAGE.removeItem(keyOf(conversation));
  if (!HoldpointError.is(trouble) || !UNREACHED.has(trouble.code)) return;
  const tail = messages.slice(messages.findLastIndex(({ role }) => role !== 'user') + 1);
  const unsent = tail.map((message) => ({ id: message.id, text: textOf(message) }));
  TAB_STORAGE.setItem(keyOf(conversation), JSON.stringify(unsent));
}

/** Takes the text of the stored messages that the thread does not have; empty while the thread is not read, or a message is on its way. */
export function takeUnsent(conversation: Conversation): string {
  const { isReady, isUnknown, isBusy, messages } = conversation.getSnapshot();
  const stored = TAB_STORAGE.getItem(keyOf(conversation));
  if (stored === null || isBusy || (!isReady && !isUnknown)) return '';
  const known = new Set(messages.map(({ id }) => id));
  const unsent = (JSON.parse(stored) as { readonly id: string; readonly text: string }[]).filter(
    ({ id }) => !known.has(id),
  );
  if (unsent.length > 0) TAB_STORAGE.removeItem(keyOf(conversation));
  return unsent.map(({ text }) => text).join('\n');
}

/** True when this tab has a message for the thread that the host does not have: stored by {@link keepUnsent}, or in the message input. */
export function hasUnsent(threadId: string): boolean {
  return ['unsent', 'message'].some(
    (kind) => (TAB_STORAGE.getItem(`holdpoint:${kind}:${threadId}`) ?? '') !== '',
  );
}
