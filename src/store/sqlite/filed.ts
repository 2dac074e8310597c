import type { LogName, TableName } from '../store.ts';
import type { Connection } from './connection.ts';
import type { StoredKey } from './pending.ts';
import { isIn, perTable } from './row-columns.ts';

/** What a commit has to know of a row. */
export interface Found {
  /** 0 for a row that is not there. */
  readonly version: number;
  readonly place: number;
  readonly createdAt: number;
}

const selectRow = perTable<TableName>(
  (table) => `SELECT version, place, created_at FROM rows WHERE ${isIn(table)} AND id = ?3`,
);
const selectLast = perTable<LogName>(
  (log) => `SELECT id FROM rows WHERE ${isIn(log)} ORDER BY id DESC LIMIT 1`,
);
const SELECT_HEAD = 'SELECT next FROM log_heads WHERE scope = ? AND thread = ? AND log = ?';

/** A row as it is filed; undefined where there is none. */
export function filedRow(
  connection: Connection,
  { table, scope, thread, id }: StoredKey & { readonly table: TableName },
): Found | undefined {
  const columns = connection.row(selectRow(table), [scope, thread, id]);
  if (columns === undefined) return undefined;
  const [version, place, createdAt] = columns;
  return { version: Number(version), place: Number(place), createdAt: Number(createdAt) };
}

/** The sequence after the last item of a log that is filed; when all was trimmed, where it was then. */
export function filedNext(
  connection: Connection,
  { table, scope, thread }: StoredKey & { readonly table: LogName },
): number {
  const last = connection.value(selectLast(table), [scope, thread]);
  return last === undefined || last === null
    ? Number(connection.value(SELECT_HEAD, [scope, thread, table]) ?? 1)
    : Number(last) + 1;
}
