import type { JsonValue } from '../../core/index.ts';
import { HoldpointError, isRecord } from '../../core/index.ts';
import { changedThreads } from '../changed-threads.ts';
import { logKey } from '../row-text.ts';
import type { Batch, CommitResult, LogName, RowKey } from '../store.ts';
import { toStored } from '../stored-text.ts';
import { assertIndex, EVENTS_PER_ROW, LOGS } from '../tables.ts';
import { indexValues, keyColumn, keyColumns } from './row-columns.ts';

/** A batch as `commit_batches_2` takes it, and the way back from its answer. */
export interface EncodedBatch {
  /** JSON. Documents and items are text in it, which is kept letter by letter: jsonb refuses NUL and sorts members. */
  readonly text: string;
  /** The names to lock, with true for those that it changes. */
  readonly locks: ReadonlyMap<string, boolean>;
  readonly toResult: (answer: BatchAnswer) => CommitResult;
}

/** What `commit_batches_2` says of one batch: when it was committed, or the place of what was not as expected. */
export interface BatchAnswer {
  readonly now?: number;
  readonly firsts?: readonly number[];
  readonly row?: number;
  readonly log?: number;
}

/** Writes a batch for `commit_batches_2`. Throws `INPUT_INVALID` for an index that a table has no columns for. */
export function encodeBatch(batch: Batch): EncodedBatch {
  const { checks = [], puts = [], deletes = [], appends = [] } = batch;
  const expected = [...checks, ...puts, ...deletes].flatMap(({ table, key, expect }) =>
    expect === undefined ? [] : [{ table, key, expect }],
  );
  for (const { table, index = {} } of puts) assertIndex(table, index);
  const text = JSON.stringify({
    expects: expected.map(({ table, key, expect }) => ({ table, ...keyColumns(key), expect })),
    puts: puts.map(({ table, key, doc, index = {} }) => ({
      table,
      ...keyColumns(key),
      doc: JSON.stringify(doc),
      ...indexValues(table, index),
    })),
    ...(deletes.length === 0
      ? {}
      : { deletes: deletes.map(({ table, key }) => ({ table, ...keyColumns(key) })) }),
    ...(appends.some(({ expectNext }) => expectNext !== undefined) ? { expectsNext: true } : {}),
    appends: appends.map(({ log, scope, thread, items, expectNext }) => ({
      log,
      scope: keyColumn(scope),
      thread: keyColumn(thread),
      rows: logRows(log, items),
      ...(expectNext === undefined ? {} : { expectNext }),
    })),
    changes: changedThreads(batch).map(({ scope, thread }) => keyColumns({ scope, thread, id: '' })),
  });
  return {
    text,
    locks: lockNames(batch),
    toResult(answer) {
      const row = expected[answer.row ?? -1];
      if (row !== undefined) return { ok: false, conflict: { table: row.table, ...row.key } };
      const append = appends[answer.log ?? -1];
      if (append !== undefined) return { ok: false, conflict: logKey(append.log, append) };
      if (answer.now === undefined) {
        throw new HoldpointError('STORE_FAILED', 'PostgreSQL gave an answer that no commit gives.');
      }
      return { ok: true, now: answer.now, sequences: answer.firsts ?? [] };
    },
  };
}

/** A row of a log: its place is that of its last item, counted from the first that is appended. */
export type LogRow = Readonly<Record<string, string | number>> & {
  readonly place: number;
  readonly doc: string;
};

/** The rows that items of a log become. */
function logRows(log: LogName, items: readonly JsonValue[]): LogRow[] {
  if (log !== 'events') {
    return items.map((item, place) => ({ place, doc: JSON.stringify(item), ...logColumns(log, item) }));
  }
  const rows: LogRow[] = [];
  for (let at = 0; at < items.length; at += EVENTS_PER_ROW) {
    const some = items.slice(at, at + EVENTS_PER_ROW);
    rows.push({ place: at + some.length - 1, doc: JSON.stringify(some) });
  }
  return rows;
}

/** The columns that repeat members of an item. */
export function logColumns(log: LogName, item: JsonValue): Record<string, string | number> {
  const columns: Record<string, string | number> = {};
  if (!isRecord(item)) return columns;
  for (const { member, name, type } of LOGS[log]) {
    const value = item[member];
    if (type === 'text' && typeof value === 'string') columns[name] = toStored(value);
    if (type === 'number' && typeof value === 'number') columns[name] = value;
  }
  return columns;
}

/**
 * A thread is locked as a whole: its commits share rows and logs anyway, and most batches then take one lock. A row
 * outside threads has a lock of its own. What is only checked is shared.
 */
function lockNames({ checks = [], puts = [], deletes = [], appends = [] }: Batch): Map<string, boolean> {
  const locks = new Map<string, boolean>();
  for (const { table, key } of checks) locks.set(lockName(table, key), false);
  for (const { table, key } of [...puts, ...deletes]) locks.set(lockName(table, key), true);
  for (const { log, scope, thread } of appends) locks.set(lockName(log, { scope, thread, id: '' }), true);
  return locks;
}

/** Every process must give the same name to the same lock, whatever its release. */
export function lockName(table: string, { scope, thread, id }: RowKey): string {
  return JSON.stringify(thread === '' ? [scope, table, id] : [scope, thread]);
}
