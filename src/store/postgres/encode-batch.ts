import { HoldpointError } from '../../core/index.ts';
import { changedThreads } from '../changed-threads.ts';
import { logKey } from '../row-text.ts';
import type { Batch, CommitResult, RowKey } from '../store.ts';
import { keyColumns, rowKeyColumn, toColumn } from './key-columns.ts';

/** A batch as `commit_batches` takes it, and the way back from its answer. */
export interface EncodedBatch {
  /** JSON. Documents and items are text in it, which is kept letter by letter: jsonb refuses NUL and sorts members. */
  readonly text: string;
  /** The names to lock, with true for those that it changes. */
  readonly locks: ReadonlyMap<string, boolean>;
  readonly toResult: (answer: BatchAnswer) => CommitResult;
}

/** What `commit_batches` says of one batch: when it was committed, or the place of what was not as expected. */
export interface BatchAnswer {
  readonly now?: number;
  readonly firsts?: readonly number[];
  readonly row?: number;
  readonly log?: number;
}

/** Writes a batch for `commit_batches`. */
export function encodeBatch(batch: Batch): EncodedBatch {
  const { checks = [], puts = [], deletes = [], appends = [] } = batch;
  const expected = [...checks, ...puts, ...deletes].flatMap(({ table, key, expect }) =>
    expect === undefined ? [] : [{ table, key, expect }],
  );
  const text = JSON.stringify({
    expects: expected.map(({ table, key, expect }) => ({ rowKey: rowKeyColumn(table, key), expect })),
    puts: puts.map(({ table, key, doc, index = {} }) => ({
      rowKey: rowKeyColumn(table, key),
      table,
      ...keyColumns(key),
      doc: JSON.stringify(doc),
      ...(index.status === undefined ? {} : { status: toColumn(index.status) }),
      ...(index.agent === undefined ? {} : { agent: toColumn(index.agent) }),
      ...(index.reason === undefined ? {} : { reason: toColumn(index.reason) }),
      ...(index.dueAt === undefined ? {} : { dueAt: index.dueAt }),
    })),
    ...(deletes.length === 0 ? {} : { deletes: deletes.map(({ table, key }) => rowKeyColumn(table, key)) }),
    ...(appends.some(({ expectNext }) => expectNext !== undefined) ? { expectsNext: true } : {}),
    appends: appends.map(({ log, scope, thread, items, expectNext }) => ({
      log,
      ...keyColumns({ scope, thread, id: '' }),
      items: items.map((item) => JSON.stringify(item)),
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
function lockName(table: string, { scope, thread, id }: RowKey): string {
  return JSON.stringify(thread === '' ? [scope, table, id] : [scope, thread]);
}
