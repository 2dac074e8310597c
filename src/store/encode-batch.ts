import type { JsonValue } from '../core/index.ts';
import { HoldpointError, isRecord } from '../core/index.ts';
import { changedThreads } from './listeners.ts';
import type { Dialect, SqlValue } from './dialect.ts';
import { putValues } from './row-columns.ts';
import type { Batch, Change, CommitResult, LogName, RowKey, TableName } from './store.ts';
import { logKey, toStored } from './stored-text.ts';
import { assertIndex, EVENTS_PER_ROW, LOGS } from './tables.ts';

type Conflict = Extract<CommitResult, { ok: false }>['conflict'];

/** A row that a batch checks, puts or deletes. */
export interface EncodedRow {
  readonly table: TableName;
  readonly key: readonly string[];
  /** Undefined if the row may have any version. */
  readonly expect: number | undefined;
}

export interface EncodedPut extends EncodedRow {
  readonly values: readonly SqlValue[];
}

/** A row of a log: the place of its last item, counted from the first item of the append, its document, and its columns. */
export type LogRow = readonly [place: number, doc: string, ...columns: SqlValue[]];

export interface EncodedAppend {
  readonly log: LogName;
  readonly key: readonly [scope: string, thread: string];
  readonly rows: readonly LogRow[];
  readonly expectNext: number | undefined;
}

/** An entry of the history that a batch replaces, with its columns. */
export interface EncodedRewrite {
  readonly key: readonly [scope: string, thread: string];
  readonly row: readonly [sequence: number, doc: string, ...columns: SqlValue[]];
}

/** A batch as it was when it was given: the caller may change it afterwards. */
export interface EncodedBatch {
  readonly checks: readonly EncodedRow[];
  readonly puts: readonly EncodedPut[];
  readonly deletes: readonly EncodedRow[];
  readonly appends: readonly EncodedAppend[];
  readonly rewrites: readonly EncodedRewrite[];
  /** The checks, puts, deletes and appends in this order, as a conflict names them. */
  readonly places: readonly Conflict[];
  readonly changes: readonly Change[];
}

/** Encodes a batch as text and numbers. Throws `INPUT_INVALID` for a document that is not JSON, or an index without columns. */
export function encodeBatch(dialect: Dialect, batch: Batch): EncodedBatch {
  const { checks = [], puts = [], deletes = [], appends = [], rewrites = [] } = batch;
  const encodeRow = ({ table, key, expect }: { table: TableName; key: RowKey; expect?: number }) => ({
    table,
    key: dialect.key(key),
    expect,
  });
  return {
    checks: checks.map(encodeRow),
    puts: puts.map((put) => {
      const { table, index = {} } = put;
      assertIndex(table, index);
      return { ...encodeRow(put), values: putValues(dialect, table, { doc: jsonText(put.doc), index }) };
    }),
    deletes: deletes.map(encodeRow),
    appends: appends.map(({ log, scope, thread, items, expectNext }) => ({
      log,
      key: [dialect.keyPart(scope), dialect.keyPart(thread)],
      rows: logRows(log, items, dialect.writesLogColumns),
      expectNext,
    })),
    rewrites: rewrites.map(({ scope, thread, sequence, item }) => ({
      key: [dialect.keyPart(scope), dialect.keyPart(thread)],
      row: [sequence, jsonText(item), ...(dialect.writesLogColumns ? logValues('history', item) : [])],
    })),
    places: [
      ...[...checks, ...puts, ...deletes].map(({ table, key }) => ({ table, ...key })),
      ...appends.map((append) => logKey(append.log, append)),
    ],
    changes: changedThreads(batch),
  };
}

/** The result of a batch whose place with this index is not as it expects. */
export function conflictAt({ places }: EncodedBatch, index: number): CommitResult {
  const conflict = places[index];
  if (conflict !== undefined) return { ok: false, conflict };
  throw new HoldpointError('STORE_FAILED', `A batch of ${places.length} places has no place ${index}.`);
}

/** The rows that items of a log become. */
function logRows(log: LogName, items: readonly JsonValue[], withColumns: boolean): LogRow[] {
  if (log !== 'events') {
    return items.map((item, at) => [at, jsonText(item), ...(withColumns ? logValues(log, item) : [])]);
  }
  const rows: LogRow[] = [];
  for (let at = 0; at < items.length; at += EVENTS_PER_ROW) {
    const some = items.slice(at, at + EVENTS_PER_ROW);
    rows.push([at + some.length - 1, `[${some.map(jsonText).join(',')}]`]);
  }
  return rows;
}

/** The values of the columns that repeat members of an item, in the order of `LOGS`. */
export function logValues(log: LogName, item: JsonValue): SqlValue[] {
  return LOGS[log].map(({ member, type }) => {
    const value = isRecord(item) ? item[member] : undefined;
    if (type === 'number') return typeof value === 'number' ? value : null;
    return typeof value === 'string' ? toStored(value) : null;
  });
}

function jsonText(value: JsonValue): string {
  let text: string | undefined;
  let cause: unknown;
  try {
    text = JSON.stringify(value);
  } catch (error) {
    cause = error;
  }
  if (text !== undefined) return text;
  throw new HoldpointError('INPUT_INVALID', 'A document to be stored is not JSON.', { cause });
}
