import { HoldpointError } from '../core/index.ts';
import type { LogName, RowIndex, TableName } from './store.ts';

export type IndexMember = keyof RowIndex;

/** A column beside the document. A `list` is JSON text on SQLite and `text[]` on PostgreSQL. */
export interface IndexColumn {
  readonly member: IndexMember;
  readonly name: string;
  readonly type: 'text' | 'number' | 'list';
}

const ALL_COLUMNS: readonly IndexColumn[] = [
  { member: 'status', name: 'state', type: 'text' },
  { member: 'agent', name: 'agent', type: 'text' },
  { member: 'reason', name: 'reason', type: 'text' },
  { member: 'tool', name: 'tool', type: 'text' },
  { member: 'title', name: 'title', type: 'text' },
  { member: 'message', name: 'message', type: 'text' },
  { member: 'askedBy', name: 'asked_by', type: 'text' },
  { member: 'owner', name: 'owner', type: 'text' },
  { member: 'assignee', name: 'assignee', type: 'text' },
  { member: 'approverRoles', name: 'approver_roles', type: 'list' },
  { member: 'approverUsers', name: 'approver_users', type: 'list' },
  { member: 'dueAt', name: 'due_at', type: 'number' },
  { member: 'answeredBy', name: 'answered_by', type: 'text' },
  { member: 'answeredAt', name: 'answered_at', type: 'number' },
];

const pick = (...members: readonly IndexMember[]) =>
  ALL_COLUMNS.filter(({ member }) => members.includes(member));

/**
 * The tables, and the columns that each has for the index of its rows, in both databases. Every table also has `ordinal` (the
 * order in which its rows were made), `scope`, `thread`, `id`, `version`, `created_at` and `doc`.
 */
export const TABLES: Readonly<Record<TableName, readonly IndexColumn[]>> = {
  threads: pick('status', 'agent', 'title', 'owner', 'dueAt'),
  runs: pick('status', 'agent', 'askedBy'),
  interrupts: ALL_COLUMNS,
  executions: pick('status', 'tool'),
  grants: pick('status', 'agent', 'tool', 'askedBy', 'owner', 'dueAt'),
  secrets: [],
  files: pick('status', 'agent', 'reason', 'title', 'owner'),
  anchors: [],
};

/** Tables whose rows are small and looked for by their thread alone. SQLite keeps them by key, without a second tree. */
export const KEPT_BY_KEY: ReadonlySet<TableName> = new Set(['executions', 'secrets']);

export const TABLE_NAMES: readonly TableName[] = Object.keys(TABLES) as TableName[];

/** A column that repeats a member of each item of a log, for people who read the table. */
export interface LogColumn {
  readonly member: string;
  readonly name: string;
  readonly type: 'text' | 'number';
}

/**
 * The logs, and their columns besides `scope`, `thread`, `sequence` and `doc`. A message and a history entry are one
 * row each. A row of `events` is a list of the events of one commit; its `sequence` is that of the last event.
 */
export const LOGS: Readonly<Record<LogName, readonly LogColumn[]>> = {
  messages: [{ member: 'role', name: 'role', type: 'text' }],
  events: [],
  history: [
    { member: 'what', name: 'what', type: 'text' },
    { member: 'interruptId', name: 'interrupt', type: 'text' },
    { member: 'by', name: 'principal', type: 'text' },
    { member: 'via', name: 'via', type: 'text' },
    { member: 'at', name: 'created_at', type: 'number' },
  ],
};
export const LOG_NAMES: readonly LogName[] = Object.keys(LOGS) as LogName[];

/** The maximum number of events in one row, because a row is read as a whole. */
export const EVENTS_PER_ROW = 500;

const inList = (states: readonly string[]) => `state IN (${states.map((state) => `'${state}'`).join(', ')})`;

/** Interrupts that can still be answered; they are few. */
const OPEN_STATES = ['pending', 'answered', 'expired'];
const IS_OPEN = inList(OPEN_STATES);
/** Threads that need attention, and those that are being removed. */
const ODD_STATES = ['failed', 'pruning'];
const IS_ODD = inList(ODD_STATES);
/** Threads with an active run. They are few, and their time changes with each write, so no SQLite index has it. */
const IS_ACTIVE = `state = 'active'`;
const IS_AT_REST = `state <> 'active'`;

/** Conditions that let the database choose a partial index for a state. */
export function partialConditions(table: TableName, state: string): string[] {
  if (table === 'interrupts') return OPEN_STATES.includes(state) ? [IS_OPEN] : [];
  if (table !== 'threads') return [];
  if (state === 'active') return [IS_ACTIVE];
  return ODD_STATES.includes(state) ? [IS_ODD, IS_AT_REST] : [IS_AT_REST];
}

/** The indexes of both databases. Each has only the rows that need it, because every write pays for it. */
export const INDEXES: readonly {
  readonly name: string;
  readonly table: TableName;
  readonly columns: string;
  readonly where?: string;
}[] = [
  { name: 'threads_scope', table: 'threads', columns: 'scope, ordinal' },
  { name: 'threads_active', table: 'threads', columns: 'ordinal', where: IS_ACTIVE },
  {
    name: 'threads_due',
    table: 'threads',
    columns: 'state, due_at, ordinal',
    where: `due_at IS NOT NULL AND ${IS_AT_REST}`,
  },
  { name: 'threads_odd', table: 'threads', columns: 'state, ordinal', where: IS_ODD },
  { name: 'interrupts_scope', table: 'interrupts', columns: 'scope, ordinal' },
  { name: 'interrupts_open', table: 'interrupts', columns: 'state, scope, ordinal', where: IS_OPEN },
  {
    name: 'interrupts_due',
    table: 'interrupts',
    columns: 'state, due_at, ordinal',
    where: `due_at IS NOT NULL AND ${IS_OPEN}`,
  },
  {
    name: 'interrupts_scope_due',
    table: 'interrupts',
    columns: 'scope, state, due_at, ordinal',
    where: `due_at IS NOT NULL AND ${IS_OPEN}`,
  },
  {
    name: 'interrupts_answered',
    table: 'interrupts',
    columns: 'scope, answered_at, ordinal',
    where: 'answered_at IS NOT NULL',
  },
  { name: 'grants_scope', table: 'grants', columns: 'scope, ordinal' },
];

/** The column of a table for a member of the index. Throws `INPUT_INVALID` without one. */
export function columnOf(table: TableName, member: IndexMember): IndexColumn {
  const column = TABLES[table].find((one) => one.member === member);
  if (column !== undefined) return column;
  throw new HoldpointError('INPUT_INVALID', `Rows of ${table} have no ${member} to be found by.`);
}

/** Throws `INPUT_INVALID` for an index with a member that the table has no column for. */
export function assertIndex(table: TableName, index: RowIndex): void {
  // An index has the names of its members.
  for (const member of Object.keys(index) as IndexMember[]) {
    if (index[member] !== undefined) columnOf(table, member);
  }
}
