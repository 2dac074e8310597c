import { HoldpointError } from '../../core/index.ts';
import { GroupCommits } from '../group-commits.ts';
import type { Change, CommitResult, LogName, TableName } from '../store.ts';
import type { EncodedAppend, EncodedBatch, EncodedPut, EncodedRow } from '../encode-batch.ts';
import { conflictAt } from '../encode-batch.ts';
import { putColumns } from '../row-columns.ts';
import { toStored } from '../stored-text.ts';
import { KEPT_BY_KEY } from '../tables.ts';
import { perTable } from './dialect.ts';
import { retryWhileBusy } from './connect.ts';
import type { Connection } from './driver.ts';
import { isBusy } from './errors.ts';

const KEY = 'scope = ?1 AND thread = ?2 AND id = ?3';
const selectVersion = perTable<TableName>((table) => `SELECT version FROM ${table} WHERE ${KEY}`);
const deleteRow = perTable<TableName>((table) => `DELETE FROM ${table} WHERE ${KEY}`);
const insertRow = perTable<TableName>((table) => {
  const names = putColumns(table).map(({ name }) => name);
  const values = names.map((_, at) => `?${at + 6}`);
  return `INSERT INTO ${table} (scope, thread, id, created_at, ordinal, version, ${names.join(', ')})
    VALUES (?1, ?2, ?3, ?4, ?5, 1, ${values.join(', ')})`;
});
/** Writes a row of any version. */
const putRow = perTable<TableName>((table) => {
  const updates = putColumns(table).map(({ name }) => `${name} = excluded.${name}`);
  return `${insertRow(table)} ON CONFLICT (scope, thread, id) DO UPDATE SET version = version + 1, ${updates.join(', ')}`;
});
/** Writes a new row, or a row with an expected version. */
const makeRow = perTable<TableName>(
  (table) => `${insertRow(table)} ON CONFLICT (scope, thread, id) DO NOTHING`,
);
const updateRow = perTable<TableName>((table) => {
  const updates = putColumns(table).map(({ name }, at) => `${name} = ?${at + 5}`);
  return `UPDATE ${table} SET version = version + 1, ${updates.join(', ')} WHERE ${KEY} AND version = ?4`;
});
/** The sequence after the last item of a log, also if all items were trimmed. */
const nextSequence = perTable<LogName>(
  (log) => `coalesce((SELECT max(sequence) + 1 FROM ${log} WHERE scope = ?1 AND thread = ?2),
    (SELECT next FROM log_heads WHERE scope = ?1 AND thread = ?2 AND log = '${log}'), 1)`,
);
const selectNext = perTable<LogName>((log) => `SELECT ${nextSequence(log)}`);
const insertItem = perTable<LogName>(
  (log) => `INSERT INTO ${log} (scope, thread, sequence, doc)
    VALUES (?1, ?2, ${nextSequence(log)} + ?3, ?4) RETURNING sequence`,
);

const REWRITE_ENTRY = 'UPDATE history SET doc = ?4 WHERE scope = ?1 AND thread = ?2 AND sequence = ?3';

/** Thrown by a job that must run again from the start of its transaction. */
class Again extends Error {}

/** A job of a transaction. */
export type Work = () => unknown;

/** The maximum number of jobs in a transaction, because it blocks the event loop. */
const MOST_JOBS = 256;

/** Runs jobs in shared transactions. Waits at most `busyTimeoutMs` for the lock of another process. */
export function groupTransactions(
  connection: Connection,
  busyTimeoutMs: number,
): GroupCommits<Work, unknown> {
  const commitAll = (jobs: readonly Work[]): unknown[] => {
    try {
      return connection.transaction(() => jobs.map((work) => work()));
    } catch (error) {
      if (error instanceof Again) return commitAll(jobs);
      throw error;
    }
  };
  return new GroupCommits({
    commitAll: (jobs) => retryWhileBusy(() => commitAll(jobs), busyTimeoutMs),
    // Our own errors concern the file: repeating the jobs would fail again, or write twice.
    wasUndone: (error) => !HoldpointError.is(error) && !isBusy(error),
    mostTransactions: 1,
    mostJobs: MOST_JOBS,
  });
}

/**
 * Commits a batch in the open transaction, or reports the conflict and changes nothing. The caller holds the write
 * lock, so checked rows stay unchanged.
 */
export function commitBatch(connection: Connection, batch: EncodedBatch, now: number): CommitResult {
  const { checks, deletes, puts } = batch;
  const isDirect = !careful.has(batch) && isSimple(batch);
  const conflict = isDirect
    ? checks.findIndex((row) => isOther(connection, row))
    : findConflict(connection, batch);
  if (conflict >= 0) return conflictAt(batch, conflict);
  const ordinals = puts.some(({ table }) => KEPT_BY_KEY.has(table))
    ? writeChanges(connection, batch.changes) * MOST_PUTS
    : undefined;
  if (!isDirect) for (const { table, key } of deletes) connection.run(deleteRow(table), key);
  for (const [at, put] of puts.entries()) {
    const ordinal = ordinals === undefined ? null : ordinals + (at % MOST_PUTS);
    if (writeRow(connection, isDirect ? put : { ...put, expect: undefined }, { now, ordinal })) continue;
    if (at === 0 && ordinals === undefined) return conflictAt(batch, checks.length);
    // A part is already written: undo everything, and repeat with the versions read first.
    careful.add(batch);
    throw new Again();
  }
  if (isDirect) for (const { table, key } of deletes) connection.run(deleteRow(table), key);
  for (const { key, row } of batch.rewrites) connection.run(REWRITE_ENTRY, [...key, row[0], row[1]]);
  const sequences = batch.appends.map((append) => appendRows(connection, append));
  if (ordinals === undefined) writeChanges(connection, batch.changes);
  return { ok: true, now, sequences };
}

/** Batches whose versions are read before any write. */
const careful = new WeakSet<EncodedBatch>();

/**
 * Whether a batch touches no row twice and expects versions only of rows that it checks or puts. Then each put is
 * written under the condition of its version, without a read.
 */
function isSimple({ puts, deletes, appends }: EncodedBatch): boolean {
  if (deletes.some(({ expect }) => expect !== undefined)) return false;
  if (appends.some(({ expectNext }) => expectNext !== undefined)) return false;
  const written = new Set([...deletes, ...puts].map(({ table, key }) => `${table}\0${key.join('\0')}`));
  return written.size === deletes.length + puts.length;
}

/** Returns whether the row had the expected version and was written. */
function writeRow(
  connection: Connection,
  { table, key, values, expect }: EncodedPut,
  { now, ordinal }: { readonly now: number; readonly ordinal: number | null },
): boolean {
  if (expect !== undefined && expect !== 0) {
    return connection.run(updateRow(table), [...key, expect, ...values]) === 1;
  }
  // SQLite counts the rows of other tables itself.
  const place = KEPT_BY_KEY.has(table) ? ordinal : null;
  const sql = expect === 0 ? makeRow(table) : putRow(table);
  return connection.run(sql, [...key, now, place, ...values]) === 1;
}

function isOther(connection: Connection, { table, key, expect }: EncodedRow): boolean {
  return expect !== undefined && connection.number(selectVersion(table), key) !== expect;
}

/** The index of the first place that is not as the batch expects; -1 if all are. */
function findConflict(connection: Connection, batch: EncodedBatch): number {
  const rows = [...batch.checks, ...batch.puts, ...batch.deletes];
  const row = rows.findIndex((one) => isOther(connection, one));
  if (row >= 0) return row;
  const append = batch.appends.findIndex(
    ({ log, key, expectNext }) =>
      expectNext !== undefined && connection.number(selectNext(log), key) !== expectNext,
  );
  return append < 0 ? -1 : rows.length + append;
}

function appendRows(connection: Connection, { log, key, rows }: EncodedAppend): number {
  let place = -1;
  let last: number | undefined;
  for (const [lastPlace, doc] of rows) {
    last = connection.number(insertItem(log), [...key, lastPlace - place - 1, doc]);
    place = lastPlace;
  }
  return last === undefined ? connection.number(selectNext(log), key) : last - place;
}

/** The maximum number of rows of one commit with their own ordinals. */
const MOST_PUTS = 1024;

/** The number of kept changes; a process that missed more treats all threads as changed. */
const CHANGES_KEPT = 20_000;
const INSERT_CHANGE = 'INSERT INTO changes (scope, thread) VALUES (?1, ?2)';
const SWEEP_CHANGES = 'DELETE FROM changes WHERE number <= (SELECT max(number) FROM changes) - ?1';

/**
 * Records changed threads for other processes (see `watch-changes.ts`). Returns a number that grows with each
 * commit.
 */
export function writeChanges(connection: Connection, changes: readonly Change[]): number {
  let number = 0;
  // A row without a thread needs a number too.
  for (const { scope, thread } of changes.length === 0 ? [{ scope: '', thread: '' }] : changes) {
    number = connection.insert(INSERT_CHANGE, [toStored(scope), toStored(thread)]);
    if (number % 1000 === 0) connection.run(SWEEP_CHANGES, [CHANGES_KEPT]);
  }
  return number;
}
