import type { Bind, Dialect, Selection } from '../dialect.ts';
import { statement } from '../dialect.ts';
import { listStatement, pageLimit, toPage } from '../list-query.ts';
import { selectItems, toItems, wholeNumber } from '../read-log.ts';
import { keyText } from '../stored-text.ts';
import { rowColumns, toRow } from '../row-columns.ts';
import type { ListQuery, LogItem, LogName, LogQuery, Page, Row, RowsQuery } from '../store.ts';
import { lockName } from './commit-batches.ts';
import { queryPrepared, queryRows } from './connect.ts';
import type { PostgresClient, TextRow } from './driver.ts';
import type { SchemaNames } from './schema.ts';

/** Rows by their keys and items of logs, of one moment and in one round trip. A result for each read. */
export async function readAll(
  client: PostgresClient,
  { dialect }: SchemaNames,
  reads: readonly (RowsQuery | LogQuery)[],
): Promise<readonly (readonly (Row | undefined)[] | readonly LogItem[])[]> {
  const { sql, values } = statement(dialect, (bind) => {
    const selections = reads.map((read) =>
      'log' in read ? selectItems(dialect, read, bind) : selectRows(dialect, read, bind),
    );
    const width = Math.max(...selections.map(({ columns }) => columns.length));
    const selects = selections.map(({ columns, rest }, at) => {
      const texts = Array.from({ length: width }, (_, column) => `(${columns[column] ?? 'NULL'})::text`);
      return `(SELECT ${[at, ...texts].join(', ')} ${rest})`;
    });
    return selects.join(' UNION ALL ');
  });
  const found = await queryPrepared(client, sql, values);
  return reads.map((read, at) => {
    const rows = found.filter(([number]) => Number(number) === at).map(([, ...columns]) => columns);
    return 'log' in read ? toItems(read, rows) : inOrder(read, rows);
  });
}

function selectRows(dialect: Dialect, { table, keys }: RowsQuery, bind: Bind): Selection {
  const columns = keys.map((key) => dialect.key(key));
  const parts = [0, 1, 2].map((part) => bind(columns.map((key) => key[part] ?? '')));
  return {
    columns: rowColumns(dialect, table),
    rest: `FROM unnest(${parts.join(', ')}) AS k(k_scope, k_thread, k_id)
     JOIN ${dialect.table(table)} ON scope = k_scope AND thread = k_thread AND id = k_id`,
  };
}

function inOrder({ table, keys }: RowsQuery, found: readonly TextRow[]): (Row | undefined)[] {
  const rows = found.map((columns) => toRow(table, columns).row);
  const byKey = new Map(rows.map((row) => [keyText(row.key), row]));
  return keys.map((key) => byKey.get(keyText(key)));
}

/** One page of a table. Throws `INPUT_INVALID` for a cursor that no page gave. */
export async function listRows(
  client: PostgresClient,
  { dialect }: SchemaNames,
  query: ListQuery,
): Promise<Page> {
  if (pageLimit(query) === 0) return { rows: [] };
  const { sql, values } = listStatement(dialect, query);
  return toPage(query, await queryRows(client, sql, values));
}

/** Removes the items of a log up to and including a sequence; stores the end of the log first. */
export async function trimLog(
  client: PostgresClient,
  { name, quoted, dialect }: SchemaNames,
  trim: { readonly log: LogName; readonly scope: string; readonly thread: string; readonly through: number },
): Promise<void> {
  const { log, scope, thread, through } = trim;
  await queryRows(client, `SELECT ${quoted}.trim_log_4($1, $2, $3, $4, $5)`, [
    `${name} ${lockName({ table: log, scope, thread, id: '' })}`,
    log,
    dialect.keyPart(scope),
    dialect.keyPart(thread),
    wholeNumber(through),
  ]);
}
