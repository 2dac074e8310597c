import type { JsonValue } from '../../core/index.ts';
import type { LogItem, LogName, LogQuery } from '../store.ts';
import { queryPrepared, queryRows } from './connect.ts';
import type { PostgresClient } from './connect.ts';
import { keyColumns } from './key-columns.ts';
import type { SchemaNames } from './schema-names.ts';

/** The items of a log, in order. */
export async function readLog(
  client: PostgresClient,
  names: SchemaNames,
  { after = 0, limit = 1000, ...place }: LogQuery,
): Promise<LogItem[]> {
  const rows = await queryPrepared(
    client,
    `SELECT sequence, item FROM ${names.quoted}.log_items
     WHERE log_number = ${logNumber(names)} AND sequence > $4 ORDER BY sequence LIMIT $5`,
    [...placeValues(place), bounded(after), bounded(limit)],
  );
  return rows.map(({ sequence = null, item = null }) => ({
    sequence: Number(sequence),
    item: JSON.parse(item ?? 'null') as JsonValue,
  }));
}

/** Removes the items of a log up to and with a sequence; its head keeps count. */
export async function trimLog(
  client: PostgresClient,
  names: SchemaNames,
  { through, ...place }: LogPlace & { readonly through: number },
): Promise<void> {
  await queryRows(
    client,
    `DELETE FROM ${names.quoted}.log_items WHERE log_number = ${logNumber(names)} AND sequence <= $4`,
    [...placeValues(place), bounded(through)],
  );
}

interface LogPlace {
  readonly log: LogName;
  readonly scope: string;
  readonly thread: string;
}

function logNumber({ quoted }: SchemaNames): string {
  return `(SELECT number FROM ${quoted}.log_heads WHERE log = $1 AND scope = $2 AND thread = $3)`;
}

function placeValues({ log, scope, thread }: LogPlace): string[] {
  const columns = keyColumns({ scope, thread, id: '' });
  return [log, columns.scope, columns.thread];
}

/** A whole number that fits a bigint: callers may say `Infinity`. */
function bounded(value: number): number {
  return Math.floor(Math.max(0, Math.min(value, Number.MAX_SAFE_INTEGER)));
}
