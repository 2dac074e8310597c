import type { JsonValue } from '../../core/index.ts';
import { HoldpointError } from '../../core/index.ts';
import { changedThreads } from '../changed-threads.ts';
import type { AppendLog, Batch, Change, LogName, PutRow, RowKey, TableName } from '../store.ts';
import type { SqlValue } from './libsql.ts';
import { keyParameters } from './row-columns.ts';
import { toStored } from './stored-text.ts';

interface Expectation {
  readonly table: TableName | LogName;
  readonly key: RowKey;
  readonly version: number;
}

/** A batch as it was when it was given: whoever gave it may go on to change what is in it. */
export interface FrozenBatch {
  readonly expectations: readonly Expectation[];
  readonly deletes: readonly { readonly table: TableName; readonly key: readonly string[] }[];
  readonly puts: readonly { readonly table: TableName; readonly columns: readonly SqlValue[] }[];
  readonly appends: readonly { readonly place: readonly string[]; readonly items: readonly string[] }[];
  readonly changes: readonly Change[];
}

/** Takes down a batch as text. Throws `STORE_FAILED` for what is no JSON. */
export function freezeBatch(batch: Batch): FrozenBatch {
  const { checks = [], puts = [], deletes = [], appends = [] } = batch;
  const rows = [...checks, ...puts, ...deletes].flatMap(({ table, key, expect }) =>
    expect === undefined ? [] : [{ table, key: { ...key }, version: expect }],
  );
  const logs = appends.flatMap(({ log, scope, thread, expectNext }) =>
    expectNext === undefined ? [] : [{ table: log, key: { scope, thread, id: '' }, version: expectNext }],
  );
  return {
    expectations: [...rows, ...logs],
    deletes: deletes.map(({ table, key }) => ({ table, key: keyParameters(key) })),
    puts: puts.map((put) => ({ table: put.table, columns: putColumns(put) })),
    appends: appends.map((append) => ({ place: logPlace(append), items: append.items.map(jsonText) })),
    changes: changedThreads(batch),
  };
}

/** The parameters for `log = ? AND scope = ? AND thread = ?`. */
export function logPlace({ log, scope, thread }: Pick<AppendLog, 'log' | 'scope' | 'thread'>): string[] {
  return [log, toStored(scope), toStored(thread)];
}

function putColumns({ key, index = {}, doc }: PutRow): SqlValue[] {
  const name = (value: string | undefined) => (value === undefined ? null : toStored(value));
  return [
    ...keyParameters(key),
    name(index.status),
    name(index.agent),
    name(index.reason),
    index.dueAt ?? null,
    jsonText(doc),
  ];
}

function jsonText(value: JsonValue): string {
  try {
    return JSON.stringify(value);
  } catch (cause) {
    throw new HoldpointError('STORE_FAILED', 'What was to be stored is no JSON.', { cause });
  }
}
