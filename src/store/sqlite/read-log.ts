import type { JsonValue } from '../../core/index.ts';
import type { LogItem, LogName, LogQuery } from '../store.ts';
import { toStored } from '../stored-text.ts';
import { EVENTS_PER_ROW } from '../tables.ts';
import type { Connection } from './driver.ts';
import { perTable } from './row-columns.ts';

const DEFAULT_LIMIT = 1000;
const PLACE = 'scope = ?1 AND thread = ?2';

const select = perTable<LogName>(
  (log) => `SELECT sequence, doc FROM ${log} WHERE ${PLACE} AND sequence > ?3 ORDER BY sequence LIMIT ?4`,
);
/** No further than a row beyond what is asked for: a row has many events. */
const SELECT_EVENTS = `SELECT sequence, doc FROM events WHERE ${PLACE} AND sequence > ?3
  AND sequence < (SELECT min(sequence) FROM events WHERE ${PLACE} AND sequence > ?3) + ?4 + ${EVENTS_PER_ROW}
  ORDER BY sequence LIMIT ?4`;

/** The items of a log after a sequence. */
export function readLog(connection: Connection, query: LogQuery): readonly LogItem[] {
  const { log, after = 0 } = query;
  const limit = Math.max(0, Math.trunc(query.limit ?? DEFAULT_LIMIT));
  const sql = log === 'events' ? SELECT_EVENTS : select(log);
  const rows = connection.all(sql, [toStored(query.scope), toStored(query.thread), after, limit]);
  if (log !== 'events') {
    return rows.map(([sequence, doc]) => ({ sequence: Number(sequence), item: parse(doc) }));
  }
  return rows.flatMap(([last, doc]) => toEvents(Number(last), String(doc), after)).slice(0, limit);
}

/** The events of a row after a sequence. */
export function toEvents(last: number, doc: string, after: number): LogItem[] {
  const items = JSON.parse(doc) as JsonValue[];
  const first = last - items.length + 1;
  return items
    .map((item, at): LogItem => ({ sequence: first + at, item }))
    .filter(({ sequence }) => sequence > after);
}

/** Removes the items of a log up to and with a sequence; where the log ends is written down first, for what comes next. */
export function trimLog(connection: Connection, query: LogQuery & { readonly through: number }): void {
  const { log, through } = query;
  const place = [toStored(query.scope), toStored(query.thread)];
  connection.run(
    `INSERT INTO log_heads (scope, thread, log, next)
     SELECT scope, thread, '${log}', sequence + 1 FROM ${log} WHERE ${PLACE} ORDER BY sequence DESC LIMIT 1
     ON CONFLICT (scope, thread, log) DO UPDATE SET next = excluded.next`,
    place,
  );
  connection.run(`DELETE FROM ${log} WHERE ${PLACE} AND sequence <= ?3`, [...place, through]);
  if (log !== 'events') return;
  const [last, doc] =
    connection.row(`SELECT sequence, doc FROM events WHERE ${PLACE} ORDER BY sequence LIMIT 1`, place) ?? [];
  if (last === undefined) return;
  const left = toEvents(Number(last), String(doc), through).map(({ item }) => item);
  connection.run(`UPDATE events SET doc = ?4 WHERE ${PLACE} AND sequence = ?3`, [
    ...place,
    Number(last),
    JSON.stringify(left),
  ]);
}

function parse(doc: unknown): JsonValue {
  return JSON.parse(String(doc)) as JsonValue;
}
