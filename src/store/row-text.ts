import type { RowKey, TableName, LogName } from './store.ts';

/** A key as one text, for maps: the lengths of the parts make it unique. */
export function keyText({ scope, thread, id }: RowKey): string {
  return `${scope.length},${thread.length},${scope}${thread}${id}`;
}

/** The key of a log, without an id. */
export function logKey(log: LogName, place: { readonly scope: string; readonly thread: string }) {
  const { scope, thread } = place;
  return { table: log as TableName | LogName, scope, thread, id: '' };
}
