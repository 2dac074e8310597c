import { markChange } from './change-marks.ts';
import type { Connection } from './connection.ts';
import { ITEMS_PER_ROW, toLines } from './log-lines.ts';
import type { Pending, PendingRow } from './pending.ts';
import { threadText } from './pending.ts';

const INSERT = `INSERT INTO rows
  (version, status, agent, reason, due_at, doc, place, scope, thread, tbl, id, created_at)
  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)`;
const UPDATE = `UPDATE rows SET version = ?1, status = ?2, agent = ?3, reason = ?4, due_at = ?5, doc = ?6
  WHERE place = ?7`;
const DELETE = 'DELETE FROM rows WHERE place = ?';
const INSERT_ITEMS = `INSERT INTO rows (place, scope, thread, tbl, id, version, doc)
  VALUES (?, ?, ?, ?, CAST(? AS INTEGER), 0, ?)`;

/**
 * Puts everything where it belongs, each row as the last commit left it; the caller holds the write lock. A thread of
 * which nothing is added at the end of the file gets a mark there. Gives the last place that is used.
 */
export function filePending(connection: Connection, pending: Pending, lastPlace: number): number {
  let last = lastPlace;
  const seen = new Set<string>();
  for (const row of pending.rows.values()) fileRow(connection, row);
  for (const log of pending.logs.values()) {
    const { table, scope, thread, first, items } = log;
    for (let at = 0; at < items.length; at += ITEMS_PER_ROW) {
      const some = items.slice(at, at + ITEMS_PER_ROW);
      last += 1;
      const id = first + at + some.length - 1;
      connection.run(INSERT_ITEMS, [last, scope, thread, table, id, toLines(some)]);
      seen.add(threadText(log));
    }
  }
  for (const row of pending.rows.values()) {
    if (row.thread === '' || seen.has(threadText(row))) continue;
    seen.add(threadText(row));
    last += 1;
    markChange(connection, row, last);
  }
  return last;
}

function fileRow(connection: Connection, row: PendingRow): void {
  const { version, status, agent, reason, dueAt, text, place, filed } = row;
  if (filed !== 0 && (text === undefined || filed !== place)) connection.run(DELETE, [filed]);
  if (text === undefined) return;
  const columns = [version, status, agent, reason, dueAt, text, place];
  if (filed === place) connection.run(UPDATE, columns);
  else connection.run(INSERT, [...columns, row.scope, row.thread, row.table, row.id, row.createdAt]);
}
