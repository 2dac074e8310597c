import type { Bind, Dialect, Selection } from '../dialect.ts';
import { statement } from '../dialect.ts';
import { countStatement, listStatement, pageLimit, toPage } from '../list-query.ts';
import { limitOf, toItems, wholeNumber } from '../read-log.ts';
import { keyText } from '../stored-text.ts';
import type { JsonValue } from '../../core/index.ts';
import { logValues } from '../encode-batch.ts';
import { rowColumns, toKey, toRow } from '../row-columns.ts';
import type {
  Change,
  CountQuery,
  ListQuery,
  LogItem,
  LogName,
  LogQuery,
  Page,
  Row,
  RowKey,
  RowsQuery,
  Stray,
  TableName,
} from '../store.ts';
import { EVENTS_PER_ROW, LOGS } from '../tables.ts';
import type { QueryClient } from './connect.ts';
import { assertWidth, queryPrepared, queryRows } from './connect.ts';
import type { TextRow } from './driver.ts';
import type { SchemaNames } from './schema.ts';
import { lockName } from './waves.ts';

/** The reads of one snapshot. */
export type Reads = readonly (RowsQuery | LogQuery)[];
/** A result for each read of a snapshot. */
export type ReadResults = readonly (readonly (Row | undefined)[] | readonly LogItem[])[];

/** Reads several snapshots at once: all of one moment, in one round trip. */
export async function readAll(
  client: QueryClient,
  names: SchemaNames,
  snapshots: readonly Reads[],
): Promise<readonly ReadResults[]> {
  const keys = new Map<TableName, Map<string, RowKey>>();
  const logs = new Map<LogName, LogQuery[]>();
  for (const read of snapshots.flat()) {
    if ('log' in read) addTo(logs, read.log, []).push(read);
    else if (read.keys.length > 0) {
      const known = addTo(keys, read.table, new Map<string, RowKey>());
      for (const key of read.keys) known.set(keyText(key), key);
    }
  }
  const tables = [...keys].map(([table, known]) => ({ table, keys: [...known.values()] }));
  const found = await select(client, names, { tables, logs: [...logs] });
  const rows = new Map(tables.map(({ table }) => [table, new Map<string, Row>()]));
  const items = new Map<LogName, TextRow[][]>();
  for (const [number, place, ...columns] of found) {
    const { table } = tables[Number(number)] ?? {};
    if (table === undefined) {
      const [log] = [...logs.keys()].slice(Number(number) - tables.length);
      if (log !== undefined) (addTo(items, log, [])[Number(place)] ??= []).push(columns);
    } else {
      const { row } = toRow(table, columns);
      rows.get(table)?.set(keyText(row.key), row);
    }
  }
  /** How many queries of each log have got their items. */
  const given = new Map<LogName, number>();
  return snapshots.map((reads) =>
    reads.map((read) => {
      if (!('log' in read)) return read.keys.map((key) => rows.get(read.table)?.get(keyText(key)));
      const place = given.get(read.log) ?? 0;
      given.set(read.log, place + 1);
      return toItems(read, items.get(read.log)?.[place] ?? []);
    }),
  );
}

function addTo<Key, Value>(map: Map<Key, Value>, key: Key, empty: Value): Value {
  const known = map.get(key) ?? empty;
  map.set(key, known);
  return known;
}

/**
 * The rows of several tables and logs. The first column is the number of the table or, after the tables, of the log; the second is the
 * number of the query among those of its log. The statement depends only on which tables and logs are read.
 */
async function select(
  client: QueryClient,
  { dialect }: SchemaNames,
  {
    tables,
    logs,
  }: { readonly tables: readonly RowsQuery[]; readonly logs: readonly [LogName, LogQuery[]][] },
): Promise<readonly TextRow[]> {
  if (tables.length + logs.length === 0) return [];
  let width = 0;
  const { sql, values } = statement(dialect, (bind) => {
    const selections = [
      ...tables.map((query) => selectRows(dialect, query, bind)),
      ...logs.map(([log, queries]) => selectItems(dialect, { log, queries }, bind)),
    ];
    width = Math.max(...selections.map(({ columns }) => columns.length));
    const selects = selections.map(({ columns, rest }, at) => {
      const texts = Array.from({ length: width }, (_, column) => `(${columns[column] ?? 'NULL'})::text`);
      return `(SELECT ${[at, ...texts].join(', ')} ${rest})`;
    });
    return selects.join(' UNION ALL ');
  });
  return assertWidth(await queryPrepared(client, { kind: 'read', text: sql }, values), width + 1);
}

/**
 * Keys come as one JSON list and rows from a subquery for each, so that PostgreSQL plans a prepared read once: with arrays it expects
 * another number of rows for every read and plans each anew, which takes longer than the read.
 */
function selectRows(dialect: Dialect, { table, keys }: RowsQuery, bind: Bind): Selection {
  const list = bind(JSON.stringify(keys.map((key) => dialect.key(key))));
  const isIt = ['scope', 'thread', 'id'].map((name, part) => `${name} = wanted->>${part}`).join(' AND ');
  return {
    columns: ['NULL', ...rowColumns(dialect, table)],
    // OFFSET keeps the subquery: a join could be planned as a scan of the whole table, and the plan is kept until the next ANALYZE.
    rest: `FROM jsonb_array_elements(${list}::jsonb) AS wanted
     CROSS JOIN LATERAL (SELECT * FROM ${dialect.table(table)} WHERE ${isIt} OFFSET 0) AS found`,
  };
}

/** Selects the items of several logs of one kind: for each query its number, and rows as those of `events` (see `toItems`). */
function selectItems(
  dialect: Dialect,
  { log, queries }: { readonly log: LogName; readonly queries: readonly LogQuery[] },
  bind: Bind,
): Selection {
  const table = dialect.table(log);
  const list = queries.map((query) => {
    const { scope, thread, after = 0 } = query;
    return [dialect.keyPart(scope), dialect.keyPart(thread), wholeNumber(after), limitOf(query)];
  });
  const place = `log.scope = wanted->>0 AND log.thread = wanted->>1 AND log.sequence > (wanted->>2)::bigint`;
  const limit = '(wanted->>3)::bigint';
  const first = `(SELECT min(log.sequence) FROM ${table} AS log WHERE ${place})`;
  const items = `SELECT log.sequence, log.doc FROM ${table} AS log WHERE ${place}
    ${log === 'events' ? `AND log.sequence < ${first} + ${limit} + ${EVENTS_PER_ROW}` : ''}
    ORDER BY log.sequence LIMIT ${limit}`;
  const joined = `SELECT max(sequence) AS sequence, '[' || string_agg(doc::text, ',' ORDER BY sequence) || ']' AS doc
    FROM (${items}) AS item HAVING count(*) > 0`;
  return {
    columns: ['place - 1', 'sequence', 'doc'],
    // A row costs more than an item, so that all items of a log come in one.
    rest: `FROM jsonb_array_elements(${bind(JSON.stringify(list))}::jsonb) WITH ORDINALITY AS k(wanted, place)
     CROSS JOIN LATERAL (${log === 'events' ? items : joined}) AS found`,
  };
}

/** One page of a table. Throws `INPUT_INVALID` for a cursor that no page gave. */
export async function listRows(
  client: QueryClient,
  { dialect }: SchemaNames,
  query: ListQuery,
): Promise<Page> {
  if (pageLimit(query) === 0) return { rows: [] };
  const { sql, values } = listStatement(dialect, query);
  const { length } = rowColumns(dialect, query.table);
  return toPage(query, assertWidth(await queryRows(client, sql, values), length));
}

/** Entries of histories that one read compares with their columns. */
const COMPARED = 1000;

/** The histories and interrupts without the row of their thread, and the first entry of each history with a changed column. */
export async function findStrays(
  client: QueryClient,
  { dialect }: SchemaNames,
  { scope, thread }: { readonly scope?: string; readonly thread?: string },
): Promise<readonly Stray[]> {
  const found: Stray[] = [];
  const conditions = (bind: Bind) => [
    ...(scope === undefined ? [] : [`a.scope = ${bind(dialect.keyPart(scope))}`]),
    ...(thread === undefined ? [] : [`a.thread = ${bind(dialect.keyPart(thread))}`]),
  ];
  const toPlace = (inScope: unknown, name: unknown): Change => {
    const key = toKey([String(inScope), String(name), '', null]);
    return { scope: key.scope, thread: key.thread };
  };
  for (const table of ['history', 'interrupts'] as const) {
    const { sql, values } = statement(dialect, (bind) => {
      const missing = `NOT EXISTS (SELECT 1 FROM ${dialect.table('threads')} t
        WHERE t.scope = a.scope AND t.thread = a.thread AND t.id = '')`;
      const where = [missing, ...conditions(bind)].join(' AND ');
      return `SELECT DISTINCT a.scope, a.thread FROM ${dialect.table(table)} a WHERE ${where}`;
    });
    for (const [inScope, name] of await queryRows(client, sql, values))
      found.push({ ...toPlace(inScope, name), table });
  }
  const columns = LOGS.history.map(({ name }) => name);
  for (let after: readonly [string, string, number] | undefined; ;) {
    const last = after;
    const { sql, values } = statement(dialect, (bind) => {
      const place =
        last === undefined ? [] : [`(a.scope, a.thread, a.sequence) > (${last.map(bind).join(', ')})`];
      const where = [...place, ...conditions(bind)].join(' AND ');
      return `SELECT a.scope, a.thread, a.sequence, a.doc, ${columns.map((name) => `a.${name}`).join(', ')}
        FROM ${dialect.table('history')} a ${where === '' ? '' : `WHERE ${where}`}
        ORDER BY a.scope, a.thread, a.sequence LIMIT ${COMPARED}`;
    });
    const rows = await queryRows(client, sql, values);
    for (const [inScope, name, sequence, doc, ...shownColumns] of rows) {
      const expected = logValues('history', JSON.parse(String(doc)) as JsonValue);
      const at = expected.findIndex((value, column) => {
        const shown = shownColumns[column] ?? null;
        return typeof value === 'number' ? Number(shown) !== value || shown === null : shown !== value;
      });
      const column = columns[at];
      if (column === undefined) continue;
      found.push({ ...toPlace(inScope, name), table: 'history', sequence: Number(sequence), column });
    }
    const end = rows.at(-1);
    if (end === undefined || rows.length < COMPARED) break;
    after = [String(end[0]), String(end[1]), Number(end[2])];
  }
  // The first stray of each thread.
  return [...new Map(found.toReversed().map((one) => [keyText({ ...one, id: '' }), one])).values()];
}

/** The number of rows that match, but at most the limit. */
export async function countRows(
  client: QueryClient,
  { dialect }: SchemaNames,
  query: CountQuery,
): Promise<number> {
  if (query.status?.length === 0 || query.limit <= 0) return 0;
  const { sql, values } = countStatement(dialect, query);
  const [row] = await queryRows(client, sql, values);
  return Math.min(query.limit, Number(row?.[0]));
}

/** Removes the items of a log up to and including a sequence; stores the end of the log first. */
export async function trimLog(
  client: QueryClient,
  { name, quoted, dialect }: SchemaNames,
  trim: { readonly log: LogName; readonly scope: string; readonly thread: string; readonly through: number },
): Promise<void> {
  const { log, scope, thread, through } = trim;
  await queryRows(client, `SELECT ${quoted}.trim_log_5($1, $2, $3, $4, $5)`, [
    `${name} ${lockName({ table: log, scope, thread, id: '' })}`,
    log,
    dialect.keyPart(scope),
    dialect.keyPart(thread),
    wholeNumber(through),
  ]);
}
