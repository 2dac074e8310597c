import { HoldpointError } from '../../core/index.ts';
import { decodeCursor, encodeCursor } from '../cursor.ts';
import type { ListQuery, Page } from '../store.ts';
import type { Connection } from './connection.ts';
import type { SqlValue } from './libsql.ts';
import { IS_ODD, IS_OPEN, ODD_STATES, OPEN_STATES } from './migrations.ts';
import { ROW_COLUMNS, toRow } from './row-columns.ts';
import { toStored } from './stored-text.ts';

/** Up to this many states are each read in order and merged; more are filtered out of everything. */
const MERGED_STATES = 8;
const DEFAULT_LIMIT = 100;
const LONGEST_PAGE = 1000;

export interface ListStatement {
  readonly sql: string;
  readonly parameters: readonly SqlValue[];
}

interface Condition {
  readonly sql: string;
  readonly parameters: readonly SqlValue[];
}

/** One page of a table. Throws `INPUT_INVALID` for a cursor that no page gave. */
export function listRows(connection: Connection, query: ListQuery): Page {
  const limit = Math.max(0, Math.min(Math.trunc(query.limit ?? DEFAULT_LIMIT), LONGEST_PAGE));
  if (limit === 0 || query.status?.length === 0) return { rows: [] };
  const { sql, parameters } = listStatement(query, limit + 1);
  const found = connection.all(sql, parameters);
  const page = found.slice(0, limit);
  const last = page.at(-1);
  return {
    rows: page.map(toRow),
    ...(found.length > limit && last !== undefined ? { next: cursorAt(last, query) } : {}),
  };
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
  const equal = (['scope', 'thread', 'agent', 'reason'] as const).flatMap((column) => {
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
function cursorAt([place, ...rest]: readonly SqlValue[], { order }: ListQuery): string {
  const dueAt = rest[DUE_AT_AFTER_PLACE];
  return order === 'due'
    ? encodeCursor({ at: Number(dueAt), tie: String(place) })
    : encodeCursor({ at: Number(place), tie: '' });
}

const DUE_AT_AFTER_PLACE = ROW_COLUMNS.split(', ').indexOf('due_at') - 1;

function afterCursor(text: string, query: ListQuery): Condition {
  const { at, tie } = decodeCursor(text);
  if (query.order !== 'due') return { sql: 'place > ?', parameters: [at] };
  const place = Number(tie);
  if (tie === '' || !Number.isSafeInteger(place)) {
    throw new HoldpointError('INPUT_INVALID', 'The cursor belongs to a list in another order.');
  }
  return { sql: `(${dueColumn(query)}, place) > (?, ?)`, parameters: [at, place] };
}
