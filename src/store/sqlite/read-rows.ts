import type { Row, RowKey, TableName } from '../store.ts';
import type { Connection } from './connection.ts';
import { keyParameters, ROW_COLUMNS, toRow } from './row-columns.ts';

/** The rows with these keys, all as of one moment. */
export function readRows(
  connection: Connection,
  table: TableName,
  keys: readonly RowKey[],
): readonly (Row | undefined)[] {
  const sql = `SELECT ${ROW_COLUMNS} FROM ${table} WHERE scope = ? AND thread = ? AND id = ?`;
  const read = () =>
    keys.map((key) => {
      const [columns] = connection.all(sql, keyParameters(key));
      return columns === undefined ? undefined : toRow(columns);
    });
  return keys.length > 1 ? connection.snapshot(read) : read();
}
