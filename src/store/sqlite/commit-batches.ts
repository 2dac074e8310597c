import { logKey } from '../row-text.ts';
import type { Change, CommitResult, LogName, TableName } from '../store.ts';
import { toStored } from '../stored-text.ts';
import { EVENTS_PER_ROW } from '../tables.ts';
import type { Connection } from './driver.ts';
import type { EncodedAppend, EncodedBatch, EncodedRow } from './encode-batch.ts';
import { indexNames, perTable } from './row-columns.ts';

type Conflict = Extract<CommitResult, { ok: false }>['conflict'];

const KEY = 'scope = ?1 AND thread = ?2 AND id = ?3';
const selectVersion = perTable<TableName>((table) => `SELECT version FROM ${table} WHERE ${KEY}`);
const deleteRow = perTable<TableName>((table) => `DELETE FROM ${table} WHERE ${KEY}`);
const putRow = perTable<TableName>((table) => {
  const names = ['doc', ...indexNames(table)];
  const values = names.map((_, at) => `?${at + 5}`);
  const updates = names.map((name) => `${name} = excluded.${name}`);
  return `INSERT INTO ${table} (scope, thread, id, created_at, version, ${names.join(', ')})
    VALUES (?1, ?2, ?3, ?4, 1, ${values.join(', ')})
    ON CONFLICT (scope, thread, id) DO UPDATE SET version = version + 1, ${updates.join(', ')}`;
});
const selectLast = perTable<LogName>(
  (log) => `SELECT sequence FROM ${log} WHERE scope = ?1 AND thread = ?2 ORDER BY sequence DESC LIMIT 1`,
);
const SELECT_HEAD = 'SELECT next FROM log_heads WHERE scope = ?1 AND thread = ?2 AND log = ?3';
const insertItem = perTable<LogName>(
  (log) => `INSERT INTO ${log} (scope, thread, sequence, doc) VALUES (?1, ?2, ?3, ?4)`,
);

/**
 * Commits a batch in the open transaction, or says what is not as it expects and changes nothing. The caller holds the write
 * lock, so that what is checked stays as it is.
 */
export function commitBatch(connection: Connection, batch: EncodedBatch, now: number): CommitResult {
  const conflict = findConflict(connection, batch);
  if (conflict !== undefined) return { ok: false, conflict };
  for (const { table, key } of batch.deletes) connection.run(deleteRow(table), key);
  for (const { table, key, values } of batch.puts) connection.run(putRow(table), [...key, now, ...values]);
  const sequences = batch.appends.map((append) => appendItems(connection, append));
  writeChanges(connection, batch.changes);
  return { ok: true, now, sequences };
}

/** In the order of the contract: checks, puts, deletes, appends. */
function findConflict(connection: Connection, batch: EncodedBatch): Conflict | undefined {
  const isOther = ({ table, key, expect }: EncodedRow) =>
    expect !== undefined && connection.number(selectVersion(table), key) !== expect;
  for (const rows of [batch.checks, batch.puts, batch.deletes]) {
    const row = rows.find(isOther);
    if (row !== undefined) return { table: row.table, ...row.given };
  }
  const append = batch.appends.find(
    (one) => one.expectNext !== undefined && nextSequence(connection, one) !== one.expectNext,
  );
  return append === undefined ? undefined : logKey(append.log, append.given);
}

/** The sequence after the last item of a log; when all was trimmed, where it was then. */
function nextSequence(connection: Connection, { log, key }: Pick<EncodedAppend, 'log' | 'key'>): number {
  const last = connection.number(selectLast(log), key);
  return last === 0 ? Math.max(1, connection.number(SELECT_HEAD, [...key, log])) : last + 1;
}

function appendItems(connection: Connection, append: EncodedAppend): number {
  const { log, key, items } = append;
  const first = nextSequence(connection, append);
  if (log === 'events') {
    for (let at = 0; at < items.length; at += EVENTS_PER_ROW) {
      const some = items.slice(at, at + EVENTS_PER_ROW);
      connection.run(insertItem(log), [...key, first + at + some.length - 1, `[${some.join(',')}]`]);
    }
  } else {
    for (const [at, item] of items.entries()) connection.run(insertItem(log), [...key, first + at, item]);
  }
  return first;
}

/** Changes that are kept: a process that slept longer is told of all threads. */
const CHANGES_KEPT = 20_000;
const INSERT_CHANGE = 'INSERT INTO changes (scope, thread) VALUES (?1, ?2)';
const SWEEP_CHANGES = 'DELETE FROM changes WHERE number <= (SELECT max(number) FROM changes) - ?1';

/** Notes that a thread changed, for other processes (see `watch-changes.ts`). */
export function writeChanges(connection: Connection, changes: readonly Change[]): void {
  for (const { scope, thread } of changes) {
    const number = connection.insert(INSERT_CHANGE, [toStored(scope), toStored(thread)]);
    if (number % 1000 === 0) connection.run(SWEEP_CHANGES, [CHANGES_KEPT]);
  }
}
