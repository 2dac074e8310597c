import type { JsonValue } from '../../core/index.ts';
import type { LogItem, LogName, LogQuery } from '../store.ts';
import type { Connection } from './connection.ts';
import { logPlace } from './freeze-batch.ts';
import { isIn, perTable } from './row-columns.ts';
import { markChanges } from './watch-changes.ts';

const DEFAULT_LIMIT = 1000;

const select = perTable<LogName>(
  (log) => `SELECT id, doc FROM rows WHERE ${isIn(log)} AND id > ?3 ORDER BY id LIMIT ?4`,
);

/** The items of a log after a sequence. */
export function readLog(connection: Connection, query: LogQuery): readonly LogItem[] {
  const { after = 0, limit = DEFAULT_LIMIT } = query;
  const rows = connection.all(select(query.log), [...logPlace(query), after, Math.max(0, Math.trunc(limit))]);
  return rows.map(([sequence, item]) => ({
    sequence: Number(sequence),
    item: JSON.parse(String(item)) as JsonValue,
  }));
}

/** Removes the items of a log up to and with a sequence; where the log ends is written down first, for what comes next. */
export function trimLog(connection: Connection, query: LogQuery & { readonly through: number }): void {
  const place = logPlace(query);
  connection.run(
    `INSERT INTO log_heads (scope, thread, log, next)
     SELECT scope, thread, tbl, id + 1 FROM rows WHERE ${isIn(query.log)} ORDER BY id DESC LIMIT 1
     ON CONFLICT (scope, thread, log) DO UPDATE SET next = excluded.next`,
    place,
  );
  markChanges(connection, [query]);
  connection.run(`DELETE FROM rows WHERE ${isIn(query.log)} AND id <= ?3`, [...place, query.through]);
}
