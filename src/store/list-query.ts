import { comparePositions, decodeCursor, encodeCursor } from './cursor.ts';
import type { Bind, Dialect, SqlValue, Statement } from './dialect.ts';
import { statement } from './dialect.ts';
import type { PlacedRow } from './row-columns.ts';
import { rowColumns, toRow } from './row-columns.ts';
import { formsInJson, searchForms } from './search-text.ts';
import type { CountQuery, ListQuery, Page } from './store.ts';
import { EVERYBODY } from './store.ts';
import { toStored } from './stored-text.ts';
import { columnOf, partialConditions } from './tables.ts';

const DEFAULT_LIMIT = 100;
const LONGEST_PAGE = 1000;
/** Up to this many states are each read in order and merged; with more, all rows are read and filtered. */
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

/** The page size of a query. */
export function pageLimit({ limit = DEFAULT_LIMIT, status }: ListQuery): number {
  return status?.length === 0 ? 0 : Math.max(0, Math.min(Math.trunc(limit), LONGEST_PAGE));
}

/** The page of a query, from matching rows: one more than the page if there are more. */
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

/** The page of a query from the rows of its statement. */
export function toPage(query: ListQuery, rows: readonly (readonly SqlValue[])[]): Page {
  return pageOf(
    query,
    rows.map((columns) => toRow(query.table, columns)),
  );
}

/** The statement for a query. It merges walks along indexes, each no longer than a page. */
export function listStatement(dialect: Dialect, query: ListQuery): Statement {
  const { table, scope, thread } = query;
  const isOfThread = scope !== undefined && thread !== undefined;
  const source = isOfThread ? dialect.tableOfThread(table) : dialect.table(table);
  return statement(dialect, (bind) => {
    const branches = listBranches(dialect, query, bind);
    const most = bind(pageLimit(query) + 1);
    const selects = branches.map(
      ({ where, orderBy }) =>
        `SELECT ${rowColumns(dialect, table).join(', ')} FROM ${source} ` +
        `${where.length === 0 ? '' : `WHERE ${where.join(' AND ')} `}ORDER BY ${orderBy} LIMIT ${most}`,
    );
    const [only = ''] = selects;
    if (selects.length === 1) return only;
    return selects.map((select) => `SELECT * FROM (${select}) AS branch`).join(' UNION ALL ');
  });
}

/** The statement that counts the rows of a query. Reads no more rows of each status than the limit. */
export function countStatement(dialect: Dialect, query: CountQuery): Statement {
  const { table, scope, thread, limit } = query;
  const isOfThread = scope !== undefined && thread !== undefined;
  const source = isOfThread ? dialect.tableOfThread(table) : dialect.table(table);
  return statement(dialect, (bind) => {
    const branches = listBranches(dialect, query, bind);
    const most = bind(limit);
    const counts = branches.map(({ where }) => {
      const conditions = where.length === 0 ? '' : `WHERE ${where.join(' AND ')} `;
      return `(SELECT count(*) FROM (SELECT 1 FROM ${source} ${conditions}LIMIT ${most}) AS found)`;
    });
    return `SELECT ${counts.join(' + ')}`;
  });
}

/** One walk along an index. */
interface Branch {
  readonly where: readonly string[];
  readonly orderBy: string;
}

/** One branch for each state, and in the order by time one for rows with a time and one for the others. */
function listBranches(dialect: Dialect, query: ListQuery, bind: Bind): Branch[] {
  const { table, status } = query;
  const common = commonConditions(dialect, query, bind);
  const states = [...new Set(status)];
  const column = states.length === 0 ? '' : columnOf(table, 'status').name;
  const byState =
    states.length > MERGED_STATES
      ? [[`${column} IN (${states.map((state) => bind(toStored(state))).join(', ')})`]]
      : states.map((state) => [`${column} = ${bind(toStored(state))}`, ...partialConditions(table, state)]);
  return (byState.length === 0 ? [[]] : byState).flatMap((ofState) =>
    orderConditions(query, bind).map(({ where, orderBy }) => ({
      where: [...common, ...ofState, ...where],
      orderBy,
    })),
  );
}

function commonConditions(dialect: Dialect, query: ListQuery, bind: Bind): string[] {
  const { table, scope, thread, visibleTo, text, createdBefore } = query;
  const name = (member: Parameters<typeof columnOf>[1]) => columnOf(table, member).name;
  const conditions: string[] = [];
  if (scope !== undefined) conditions.push(`scope = ${bind(dialect.keyPart(scope))}`);
  if (thread !== undefined) conditions.push(`thread = ${bind(dialect.keyPart(thread))}`);
  for (const member of EQUAL_MEMBERS) {
    const value = query[member];
    if (value !== undefined) conditions.push(`${name(member)} = ${bind(toStored(value))}`);
  }
  if (visibleTo !== undefined) {
    const id = bind(toStored(visibleTo.id));
    const ways = [`${name('owner')} = ${id}`];
    // Only interrupts have the other columns.
    if (table === 'interrupts') {
      ways.push(`assignee = ${id}`, dialect.hasAny('approver_users', [visibleTo.id, EVERYBODY], bind));
      if (visibleTo.roles.length > 0) ways.push(dialect.hasAny('approver_roles', visibleTo.roles, bind));
    }
    conditions.push(`(${ways.join(' OR ')})`);
  }
  if (text !== undefined && text !== '') {
    const forms = searchForms(text);
    const columns = [name('title'), ...(table === 'interrupts' ? ['message', 'tool', 'asked_by'] : [])];
    const ways = columns.flatMap((column) => forms.map((form) => dialect.contains(column, form, bind)));
    const inJson = table === 'interrupts' ? formsInJson(forms) : [];
    // Read last, and only for an answered interrupt: it parses the document.
    if (inJson.length > 0)
      ways.push(`(${name('answeredAt')} IS NOT NULL AND ${dialect.answerContains(inJson, bind)})`);
    conditions.push(`(${ways.join(' OR ')})`);
  }
  if (createdBefore !== undefined) conditions.push(`created_at < ${bind(createdBefore)}`);
  return conditions;
}

function orderConditions(query: ListQuery, bind: Bind): Branch[] {
  const { table, order = 'created', dueBefore, cursor } = query;
  const after = cursor === undefined ? undefined : decodeCursor(cursor, order);
  const due = order === 'due' || dueBefore !== undefined ? columnOf(table, 'dueAt').name : '';
  const before = dueBefore === undefined ? [] : [`${due} < ${bind(dueBefore)}`];
  if (order === 'answered') {
    const answered = columnOf(table, 'answeredAt').name;
    const begin =
      after?.answeredAt === undefined
        ? []
        : [`(${answered}, ordinal) < (${bind(after.answeredAt)}, ${bind(after.ordinal)})`];
    const where = [`${answered} IS NOT NULL`, ...before, ...begin];
    return [{ where, orderBy: `${answered} DESC, ordinal DESC` }];
  }
  if (order !== 'due') {
    const sign = order === 'newest' ? '<' : '>';
    const begin = after === undefined ? [] : [`ordinal ${sign} ${bind(after.ordinal)}`];
    return [{ where: [...before, ...begin], orderBy: order === 'newest' ? 'ordinal DESC' : 'ordinal' }];
  }
  const branches: Branch[] = [];
  if (after === undefined || after.dueAt !== undefined) {
    const begin =
      after?.dueAt === undefined
        ? []
        : [`(${due}, ordinal) > (${bind(after.dueAt)}, ${bind(after.ordinal)})`];
    const where = [`${due} IS NOT NULL`, ...before, ...begin];
    branches.push({ where, orderBy: `${due}, ordinal` });
  }
  if (dueBefore === undefined) {
    const isUndated = after !== undefined && after.dueAt === undefined;
    const begin = isUndated ? [`ordinal > ${bind(after.ordinal)}`] : [];
    branches.push({ where: [`${due} IS NULL`, ...begin], orderBy: 'ordinal' });
  }
  return branches;
}
