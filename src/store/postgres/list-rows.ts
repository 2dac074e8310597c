import { HoldpointError } from '../../core/index.ts';
import { decodeCursor, encodeCursor } from '../cursor.ts';
import type { ListQuery, Page } from '../store.ts';
import { queryRows } from './connect.ts';
import type { PostgresClient, TextRow } from './connect.ts';
import { keyColumns, toColumn } from './key-columns.ts';
import { ROW_COLUMNS, toRow } from './row-columns.ts';
import type { SchemaNames } from './schema-names.ts';

const MOST_ROWS = 1000;

/** A page of a table. */
export async function listRows(client: PostgresClient, names: SchemaNames, query: ListQuery): Promise<Page> {
  const limit = Math.max(0, Math.trunc(Math.min(query.limit ?? 100, MOST_ROWS)));
  const { text, values } = listStatement(names, query, limit + 1);
  const found = query.status?.length === 0 ? [] : await queryRows(client, text, values);
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1) : undefined;
  return {
    rows: page.map(toRow),
    ...(last === undefined ? {} : { next: cursorAfter(last, query) }),
  };
}

/**
 * The SQL of a list. Several statuses are several walks along an index, merged: one walk over all of them would have to
 * read and sort every row that has one.
 */
export function listStatement(
  { quoted }: SchemaNames,
  query: ListQuery,
  limit: number,
): { text: string; values: unknown[] } {
  const values: unknown[] = [];
  const value = (given: unknown, type = 'text') => `$${values.push(given)}::${type}`;
  const conditions = commonConditions(query, value);
  const order = query.order === 'due' ? 'due_at, ordinal' : 'ordinal';
  const most = value(limit, 'bigint');
  const select = (condition: readonly string[]) =>
    `SELECT ${ROW_COLUMNS} FROM ${quoted}.rows WHERE ${[...conditions, ...condition].join(' AND ')} ` +
    `ORDER BY ${order} LIMIT ${most}`;
  const statuses = [...new Set(query.status)].map((status) => [`status = ${value(toColumn(status))}`]);
  const [only = []] = statuses;
  if (statuses.length <= 1) return { text: select(only), values };
  const union = statuses.map((status) => `(${select(status)})`).join(' UNION ALL ');
  return { text: `SELECT * FROM (${union}) AS merged ORDER BY ${order} LIMIT ${most}`, values };
}

function commonConditions(query: ListQuery, value: (given: unknown, type?: string) => string): string[] {
  const { table, scope, thread, agent, reason, dueBefore, cursor } = query;
  const columns = keyColumns({ scope: scope ?? '', thread: thread ?? '', id: '' });
  const conditions = [`table_name = ${value(table)}`];
  if (scope !== undefined) conditions.push(`scope = ${value(columns.scope)}`);
  if (thread !== undefined) conditions.push(`thread = ${value(columns.thread)}`);
  if (agent !== undefined) conditions.push(`agent = ${value(toColumn(agent))}`);
  if (reason !== undefined) conditions.push(`reason = ${value(toColumn(reason))}`);
  if (query.order === 'due' || dueBefore !== undefined) conditions.push('due_at IS NOT NULL');
  if (dueBefore !== undefined) conditions.push(`due_at < ${value(dueBefore, 'double precision')}`);
  if (cursor !== undefined) {
    const { at, ordinal } = readCursor(cursor);
    conditions.push(
      query.order === 'due'
        ? `(due_at, ordinal) > (${value(at, 'double precision')}, ${value(ordinal, 'bigint')})`
        : `ordinal > ${value(ordinal, 'bigint')}`,
    );
  }
  return conditions;
}

function cursorAfter(last: TextRow, { order }: ListQuery): string {
  const at = Number(order === 'due' ? last['due_at'] : last['ordinal']);
  return encodeCursor({ at, tie: String(last['ordinal']) });
}

function readCursor(cursor: string): { at: number; ordinal: string } {
  const { at, tie } = decodeCursor(cursor);
  if (!/^\d{1,18}$/.test(tie)) {
    throw new HoldpointError('INPUT_INVALID', 'The cursor is not one that a page gave.');
  }
  return { at, ordinal: tie };
}
