import type { LogName, TableName } from '../store.ts';
import type { PendingLog, PendingRow } from './pending.ts';

/** One transaction as the journal keeps it. */
export interface JournalRecord {
  /** The last place that any row has got. */
  readonly lastPlace: number;
  /** How many commits it stands for. */
  readonly commits: number;
  /** Rows as it left them. */
  readonly rows: readonly Readonly<PendingRow>[];
  /** What it added to logs. */
  readonly logs: readonly Readonly<PendingLog>[];
  /** Threads that it changed without leaving something here. */
  readonly changed: readonly (readonly [scope: string, thread: string])[];
}

type RowHead = readonly [
  table: TableName,
  scope: string,
  thread: string,
  id: string,
  place: number,
  version: number,
  createdAt: number,
  status: string | null,
  agent: string | null,
  reason: string | null,
  dueAt: number | null,
  filed: number,
  removed: 0 | 1,
];
type LogHead = readonly [log: LogName, scope: string, thread: string, first: number, count: number];
type Head = readonly [
  lastPlace: number,
  commits: number,
  rows: readonly RowHead[],
  logs: readonly LogHead[],
  changed: JournalRecord['changed'],
];

/** A record as text: a line that says what there is, and then a line for each document and item, which are JSON already. */
export function writeRecord({ lastPlace, commits, rows, logs, changed }: JournalRecord): string {
  const head: Head = [lastPlace, commits, rows.map(rowHead), logs.map(logHead), changed];
  let text = JSON.stringify(head);
  for (const row of rows) if (row.text !== undefined) text += `\n${row.text}`;
  for (const { items } of logs) for (const item of items) text += `\n${item}`;
  return text;
}

/** The record that {@link writeRecord} wrote; what follows the last line that it needs is nothing. */
export function readRecord(text: string): JournalRecord {
  const [first = '', ...lines] = text.split('\n');
  // Written by `writeRecord` and by nobody else.
  const [lastPlace, commits, rows, logs, changed] = JSON.parse(first) as Head;
  let line = 0;
  return {
    lastPlace,
    commits,
    rows: rows.map((head) => readRow(head, head[12] === 1 ? undefined : lines[line++])),
    logs: logs.map((head) => readLog(head, lines.slice(line, (line += head[4])))),
    changed,
  };
}

function rowHead(row: Readonly<PendingRow>): RowHead {
  return [
    row.table,
    row.scope,
    row.thread,
    row.id,
    row.place,
    row.version,
    row.createdAt,
    row.status,
    row.agent,
    row.reason,
    row.dueAt,
    row.filed,
    row.text === undefined ? 1 : 0,
  ];
}

function readRow(head: RowHead, text: string | undefined): PendingRow {
  const [table, scope, thread, id, place, version, createdAt, status, agent, reason, dueAt, filed] = head;
  return {
    table,
    scope,
    thread,
    id,
    place,
    version,
    createdAt,
    status,
    agent,
    reason,
    dueAt,
    text,
    filed,
  };
}

function logHead({ table, scope, thread, first, items }: Readonly<PendingLog>): LogHead {
  return [table, scope, thread, first, items.length];
}

function readLog([table, scope, thread, first]: LogHead, items: string[]): PendingLog {
  return { table, scope, thread, id: '', first, items };
}
