import { HoldpointError } from '../../core/index.ts';
import { decodeCursor, encodeCursor } from '../cursor.ts';
import type { ListQuery, Page } from '../store.ts';
import type { SqlValue } from './libsql.ts';
import { IS_ODD, IS_OPEN, ODD_STATES, OPEN_STATES } from './migrations.ts';
import type { PendingRow } from './pending.ts';
import type { Readable } from './read-rows.ts';
import { pendingColumns, ROW_COLUMNS, toRow } from './row-columns.ts';
import { toStored } from './stored-text.ts';

/** Up to this many states are each read in order and merged; more are filtered out of everything. */
const MERGED_STATES = 8;
const DEFAULT_LIMIT = 100;
const LONGEST_PAGE = 1000;
/** What a query may ask for by name. */
const EQUAL = ['scope', 'thread', 'agent', 'reason'] as const;

export interface ListStatement {
  readonly sql: string;
  readonly parameters: readonly SqlValue[];
}

interface Condition {
  readonly sql: string;
  readonly parameters: readonly SqlValue[];
}

/** One page of a table, as one moment has it. Throws `INPUT_INVALID` for a cursor that no page gave. */
export function listRows({ connection, journal }: Readable, query: ListQuery): Page {
  const limit = Math.max(0, Math.min(Math.trunc(query.limit ?? DEFAULT_LIMIT), LONGEST_PAGE));
  if (limit === 0 || query.status?.length === 0) return { rows: [] };
  const rows = [...journal.pending.rows.values()].filter(({ table }) => table === query.table);
  const hidden = rows.filter(({ filed }) => filed !== 0);
  const { sql, parameters } = listStatement(query, limit + 1 + hidden.length);
  const filed = connection.all(sql, parameters);
  const found = rows.length === 0 ? filed : withPending(filed, rows, query);
  const page = found.slice(0, limit);
  const last = page.at(-1);
  return {
    rows: page.map(toRow),
    ...(found.length > limit && last !== undefined ? { next: cursorAt(last, query) } : {}),
  };
}

type Columns = readonly SqlValue[];

/** Rows that are pending in front of those that are filed, in the order of the query. */
function withPending(filed: readonly Columns[], rows: readonly PendingRow[], query: ListQuery): Columns[] {
  const hidden = new Set(rows.map((row) => row.filed));
  const shown = filed.filter(([place]) => !hidden.has(Number(place)));
  const isMeant = meant(query);
  const added = rows.filter(isMeant).map(pendingColumns);
  const compare = (a: Columns, b: Columns) => Number(a[0]) - Number(b[0]);
  const byDue = (a: Columns, b: Columns) => Number(a[DUE_AT]) - Number(b[DUE_AT]) || compare(a, b);
  return [...shown, ...added].toSorted(query.order === 'due' ? byDue : compare);
}

/** Whether a row is one of those that a query asks for: what {@link listStatement} says in SQL. */
function meant(query: ListQuery): (row: PendingRow) => boolean {
  const { order, dueBefore } = query;
  const states = query.status === undefined ? undefined : new Set(query.status.map(toStored));
  const names = EQUAL.flatMap((column) => {
    const value = query[column];
    return value === undefined ? [] : [{ column, value: toStored(value) }];
  });
  const isAfter =
    query.cursor === undefined ? () => true : afterPlace(readCursor(query.cursor, query), order);
  return (row) =>
    row.text !== undefined &&
    names.every(({ column, value }) => row[column] === value) &&
    (states === undefined || (row.status !== null && states.has(row.status))) &&
    (dueBefore === undefined || (row.dueAt !== null && row.dueAt < dueBefore)) &&
    (order !== 'due' || row.dueAt !== null) &&
    isAfter(row);
}

function afterPlace({ at, place }: Position, order: ListQuery['order']): (row: PendingRow) => boolean {
  if (order !== 'due') return (row) => row.place > at;
  return ({ dueAt, place: own }) => Number(dueAt) > at || (dueAt === at && own > place);
}

/** The statement for a query: one walk along an index for each state, merged in their common order. */
export function listStatement(query: ListQuery, limit: number): ListStatement {
  const states = [...new Set(query.status)].map(toStored);
  const common = conditions(query);
  const branches: Condition[][] =
    states.length > MERGED_STATES
      ? [
          [
            ...common,
            { sql: 'status IN (SELECT value FROM json_each(?))', parameters: [JSON.stringify(states)] },
          ],
        ]
      : states.map((state) => [{ sql: 'status = ?', parameters: [state] }, ...common]);
  const selects = (branches.length === 0 ? [common] : branches).map((branch) => ({
    sql: `SELECT ${ROW_COLUMNS} FROM ${source(query)} WHERE ${where(branch)}`,
    parameters: branch.flatMap(({ parameters }) => parameters),
  }));
  const order = query.order === 'due' ? 'due_at, place' : 'place';
  return {
    sql: `${selects.map(({ sql }) => sql).join(' UNION ALL ')} ORDER BY ${order} LIMIT ?`,
    parameters: [...selects.flatMap(({ parameters }) => parameters), limit],
  };
}

/** Left to itself, SQLite walks through a whole scope in order rather than sort the few rows of one thread. */
function source({ scope, thread }: ListQuery): string {
  return scope !== undefined && thread !== undefined ? 'rows INDEXED BY rows_key' : 'rows';
}

function conditions(query: ListQuery): Condition[] {
  const equal = EQUAL.flatMap((column) => {
    const value = query[column];
    return value === undefined ? [] : [{ sql: `${column} = ?`, parameters: [toStored(value)] }];
  });
  const dueAt = dueColumn(query);
  return [
    // Written out and not as a parameter: SQLite has to see which indexes have all rows that are meant.
    { sql: `tbl = '${query.table}'`, parameters: [] },
    ...stateConditions(query),
    ...equal,
    ...(query.dueBefore === undefined ? [] : [{ sql: `${dueAt} < ?`, parameters: [query.dueBefore] }]),
    ...(query.order === 'due' ? [{ sql: `${dueAt} IS NOT NULL`, parameters: [] }] : []),
    ...(query.cursor === undefined ? [] : [afterCursor(query.cursor, query)]),
  ];
}

/** Says again what a partial index says, where all states that are asked for are in it. */
function stateConditions({ table, status }: ListQuery): Condition[] {
  const isWithin = (states: readonly string[]) => status?.every((state) => states.includes(state)) === true;
  if (table === 'interrupts' && isWithin(OPEN_STATES)) return [{ sql: IS_OPEN, parameters: [] }];
  if (table === 'threads' && isWithin(ODD_STATES)) return [{ sql: IS_ODD, parameters: [] }];
  return [];
}

/** The rows of one thread are few: a plus keeps SQLite from walking along the due times of all threads instead. */
function dueColumn({ thread }: ListQuery): string {
  return thread === undefined ? 'due_at' : '+due_at';
}

function where(conditions: readonly Condition[]): string {
  return conditions.map(({ sql }) => sql).join(' AND ');
}

/** `place` tells rows with the same due time apart. */
function cursorAt(columns: Columns, { order }: ListQuery): string {
  const place = columns[0];
  return order === 'due'
    ? encodeCursor({ at: Number(columns[DUE_AT]), tie: String(place) })
    : encodeCursor({ at: Number(place), tie: '' });
}

const DUE_AT = ROW_COLUMNS.split(', ').indexOf('due_at');

/** Where a page ended: at this place, or, of those that are due at the same time, after the one with this place. */
interface Position {
  readonly at: number;
  readonly place: number;
}

function readCursor(text: string, { order }: ListQuery): Position {
  const { at, tie } = decodeCursor(text);
  const place = Number(tie);
  if (order === 'due' && (tie === '' || !Number.isSafeInteger(place))) {
    throw new HoldpointError('INPUT_INVALID', 'The cursor belongs to a list in another order.');
  }
  return { at, place };
}

function afterCursor(text: string, query: ListQuery): Condition {
  const { at, place } = readCursor(text, query);
  return query.order === 'due'
    ? { sql: `(${dueColumn(query)}, place) > (?, ?)`, parameters: [at, place] }
    : { sql: 'place > ?', parameters: [at] };
}
