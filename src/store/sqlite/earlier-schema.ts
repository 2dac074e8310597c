import type { JsonObject } from '../../core/index.ts';
import { indexEarlierRow } from '../index-earlier-row.ts';
import type { LogName, TableName } from '../store.ts';
import { fromStored } from '../stored-text.ts';
import { TABLES } from '../tables.ts';
import type { Connection, SqlValue } from './driver.ts';
import { indexNames, indexValues, perTable } from './row-columns.ts';

/** Rows that are read at once. */
const PIECE = 1000;

/** How far a migration is. */
export type Progress = (progress: { readonly done: number; readonly total: number }) => void;

/**
 * Moves what schema version 1 or 2 kept in `rows`, and version 2 in `journal`, into the tables of version 3, in the open
 * transaction.
 */
export function moveEarlierRows(connection: Connection, onProgress: Progress = () => undefined): void {
  if (connection.number(`SELECT count(*) FROM sqlite_schema WHERE name = 'journal'`) > 0) {
    fileJournal(connection);
    connection.exec('DROP TABLE journal');
  }
  const total = connection.number('SELECT count(*) FROM rows');
  let last = -1;
  for (let done = 0; ;) {
    const rows = connection.all(
      `SELECT place, tbl, scope, thread, id, version, created_at, doc, status, agent, reason, due_at
       FROM rows WHERE place > ?1 ORDER BY place LIMIT ${PIECE}`,
      [last],
    );
    if (rows.length === 0) break;
    for (const columns of rows) moveRow(connection, columns);
    last = Number(rows.at(-1)?.[0]);
    done += rows.length;
    onProgress({ done, total });
  }
  connection.exec('DROP TABLE rows');
  // Rows that are made from here on come after these (see `commit-batches.ts`).
  connection.run(`INSERT INTO changes (number, scope, thread) VALUES (?, '', '')`, [last + 1]);
}

const insertRow = perTable<TableName>((table) => {
  const names = ['ordinal', 'scope', 'thread', 'id', 'version', 'created_at', 'doc', ...indexNames(table)];
  return `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`;
});
const insertItem = perTable<LogName>(
  (log) => `INSERT INTO ${log} (scope, thread, sequence, doc) VALUES (?, ?, ?, ?)`,
);

function moveRow(connection: Connection, columns: readonly SqlValue[]): void {
  const [place = 0, tbl, scope = '', thread = '', id = '', version = 0, createdAt = 0, doc, ...index] =
    columns;
  const text = String(doc);
  if (tbl === 'events') {
    const lines = text.split('\n').join(',');
    connection.run(insertItem(tbl), [scope, thread, id, `[${lines}]`]);
  } else if (tbl === 'messages' || tbl === 'history') {
    const lines = text.split('\n');
    const first = Number(id) - lines.length + 1;
    for (const [at, line] of lines.entries())
      connection.run(insertItem(tbl), [scope, thread, first + at, line]);
  } else if (isTable(tbl)) {
    const [status = null, agent = null, reason = null, dueAt = null] = index;
    const earlier = {
      ...(status === null ? {} : { status: fromStored(String(status)) }),
      ...(agent === null ? {} : { agent: fromStored(String(agent)) }),
      ...(reason === null ? {} : { reason: fromStored(String(reason)) }),
      ...(dueAt === null ? {} : { dueAt: Number(dueAt) }),
    };
    const values = indexValues(tbl, indexEarlierRow(tbl, earlier, JSON.parse(text) as JsonObject));
    connection.run(insertRow(tbl), [place, scope, thread, id, version, createdAt, text, ...values]);
  }
}

function isTable(name: unknown): name is TableName {
  return typeof name === 'string' && Object.hasOwn(TABLES, name);
}

type RowHead = readonly [
  table: string,
  scope: string,
  thread: string,
  id: string,
  place: number,
  version: number,
  createdAt: number,
  status: string | null,
  agent: string | null,
  reason: string | null,
  dueAt: number | null,
  filed: number,
  removed: 0 | 1,
];
type LogHead = readonly [log: string, scope: string, thread: string, first: number, count: number];

/** Puts the commits that version 2 still had in its journal where they belong: each record in turn, as it left its rows. */
function fileJournal(connection: Connection): void {
  const records = connection.all(`SELECT text FROM journal
    WHERE number > (SELECT filed_to FROM journal ORDER BY number DESC LIMIT 1) ORDER BY number`);
  const items: (readonly [log: LogHead, lines: string])[] = [];
  for (const [record] of records) {
    const [head = '', ...lines] = String(record).split('\n');
    // The first line says what there is; the others are the documents and then the items, a line each.
    const [, , rows, logs] = JSON.parse(head) as [number, number, readonly RowHead[], readonly LogHead[]];
    let line = 0;
    for (const row of rows) fileRow(connection, row, row[12] === 1 ? undefined : lines[line++]);
    for (const log of logs) items.push([log, lines.slice(line, (line += log[4])).join('\n')]);
  }
  // After all rows, which have their places already.
  for (const [[log, scope, thread, first, count], lines] of items) {
    connection.run(
      'INSERT INTO rows (scope, thread, tbl, id, version, doc) VALUES (?, ?, ?, CAST(? AS INTEGER), 0, ?)',
      [scope, thread, log, first + count - 1, lines],
    );
  }
}

function fileRow(connection: Connection, head: RowHead, text: string | undefined): void {
  const [table, scope, thread, id, place, version, createdAt, status, agent, reason, dueAt] = head;
  connection.run('DELETE FROM rows WHERE scope = ? AND thread = ? AND tbl = ? AND id = ?', [
    scope,
    thread,
    table,
    id,
  ]);
  if (text === undefined) return;
  connection.run(
    `INSERT INTO rows (place, scope, thread, tbl, id, version, created_at, status, agent, reason, due_at, doc)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [place, scope, thread, table, id, version, createdAt, status, agent, reason, dueAt, text],
  );
}
