import type { LibsqlDatabase, LibsqlStatement, SqlValue } from './libsql.ts';

/**
 * One open database and its prepared statements. Everything is synchronous: between `BEGIN` and `COMMIT` nothing else
 * of this process comes in between.
 */
export class Connection {
  readonly #database: LibsqlDatabase;
  readonly #statements = new Map<string, LibsqlStatement>();

  constructor(database: LibsqlDatabase) {
    this.#database = database;
  }

  get inTransaction(): boolean {
    return this.#database.inTransaction;
  }

  /** Runs statements that give nothing back and leave nothing behind when they fail. */
  exec(sql: string): void {
    this.#database.exec(sql);
  }

  /** Gives how many rows it changed. */
  run(sql: string, parameters: readonly SqlValue[] = []): number {
    return this.#prepare(sql).run(parameters).changes;
  }

  /** The rows, each as the list of its columns. Read to the end at once: an unfinished one would hold its snapshot. */
  all(sql: string, parameters: readonly SqlValue[] = []): readonly SqlValue[][] {
    return this.#prepare(sql).all(parameters) as SqlValue[][];
  }

  /** The columns of the first row. */
  row(sql: string, parameters: readonly SqlValue[] = []): readonly SqlValue[] | undefined {
    return this.#prepare(sql).get(parameters) as readonly SqlValue[] | undefined;
  }

  /** The first column of the first row. */
  value(sql: string, parameters: readonly SqlValue[] = []): SqlValue | undefined {
    return this.row(sql, parameters)?.[0];
  }

  /** The number in the first column of the first row; 0 where there is none. */
  number(sql: string, parameters: readonly SqlValue[] = []): number {
    return Number(this.value(sql, parameters) ?? 0);
  }

  /**
   * Runs `work` under the write lock, and keeps all of it or nothing. Throws `SQLITE_BUSY` at once where another
   * connection holds the lock.
   */
  transaction<T>(work: () => T): T {
    // Not prepared: a prepared BEGIN that meets a lock stays in progress, and no COMMIT succeeds beside it.
    this.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      this.exec('COMMIT');
      return result;
    } catch (error) {
      // Some failures, such as a full disk, have already rolled it back.
      if (this.inTransaction) this.exec('ROLLBACK');
      throw error;
    }
  }

  /** Runs reads that all see the same moment. */
  snapshot<T>(work: () => T): T {
    this.exec('BEGIN');
    try {
      return work();
    } finally {
      if (this.inTransaction) this.exec('COMMIT');
    }
  }

  close(): void {
    this.#statements.clear();
    this.#moveJournal();
    this.#database.close();
  }

  /** The driver lets go of a file only when its statements are collected, so SQLite does not do this by itself at the end. */
  #moveJournal(): void {
    try {
      this.#database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').all([]);
    } catch {
      // Nothing is lost: whoever opens the file finds its journal beside it.
    }
  }

  #prepare(sql: string): LibsqlStatement {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const prepared = this.#database.prepare(sql);
    const statement = prepared.reader ? prepared.raw() : prepared;
    this.#statements.set(sql, statement);
    return statement;
  }
}
