import type { Change, LogName, TableName } from '../store.ts';

/** Where a row or a log lives, as it is stored. */
export interface StoredKey {
  readonly table: TableName | LogName;
  readonly scope: string;
  readonly thread: string;
  readonly id: string;
}

/** A row as commits left it that have not been filed yet. */
export interface PendingRow extends StoredKey {
  readonly table: TableName;
  place: number;
  version: number;
  createdAt: number;
  status: string | null;
  agent: string | null;
  reason: string | null;
  dueAt: number | null;
  /** Its document; undefined where the row was removed. */
  text: string | undefined;
  /** The place of the row among those that are filed; 0 where there is none. */
  readonly filed: number;
}

/** What was added to a log since it was filed. */
export interface PendingLog extends StoredKey {
  readonly table: LogName;
  /** The sequence of the first of these items. */
  readonly first: number;
  readonly items: string[];
}

/** What was committed and is not filed yet: at most a few hundred commits, in front of everything that is. */
export class Pending {
  readonly rows: Map<string, PendingRow> = new Map();
  readonly logs: Map<string, PendingLog> = new Map();
  /** How many commits it holds, and about how many characters. */
  commits = 0;
  size = 0;

  row(key: StoredKey): PendingRow | undefined {
    return this.rows.get(textOf(key));
  }

  log(key: StoredKey): PendingLog | undefined {
    return this.logs.get(textOf(key));
  }

  putRow(row: PendingRow): void {
    this.rows.set(textOf(row), row);
    this.size += row.text?.length ?? 0;
  }

  putLog(log: PendingLog): void {
    this.logs.set(textOf(log), log);
  }

  clear(): void {
    this.rows.clear();
    this.logs.clear();
    this.commits = 0;
    this.size = 0;
  }
}

/** The threads that rows and logs belong to, each once. */
export function threadsOf(keys: Iterable<Pick<StoredKey, 'scope' | 'thread'>>): Change[] {
  const found = new Map<string, Change>();
  for (const { scope, thread } of keys) {
    if (thread !== '') found.set(threadText({ scope, thread }), { scope, thread });
  }
  return [...found.values()];
}

/** One text for a thread. No stored name has a zero in it. */
export function threadText({ scope, thread }: Pick<StoredKey, 'scope' | 'thread'>): string {
  return `${scope}\u0000${thread}`;
}

function textOf({ table, scope, thread, id }: StoredKey): string {
  return `${table}\u0000${thread}\u0000${id}\u0000${scope}`;
}
