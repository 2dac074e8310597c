import { logKey } from '../row-text.ts';
import type { Change, CommitResult, LogName, TableName } from '../store.ts';
import { toStored } from '../stored-text.ts';
import { EVENTS_PER_ROW, KEPT_BY_KEY } from '../tables.ts';
import type { Connection } from './driver.ts';
import type { EncodedAppend, EncodedBatch, EncodedRow } from './encode-batch.ts';
import { indexNames, perTable } from './row-columns.ts';

type Conflict = Extract<CommitResult, { ok: false }>['conflict'];

const KEY = 'scope = ?1 AND thread = ?2 AND id = ?3';
const selectVersion = perTable<TableName>((table) => `SELECT version FROM ${table} WHERE ${KEY}`);
const deleteRow = perTable<TableName>((table) => `DELETE FROM ${table} WHERE ${KEY}`);
const putRow = perTable<TableName>((table) => {
  const names = ['doc', ...indexNames(table)];
  const values = names.map((_, at) => `?${at + 6}`);
  const updates = names.map((name) => `${name} = excluded.${name}`);
  return `INSERT INTO ${table} (scope, thread, id, created_at, ordinal, version, ${names.join(', ')})
    VALUES (?1, ?2, ?3, ?4, ?5, 1, ${values.join(', ')})
    ON CONFLICT (scope, thread, id) DO UPDATE SET version = version + 1, ${updates.join(', ')}`;
});
/** The sequence after the last item of a log; when all was trimmed, where it was then. */
const nextSequence = perTable<LogName>(
  (log) => `coalesce((SELECT max(sequence) + 1 FROM ${log} WHERE scope = ?1 AND thread = ?2),
    (SELECT next FROM log_heads WHERE scope = ?1 AND thread = ?2 AND log = '${log}'), 1)`,
);
const selectNext = perTable<LogName>((log) => `SELECT ${nextSequence(log)}`);
const insertItem = perTable<LogName>(
  (log) => `INSERT INTO ${log} (scope, thread, sequence, doc)
    VALUES (?1, ?2, ${nextSequence(log)} + ?3, ?4) RETURNING sequence`,
);

/**
 * Commits a batch in the open transaction, or says what is not as it expects and changes nothing. The caller holds the write
 * lock, so that what is checked stays as it is.
 */
export function commitBatch(connection: Connection, batch: EncodedBatch, now: number): CommitResult {
  const conflict = findConflict(connection, batch);
  if (conflict !== undefined) return { ok: false, conflict };
  const number = writeChanges(connection, batch.changes);
  for (const { table, key } of batch.deletes) connection.run(deleteRow(table), key);
  for (const [at, { table, key, values }] of batch.puts.entries()) {
    // SQLite counts the rows of other tables itself.
    const ordinal = KEPT_BY_KEY.has(table) ? number * MOST_PUTS + (at % MOST_PUTS) : null;
    connection.run(putRow(table), [...key, now, ordinal, ...values]);
  }
  const sequences = batch.appends.map((append) => appendItems(connection, append));
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
    ({ log, key, expectNext }) =>
      expectNext !== undefined && connection.number(selectNext(log), key) !== expectNext,
  );
  return append === undefined ? undefined : logKey(append.log, append.given);
}

function appendItems(connection: Connection, { log, key, items }: EncodedAppend): number {
  if (items.length === 0) return connection.number(selectNext(log), key);
  const perRow = log === 'events' ? EVENTS_PER_ROW : 1;
  let last = 0;
  for (let at = 0; at < items.length; at += perRow) {
    const some = items.slice(at, at + perRow);
    const doc = log === 'events' ? `[${some.join(',')}]` : (some[0] ?? '');
    last = connection.number(insertItem(log), [...key, some.length - 1, doc]);
  }
  return last - items.length + 1;
}

/** Rows of one commit that get places of their own. */
const MOST_PUTS = 1024;

/** Changes that are kept: a process that slept longer is told of all threads. */
const CHANGES_KEPT = 20_000;
const INSERT_CHANGE = 'INSERT INTO changes (scope, thread) VALUES (?1, ?2)';
const SWEEP_CHANGES = 'DELETE FROM changes WHERE number <= (SELECT max(number) FROM changes) - ?1';

/**
 * Notes that threads changed, for other processes (see `watch-changes.ts`). Gives a number that no commit before had and all
 * after exceed.
 */
export function writeChanges(connection: Connection, changes: readonly Change[]): number {
  let number = 0;
  // A row that belongs to no thread needs a number as well.
  for (const { scope, thread } of changes.length === 0 ? [{ scope: '', thread: '' }] : changes) {
    number = connection.insert(INSERT_CHANGE, [toStored(scope), toStored(thread)]);
    if (number % 1000 === 0) connection.run(SWEEP_CHANGES, [CHANGES_KEPT]);
  }
  return number;
}
