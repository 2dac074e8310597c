import { logKey } from '../row-text.ts';
import type { Change, CommitResult, LogName, TableName } from '../store.ts';
import { toStored } from '../stored-text.ts';
import { EVENTS_PER_ROW, KEPT_BY_KEY } from '../tables.ts';
import type { Connection } from './driver.ts';
import type { EncodedAppend, EncodedBatch, EncodedPut, EncodedRow } from './encode-batch.ts';
import { Again } from './group-commits.ts';
import { indexNames, perTable } from './row-columns.ts';

type Conflict = Extract<CommitResult, { ok: false }>['conflict'];

const KEY = 'scope = ?1 AND thread = ?2 AND id = ?3';
const selectVersion = perTable<TableName>((table) => `SELECT version FROM ${table} WHERE ${KEY}`);
const deleteRow = perTable<TableName>((table) => `DELETE FROM ${table} WHERE ${KEY}`);
const insertRow = perTable<TableName>((table) => {
  const names = ['doc', ...indexNames(table)];
  const values = names.map((_, at) => `?${at + 6}`);
  return `INSERT INTO ${table} (scope, thread, id, created_at, ordinal, version, ${names.join(', ')})
    VALUES (?1, ?2, ?3, ?4, ?5, 1, ${values.join(', ')})`;
});
/** Writes a row of any version. */
const putRow = perTable<TableName>((table) => {
  const updates = ['doc', ...indexNames(table)].map((name) => `${name} = excluded.${name}`);
  return `${insertRow(table)} ON CONFLICT (scope, thread, id) DO UPDATE SET version = version + 1, ${updates.join(', ')}`;
});
/** Writes a row that must not be there, or that must have a version. */
const makeRow = perTable<TableName>(
  (table) => `${insertRow(table)} ON CONFLICT (scope, thread, id) DO NOTHING`,
);
const updateRow = perTable<TableName>((table) => {
  const updates = ['doc', ...indexNames(table)].map((name, at) => `${name} = ?${at + 5}`);
  return `UPDATE ${table} SET version = version + 1, ${updates.join(', ')} WHERE ${KEY} AND version = ?4`;
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
  const isDirect = batch.isDirect && !careful.has(batch);
  const conflict = findConflict(connection, batch, isDirect ? [] : batch.puts);
  if (conflict !== undefined) return { ok: false, conflict };
  const { deletes, puts } = batch;
  const ordinals = puts.some(({ table }) => KEPT_BY_KEY.has(table))
    ? writeChanges(connection, batch.changes) * MOST_PUTS
    : undefined;
  if (!isDirect) for (const { table, key } of deletes) connection.run(deleteRow(table), key);
  for (const [at, put] of puts.entries()) {
    const ordinal = ordinals === undefined ? null : ordinals + (at % MOST_PUTS);
    if (writeRow(connection, isDirect ? put : { ...put, expect: undefined }, { now, ordinal })) continue;
    if (at === 0 && ordinals === undefined) return { ok: false, conflict: conflictAt(put) };
    // Something of it is written already: all is undone, and made again with the versions read first.
    careful.add(batch);
    throw new Again();
  }
  if (isDirect) for (const { table, key } of deletes) connection.run(deleteRow(table), key);
  const sequences = batch.appends.map((append) => appendItems(connection, append));
  if (ordinals === undefined) writeChanges(connection, batch.changes);
  return { ok: true, now, sequences };
}

/** Batches whose versions are read before anything is written. */
const careful = new WeakSet<EncodedBatch>();

/** Says whether the row had the version that was expected, and was written. */
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

/** In the order of the contract: checks, puts, deletes, appends. */
function findConflict(
  connection: Connection,
  batch: EncodedBatch,
  puts: readonly EncodedRow[],
): Conflict | undefined {
  const isOther = ({ table, key, expect }: EncodedRow) =>
    expect !== undefined && connection.number(selectVersion(table), key) !== expect;
  for (const rows of [batch.checks, puts, batch.deletes]) {
    const row = rows.find(isOther);
    if (row !== undefined) return conflictAt(row);
  }
  const append = batch.appends.find(
    ({ log, key, expectNext }) =>
      expectNext !== undefined && connection.number(selectNext(log), key) !== expectNext,
  );
  return append === undefined ? undefined : logKey(append.log, append.given);
}

function conflictAt({ table, given }: EncodedRow): Conflict {
  return { table, ...given };
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
