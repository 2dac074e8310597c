import type { JsonObject } from '../../core/index.ts';
import type { PlacedRow } from '../list-query.ts';
import type { LogName, RowIndex, TableName } from '../store.ts';
import { fromStored, toStored } from '../stored-text.ts';
import type { IndexColumn } from '../tables.ts';
import { TABLES } from '../tables.ts';
import type { SqlValue } from './driver.ts';

/** One text for each table or log, made once. */
export function perTable<Name extends TableName | LogName>(
  sql: (table: Name) => string,
): (table: Name) => string {
  const known = new Map<Name, string>();
  return (table) => {
    const text = known.get(table) ?? sql(table);
    known.set(table, text);
    return text;
  };
}

/** The columns that {@link toRow} reads, in its order. */
export const rowColumns: (table: TableName) => string = perTable((table) =>
  ['ordinal', 'scope', 'thread', 'id', 'version', 'created_at', 'doc', ...indexNames(table)].join(', '),
);

/** The columns of a table's index, in the order of {@link indexValues}. */
export function indexNames(table: TableName): string[] {
  return TABLES[table].map(({ name }) => name);
}

/** What the columns of an index keep. */
export function indexValues(table: TableName, index: RowIndex): SqlValue[] {
  return TABLES[table].map(({ member }) => toValue(index[member]));
}

function toValue(value: RowIndex[keyof RowIndex]): SqlValue {
  if (value === undefined) return null;
  if (typeof value === 'number') return value;
  return typeof value === 'string' ? toStored(value) : JSON.stringify(value.map(toStored));
}

/** A row of the contract from its columns, which this store alone has written. */
export function toRow(table: TableName, columns: readonly SqlValue[]): PlacedRow {
  const [ordinal, scope, thread, id, version, createdAt, doc, ...values] = columns;
  return {
    ordinal: Number(ordinal),
    row: {
      key: { scope: text(scope), thread: text(thread), id: text(id) },
      version: Number(version),
      createdAt: Number(createdAt),
      index: toIndex(TABLES[table], values),
      doc: JSON.parse(String(doc)) as JsonObject,
    },
  };
}

function toIndex(columns: readonly IndexColumn[], values: readonly SqlValue[]): RowIndex {
  const index: Record<string, unknown> = {};
  for (const [at, { member, type }] of columns.entries()) {
    const value = values[at] ?? null;
    if (value !== null) index[member] = fromValue(value, type);
  }
  return index;
}

function fromValue(value: string | number, type: IndexColumn['type']): unknown {
  if (type === 'number') return Number(value);
  return type === 'text' ? text(value) : (JSON.parse(String(value)) as string[]).map(fromStored);
}

function text(value: SqlValue | undefined): string {
  return fromStored(String(value));
}
