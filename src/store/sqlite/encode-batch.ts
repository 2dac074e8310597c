import type { JsonValue } from '../../core/index.ts';
import { HoldpointError } from '../../core/index.ts';
import { changedThreads } from '../changed-threads.ts';
import type { AppendLog, Batch, Change, LogName, PutRow, RowKey, TableName } from '../store.ts';
import { toStored } from '../stored-text.ts';
import { assertIndex } from '../tables.ts';
import type { SqlValue } from './driver.ts';
import { indexValues } from './row-columns.ts';

/** A row that a batch looks at or writes. */
export interface EncodedRow {
  readonly table: TableName;
  /** Its key as it was given, and as it is stored. */
  readonly given: RowKey;
  readonly key: readonly [scope: string, thread: string, id: string];
  /** Absent where it may have any version. */
  readonly expect: number | undefined;
}

export interface EncodedPut extends EncodedRow {
  /** The document, and then the columns of the index. */
  readonly values: readonly SqlValue[];
}

export interface EncodedAppend {
  readonly log: LogName;
  readonly given: { readonly scope: string; readonly thread: string };
  readonly key: readonly [scope: string, thread: string];
  /** Each as JSON. */
  readonly items: readonly string[];
  readonly expectNext: number | undefined;
}

/** A batch as it was when it was given: the caller may go on to change what is in it. */
export interface EncodedBatch {
  readonly checks: readonly EncodedRow[];
  readonly deletes: readonly EncodedRow[];
  readonly puts: readonly EncodedPut[];
  readonly appends: readonly EncodedAppend[];
  /** The threads that it changes. */
  readonly changes: readonly Change[];
}

/** Takes down a batch as text. Throws `INPUT_INVALID` for what is no JSON: that does not become better by trying again. */
export function encodeBatch(batch: Batch): EncodedBatch {
  return {
    checks: (batch.checks ?? []).map(encodeRow),
    deletes: (batch.deletes ?? []).map(encodeRow),
    puts: (batch.puts ?? []).map(encodePut),
    appends: (batch.appends ?? []).map(encodeAppend),
    changes: changedThreads(batch),
  };
}

function encodeRow(row: { table: TableName; key: RowKey; expect?: number }): EncodedRow {
  const { table, key, expect } = row;
  const { scope, thread, id } = key;
  return { table, given: { scope, thread, id }, key: storedKey(key), expect };
}

function encodePut(put: PutRow): EncodedPut {
  const { table, index = {}, doc } = put;
  assertIndex(table, index);
  return { ...encodeRow(put), values: [jsonText(doc), ...indexValues(table, index)] };
}

function encodeAppend({ log, scope, thread, items, expectNext }: AppendLog): EncodedAppend {
  return {
    log,
    given: { scope, thread },
    key: [toStored(scope), toStored(thread)],
    items: items.map(jsonText),
    expectNext,
  };
}

/** A key as it is stored. */
export function storedKey({ scope, thread, id }: RowKey): [scope: string, thread: string, id: string] {
  return [toStored(scope), toStored(thread), toStored(id)];
}

function jsonText(value: JsonValue): string {
  try {
    const text: string | undefined = JSON.stringify(value);
    if (text !== undefined) return text;
  } catch (cause) {
    throw new HoldpointError('INPUT_INVALID', 'A document to be stored is not JSON.', { cause });
  }
  throw new HoldpointError('INPUT_INVALID', 'A document to be stored is not JSON.');
}
