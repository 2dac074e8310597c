import type { JsonValue } from '../../core/index.ts';
import type { LogItem, LogName, LogQuery } from '../store.ts';
import { EVENTS_PER_ROW } from '../tables.ts';
import { queryPrepared, queryRows } from './connect.ts';
import type { PostgresClient } from './driver.ts';
import { lockName } from './encode-batch.ts';
import { keyColumn } from './row-columns.ts';
import type { SchemaNames } from './schema.ts';

/** The items of a log, in order. */
export async function readLog(
  client: PostgresClient,
  { quoted }: SchemaNames,
  { log, scope, thread, after = 0, limit = 1000 }: LogQuery,
): Promise<LogItem[]> {
  const place = 'scope = $1 AND thread = $2 AND sequence > $3';
  // No further than a row beyond what is asked for: a row has many events.
  const most =
    log === 'events'
      ? `AND sequence < (SELECT min(sequence) FROM ${quoted}.events WHERE ${place}) + $4::bigint + ${EVENTS_PER_ROW}`
      : '';
  const rows = await queryPrepared(
    client,
    `SELECT sequence, doc FROM ${quoted}.${log} WHERE ${place} ${most} ORDER BY sequence LIMIT $4`,
    [keyColumn(scope), keyColumn(thread), bounded(after), bounded(limit)],
  );
  const items = rows.flatMap(({ sequence = null, doc = null }) => {
    const item = JSON.parse(doc ?? 'null') as JsonValue;
    return log === 'events' ? eventsOf(Number(sequence), item) : [{ sequence: Number(sequence), item }];
  });
  return log === 'events' ? items.filter(({ sequence }) => sequence > after).slice(0, limit) : items;
}

/** The events of a row, whose sequence is that of the last. */
function eventsOf(last: number, doc: JsonValue): LogItem[] {
  const items = Array.isArray(doc) ? (doc as readonly JsonValue[]) : [];
  return items.map((item, at) => ({ sequence: last - items.length + 1 + at, item }));
}

/** Removes the items of a log up to and with a sequence; where the log ends is written down first, for what comes next. */
export async function trimLog(
  client: PostgresClient,
  { name, quoted }: SchemaNames,
  trim: { readonly log: LogName; readonly scope: string; readonly thread: string; readonly through: number },
): Promise<void> {
  const { log, scope, thread, through } = trim;
  await queryRows(client, `SELECT ${quoted}.trim_log_2($1, $2, $3, $4, $5)`, [
    `${name} ${lockName(log, { scope, thread, id: '' })}`,
    log,
    keyColumn(scope),
    keyColumn(thread),
    bounded(through),
  ]);
}

/** A whole number that fits a bigint: callers may say `Infinity`. */
function bounded(value: number): number {
  return Math.floor(Math.max(0, Math.min(value, Number.MAX_SAFE_INTEGER)));
}
