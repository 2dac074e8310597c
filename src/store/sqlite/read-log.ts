import type { JsonValue } from '../../core/index.ts';
import type { LogItem, LogName, LogQuery, RowKey } from '../store.ts';
import type { Connection } from './connection.ts';
import { storedKey } from './freeze-batch.ts';
import { fromLines, ITEMS_PER_ROW, toLines } from './log-lines.ts';
import type { Readable } from './read-rows.ts';
import { isIn, perTable } from './row-columns.ts';

const DEFAULT_LIMIT = 1000;

const select = perTable<LogName>(
  (log) => `SELECT id, doc FROM rows WHERE ${isIn(log)} AND id > ?3
    AND id < (SELECT min(id) FROM rows WHERE ${isIn(log)} AND id > ?3) + ?4 + ${ITEMS_PER_ROW}
    ORDER BY id LIMIT ?4`,
);

const selectFirst = perTable<LogName>(
  (log) => `SELECT id, doc FROM rows WHERE ${isIn(log)} ORDER BY id LIMIT 1`,
);

/** The items of a log after a sequence: those that are filed, then those that are pending. */
export function readLog({ connection, journal }: Readable, query: LogQuery): readonly LogItem[] {
  const { log: table, after = 0 } = query;
  const limit = Math.max(0, Math.trunc(query.limit ?? DEFAULT_LIMIT));
  const place = logPlace(query);
  const added = journal.pending.log({ table, ...place });
  const end = added?.first ?? Number.POSITIVE_INFINITY;
  const isFiled = after + 1 < end && journal.filed.hasAny(place);
  const items = isFiled ? readFiled(connection, { ...query, ...place, after, limit, end }) : [];
  if (added === undefined) return items;
  for (let at = Math.max(0, after + 1 - end); at < added.items.length && items.length < limit; at += 1) {
    items.push({ sequence: end + at, item: JSON.parse(added.items[at] ?? '') as JsonValue });
  }
  return items;
}

/** Items before `end`: what came since then is not known yet, or is pending as well. */
function readFiled(connection: Connection, query: Required<LogQuery> & { readonly end: number }): LogItem[] {
  const { log, scope, thread, after, limit, end } = query;
  const items: LogItem[] = [];
  // A row's id is that of its last item: the first row may begin before what is asked for, and the last end after it.
  for (const [last, text] of connection.all(select(log), [scope, thread, after, limit])) {
    const lines = fromLines(String(text));
    let sequence = Number(last) - lines.length;
    for (const line of lines) {
      sequence += 1;
      if (sequence <= after) continue;
      if (items.length === limit || sequence >= end) return items;
      items.push({ sequence, item: JSON.parse(line) as JsonValue });
    }
  }
  return items;
}

/** Where a log is, as it is stored. */
function logPlace({ scope, thread }: LogQuery): RowKey {
  return storedKey({ scope, thread, id: '' });
}

/**
 * Removes the items of a log up to and with a sequence; where the log ends is written down first, for what comes next.
 * Nothing of it may be pending.
 */
export function trimLog(connection: Connection, query: LogQuery & { readonly through: number }): void {
  const { scope, thread } = logPlace(query);
  const place = [scope, thread];
  connection.run(
    `INSERT INTO log_heads (scope, thread, log, next)
     SELECT scope, thread, tbl, id + 1 FROM rows WHERE ${isIn(query.log)} ORDER BY id DESC LIMIT 1
     ON CONFLICT (scope, thread, log) DO UPDATE SET next = excluded.next`,
    place,
  );
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
