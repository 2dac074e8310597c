import { createHash } from 'node:crypto';
import type { RowKey, TableName } from '../store.ts';

/** How many bytes of a part go into an index as they are: PostgreSQL's entries have less than 2,704 altogether. */
const LONGEST_PLAIN = 400;

/** No text is written like this by {@link toColumn}: JSON has no such escape. */
const DIGEST_MARK = String.raw`\h`;

/** A key as columns. `fullKey` is there when a part of it was too long and only its digest is in its column. */
export interface KeyColumns {
  readonly scope: string;
  readonly thread: string;
  readonly id: string;
  readonly fullKey?: string;
}

/** Text that PostgreSQL can keep: NUL and lone surrogates are escaped as in JSON. */
export function toColumn(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Reads what {@link toColumn} wrote. */
export function fromColumn(column: string): string {
  // Parsed once more only where something was escaped.
  return column.includes('\\') ? (JSON.parse(`"${column}"`) as string) : column;
}

/** The columns by which a row, a log or a thread is found. */
export function keyColumns({ scope, thread, id }: RowKey): KeyColumns {
  const columns = { scope: indexed(scope), thread: indexed(thread), id: indexed(id) };
  const cut = Object.values(columns).some((column) => column.startsWith(DIGEST_MARK));
  return cut ? { ...columns, fullKey: JSON.stringify([scope, thread, id]) } : columns;
}

/** One text for the whole key. The columns have no line breaks of their own: those are escaped. */
export function rowKeyColumn(table: TableName, key: RowKey): string {
  const { scope, thread, id } = keyColumns(key);
  return [table, scope, thread, id].join('\n');
}

/** Reads what {@link keyColumns} wrote. */
export function keyFromColumns(columns: Omit<KeyColumns, 'fullKey'> & { fullKey: string | null }): RowKey {
  if (columns.fullKey !== null) {
    const [scope, thread, id] = JSON.parse(columns.fullKey) as [string, string, string];
    return { scope, thread, id };
  }
  return {
    scope: fromColumn(columns.scope),
    thread: fromColumn(columns.thread),
    id: fromColumn(columns.id),
  };
}

function indexed(text: string): string {
  const column = toColumn(text);
  if (Buffer.byteLength(column) <= LONGEST_PLAIN) return column;
  return DIGEST_MARK + createHash('sha256').update(column).digest('hex');
}
