import type { Clock } from '../../core/index.ts';
import {
  callback,
  checkOptions,
  flag,
  HoldpointError,
  members,
  milliseconds,
  oneOf,
  optional,
  record,
  systemClock,
} from '../../core/index.ts';
import { encodeBatch } from '../encode-batch.ts';
import type { GroupCommits } from '../group-commits.ts';
import type { Listeners } from '../listeners.ts';
import type {
  Batch,
  Change,
  CommitResult,
  CountQuery,
  Incarnation,
  ListQuery,
  LogName,
  LogQuery,
  RowKey,
  RowsQuery,
  SnapshotOf,
  Store,
  TableName,
} from '../store.ts';
import type { Work } from './commit-batches.ts';
import { commitBatch, groupTransactions, writeChanges } from './commit-batches.ts';
import type { DatabaseOptions } from './connect.ts';
import {
  DEFAULT_BUSY_TIMEOUT_MS,
  openDatabase,
  openDatabaseNow,
  readOnlyUrl,
  retryWhileBusy,
} from './connect.ts';
import { SQLITE } from './dialect.ts';
import type { Connection } from './driver.ts';
import { isBusy, storeFailure } from './errors.ts';
import { localProcesses } from './local-processes.ts';
import { countRows, findStrays, listRows, readAll, trimLog } from './read-rows.ts';
import { createListeners } from './watch-changes.ts';

/** The options of {@link sqliteStore}. */
export interface SqliteStoreOptions extends DatabaseOptions {
  /** Milliseconds between two checks for commits of other processes while there are watchers. Default 100. */
  readonly pollIntervalMs?: number;
  /** The clock of the store. Default: the clock of this machine, which all processes of one file share. */
  readonly clock?: Clock;
}

const sqliteOptions = members<SqliteStoreOptions>({
  synchronous: optional(oneOf('FULL', 'NORMAL')),
  busyTimeoutMs: optional(milliseconds),
  mustExist: optional(flag),
  readOnly: optional(flag),
  onProgress: optional(callback),
  pollIntervalMs: optional(milliseconds),
  clock: optional(record),
});

/**
 * Keeps everything in one SQLite file, or in memory with `:memory:`, for all processes of one machine. Opens and
 * migrates the file at once; after a failure, every call throws `STORE_FAILED` and tries again.
 *
 * @example
 * ```ts
 * import { createHost } from 'holdpoint/host';
 * import { sqliteStore } from 'holdpoint/store/sqlite';
 *
 * createHost({ agents: [assistant], store: sqliteStore('holdpoint.db') });
 * ```
 */
export function sqliteStore(path: string, options: SqliteStoreOptions = {}): Store {
  if (typeof path !== 'string' || path.trim() === '' || /^postgres(?:ql)?:/.test(path)) {
    throw new HoldpointError(
      'INPUT_INVALID',
      'sqliteStore needs the path of a file, such as holdpoint.db. For a PostgreSQL address, use postgresStore.',
    );
  }
  checkOptions('options of sqliteStore', options, sqliteOptions);
  return new SqliteStore(path, options);
}

/** Milliseconds between two checks of a read whether the path still leads to the open file; each commit checks. */
const LOOK_EVERY_MS = 50;

interface Opened {
  readonly connection: Connection;
  readonly group: GroupCommits<Work, unknown>;
}

class SqliteStore implements Store {
  readonly processes = localProcesses();
  readonly #path: string;
  readonly #options: SqliteStoreOptions;
  readonly #busyTimeoutMs: number;
  readonly #listeners: Listeners;
  #opening: Promise<Opened> | undefined;
  #opened: Opened | undefined;
  #closing: Promise<void> | undefined;
  #latest = 0;
  #lookAgainAt = 0;
  /** How the file is open, if it is only read: another process that opens it creates a log file beside it. */
  #readUrl = '';
  /** The incarnations that this store has had open. */
  readonly #known = new Set<string>();

  constructor(path: string, options: SqliteStoreOptions) {
    this.#path = path;
    this.#options = options;
    this.#busyTimeoutMs = options.busyTimeoutMs ?? DEFAULT_BUSY_TIMEOUT_MS;
    this.#listeners = createListeners(() => this.#opened?.connection, options.pollIntervalMs ?? 100);
    try {
      this.#opened = this.#toOpened(openDatabaseNow(path, options).connection);
    } catch {
      // The first call tries again, waits for a lock, and reports the error.
    }
  }

  get incarnation(): Incarnation | undefined {
    return this.#opened?.connection.incarnation;
  }

  isCurrent(): boolean {
    const connection = this.#opened?.connection;
    if (connection === undefined || this.#closing !== undefined) return connection !== undefined;
    try {
      return connection.isCurrent();
    } catch (error) {
      return isBusy(error);
    }
  }

  async commit(batch: Batch): Promise<CommitResult> {
    this.#assertOpen();
    const encoded = encodeBatch(SQLITE, batch);
    const result = await this.#write(({ connection }) => commitBatch(connection, encoded, this.#now()));
    if (result.ok) this.#listeners.tell(encoded.changes);
    return result;
  }

  async get(table: TableName, keys: readonly RowKey[]) {
    return (await this.snapshot([{ table, keys }]))[0];
  }

  async list(query: ListQuery) {
    return this.#read((connection) => listRows(connection, query));
  }

  async count(query: CountQuery) {
    return this.#read((connection) => countRows(connection, query));
  }

  async read(query: LogQuery) {
    return (await this.snapshot([query]))[0];
  }

  async snapshot<const Reads extends readonly (RowsQuery | LogQuery)[]>(reads: Reads) {
    const results = await this.#read((connection) => readAll(connection, reads));
    // One result for each read, of its kind.
    return results as unknown as SnapshotOf<Reads>;
  }

  async trim(query: { log: LogName; scope: string; thread: string; through: number }): Promise<void> {
    const taken = { ...query };
    await this.#write(({ connection }) => {
      trimLog(connection, taken);
      writeChanges(connection, [taken]);
    });
  }

  async findStrays(choice: { scope?: string; thread?: string }) {
    return this.#read((connection) => findStrays(connection, choice));
  }

  async now(): Promise<number> {
    this.#assertOpen();
    return this.#now();
  }

  watch(listener: (change: Change) => void): () => void {
    this.#assertOpen();
    return this.#listeners.add(listener);
  }

  /** Writes the pending commits; later calls fail. */
  async close(): Promise<void> {
    this.#closing ??= this.#shutDown();
    return this.#closing;
  }

  /** A clock that was set back stands still until its time comes again. */
  #now(): number {
    this.#latest = Math.max(this.#latest, (this.#options.clock ?? systemClock).now());
    return this.#latest;
  }

  async #write<T>(work: (opened: Opened) => T): Promise<T> {
    this.#assertOpen();
    const current = this.#current();
    const opened = current instanceof Promise ? await current : current;
    try {
      // The group gives back what `work` returned.
      return (await opened.group.run(() => work(opened))) as T;
    } catch (error) {
      if (opened.connection.isMoved() || isReplaced(error)) this.#leave(opened);
      throw storeFailure(this.#path, error);
    }
  }

  async #read<T>(work: (connection: Connection) => T): Promise<T> {
    this.#assertOpen();
    const current = this.#current();
    const { connection } = current instanceof Promise ? await current : current;
    try {
      return await retryWhileBusy(() => work(connection), this.#busyTimeoutMs);
    } catch (error) {
      throw storeFailure(this.#path, error);
    }
  }

  /** The open file of the path; synchronous if possible, so that calls keep their order. */
  #current(): Opened | Promise<Opened> {
    const opened = this.#opened;
    if (opened !== undefined) {
      const now = performance.now();
      if (now < this.#lookAgainAt) return opened;
      this.#lookAgainAt = now + LOOK_EVERY_MS;
      const isSame = this.#options.readOnly !== true || this.#readUrl === readOnlyUrl(this.#path);
      if (isSame && !opened.connection.isMoved()) return opened;
      this.#leave(opened);
    }
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  async #open(): Promise<Opened> {
    // A missing file is not created again: an empty database would hide the loss.
    const mustExist = this.#known.size > 0;
    const { connection } = await openDatabase(this.#path, { ...this.#options, mustExist });
    // Another file with the same incarnation is a copy by another program.
    if (this.#options.readOnly !== true && this.#known.has(connection.incarnation.id))
      await this.#renew(connection);
    this.#opened = this.#toOpened(connection);
    return this.#opened;
  }

  async #renew(connection: Connection): Promise<void> {
    try {
      await retryWhileBusy(() => connection.renew(this.#now()), this.#busyTimeoutMs);
    } catch (error) {
      connection.close();
      throw storeFailure(this.#path, error);
    }
  }

  #toOpened(connection: Connection): Opened {
    this.#known.add(connection.incarnation.id);
    this.#readUrl = readOnlyUrl(this.#path);
    return { connection, group: groupTransactions(connection, this.#busyTimeoutMs) };
  }

  /** The path leads to another file: pending calls fail, and the next call opens the other file. */
  #leave(opened: Opened): void {
    if (this.#opened !== opened) return;
    this.#opened = undefined;
    void opened.group.finish().then(() => opened.connection.close());
  }

  async #shutDown(): Promise<void> {
    await this.#listeners.close();
    const opened = this.#opened ?? (await this.#opening?.catch(() => {}));
    if (opened === undefined) return;
    await opened.group.finish();
    opened.connection.close();
  }

  #assertOpen(): void {
    if (this.#closing !== undefined) throw new HoldpointError('STORE_FAILED', 'The store was closed.');
  }
}

/** The file has a new incarnation: another process found it in place of its own and renewed it. */
function isReplaced(error: unknown): boolean {
  return HoldpointError.is(error) && error.details?.['replaced'] === true;
}
