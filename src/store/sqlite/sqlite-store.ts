import type { Clock } from '../../core/index.ts';
import { HoldpointError, systemClock } from '../../core/index.ts';
import type {
  Batch,
  Change,
  CommitResult,
  ListQuery,
  LogName,
  LogQuery,
  RowKey,
  Store,
  TableName,
} from '../store.ts';
import { applyBatch, Unexpected } from './apply-batch.ts';
import type { Connection } from './connection.ts';
import { findConflict, withoutExpectations } from './find-conflict.ts';
import type { FrozenBatch } from './freeze-batch.ts';
import { freezeBatch } from './freeze-batch.ts';
import { GroupCommit } from './group-commit.ts';
import { listRows } from './list-rows.ts';
import type { DatabaseOptions, OpenedDatabase } from './open-database.ts';
import { DEFAULT_BUSY_TIMEOUT_MS, openDatabase, openDatabaseNow } from './open-database.ts';
import { readLog, trimLog } from './read-log.ts';
import { readRows } from './read-rows.ts';
import { retryWhileBusy } from './retry-while-busy.ts';
import { storeFailure } from './sqlite-errors.ts';
import { ChangeWatcher, lastPlace } from './watch-changes.ts';

export interface SqliteStoreOptions extends DatabaseOptions {
  /** How often to look for commits of other processes while someone watches; default 100. */
  readonly pollIntervalMs?: number;
  /** Default: this machine's clock, which every process of one file shares. */
  readonly clock?: Clock;
}

/**
 * Keeps everything in one SQLite file, or with `:memory:` in none, for all processes of one machine. The file is opened
 * and brought up to date at once; where that fails, every call throws `STORE_FAILED` and tries again.
 */
export function sqliteStore(path: string, options: SqliteStoreOptions = {}): Store {
  return new SqliteStore(path, options);
}

interface Committed {
  readonly result: CommitResult;
  /** Where the file ended before and after, while someone watches. */
  readonly places?: { readonly from: number; readonly to: number };
}

interface Opened {
  readonly connection: Connection;
  readonly group: GroupCommit;
}

class SqliteStore implements Store {
  readonly #path: string;
  readonly #options: SqliteStoreOptions;
  readonly #busyTimeoutMs: number;
  readonly #watcher: ChangeWatcher;
  #opening: Promise<Opened> | undefined;
  #opened: Opened | undefined;
  #closing: Promise<void> | undefined;
  #latest = 0;

  constructor(path: string, options: SqliteStoreOptions) {
    this.#path = path;
    this.#options = options;
    this.#busyTimeoutMs = options.busyTimeoutMs ?? DEFAULT_BUSY_TIMEOUT_MS;
    this.#watcher = new ChangeWatcher(() => this.#opened?.connection, options.pollIntervalMs ?? 100);
    try {
      this.#opened = this.#toOpened(openDatabaseNow(path, options));
    } catch {
      // The first call tries again, waits for a lock where that is the reason, and hears of what is wrong.
    }
  }

  async commit(batch: Batch): Promise<CommitResult> {
    this.#assertOpen();
    const frozen = freezeBatch(batch);
    const { result, places } = await this.#commit(frozen);
    if (result.ok) this.#watcher.tell(frozen.changes, places);
    return result;
  }

  async get(table: TableName, keys: readonly RowKey[]) {
    return this.#read((connection) => readRows(connection, table, keys));
  }

  async list(query: ListQuery) {
    return this.#read((connection) => listRows(connection, query));
  }

  async read(query: LogQuery) {
    return this.#read((connection) => readLog(connection, query));
  }

  async trim(query: { log: LogName; scope: string; thread: string; through: number }): Promise<void> {
    const frozen = { ...query };
    await this.#write((connection) => trimLog(connection, frozen));
  }

  async now(): Promise<number> {
    this.#assertOpen();
    return this.#now();
  }

  watch(listener: (change: Change) => void): () => void {
    this.#assertOpen();
    return this.#watcher.watch(listener);
  }

  /** Writes what was committed before it; whatever comes after fails. */
  async close(): Promise<void> {
    this.#closing ??= this.#shutDown();
    return this.#closing;
  }

  /** Most batches are as they expect: only for one that is not, everything is looked at before anything is written. */
  async #commit(batch: FrozenBatch): Promise<Committed> {
    try {
      return await this.#write((connection) => this.#apply(connection, batch));
    } catch (error) {
      if (!(error instanceof Unexpected)) throw error;
    }
    return this.#write((connection) => {
      const conflict = findConflict(connection, batch);
      if (conflict !== undefined) return { result: { ok: false, conflict } };
      return this.#apply(connection, withoutExpectations(batch));
    });
  }

  #apply(connection: Connection, batch: FrozenBatch): Committed {
    const now = this.#now();
    const from = this.#watcher.isWatched ? lastPlace(connection) : undefined;
    const sequences = applyBatch(connection, batch, now);
    const result: CommitResult = { ok: true, now, sequences };
    return from === undefined ? { result } : { result, places: { from, to: lastPlace(connection) } };
  }

  /** A clock that was set back stands still until its time comes again. */
  #now(): number {
    this.#latest = Math.max(this.#latest, (this.#options.clock ?? systemClock).now());
    return this.#latest;
  }

  async #write<T>(work: (connection: Connection) => T): Promise<T> {
    this.#assertOpen();
    try {
      const { connection, group } = this.#opened ?? (await this.#open());
      return await group.run(() => work(connection));
    } catch (error) {
      if (error instanceof Unexpected) throw error;
      throw storeFailure(this.#path, error);
    }
  }

  async #read<T>(work: (connection: Connection) => T): Promise<T> {
    this.#assertOpen();
    try {
      const { connection } = this.#opened ?? (await this.#open());
      return await retryWhileBusy(() => work(connection), this.#busyTimeoutMs);
    } catch (error) {
      throw storeFailure(this.#path, error);
    }
  }

  async #open(): Promise<Opened> {
    this.#opening ??= this.#openAgain();
    return this.#opening;
  }

  async #openAgain(): Promise<Opened> {
    try {
      this.#opened = this.#toOpened(await openDatabase(this.#path, this.#options));
      return this.#opened;
    } finally {
      this.#opening = undefined;
    }
  }

  #toOpened({ connection }: OpenedDatabase): Opened {
    return { connection, group: new GroupCommit(connection, this.#busyTimeoutMs) };
  }

  async #shutDown(): Promise<void> {
    this.#watcher.close();
    const opened = this.#opened ?? (await this.#opening?.catch(() => {}));
    if (opened === undefined) return;
    await opened.group.drained();
    opened.connection.close();
  }

  #assertOpen(): void {
    if (this.#closing !== undefined) throw new HoldpointError('STORE_FAILED', 'The store was closed.');
  }
}
