import type { Row, RowKey, TableName } from '../store.ts';
import type { Connection } from './connection.ts';
import { storedKey } from './freeze-batch.ts';
import type { Journal } from './journal.ts';
import { isIn, pendingColumns, perTable, ROW_COLUMNS, toRow } from './row-columns.ts';

const select = perTable<TableName>(
  (table) => `SELECT ${ROW_COLUMNS} FROM rows WHERE ${isIn(table)} AND id = ?3`,
);

/** What is read from: what is filed, and what is pending in front of it. */
export interface Readable {
  readonly connection: Connection;
  readonly journal: Pick<Journal, 'pending' | 'filed'>;
}

/** The row with this key: as it is pending, or else as it is filed. */
export function readRow({ connection, journal }: Readable, table: TableName, key: RowKey): Row | undefined {
  const stored = storedKey(key);
  const known = journal.pending.row({ table, ...stored });
  if (known !== undefined) return known.text === undefined ? undefined : toRow(pendingColumns(known));
  if (!journal.filed.hasAny(stored)) return undefined;
  const columns = connection.row(select(table), [stored.scope, stored.thread, stored.id]);
  return columns === undefined ? undefined : toRow(columns);
}
