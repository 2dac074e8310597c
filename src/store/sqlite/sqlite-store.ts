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
import type { Connection } from './connection.ts';
import { freezeBatch, storedKey } from './freeze-batch.ts';
import { GroupCommit } from './group-commit.ts';
import { Journal } from './journal.ts';
import { listRows } from './list-rows.ts';
import { localProcesses } from './local-processes.ts';
import type { DatabaseOptions, OpenedDatabase } from './open-database.ts';
import { DEFAULT_BUSY_TIMEOUT_MS, openDatabase, openDatabaseNow } from './open-database.ts';
import { readLog, trimLog } from './read-log.ts';
import type { Readable } from './read-rows.ts';
import { readRow } from './read-rows.ts';
import { retryWhileBusy } from './retry-while-busy.ts';
import { storeFailure } from './sqlite-errors.ts';
import { ChangeWatcher } from './watch-changes.ts';

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

interface Opened {
  readonly connection: Connection;
  readonly journal: Journal;
  readonly group: GroupCommit;
}

class SqliteStore implements Store {
  readonly processes = localProcesses();
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
    this.#watcher = new ChangeWatcher(() => this.#opened?.journal, options.pollIntervalMs ?? 100);
    try {
      this.#opened = this.#toOpened(openDatabaseNow(path, options));
    } catch {
      // The first call tries again, waits for a lock where that is the reason, and hears of what is wrong.
    }
  }

  async commit(batch: Batch): Promise<CommitResult> {
    this.#assertOpen();
    const frozen = freezeBatch(batch);
    const result = await this.#write<CommitResult>(({ journal }) => {
      const now = this.#now();
      const added = journal.add(frozen, now);
      return 'table' in added ? { ok: false, conflict: added } : { ok: true, now, sequences: added };
    });
    if (result.ok) this.#watcher.tell(frozen.changes);
    return result;
  }

  async get(table: TableName, keys: readonly RowKey[]) {
    return this.#read((readable) => keys.map((key) => readRow(readable, table, key)), keys.length > 1);
  }

  async list(query: ListQuery) {
    return this.#read((readable) => listRows(readable, query), true);
  }

  async read(query: LogQuery) {
    return this.#read((readable) => readLog(readable, query));
  }

  async trim(query: { log: LogName; scope: string; thread: string; through: number }): Promise<void> {
    const frozen = { ...query };
    await this.#write(({ connection, journal }) => {
      journal.fileNow();
      trimLog(connection, frozen);
      journal.mark(storedKey({ ...frozen, id: '' }));
    });
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

  /** A clock that was set back stands still until its time comes again. */
  #now(): number {
    this.#latest = Math.max(this.#latest, (this.#options.clock ?? systemClock).now());
    return this.#latest;
  }

  async #write<T>(work: (opened: Opened) => T): Promise<T> {
    this.#assertOpen();
    try {
      const opened = this.#opened ?? (await this.#open());
      return await opened.group.run(() => work(opened));
    } catch (error) {
      throw storeFailure(this.#path, error);
    }
  }

  /** `atOnce` where everything that is read has to be of one moment. */
  async #read<T>(work: (readable: Readable) => T, atOnce = false): Promise<T> {
    this.#assertOpen();
    try {
      const opened = this.#opened ?? (await this.#open());
      const { connection, journal } = opened;
      const attempt = () => {
        if (atOnce) return connection.snapshot(() => (journal.catchUp(), work(opened)));
        journal.catchUpOnce();
        return work(opened);
      };
      return await retryWhileBusy(attempt, this.#busyTimeoutMs);
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
    const journal = new Journal(connection, this.#watcher);
    return { connection, journal, group: new GroupCommit(connection, journal, this.#busyTimeoutMs) };
  }

  async #shutDown(): Promise<void> {
    this.#watcher.close();
    const opened = this.#opened ?? (await this.#opening?.catch(() => {}));
    if (opened === undefined) return;
    await opened.group.drained();
    fileAll(opened);
    opened.connection.close();
  }

  #assertOpen(): void {
    if (this.#closing !== undefined) throw new HoldpointError('STORE_FAILED', 'The store was closed.');
  }
}

/** Leaves nothing in the journal where that can be done at once; if not, whoever opens the file next finds it there. */
function fileAll({ connection, journal }: Opened): void {
  if (journal.pending.commits === 0) return;
  try {
    connection.transaction(() => {
      journal.begin();
      journal.fileNow();
      journal.end();
    });
  } catch {
    // Nothing is lost.
  }
}
