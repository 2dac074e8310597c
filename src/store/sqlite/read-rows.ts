import { statement } from '../dialect.ts';
import { listStatement, pageLimit, toPage } from '../list-query.ts';
import { itemsAfter, selectItems, toItems } from '../read-log.ts';
import { rowColumns, toRow } from '../row-columns.ts';
import type { ListQuery, LogItem, LogQuery, Page, Row, RowsQuery, TableName } from '../store.ts';
import { perTable, SQLITE } from './dialect.ts';
import type { Connection } from './driver.ts';

const select = perTable<TableName>(
  (table) =>
    `SELECT ${rowColumns(SQLITE, table).join(', ')} FROM ${table} WHERE scope = ?1 AND thread = ?2 AND id = ?3`,
);

/** The rows with these keys, in the order of the keys. */
export function getRows(connection: Connection, { table, keys }: RowsQuery): (Row | undefined)[] {
  return keys.map((key) => {
    const columns = connection.row(select(table), SQLITE.key(key));
    return columns === undefined ? undefined : toRow(table, columns).row;
  });
}

/** One page of a table, of one moment. Throws `INPUT_INVALID` for an invalid cursor. */
export function listRows(connection: Connection, query: ListQuery): Page {
  if (pageLimit(query) === 0) return { rows: [] };
  const { sql, values } = listStatement(SQLITE, query);
  return toPage(query, connection.all(sql, values));
}

/** The items of a log after a sequence. */
export function readLog(connection: Connection, query: LogQuery): LogItem[] {
  if (query.limit === 0) return [];
  const { sql, values } = statement(SQLITE, (bind) => {
    const { columns, rest } = selectItems(SQLITE, query, bind);
    return `SELECT ${columns.join(', ')} ${rest}`;
  });
  return toItems(query, connection.all(sql, values));
}

const PLACE = 'scope = ?1 AND thread = ?2';

/** Removes the items of a log up to and including a sequence; stores the end of the log first. */
export function trimLog(connection: Connection, query: LogQuery & { readonly through: number }): void {
  const { log, through } = query;
  const place = [SQLITE.keyPart(query.scope), SQLITE.keyPart(query.thread)];
  connection.run(
    `INSERT INTO log_heads (scope, thread, log, next)
     SELECT scope, thread, '${log}', sequence + 1 FROM ${log} WHERE ${PLACE} ORDER BY sequence DESC LIMIT 1
     ON CONFLICT (scope, thread, log) DO UPDATE SET next = excluded.next`,
    place,
  );
  connection.run(`DELETE FROM ${log} WHERE ${PLACE} AND sequence <= ?3`, [...place, through]);
  if (log !== 'events') return;
  const [row] = connection.all(
    `SELECT sequence, doc FROM events WHERE ${PLACE} ORDER BY sequence LIMIT 1`,
    place,
  );
  if (row === undefined) return;
  const [last = 0, doc] = row;
  const left = itemsAfter(Number(last), String(doc), through);
  const rest = JSON.stringify(left.map(({ item }) => item));
  connection.run(`UPDATE events SET doc = ?4 WHERE ${PLACE} AND sequence = ?3`, [...place, last, rest]);
}
