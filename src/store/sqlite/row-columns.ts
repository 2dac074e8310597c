import type { JsonObject } from '../../core/index.ts';
import type { LogName, Row, TableName } from '../store.ts';
import type { SqlValue } from './libsql.ts';
import type { PendingRow } from './pending.ts';
import { fromStored } from './stored-text.ts';

/** The columns that {@link toRow} reads, in its order. */
export const ROW_COLUMNS =
  'place, scope, thread, id, version, created_at, status, agent, reason, due_at, doc';

/**
 * Where a table's rows are. Its name is written out: with a parameter, SQLite would look at its value to see which partial
 * indexes fit, and prepare the statement again each time.
 */
export function isIn(table: TableName | LogName): string {
  return `scope = ?1 AND thread = ?2 AND tbl = '${table}'`;
}

/** One text for each table, made once. */
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

/** The columns of a row that is not filed yet, in the same order. */
export function pendingColumns(row: PendingRow): readonly SqlValue[] {
  const { place, scope, thread, id, version, createdAt, status, agent, reason, dueAt, text } = row;
  return [place, scope, thread, id, version, createdAt, status, agent, reason, dueAt, text ?? null];
}

/** A row of the contract from its columns, which this store alone has written. */
export function toRow(columns: readonly SqlValue[]): Row {
  const [, scope, thread, id, version, createdAt, status, agent, reason, dueAt, doc] = columns;
  return {
    key: { scope: text(scope), thread: text(thread), id: text(id) },
    version: Number(version),
    createdAt: Number(createdAt),
    index: {
      ...(typeof status === 'string' ? { status: fromStored(status) } : {}),
      ...(typeof agent === 'string' ? { agent: fromStored(agent) } : {}),
      ...(typeof reason === 'string' ? { reason: fromStored(reason) } : {}),
      ...(typeof dueAt === 'number' ? { dueAt } : {}),
    },
    doc: JSON.parse(String(doc)) as JsonObject,
  };
}

function text(value: SqlValue | undefined): string {
  return fromStored(String(value));
}
