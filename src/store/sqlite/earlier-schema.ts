import type { JsonObject } from '../../core/index.ts';
import type { SqlValue } from '../dialect.ts';
import type { Progress } from '../earlier-rows.ts';
import { indexEarlierRow, PIECE } from '../earlier-rows.ts';
import { sealThread } from '../history-chain.ts';
import { putColumns, putValues } from '../row-columns.ts';
import type { LogName, TableName } from '../store.ts';
import { fromStored } from '../stored-text.ts';
import { TABLES } from '../tables.ts';
import { perTable, SQLITE } from './dialect.ts';
import type { Connection } from './driver.ts';
import { logSql } from './schema.ts';

/**
 * Moves the rows of schema versions 1 and 2 (`rows`, and `journal` of version 2) into the tables of version 3, in
 * the open transaction.
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
  // Later rows get higher numbers (see `commit-batches.ts`).
  connection.run(`INSERT INTO changes (number, scope, thread) VALUES (?, '', '')`, [last + 1]);
}

/** Seals the history of every thread anew, in the open transaction: versions before 5 have values in the hashes. */
export function sealHistories(connection: Connection): void {
  let last = -1;
  for (;;) {
    const threads = connection.all(
      `SELECT ordinal, scope, thread, doc FROM threads WHERE ordinal > ?1 ORDER BY ordinal LIMIT ${PIECE}`,
      [last],
    );
    if (threads.length === 0) return;
    for (const [ordinal, scope = '', thread = '', doc] of threads) {
      last = Number(ordinal);
      const rows = connection.all(
        'SELECT sequence, doc FROM history WHERE scope = ?1 AND thread = ?2 ORDER BY sequence',
        [scope, thread],
      );
      const sealed = sealThread(
        JSON.parse(String(doc)) as JsonObject,
        rows.map(([, entry]) => JSON.parse(String(entry)) as JsonObject),
      );
      if (rows.length === 0 || sealed === undefined) continue;
      const changed = [JSON.stringify(sealed.doc), last];
      connection.run('UPDATE threads SET doc = ?1, version = version + 1 WHERE ordinal = ?2', changed);
      for (const [at, entry] of sealed.entries.entries()) {
        connection.run('UPDATE history SET doc = ?1 WHERE scope = ?2 AND thread = ?3 AND sequence = ?4', [
          JSON.stringify(entry),
          scope,
          thread,
          rows[at]?.[0] ?? 0,
        ]);
      }
    }
  }
}

/** Moves the events and the history of versions 3 to 5, which kept them by key, in the open transaction. */
export function moveLogs(connection: Connection): void {
  for (const log of ['events', 'history'] as const) {
    connection.exec(`ALTER TABLE ${log} RENAME TO earlier_${log}; ${logSql(log)}
      INSERT INTO ${log} (scope, thread, sequence, doc)
        SELECT scope, thread, sequence, doc FROM earlier_${log} ORDER BY scope, thread, sequence;
      DROP TABLE earlier_${log};`);
  }
}

const insertRow = perTable<TableName>((table) => {
  const put = putColumns(table).map(({ name }) => name);
  const names = ['ordinal', 'scope', 'thread', 'id', 'version', 'created_at', ...put];
  return `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`;
});
const insertItem = perTable<LogName>(
  (log) => `INSERT INTO ${log} (scope, thread, sequence, doc) VALUES (?, ?, ?, ?)`,
);

function moveRow(connection: Connection, columns: readonly SqlValue[]): void {
  const [place = 0, tbl, scope = '', thread = '', id = '', version = 0, createdAt = 0, doc, ...earlier] =
    columns;
  const text = String(doc);
  const lines = text.split('\n');
  if (tbl === 'events') {
    connection.run(insertItem(tbl), [scope, thread, id, `[${lines.join(',')}]`]);
  } else if (tbl === 'messages' || tbl === 'history') {
    const first = Number(id) - lines.length + 1;
    for (const [at, line] of lines.entries())
      connection.run(insertItem(tbl), [scope, thread, first + at, line]);
  } else if (isTable(tbl)) {
    const kept = earlier.map((value) => (typeof value === 'string' ? fromStored(value) : value));
    const index = indexEarlierRow(tbl, JSON.parse(text) as JsonObject, kept);
    const values = putValues(SQLITE, tbl, { doc: text, index });
    connection.run(insertRow(tbl), [place, scope, thread, id, version, createdAt, ...values]);
  }
}

function isTable(name: unknown): name is TableName {
  return typeof name === 'string' && Object.hasOwn(TABLES, name);
}

/** The columns of a row in the journal; then its stored place, and 1 if it was removed. */
const HEAD = 'tbl, scope, thread, id, place, version, created_at, status, agent, reason, due_at';
const HEAD_LENGTH = HEAD.split(', ').length;
type LogHead = readonly [log: string, scope: string, thread: string, first: number, count: number];

/** Applies the commits in the journal of version 2 to their tables, in order. */
function fileJournal(connection: Connection): void {
  const records = connection.all(`SELECT text FROM journal
    WHERE number > (SELECT filed_to FROM journal ORDER BY number DESC LIMIT 1) ORDER BY number`);
  const items: (readonly [log: LogHead, lines: string])[] = [];
  for (const [record] of records) {
    const [head = '', ...lines] = String(record).split('\n');
    // The first line is a list of rows and logs; the others are the documents and then the items, one per line.
    const [, , rows, logs] = JSON.parse(head) as [number, number, readonly SqlValue[][], readonly LogHead[]];
    for (const row of rows) {
      const columns = row.slice(0, HEAD_LENGTH);
      connection.run(
        'DELETE FROM rows WHERE tbl = ? AND scope = ? AND thread = ? AND id = ?',
        columns.slice(0, 4),
      );
      if (row.at(-1) === 1) continue;
      connection.run(`INSERT INTO rows (${HEAD}, doc) VALUES (${columns.map(() => '?').join(', ')}, ?)`, [
        ...columns,
        lines.shift() ?? '',
      ]);
    }
    for (const log of logs) items.push([log, lines.splice(0, log[4]).join('\n')]);
  }
  // After all rows, which already have their places.
  for (const [[log, scope, thread, first, count], lines] of items) {
    connection.run(
      'INSERT INTO rows (scope, thread, tbl, id, version, doc) VALUES (?, ?, ?, CAST(? AS INTEGER), 0, ?)',
      [scope, thread, log, first + count - 1, lines],
    );
  }
}
