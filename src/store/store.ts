import type { JsonObject, JsonValue } from '../core/index.ts';

/** Tables with versioned rows; a change names the version that it replaces. */
export type TableName =
  | 'threads'
  | 'runs'
  | 'interrupts'
  | 'executions'
  | 'grants'
  | 'secrets'
  | 'files'
  | 'anchors';

/** Append-only logs with sequences without gaps. */
export type LogName = 'messages' | 'history' | 'events';

/** The key of a row. `thread` is empty in tables that do not belong to one. */
export interface RowKey {
  readonly scope: string;
  readonly thread: string;
  readonly id: string;
}

/**
 * The columns for lists: each member has a column of the same name. `tables.ts` says which tables have which
 * columns.
 */
export interface RowIndex {
  /** The state of the row; its column is `state`. */
  readonly status?: string;
  readonly agent?: string;
  readonly reason?: string;
  /** The tool of the call. */
  readonly tool?: string;
  readonly title?: string;
  readonly message?: string;
  readonly askedBy?: string;
  readonly answeredBy?: string;
  /** The owner of the thread. */
  readonly owner?: string;
  /** The principal who is responsible. */
  readonly assignee?: string;
  /** One of these roles is enough to answer. */
  readonly approverRoles?: readonly string[];
  /** Principals who may answer; {@link EVERYBODY} for every principal of the scope. */
  readonly approverUsers?: readonly string[];
  /** The expiry or due time, in milliseconds since the epoch. */
  readonly dueAt?: number;
  /** Milliseconds since the epoch. */
  readonly answeredAt?: number;
}

/** Stands for every principal of the scope in `approverUsers`. No principal has an empty id. */
export const EVERYBODY = '';

export interface Row {
  readonly key: RowKey;
  /** 1 for a new row; grows by one with each change. */
  readonly version: number;
  /** Milliseconds since the epoch, by the store's clock. */
  readonly createdAt: number;
  readonly index: RowIndex;
  readonly doc: JsonObject;
}

/** Writes a row. `expect` is the version that it replaces: 0 for a new row, absent for any version. */
export interface PutRow {
  readonly table: TableName;
  readonly key: RowKey;
  readonly doc: JsonObject;
  /** Only members that the table has columns for; others are rejected with `INPUT_INVALID`. */
  readonly index?: RowIndex;
  readonly expect?: number;
}

export interface DeleteRow {
  readonly table: TableName;
  readonly key: RowKey;
  readonly expect?: number;
}

/** Requires that a row has this version, without changing it; 0 requires that the row does not exist. */
export interface CheckRow {
  readonly table: TableName;
  readonly key: RowKey;
  readonly expect: number;
}

/** Appends to a log of a thread. `expectNext` is the required sequence of the first item. */
export interface AppendLog {
  readonly log: LogName;
  readonly scope: string;
  readonly thread: string;
  readonly items: readonly JsonValue[];
  readonly expectNext?: number;
}

/** Replaces an entry of the history of a thread, to erase data of people. A missing sequence changes nothing. */
export interface RewriteEntry {
  readonly scope: string;
  readonly thread: string;
  readonly sequence: number;
  readonly item: JsonValue;
}

/** Changes that apply completely or not at all. */
export interface Batch {
  readonly checks?: readonly CheckRow[];
  readonly puts?: readonly PutRow[];
  readonly deletes?: readonly DeleteRow[];
  readonly appends?: readonly AppendLog[];
  readonly rewrites?: readonly RewriteEntry[];
}

export type CommitResult =
  | {
      readonly ok: true;
      /** The time of the store at the commit. */
      readonly now: number;
      /** The sequence of the first item of each append; sequences start at 1. */
      readonly sequences: readonly number[];
    }
  /** A row or log was not as expected, and nothing was changed. `conflict` names the first one. */
  | { readonly ok: false; readonly conflict: RowKey & { readonly table: TableName | LogName } };

/** A filter for the rows of a table. All given conditions must hold. */
export interface ListQuery {
  readonly table: TableName;
  readonly scope?: string;
  readonly thread?: string;
  readonly status?: readonly string[];
  readonly agent?: string;
  readonly reason?: string;
  readonly tool?: string;
  readonly askedBy?: string;
  readonly answeredBy?: string;
  readonly owner?: string;
  readonly assignee?: string;
  /**
   * Rows that this principal owns, is the assignee of, or may answer: by name, by one of these roles, or because
   * everybody of the scope may.
   */
  readonly visibleTo?: { readonly id: string; readonly roles: readonly string[] };
  /**
   * Rows whose title, message, tool or asker contains this text, ignoring case; an amount also in its other forms (`searchForms`). An
   * interrupt also by a value of its answer, without secrets (`answerTexts`). At most 200 characters.
   */
  readonly text?: string;
  readonly dueBefore?: number;
  /** Rows created before this time, in milliseconds since the epoch. */
  readonly createdBefore?: number;
  /**
   * `created` (default): the oldest first; `newest`: the newest first; `due`: the soonest first, those without a time last;
   * `answered`: the newest answer first, without the rows that have none.
   */
  readonly order?: 'created' | 'newest' | 'due' | 'answered';
  readonly cursor?: string;
  /** Default 100, at most 1,000. */
  readonly limit?: number;
}

/** Which rows to count. */
export interface CountQuery extends Omit<ListQuery, 'order' | 'cursor'> {
  /** Where the count stops. */
  readonly limit: number;
}

export interface Page {
  readonly rows: readonly Row[];
  /** The cursor of the next page; absent on the last page. */
  readonly next?: string;
}

export interface LogItem {
  readonly sequence: number;
  readonly item: JsonValue;
}

export interface LogQuery {
  readonly log: LogName;
  readonly scope: string;
  readonly thread: string;
  /** Only items after this sequence. */
  readonly after?: number;
  /** Default 1,000. */
  readonly limit?: number;
}

/** Rows of a table by their keys. */
export interface RowsQuery {
  readonly table: TableName;
  readonly keys: readonly RowKey[];
}

/** The results of the reads of a snapshot, in order, as `get` and `read` return them. */
export type SnapshotOf<Reads extends readonly (RowsQuery | LogQuery)[]> = {
  readonly [At in keyof Reads]: Reads[At] extends RowsQuery
    ? readonly (Row | undefined)[]
    : readonly LogItem[];
};

/**
 * The history or the interrupts of a thread without a row in `threads`; or, with a `sequence`, an entry of a history with a column that does
 * not repeat its document. A store never makes them.
 */
export interface Stray {
  readonly scope: string;
  readonly thread: string;
  readonly table: 'history' | 'interrupts';
  readonly sequence?: number;
  readonly column?: string;
}

/** A thread that a commit has changed. */
export interface Change {
  readonly scope: string;
  readonly thread: string;
}

/** The process that holds a lease. */
export interface LeaseOwner {
  /** Where process ids and start times can be compared: equal for processes of one machine, boot and namespaces. */
  readonly place: string;
  readonly pid: number;
  /** The start time of the process, as the system counts it. */
  readonly startTime: string;
}

/** Identifies the open database. */
export interface Incarnation {
  readonly id: string;
  /** The time of its restore from a backup, in milliseconds since the epoch; absent if it was not restored. */
  readonly restoredAt?: number;
}

/** Tells which processes are dead. */
export interface Processes {
  /** This process. */
  readonly self: LeaseOwner;
  /** Whether a process is certainly dead; false if that is unknown. */
  isGone(owner: LeaseOwner): boolean;
}

/**
 * Keeps threads, runs, interrupts and their history. The ledger makes all decisions: it reads, decides and commits
 * against the versions that it read. Every failure throws `STORE_FAILED`; then the commit changed nothing, or
 * everything if the failure came after it.
 */
export interface Store {
  /** Absent if other processes are unknown; then their leases must end first. */
  readonly processes?: Processes | undefined;
  /**
   * The open database. The id changes when the database is restored or replaced under this process; earlier reads
   * then no longer count, and commits against them fail. Undefined while no database is open, and for stores that
   * cannot know.
   */
  readonly incarnation?: Incarnation | undefined;
  /**
   * Whether the open database is certainly still the one that other processes use. Without it, only a commit tells.
   */
  isCurrent?(): boolean;
  /**
   * Durable when it resolves. Copies the batch as JSON before it returns, without undefined members, so the caller
   * may change it afterwards. Concurrent commits may share one transaction; each succeeds or fails by itself.
   */
  commit(batch: Batch): Promise<CommitResult>;
  /** The rows in the order of the keys; undefined for a missing row. */
  get(table: TableName, keys: readonly RowKey[]): Promise<readonly (Row | undefined)[]>;
  list(query: ListQuery): Promise<Page>;
  /** The number of rows that match, but at most `limit`. */
  count(query: CountQuery): Promise<number>;
  /** The items in the order of their sequences. */
  read(query: LogQuery): Promise<readonly LogItem[]>;
  /** Several reads of one moment, in one round trip. */
  snapshot<const Reads extends readonly (RowsQuery | LogQuery)[]>(reads: Reads): Promise<SnapshotOf<Reads>>;
  /** Removes the items of a log up to and including this sequence; later items keep their sequences. */
  trim(query: { log: LogName; scope: string; thread: string; through: number }): Promise<void>;
  /** What was changed past the store in these threads: one stray for each. Reads whole tables, for an audit. */
  findStrays(choice: { readonly scope?: string; readonly thread?: string }): Promise<readonly Stray[]>;
  /** Milliseconds since the epoch, by a clock that all processes share. */
  now(): Promise<number>;
  /**
   * Calls the listener for threads that a commit of any process has changed; it may repeat, but misses none. Returns
   * the function to stop.
   */
  watch(listener: (change: Change) => void): () => void;
  close(): Promise<void>;
}
