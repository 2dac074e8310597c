import type { JsonObject } from '../core/index.ts';
import type { Dialect, SqlValue } from './dialect.ts';
import type { Row, RowIndex, RowKey, TableName } from './store.ts';
import { fromStored, toStored } from './stored-text.ts';
import type { IndexColumn } from './tables.ts';
import { TABLES } from './tables.ts';

/** A row and its place among the rows of its table. */
export interface PlacedRow {
  readonly row: Row;
  readonly ordinal: number;
}

/** The columns that {@link toRow} reads, in its order. */
export function rowColumns(dialect: Dialect, table: TableName): string[] {
  const index = TABLES[table].map(({ name, type }) => (type === 'list' ? dialect.readList(name) : name));
  return ['ordinal', 'scope', 'thread', 'id', dialect.fullKey, 'version', 'created_at', 'doc', ...index];
}

/** The columns that a put writes, in the order of {@link putValues}. */
export function putColumns(table: TableName): readonly Column[] {
  return [{ name: 'doc', type: 'json' }, ...TABLES[table]];
}

/** A column of a table or a log. */
export interface Column {
  readonly name: string;
  readonly type: IndexColumn['type'] | 'json' | 'bigint';
}

/** The values of a row's document and index columns. */
export function putValues(
  dialect: Dialect,
  table: TableName,
  { doc, index }: { readonly doc: string; readonly index: RowIndex },
): SqlValue[] {
  const values: SqlValue[] = [doc];
  for (const { member } of TABLES[table]) {
    const value = index[member];
    if (value === undefined) values.push(null);
    else if (typeof value === 'object') values.push(dialect.writeList(value.map(toStored)));
    else values.push(typeof value === 'string' ? toStored(value) : value);
  }
  return values;
}

/** A row from its columns, and its place. Only the stores write these columns. */
export function toRow(table: TableName, columns: readonly SqlValue[]): PlacedRow {
  const [ordinal, scope, thread, id, fullKey = null, version, createdAt, doc, ...values] = columns;
  const index: Record<string, unknown> = {};
  for (const [at, { member, type }] of TABLES[table].entries()) {
    const value = values[at] ?? null;
    if (value !== null) index[member] = fromColumn(value, type);
  }
  return {
    ordinal: Number(ordinal),
    row: {
      key: toKey([String(scope), String(thread), String(id), fullKey]),
      version: Number(version),
      createdAt: Number(createdAt),
      index,
      doc: JSON.parse(String(doc)) as JsonObject,
    },
  };
}

/** A key from its columns. */
export function toKey([scope, thread, id, fullKey]: readonly [string, string, string, SqlValue]): RowKey {
  if (fullKey === null) return { scope: fromStored(scope), thread: fromStored(thread), id: fromStored(id) };
  const [fullScope, fullThread, fullId] = JSON.parse(String(fullKey)) as [string, string, string];
  return { scope: fullScope, thread: fullThread, id: fullId };
}

function fromColumn(value: SqlValue, type: IndexColumn['type']): unknown {
  if (type === 'number') return Number(value);
  if (type === 'text') return fromStored(String(value));
  return (JSON.parse(String(value)) as string[]).map(fromStored);
}
