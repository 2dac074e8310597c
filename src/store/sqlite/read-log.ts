import type { JsonValue } from '../../core/index.ts';
import type { LogItem, LogName, LogQuery } from '../store.ts';
import type { Connection } from './connection.ts';
import { logPlace } from './freeze-batch.ts';
import { fromLines, ITEMS_PER_ROW, toLines } from './log-lines.ts';
import { isIn, perTable } from './row-columns.ts';
import { markChanges } from './watch-changes.ts';

const DEFAULT_LIMIT = 1000;

const select = perTable<LogName>(
  (log) => `SELECT id, doc FROM rows WHERE ${isIn(log)} AND id > ?3
    AND id < (SELECT min(id) FROM rows WHERE ${isIn(log)} AND id > ?3) + ?4 + ${ITEMS_PER_ROW}
    ORDER BY id LIMIT ?4`,
);

const selectFirst = perTable<LogName>(
  (log) => `SELECT id, doc FROM rows WHERE ${isIn(log)} ORDER BY id LIMIT 1`,
);

/** The items of a log after a sequence. */
export function readLog(connection: Connection, query: LogQuery): readonly LogItem[] {
  const { after = 0 } = query;
  const limit = Math.max(0, Math.trunc(query.limit ?? DEFAULT_LIMIT));
  const items: LogItem[] = [];
  // A row's id is that of its last item: the first row may begin before what is asked for, and the last end after it.
  const rows = connection.all(select(query.log), [...logPlace(query), after, limit]);
  for (const [last, text] of rows) {
    const lines = fromLines(String(text));
    let sequence = Number(last) - lines.length;
    for (const line of lines) {
      sequence += 1;
      if (sequence <= after) continue;
      if (items.length === limit) return items;
      items.push({ sequence, item: JSON.parse(line) as JsonValue });
    }
  }
  return items;
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
  const [row] = connection.all(selectFirst(query.log), place);
  if (row === undefined) return;
  const [last, text] = row;
  const lines = fromLines(String(text));
  const left = Number(last) - query.through;
  if (left >= lines.length) return;
  connection.run(`UPDATE rows SET doc = ?4 WHERE ${isIn(query.log)} AND id = ?3`, [
    ...place,
    Number(last),
    toLines(lines.slice(-left)),
  ]);
}
