import type { Selection, SqlValue } from '../dialect.ts';
import { countStatement, listStatement, pageLimit, toPage } from '../list-query.ts';
import { itemsAfter, limitOf, toItems, wholeNumber } from '../read-log.ts';
import { rowColumns, toKey, toRow } from '../row-columns.ts';
import type {
  CountQuery,
  ListQuery,
  LogItem,
  LogName,
  LogQuery,
  Page,
  Row,
  RowsQuery,
  Stray,
  TableName,
} from '../store.ts';
import { keyText } from '../stored-text.ts';
import { EVENTS_PER_ROW } from '../tables.ts';
import { SQLITE } from './dialect.ts';
import type { Connection } from './driver.ts';

/** A result for each read, all of one moment: one statement reads everything. */
export function readAll(
  connection: Connection,
  reads: readonly (RowsQuery | LogQuery)[],
): (readonly (Row | undefined)[] | LogItem[])[] {
  const used = reads.map((read, at) => ({ read, at })).filter(({ read }) => !isEmpty(read));
  const found: SqlValue[][][] = reads.map(() => []);
  if (used.length > 0) {
    const values = used.flatMap(({ read }) => ('log' in read ? itemValues(read) : keyValues(read)));
    for (const [at, ...columns] of connection.all(selectAll(used), values)) found[Number(at)]?.push(columns);
  }
  return reads.map((read, at) => {
    const rows = found[at] ?? [];
    return 'log' in read ? toItems(read, rows) : inOrder(read, rows);
  });
}

function isEmpty(read: RowsQuery | LogQuery): boolean {
  return 'log' in read ? read.limit === 0 : read.keys.length === 0;
}

/** The texts of statements, by the tables and logs that they read. */
const texts = new Map<string, string>();

function selectAll(used: readonly { readonly read: RowsQuery | LogQuery; readonly at: number }[]): string {
  const names = used.map(({ read, at }) =>
    'log' in read ? `${at} ${read.log}` : `${at} ${read.table} ${read.keys.length === 1}`,
  );
  const shape = names.join();
  const known = texts.get(shape);
  if (known !== undefined) return known;
  const selections = used.map(({ read }) =>
    'log' in read ? selectItems(read.log) : selectRows(read.table, read.keys.length === 1),
  );
  const width = Math.max(...selections.map(({ columns }) => columns.length));
  const selects = selections.map(({ columns, rest }, place) => {
    const padding = Array.from({ length: width - columns.length }, () => 'NULL');
    const text = `SELECT ${[used[place]?.at, ...columns, ...padding].join(', ')} ${rest}`;
    return used.length === 1 ? text : `SELECT * FROM (${text})`;
  });
  const text = selects.join(' UNION ALL ');
  texts.set(shape, text);
  return text;
}

function selectRows(table: TableName, isOne: boolean): Selection {
  const columns = rowColumns(SQLITE, table);
  if (isOne) return { columns, rest: `FROM ${table} WHERE scope = ? AND thread = ? AND id = ?` };
  const key = ['scope', 'thread', 'id'].map((name, part) => `${name} = wanted ->> ${part}`);
  // Not a join with `json_each` itself, which has a column `id` too.
  const wanted = '(SELECT value AS wanted FROM json_each(?))';
  return { columns, rest: `FROM ${wanted} CROSS JOIN ${table} WHERE ${key.join(' AND ')}` };
}

function keyValues({ keys }: RowsQuery): readonly SqlValue[] {
  const [only, ...others] = keys.map((key) => SQLITE.key(key));
  return others.length === 0 ? (only ?? []) : [JSON.stringify([only, ...others])];
}

function inOrder({ table, keys }: RowsQuery, found: readonly SqlValue[][]): (Row | undefined)[] {
  const rows = found.map((columns) => toRow(table, columns).row);
  if (keys.length === 1) return [rows[0]];
  const byKey = new Map(rows.map((row) => [keyText(row.key), row]));
  return keys.map((key) => byKey.get(keyText(key)));
}

/** Reads at most one row of events too many. */
function selectItems(log: LogName): Selection {
  const place = 'scope = ? AND thread = ? AND sequence > ?';
  const ordered = 'ORDER BY sequence LIMIT ?';
  if (log === 'events') {
    const first = `(SELECT min(sequence) FROM events WHERE ${place})`;
    const end = `${first} + ? + ${EVENTS_PER_ROW}`;
    return {
      columns: ['sequence', 'doc'],
      rest: `FROM events WHERE ${place} AND sequence < ${end} ${ordered}`,
    };
  }
  return {
    // In the order of the subquery; with an ORDER BY of its own SQLite sorts once more.
    columns: ['max(sequence)', `'[' || group_concat(doc, ',') || ']'`],
    // A row costs more than an item, so that all items come in one.
    rest: `FROM (SELECT sequence, doc FROM ${log} WHERE ${place} ${ordered}) HAVING count(*) > 0`,
  };
}

function itemValues(query: LogQuery): SqlValue[] {
  const limit = limitOf(query);
  const place = [SQLITE.keyPart(query.scope), SQLITE.keyPart(query.thread), wholeNumber(query.after ?? 0)];
  return query.log === 'events' ? [...place, ...place, limit, limit] : [...place, limit];
}

/** One page of a table, of one moment. Throws `INPUT_INVALID` for an invalid cursor. */
export function listRows(connection: Connection, query: ListQuery): Page {
  if (pageLimit(query) === 0) return { rows: [] };
  const { sql, values } = listStatement(SQLITE, query);
  return toPage(query, connection.all(sql, values));
}

/** The histories and interrupts without the row of their thread. The columns of a history are computed, so none can differ. */
export function findStrays(connection: Connection, choice: { scope?: string; thread?: string }): Stray[] {
  const { scope, thread } = choice;
  const values = [scope, thread].flatMap((one) => (one === undefined ? [] : [SQLITE.keyPart(one)]));
  const chosen = `${scope === undefined ? '' : 'AND a.scope = ? '}${thread === undefined ? '' : 'AND a.thread = ?'}`;
  const found = (['history', 'interrupts'] as const).flatMap((table) =>
    connection
      .all(
        `SELECT DISTINCT scope, thread FROM ${table} a WHERE NOT EXISTS (
           SELECT 1 FROM threads t WHERE t.scope = a.scope AND t.thread = a.thread AND t.id = '') ${chosen}`,
        values,
      )
      .map(([inScope, name]): Stray => {
        const key = toKey([String(inScope), String(name), '', null]);
        return { scope: key.scope, thread: key.thread, table };
      }),
  );
  return [...new Map(found.toReversed().map((one) => [keyText({ ...one, id: '' }), one])).values()];
}

/** The number of rows that match, but at most the limit. */
export function countRows(connection: Connection, query: CountQuery): number {
  if (query.status?.length === 0 || query.limit <= 0) return 0;
  const { sql, values } = countStatement(SQLITE, query);
  return Math.min(query.limit, connection.number(sql, values));
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
