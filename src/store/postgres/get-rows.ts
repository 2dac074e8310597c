import { keyText } from '../row-text.ts';
import type { Row, RowKey, TableName } from '../store.ts';
import { queryPrepared } from './connect.ts';
import type { PostgresClient } from './driver.ts';
import { keyColumns, rowColumns, toRow } from './row-columns.ts';
import type { SchemaNames } from './schema.ts';

/** The rows of these keys, in their order. */
export async function getRows(
  client: PostgresClient,
  { quoted }: SchemaNames,
  { table, keys }: { readonly table: TableName; readonly keys: readonly RowKey[] },
): Promise<(Row | undefined)[]> {
  const places = keys.map((key) => keyColumns(key));
  const found = await queryPrepared(
    client,
    `SELECT ${rowColumns(table)} FROM unnest($1::text[], $2::text[], $3::text[]) AS k(k_scope, k_thread, k_id)
     JOIN ${quoted}.${table} ON scope = k_scope AND thread = k_thread AND id = k_id`,
    [places.map(({ scope }) => scope), places.map(({ thread }) => thread), places.map(({ id }) => id)],
  );
  const rows = new Map(
    found.map((columns) => toRow(table, columns).row).map((row) => [keyText(row.key), row]),
  );
  return keys.map((key) => rows.get(keyText(key)));
}
