import type { ListDialect } from '../list-query.ts';
import { listBranches, pageLimit, pageOf } from '../list-query.ts';
import type { ListQuery, Page } from '../store.ts';
import { toStored } from '../stored-text.ts';
import { queryRows } from './connect.ts';
import type { PostgresClient } from './driver.ts';
import { keyColumn, rowColumns, toRow } from './row-columns.ts';
import type { SchemaNames } from './schema.ts';

/** A page of a table. Throws `INPUT_INVALID` for a cursor that no page gave. */
export async function listRows(client: PostgresClient, names: SchemaNames, query: ListQuery): Promise<Page> {
  const limit = pageLimit(query);
  if (limit === 0) return { rows: [] };
  const { text, values } = listStatement(names, query, limit + 1);
  const found = await queryRows(client, text, values);
  return pageOf(
    query,
    found.map((columns) => toRow(query.table, columns)),
  );
}

/** The statement for a query: the walks along indexes that its page is merged of. */
export function listStatement(
  { quoted }: SchemaNames,
  query: ListQuery,
  limit: number,
): { readonly text: string; readonly values: unknown[] } {
  const values: unknown[] = [];
  const value = (given: unknown, type: string) => `$${values.push(given)}::${type}`;
  const dialect: ListDialect = {
    text: (given) => value(toStored(given), 'text'),
    key: (given) => value(keyColumn(given), 'text'),
    number: (given) => value(given, Number.isInteger(given) ? 'bigint' : 'double precision'),
    hasAny: (column, texts) => `${column} && ${value(texts.map(toStored), 'text[]')}`,
    contains: (column, classes) => `${column} ~ ${value(classes.map(regularClass).join(''), 'text')}`,
  };
  const branches = listBranches(query, dialect);
  const most = value(limit, 'bigint');
  const selects = branches.map(
    ({ where, orderBy }) =>
      `SELECT ${rowColumns(query.table)} FROM ${quoted}.${query.table} ` +
      `${where.length === 0 ? '' : `WHERE ${where.join(' AND ')} `}ORDER BY ${orderBy} LIMIT ${most}`,
  );
  const [only = ''] = selects;
  return {
    text: selects.length === 1 ? only : selects.map((select) => `(${select})`).join(' UNION ALL '),
    values,
  };
}

/** Columns keep some characters as several (see `stored-text.ts`): these have one case. */
function regularClass(cases: readonly string[]): string {
  const [first = ''] = cases;
  const stored = toStored(first);
  if (stored !== first) return `\\${stored}`;
  // Signs of a regular expression are ASCII and have one case; an escaped letter would mean something else.
  return /^[!-/:-@[-`{-~]$/.test(first) ? `\\${first}` : `[${cases.join('')}]`;
}
