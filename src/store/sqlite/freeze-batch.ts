import type { JsonValue } from '../../core/index.ts';
import { HoldpointError } from '../../core/index.ts';
import { changedThreads } from '../changed-threads.ts';
import type { AppendLog, Batch, Change, LogName, PutRow, RowKey, TableName } from '../store.ts';
import type { StoredKey } from './pending.ts';
import { toStored } from './stored-text.ts';

/** A row that a batch looks at or writes. */
export interface FrozenRow extends StoredKey {
  readonly table: TableName;
  /** Its key as it was given. */
  readonly given: RowKey;
  /** Absent where it may have any version. */
  readonly expect: number | undefined;
}

export interface FrozenPut extends FrozenRow {
  readonly status: string | null;
  readonly agent: string | null;
  readonly reason: string | null;
  readonly dueAt: number | null;
  readonly text: string;
}

export interface FrozenAppend extends StoredKey {
  readonly table: LogName;
  readonly given: { readonly scope: string; readonly thread: string };
  readonly items: readonly string[];
  readonly expectNext: number | undefined;
}

/** A batch as it was when it was given: whoever gave it may go on to change what is in it. */
export interface FrozenBatch {
  readonly checks: readonly FrozenRow[];
  readonly deletes: readonly FrozenRow[];
  /** Rows that it deletes to write them anew. */
  readonly replaced: readonly FrozenRow[];
  readonly puts: readonly FrozenPut[];
  readonly appends: readonly FrozenAppend[];
  /** The threads that it changes. */
  readonly changes: readonly Change[];
}

/** Takes down a batch as text. Throws `INPUT_INVALID` for what is no JSON: that does not become better by trying again. */
export function freezeBatch(batch: Batch): FrozenBatch {
  const puts = (batch.puts ?? []).map(frozenPut);
  const deletes = (batch.deletes ?? []).map(frozenRow);
  const isPut = (row: FrozenRow) => puts.some((put) => isSame(put, row));
  return {
    checks: (batch.checks ?? []).map(frozenRow),
    deletes: deletes.filter((row) => !isPut(row)),
    replaced: deletes.filter(isPut),
    puts,
    appends: (batch.appends ?? []).map(frozenAppend),
    changes: changedThreads(batch),
  };
}

function frozenRow(row: { table: TableName; key: RowKey; expect?: number }): FrozenRow {
  const { table, key, expect } = row;
  const { scope, thread, id } = key;
  return { table, ...storedKey(key), given: { scope, thread, id }, expect };
}

function frozenPut(put: PutRow): FrozenPut {
  const { index = {}, doc } = put;
  const name = (value: string | undefined) => (value === undefined ? null : toStored(value));
  return {
    ...frozenRow(put),
    status: name(index.status),
    agent: name(index.agent),
    reason: name(index.reason),
    dueAt: index.dueAt ?? null,
    text: jsonText(doc),
  };
}

function frozenAppend({ log, scope, thread, items, expectNext }: AppendLog): FrozenAppend {
  return {
    table: log,
    ...storedKey({ scope, thread, id: '' }),
    given: { scope, thread },
    items: items.map(jsonText),
    expectNext,
  };
}

/** A key as it is stored. */
export function storedKey({ scope, thread, id }: RowKey): RowKey {
  return { scope: toStored(scope), thread: toStored(thread), id: toStored(id) };
}

function isSame(one: StoredKey, other: StoredKey): boolean {
  return (
    one.id === other.id &&
    one.thread === other.thread &&
    one.scope === other.scope &&
    one.table === other.table
  );
}

function jsonText(value: JsonValue): string {
  try {
    const text: string | undefined = JSON.stringify(value);
    if (text !== undefined) return text;
  } catch (cause) {
    throw new HoldpointError('INPUT_INVALID', 'What was to be stored is no JSON.', { cause });
  }
  throw new HoldpointError('INPUT_INVALID', 'What was to be stored is no JSON.');
}
