import type { RowKey, TableName, LogName } from './store.ts';

/** One text for a key, by which it can be kept in a map: how long its parts are tells where each ends, whatever is in them. */
export function keyText({ scope, thread, id }: RowKey): string {
  return `${scope.length},${thread.length},${scope}${thread}${id}`;
}

/** The place of a log, as a key: it has no id of its own. */
export function logKey(log: LogName, place: { readonly scope: string; readonly thread: string }) {
  const { scope, thread } = place;
  return { table: log as TableName | LogName, scope, thread, id: '' };
}
