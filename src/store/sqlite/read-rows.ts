import type { Row, RowKey, TableName } from '../store.ts';
import type { Connection } from './connection.ts';
import { isIn, keyParameters, perTable, ROW_COLUMNS, toRow } from './row-columns.ts';

const select = perTable<TableName>(
  (table) => `SELECT ${ROW_COLUMNS} FROM rows WHERE ${isIn(table)} AND id = ?3`,
);

/** The rows with these keys, all as of one moment. */
export function readRows(
  connection: Connection,
  table: TableName,
  keys: readonly RowKey[],
): readonly (Row | undefined)[] {
  const sql = select(table);
  const read = () =>
    keys.map((key) => {
      const [columns] = connection.all(sql, keyParameters(key));
      return columns === undefined ? undefined : toRow(columns);
    });
  return keys.length > 1 ? connection.snapshot(read) : read();
}
