import type { JsonObject, JsonValue } from '../core/index.ts';

/** Rows that change: each has a version, and a change says which version it means. */
export type TableName = 'threads' | 'runs' | 'interrupts' | 'executions' | 'grants' | 'secrets' | 'files';

/** Rows that are only added, in an order that has no gaps. */
export type LogName = 'messages' | 'history' | 'events';

/** Where a row lives. `thread` is empty in tables that do not belong to one. */
export interface RowKey {
  readonly scope: string;
  readonly thread: string;
  readonly id: string;
}

/**
 * What rows can be found by, besides their key: each member has a column of the same name. `tables.ts` says which tables have
 * which.
 */
export interface RowIndex {
  /** Where the row stands; its column is `state`. */
  readonly status?: string;
  readonly agent?: string;
  readonly reason?: string;
  /** The tool whose call it is about. */
  readonly tool?: string;
  readonly title?: string;
  readonly message?: string;
  readonly askedBy?: string;
  readonly answeredBy?: string;
  /** The principal whose thread it is. */
  readonly owner?: string;
  /** The principal who is to look at it. */
  readonly assignee?: string;
  /** Roles of which one is enough to answer. */
  readonly approverRoles?: readonly string[];
  /** Principals who may answer. */
  readonly approverUsers?: readonly string[];
  /** Milliseconds since the epoch: when it expires, or is to be done. */
  readonly dueAt?: number;
  /** Milliseconds since the epoch. */
  readonly answeredAt?: number;
}

export interface Row {
  readonly key: RowKey;
  /** 1 when it was made, and one more with each change. */
  readonly version: number;
  /** Milliseconds since the epoch, by the store's clock. */
  readonly createdAt: number;
  readonly index: RowIndex;
  readonly doc: JsonObject;
}

/** Writes a row. `expect` is the version it replaces: 0 when it must not be there, absent when it may be any. */
export interface PutRow {
  readonly table: TableName;
  readonly key: RowKey;
  readonly doc: JsonObject;
  /** Only members that the table has columns for; others are refused with `INPUT_INVALID`. */
  readonly index?: RowIndex;
  readonly expect?: number;
}

export interface DeleteRow {
  readonly table: TableName;
  readonly key: RowKey;
  readonly expect?: number;
}

/** Says that a row has this version, without changing it; 0 says that it is not there. */
export interface CheckRow {
  readonly table: TableName;
  readonly key: RowKey;
  readonly expect: number;
}

/** Adds to a log of a thread. `expectNext` is the sequence the first item must get. */
export interface AppendLog {
  readonly log: LogName;
  readonly scope: string;
  readonly thread: string;
  readonly items: readonly JsonValue[];
  readonly expectNext?: number;
}

/** Changes that hold together or not at all. */
export interface Batch {
  readonly checks?: readonly CheckRow[];
  readonly puts?: readonly PutRow[];
  readonly deletes?: readonly DeleteRow[];
  readonly appends?: readonly AppendLog[];
}

export type CommitResult =
  | {
      readonly ok: true;
      /** The store's time at the commit. */
      readonly now: number;
      /** For each append, the sequence of its first item; sequences begin at 1. */
      readonly sequences: readonly number[];
    }
  /** Something was not as expected; nothing was changed. Names the first such row or log. */
  | { readonly ok: false; readonly conflict: RowKey & { readonly table: TableName | LogName } };

/** Which rows of a table. Everything that is given must hold. */
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
  /** Rows that this principal owns, is the assignee of, or may answer by name or by one of these roles. */
  readonly visibleTo?: { readonly id: string; readonly roles: readonly string[] };
  /** Rows whose title, message or tool contains this, in upper or lower case; at most 200 characters. */
  readonly text?: string;
  readonly dueBefore?: number;
  /** Milliseconds since the epoch: rows that were made before. */
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

export interface Page {
  readonly rows: readonly Row[];
  /** Where the next page begins; absent on the last one. */
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
  /** Only what comes after this sequence. */
  readonly after?: number;
  /** Default 1,000. */
  readonly limit?: number;
}

/** Rows of a table by their keys. */
export interface RowsQuery {
  readonly table: TableName;
  readonly keys: readonly RowKey[];
}

/** The results of the reads of a snapshot, in their order: as `get` and `read` give them. */
export type SnapshotOf<Reads extends readonly (RowsQuery | LogQuery)[]> = {
  readonly [At in keyof Reads]: Reads[At] extends RowsQuery
    ? readonly (Row | undefined)[]
    : readonly LogItem[];
};

/** A thread that something was committed to. */
export interface Change {
  readonly scope: string;
  readonly thread: string;
}

/** Which process holds a lease. */
export interface LeaseOwner {
  readonly machine: string;
  readonly boot: string;
  readonly pidNamespace: string;
  readonly timeNamespace: string;
  readonly pid: number;
  /** When the process began, as the system counts it. */
  readonly startTime: string;
}

/** Which database a store has open. */
export interface Incarnation {
  readonly id: string;
  /** When it was restored from a backup, in milliseconds since the epoch; absent where it was not. */
  readonly restoredAt?: number;
}

/** Tells which processes are over. */
export interface Processes {
  /** This process. */
  readonly self: LeaseOwner;
  /** Whether a process is certainly over; false where that cannot be known. */
  isGone(owner: LeaseOwner): boolean;
}

/**
 * Where threads, runs, questions and their history are kept. All decisions are made by the ledger, which reads, decides
 * and commits against the versions it read; a store only has to keep its word about `commit`. Whatever fails throws
 * `STORE_FAILED`, and has then changed nothing, or everything where the failure came after the commit.
 */
export interface Store {
  /** Absent where nothing is known of other processes: their leases are waited for. */
  readonly processes?: Processes | undefined;
  /**
   * Which database is open now. It has another id once the database was restored or replaced under this process: what was read
   * from it before no longer counts. Undefined while none is open, and where a store cannot know.
   */
  readonly incarnation?: Incarnation | undefined;
  /**
   * Durable when it resolves. What is given is taken down before this returns, as JSON has it: members that are undefined are
   * left out, and whoever gave it may change it afterwards. Concurrent commits may share one transaction; each holds or fails
   * by itself.
   */
  commit(batch: Batch): Promise<CommitResult>;
  /** The rows, in the order of the keys; undefined for one that is not there. */
  get(table: TableName, keys: readonly RowKey[]): Promise<readonly (Row | undefined)[]>;
  list(query: ListQuery): Promise<Page>;
  /** In the order of their sequences. */
  read(query: LogQuery): Promise<readonly LogItem[]>;
  /** Several reads of one moment, in one round trip. */
  snapshot<const Reads extends readonly (RowsQuery | LogQuery)[]>(reads: Reads): Promise<SnapshotOf<Reads>>;
  /** Removes the oldest items of a log up to and with this sequence; those after it keep theirs. */
  trim(query: { log: LogName; scope: string; thread: string; through: number }): Promise<void>;
  /** Milliseconds since the epoch, by the one clock that all processes share. */
  now(): Promise<number>;
  /**
   * Tells of threads that something was committed to, by this process or another; it may tell of one too often, and never
   * too seldom. Gives back how to stop it.
   */
  watch(listener: (change: Change) => void): () => void;
  close(): Promise<void>;
}
