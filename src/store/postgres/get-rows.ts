import { keyText } from '../row-text.ts';
import type { Row, RowKey, TableName } from '../store.ts';
import { queryPrepared } from './connect.ts';
import type { PostgresClient } from './connect.ts';
import { rowKeyColumn } from './key-columns.ts';
import { ROW_COLUMNS, toRow } from './row-columns.ts';
import type { SchemaNames } from './schema-names.ts';

/** The rows of these keys, in their order. */
export async function getRows(
  client: PostgresClient,
  { quoted }: SchemaNames,
  { table, keys }: { readonly table: TableName; readonly keys: readonly RowKey[] },
): Promise<(Row | undefined)[]> {
  const found = await queryPrepared(
    client,
    `SELECT ${ROW_COLUMNS} FROM ${quoted}.rows WHERE row_key = ANY ($1::text[])`,
    [keys.map((key) => rowKeyColumn(table, key))],
  );
  const rows = new Map(found.map(toRow).map((row) => [keyText(row.key), row]));
  return keys.map((key) => rows.get(keyText(key)));
}
