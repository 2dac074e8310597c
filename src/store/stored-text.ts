import type { LogName, RowKey, TableName } from './store.ts';

/** Characters that libsql cannot return: it cuts a text at NUL, and a lone surrogate has no UTF-8. */
// oxlint-disable-next-line no-control-regex
const UNSAFE = /[\u0000\\\p{Surrogate}]/u;
// oxlint-disable-next-line no-control-regex
const UNSAFE_ALL = /[\u0000\\\p{Surrogate}]/gu;

/** A name from outside in its stored form; different names stay different. */
export function toStored(text: string): string {
  if (!UNSAFE.test(text)) return text;
  return text.replaceAll(UNSAFE_ALL, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Reverses {@link toStored}. */
export function fromStored(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replaceAll(/\\u([0-9a-f]{4})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

/** A key as one text, for maps: the lengths of the parts make it unique. */
export function keyText({ scope, thread, id }: RowKey): string {
  return `${scope.length},${thread.length},${scope}${thread}${id}`;
}

/** The key of a log, without an id. */
export function logKey(log: LogName, place: { readonly scope: string; readonly thread: string }) {
  const { scope, thread } = place;
  return { table: log as TableName | LogName, scope, thread, id: '' };
}
