import type { ThreadInfo } from '../host.ts';

const KEY = 'holdpoint:titles';

/** Stores the first message of a conversation as its title in this browser. */
export function rememberTitle(threadId: string, text: string): void {
  const titles = readTitles();
  titles.delete(threadId);
  titles.set(threadId, text.slice(0, 80));
  localStorage.setItem(KEY, JSON.stringify([...titles].slice(-200)));
}

/** The title of a conversation: its own, its first message, or its time. */
export function titleOf({ threadId, title, createdAt }: ThreadInfo): string {
  const known = title ?? readTitles().get(threadId);
  return (
    known ??
    `Conversation of ${new Date(createdAt).toLocaleString(undefined, { dateStyle: 'short', timeStyle: 'short' })}`
  );
}

function readTitles(): Map<string, string> {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return new Map(Array.isArray(value) ? (value as [string, string][]) : []);
  } catch {
    return new Map();
  }
}
