import { comparePositions, decodeCursor, encodeCursor } from './cursor.ts';
import { searchClasses } from './search-text.ts';
import type { ListQuery, Page, Row } from './store.ts';
import { columnOf, partialConditions } from './tables.ts';

const DEFAULT_LIMIT = 100;
const LONGEST_PAGE = 1000;
/** Up to this many states are each read in order and merged; more are filtered out of everything. */
const MERGED_STATES = 8;

/** The members of a query that a row has to equal. */
export const EQUAL_MEMBERS = [
  'agent',
  'reason',
  'tool',
  'askedBy',
  'answeredBy',
  'owner',
  'assignee',
] as const;

/** A row and its place among the rows of its table. */
export interface PlacedRow {
  readonly row: Row;
  readonly ordinal: number;
}

/** How many rows a query wants. */
export function pageLimit({ limit = DEFAULT_LIMIT, status }: ListQuery): number {
  return status?.length === 0 ? 0 : Math.max(0, Math.min(Math.trunc(limit), LONGEST_PAGE));
}

/** The page of a query, from rows that fit it: at least one more than the page has, where there are more. */
export function pageOf(query: ListQuery, found: readonly PlacedRow[]): Page {
  const { order = 'created' } = query;
  const limit = pageLimit(query);
  const position = ({ row, ordinal }: PlacedRow) => ({ ordinal, ...row.index });
  const sorted = found.toSorted((a, b) => comparePositions(order, position(a), position(b)));
  const page = sorted.slice(0, limit);
  const last = page.at(-1);
  const next =
    sorted.length > limit && last !== undefined ? { next: encodeCursor(order, position(last)) } : {};
  return { rows: page.map(({ row }) => row), ...next };
}

/** How a database writes what a list asks for. */
export interface ListDialect {
  /** A parameter with a text, as a column keeps it. */
  text(value: string): string;
  /** A parameter with a scope or a thread. */
  key(value: string): string;
  number(value: number): string;
  /** True where a column with a list has one of these. */
  hasAny(column: string, values: readonly string[]): string;
  /** True where a column contains a character of each class, one after the other. */
  contains(column: string, classes: readonly string[][]): string;
}

/** One walk along an index. */
export interface Branch {
  readonly where: readonly string[];
  readonly orderBy: string;
}

/**
 * What a list reads: one branch for each state, and for rows with and without a time where that is the order. Each is
 * read in order and no further than a page; {@link pageOf} merges them.
 */
export function listBranches(query: ListQuery, dialect: ListDialect): Branch[] {
  const { table, status } = query;
  const common = commonConditions(query, dialect);
  const states = [...new Set(status)];
  const column = states.length === 0 ? '' : columnOf(table, 'status').name;
  const byState =
    states.length > MERGED_STATES
      ? [[`${column} IN (${states.map((state) => dialect.text(state)).join(', ')})`]]
      : states.map((state) => [`${column} = ${dialect.text(state)}`, ...partialConditions(table, state)]);
  return (byState.length === 0 ? [[]] : byState).flatMap((ofState) =>
    orderConditions(query, dialect).map(({ where, orderBy }) => ({
      where: [...common, ...ofState, ...where],
      orderBy,
    })),
  );
}

function commonConditions(query: ListQuery, dialect: ListDialect): string[] {
  const { table, scope, thread, visibleTo, text, createdBefore } = query;
  const name = (member: Parameters<typeof columnOf>[1]) => columnOf(table, member).name;
  const conditions: string[] = [];
  if (scope !== undefined) conditions.push(`scope = ${dialect.key(scope)}`);
  if (thread !== undefined) conditions.push(`thread = ${dialect.key(thread)}`);
  for (const member of EQUAL_MEMBERS) {
    const value = query[member];
    if (value !== undefined) conditions.push(`${name(member)} = ${dialect.text(value)}`);
  }
  if (visibleTo !== undefined) {
    const id = dialect.text(visibleTo.id);
    const ways = [`${name('owner')} = ${id}`];
    // Only interrupts have the others.
    if (table === 'interrupts') {
      ways.push(`assignee = ${id}`, dialect.hasAny('approver_users', [visibleTo.id]));
      if (visibleTo.roles.length > 0) ways.push(dialect.hasAny('approver_roles', visibleTo.roles));
    }
    conditions.push(`(${ways.join(' OR ')})`);
  }
  if (text !== undefined && text !== '') {
    const classes = searchClasses(text);
    const columns = [name('title'), ...(table === 'interrupts' ? ['message', 'tool'] : [])];
    conditions.push(`(${columns.map((column) => dialect.contains(column, classes)).join(' OR ')})`);
  }
  if (createdBefore !== undefined) conditions.push(`created_at < ${dialect.number(createdBefore)}`);
  return conditions;
}

function orderConditions(query: ListQuery, dialect: ListDialect): Branch[] {
  const { table, order = 'created', dueBefore, cursor } = query;
  const after = cursor === undefined ? undefined : decodeCursor(cursor, order);
  const due = order === 'due' || dueBefore !== undefined ? columnOf(table, 'dueAt').name : '';
  const before = dueBefore === undefined ? [] : [`${due} < ${dialect.number(dueBefore)}`];
  if (order === 'answered') {
    const answered = columnOf(table, 'answeredAt').name;
    const begin =
      after?.answeredAt === undefined
        ? []
        : [
            `(${answered}, ordinal) < (${dialect.number(after.answeredAt)}, ${dialect.number(after.ordinal)})`,
          ];
    const where = [`${answered} IS NOT NULL`, ...before, ...begin];
    return [{ where, orderBy: `${answered} DESC, ordinal DESC` }];
  }
  if (order !== 'due') {
    const sign = order === 'newest' ? '<' : '>';
    const begin = after === undefined ? [] : [`ordinal ${sign} ${dialect.number(after.ordinal)}`];
    return [{ where: [...before, ...begin], orderBy: order === 'newest' ? 'ordinal DESC' : 'ordinal' }];
  }
  const branches: Branch[] = [];
  if (after === undefined || after.dueAt !== undefined) {
    const begin =
      after?.dueAt === undefined
        ? []
        : [`(${due}, ordinal) > (${dialect.number(after.dueAt)}, ${dialect.number(after.ordinal)})`];
    const where = [`${due} IS NOT NULL`, ...before, ...begin];
    branches.push({ where, orderBy: `${due}, ordinal` });
  }
  if (dueBefore === undefined) {
    const isUndated = after !== undefined && after.dueAt === undefined;
    const begin = isUndated ? [`ordinal > ${dialect.number(after.ordinal)}`] : [];
    branches.push({ where: [`${due} IS NULL`, ...begin], orderBy: 'ordinal' });
  }
  return branches;
}
