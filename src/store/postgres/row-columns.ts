import { createHash } from 'node:crypto';
import type { JsonObject } from '../../core/index.ts';
import type { PlacedRow } from '../list-query.ts';
import type { RowIndex, RowKey, TableName } from '../store.ts';
import { fromStored, toStored } from '../stored-text.ts';
import type { IndexColumn } from '../tables.ts';
import { TABLES } from '../tables.ts';
import type { TextRow } from './connect.ts';

/** How many bytes of a part go into an index as they are: PostgreSQL's entries have less than 2,704 altogether. */
const LONGEST_PLAIN = 400;

/** No text is written like this by `toStored`, which escapes every backslash. */
const DIGEST_MARK = String.raw`\h`;

/** A key as columns. `fullKey` is there when a part of it was too long and only its digest is in its column. */
export interface KeyColumns {
  readonly scope: string;
  readonly thread: string;
  readonly id: string;
  readonly fullKey?: string;
}

/** The columns by which a row, a log or a thread is found. */
export function keyColumns({ scope, thread, id }: RowKey): KeyColumns {
  const columns = { scope: keyColumn(scope), thread: keyColumn(thread), id: keyColumn(id) };
  const cut = Object.values(columns).some(isDigest);
  return cut ? { ...columns, fullKey: JSON.stringify([scope, thread, id]) } : columns;
}

/** A part of a key as its column has it. */
export function keyColumn(text: string): string {
  const escaped = JSON.stringify(text).slice(1, -1);
  if (Buffer.byteLength(escaped) <= LONGEST_PLAIN) return toStored(text);
  return DIGEST_MARK + createHash('sha256').update(escaped).digest('hex');
}

/** Whether a column has the digest of a part that was too long. */
export function isDigest(column: string): boolean {
  return column.startsWith(DIGEST_MARK);
}

/** Reads what {@link keyColumns} wrote. */
export function keyFromColumns(columns: Omit<KeyColumns, 'fullKey'> & { fullKey: string | null }): RowKey {
  if (columns.fullKey !== null) {
    const [scope, thread, id] = JSON.parse(columns.fullKey) as [string, string, string];
    return { scope, thread, id };
  }
  return {
    scope: fromStored(columns.scope),
    thread: fromStored(columns.thread),
    id: fromStored(columns.id),
  };
}

const SQL_TYPES = { text: 'text', number: 'double precision', list: 'text[]' } as const;

/** The type of a column. */
export function sqlType(type: IndexColumn['type']): string {
  return SQL_TYPES[type];
}

/** What a query selects to make a row of it. */
export function rowColumns(table: TableName): string {
  const index = TABLES[table].map(({ name, type }) =>
    type === 'list' ? `to_json(${name}) AS ${name}` : name,
  );
  return ['ordinal', 'scope', 'thread', 'id', 'full_key', 'version', 'created_at', 'doc', ...index].join(
    ', ',
  );
}

/** What the columns of an index keep, by their names; those that are null are left out. */
export function indexValues(table: TableName, index: RowIndex): Record<string, string | number | string[]> {
  const values: Record<string, string | number | string[]> = {};
  for (const { member, name } of TABLES[table]) {
    const value = index[member];
    if (value !== undefined) values[name] = typeof value === 'object' ? value.map(toStored) : stored(value);
  }
  return values;
}

function stored(value: string | number): string | number {
  return typeof value === 'string' ? toStored(value) : value;
}

/** A row as it is given out, and its place. */
export function toRow(table: TableName, columns: TextRow): PlacedRow {
  const index: Record<string, unknown> = {};
  for (const { member, name, type } of TABLES[table]) {
    const value = columns[name] ?? null;
    if (value !== null) index[member] = fromText(value, type);
  }
  return {
    ordinal: Number(columns['ordinal']),
    row: {
      key: keyFromColumns({
        scope: columns['scope'] ?? '',
        thread: columns['thread'] ?? '',
        id: columns['id'] ?? '',
        fullKey: columns['full_key'] ?? null,
      }),
      version: Number(columns['version']),
      createdAt: Number(columns['created_at']),
      index,
      doc: JSON.parse(columns['doc'] ?? '{}') as JsonObject,
    },
  };
}

function fromText(value: string, type: IndexColumn['type']): unknown {
  if (type === 'number') return Number(value);
  return type === 'text' ? fromStored(value) : (JSON.parse(value) as string[]).map(fromStored);
}
