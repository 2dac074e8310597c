import type { JsonValue } from '../../core/index.ts';
import type { LogItem, LogQuery } from '../store.ts';
import type { Connection } from './connection.ts';
import { logPlace } from './freeze-batch.ts';

const DEFAULT_LIMIT = 1000;

/** The items of a log after a sequence. */
export function readLog(connection: Connection, query: LogQuery): readonly LogItem[] {
  const { after = 0, limit = DEFAULT_LIMIT } = query;
  const rows = connection.all(
    `SELECT sequence, item FROM logs WHERE log = ? AND scope = ? AND thread = ? AND sequence > ?
     ORDER BY sequence LIMIT ?`,
    [...logPlace(query), after, Math.max(0, Math.trunc(limit))],
  );
  return rows.map(([sequence, item]) => ({
    sequence: Number(sequence),
    item: JSON.parse(String(item)) as JsonValue,
  }));
}

/** Removes the items of a log up to and with a sequence; where the log ends is written down first, for what comes next. */
export function trimLog(connection: Connection, query: LogQuery & { readonly through: number }): void {
  connection.run(
    `INSERT INTO log_heads (log, scope, thread, next)
     SELECT log, scope, thread, sequence + 1 FROM logs WHERE log = ? AND scope = ? AND thread = ?
     ORDER BY sequence DESC LIMIT 1
     ON CONFLICT (log, scope, thread) DO UPDATE SET next = excluded.next`,
    logPlace(query),
  );
  connection.run('DELETE FROM logs WHERE log = ? AND scope = ? AND thread = ? AND sequence <= ?', [
    ...logPlace(query),
    query.through,
  ]);
}
