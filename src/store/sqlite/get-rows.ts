import type { Row, RowKey, TableName } from '../store.ts';
import type { Connection } from './driver.ts';
import { storedKey } from './encode-batch.ts';
import { perTable, rowColumns, toRow } from './row-columns.ts';

const select = perTable<TableName>(
  (table) => `SELECT ${rowColumns(table)} FROM ${table} WHERE scope = ?1 AND thread = ?2 AND id = ?3`,
);

/** The rows of these keys, in their order. */
export function getRows(
  connection: Connection,
  { table, keys }: { readonly table: TableName; readonly keys: readonly RowKey[] },
): (Row | undefined)[] {
  return keys.map((key) => {
    const columns = connection.row(select(table), storedKey(key));
    return columns === undefined ? undefined : toRow(table, columns).row;
  });
}
