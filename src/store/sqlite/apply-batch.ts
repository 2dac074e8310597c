import type { LogName, RowKey, TableName } from '../store.ts';
import type { Connection } from './connection.ts';
import type { FrozenAppend, FrozenBatch } from './freeze-batch.ts';
import { logPlace } from './freeze-batch.ts';
import { ITEMS_PER_ROW, toLines } from './log-lines.ts';
import { isIn, keyParameters, perTable } from './row-columns.ts';
import { markChanges } from './watch-changes.ts';

/** Thrown where something is not as a batch expects, so that whatever of it was written is undone. */
export class Unexpected extends Error {}

const selectVersion = perTable<TableName>(
  (table) => `SELECT version FROM rows WHERE ${isIn(table)} AND id = ?3`,
);
const deleteAny = perTable<TableName>((table) => `DELETE FROM rows WHERE ${isIn(table)} AND id = ?3`);
const deleteVersion = perTable<TableName>((table) => `${deleteAny(table)} AND version = ?4`);
const update = perTable<TableName>(
  (
    table,
  ) => `UPDATE rows SET version = version + 1, status = ?5, agent = ?6, reason = ?7, due_at = ?8, doc = ?9
    WHERE ${isIn(table)} AND id = ?3 AND version = ?4`,
);
const insert = (table: TableName) => `INSERT INTO rows
  (scope, thread, tbl, id, created_at, status, agent, reason, due_at, doc, version)
  VALUES (?1, ?2, '${table}', ?3, ?4, ?5, ?6, ?7, ?8, ?9, 1)
  ON CONFLICT (scope, thread, tbl, id) DO`;
const insertNew = perTable<TableName>((table) => `${insert(table)} NOTHING`);
const upsert = perTable<TableName>(
  (table) => `${insert(table)} UPDATE SET version = version + 1, status = excluded.status,
    agent = excluded.agent, reason = excluded.reason, due_at = excluded.due_at, doc = excluded.doc`,
);

/**
 * Writes a batch that probably has no conflict; the caller holds the write lock. What a row has to be is asked by the write
 * itself, so that it is found only once. Gives the sequence of each append. Throws {@link Unexpected}, and has then written
 * a part of the batch, which is to be undone.
 */
export function applyBatch(connection: Connection, batch: FrozenBatch, now: number): number[] {
  for (const { table, key, expect } of batch.checks) {
    if (versionOf(connection, table, key) !== expect) throw new Unexpected();
  }
  // Before anything is removed: what comes after a mark never gets a place that was used.
  markChanges(connection, batch.marks);
  for (const row of batch.replaced) remove(connection, row);
  for (const { table, key, expect, columns } of batch.puts) {
    const place = keyParameters(key);
    const isChange = expect !== undefined && expect > 0;
    const written = isChange
      ? connection.run(update(table), [...place, expect, ...columns])
      : connection.run((expect === 0 ? insertNew : upsert)(table), [...place, now, ...columns]);
    if (written === 0) throw new Unexpected();
  }
  const sequences = batch.appends.map((append) => {
    const place = logPlace(append);
    const first = nextOf(connection, append);
    if (append.expectNext !== undefined && append.expectNext !== first) throw new Unexpected();
    for (let at = 0; at < append.items.length; at += ITEMS_PER_ROW) {
      const items = append.items.slice(at, at + ITEMS_PER_ROW);
      const last = first + at + items.length - 1;
      connection.run(insertItems(append.log), [...place, last, toLines(items)]);
    }
    return first;
  });
  for (const row of batch.deletes) remove(connection, row);
  return sequences;
}

function remove(connection: Connection, { table, key, expect }: FrozenBatch['deletes'][number]): void {
  const place = keyParameters(key);
  if (expect === undefined) connection.run(deleteAny(table), place);
  else if (connection.run(deleteVersion(table), [...place, expect]) === 0) throw new Unexpected();
}

/** 0 for a row that is not there. */
export function versionOf(connection: Connection, table: TableName, key: RowKey): number {
  return connection.number(selectVersion(table), keyParameters(key));
}

const insertItems = perTable<LogName>(
  (log) => `INSERT INTO rows (scope, thread, tbl, id, version, doc)
    VALUES (?, ?, '${log}', CAST(? AS INTEGER), 0, ?)`,
);
const selectLast = perTable<LogName>(
  (log) => `SELECT id FROM rows WHERE ${isIn(log)} ORDER BY id DESC LIMIT 1`,
);
const SELECT_HEAD = 'SELECT next FROM log_heads WHERE scope = ? AND thread = ? AND log = ?';

/** The sequence that the next item of a log gets: after its last, or, when all was trimmed, where it was then. */
export function nextOf(connection: Connection, append: FrozenAppend): number {
  const place = logPlace(append);
  const last = connection.value(selectLast(append.log), place);
  return last === undefined || last === null
    ? Number(connection.value(SELECT_HEAD, [...place, append.log]) ?? 1)
    : Number(last) + 1;
}
