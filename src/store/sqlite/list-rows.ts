import type { ListDialect } from '../list-query.ts';
import { listBranches, pageLimit, pageOf } from '../list-query.ts';
import type { ListQuery, Page } from '../store.ts';
import { toStored } from '../stored-text.ts';
import { KEPT_BY_KEY } from '../tables.ts';
import type { Connection, SqlValue } from './driver.ts';
import { rowColumns, toRow } from './row-columns.ts';

/** One page of a table, as one moment has it. Throws `INPUT_INVALID` for a cursor that no page gave. */
export function listRows(connection: Connection, query: ListQuery): Page {
  const limit = pageLimit(query);
  if (limit === 0) return { rows: [] };
  const { sql, parameters } = listStatement(query, limit + 1);
  return pageOf(
    query,
    connection.all(sql, parameters).map((columns) => toRow(query.table, columns)),
  );
}

/** The statement for a query: the walks along indexes that its page is merged of. */
export function listStatement(
  query: ListQuery,
  limit: number,
): { readonly sql: string; readonly parameters: readonly SqlValue[] } {
  const parameters: SqlValue[] = [];
  const value = (given: SqlValue) => `?${parameters.push(given)}`;
  const text = (given: string) => value(toStored(given));
  const dialect: ListDialect = {
    text,
    key: text,
    number: value,
    hasAny: (column, values) =>
      `EXISTS (SELECT 1 FROM json_each(${column}) WHERE value IN (${values.map(text).join(', ')}))`,
    contains: (column, classes) => `${column} GLOB ${value(`*${classes.map(globClass).join('')}*`)}`,
  };
  const branches = listBranches(query, dialect);
  const most = value(limit);
  const selects = branches.map(
    ({ where, orderBy }) =>
      `SELECT ${rowColumns(query.table)} FROM ${source(query)} ` +
      `${where.length === 0 ? '' : `WHERE ${where.join(' AND ')} `}ORDER BY ${orderBy} LIMIT ${most}`,
  );
  const [only = ''] = selects;
  const sql =
    selects.length === 1 ? only : selects.map((select) => `SELECT * FROM (${select})`).join(' UNION ALL ');
  return { sql, parameters };
}

/** Left to itself, SQLite walks through a whole scope in order rather than sort the few rows of one thread. */
function source({ table, scope, thread }: ListQuery): string {
  const isOfThread = scope !== undefined && thread !== undefined && !KEPT_BY_KEY.has(table);
  return isOfThread ? `${table} INDEXED BY ${table}_key` : table;
}

/** Columns keep some characters as several (see `stored-text.ts`): these have one case. */
function globClass(cases: readonly string[]): string {
  const [first = ''] = cases;
  const stored = toStored(first);
  if (stored !== first) return stored;
  return first === ']' || first === '^' ? first : `[${cases.join('')}]`;
}
