import { chmodSync, closeSync, openSync, readSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { HoldpointError } from '../../core/index.ts';
import type { SqlValue } from '../dialect.ts';
import type { Incarnation } from '../store.ts';
import { TABLE_NAMES } from '../tables.ts';

/** The part of a `libsql` statement that is used. */
export interface LibsqlStatement {
  /** Whether it returns rows. */
  readonly reader: boolean;
  run(parameters: readonly SqlValue[]): {
    readonly changes: number;
    readonly lastInsertRowid: number | bigint;
  };
  all(parameters: readonly SqlValue[]): unknown[];
  /** The first row alone. */
  get(parameters: readonly SqlValue[]): unknown;
  /** Rows as lists of their columns. */
  raw(): LibsqlStatement;
}

/** The part of a `libsql` database that is used. */
export interface LibsqlDatabase {
  readonly inTransaction: boolean;
  prepare(sql: string): LibsqlStatement;
  exec(sql: string): void;
  close(): void;
}

/** The class that the package `libsql` exports. */
export type Libsql = new (path: string) => LibsqlDatabase;

/** Loads `libsql`, an optional dependency, when the first store is opened. Throws `STORE_FAILED` if it is missing. */
export function loadLibsql(load: (name: string) => unknown = createRequire(import.meta.url)): Libsql {
  try {
    // The package has the declared form.
    return load('libsql') as Libsql;
  } catch (cause) {
    throw new HoldpointError(
      'STORE_FAILED',
      'The SQLite store needs the package libsql, which could not be loaded: run `npm install libsql`.',
      { cause },
    );
  }
}

/** The permissions of the file at a path or a `file:` URL. */
export function modeOf(path: string): number {
  return statSync(placeOf(path) ?? path).mode & 0o777;
}

/** The permissions of a new database: its owner reads and writes it. */
export const PRIVATE = 0o600;

/**
 * Creates an empty file, which SQLite accepts as a database; SQLite itself would create one that every user of the machine can read. It
 * gives the logs the permissions of the file. Throws if there is a file or a link.
 */
function createFile(path: string, mode: number): void {
  closeSync(openSync(path, 'wx', mode));
  // The mode of a new file depends on the umask.
  chmodSync(path, mode);
}

/** Creates a missing database that only its owner can read. */
export function createPrivately(path: string): void {
  const place = placeOf(path);
  // A URL with options or escapes may mean another file, or none.
  if (place === undefined || (place !== path && /[?%]/.test(path))) return;
  try {
    createFile(place, PRIVATE);
  } catch {
    // Another process was first, or SQLite says why the file cannot be created.
  }
}

/** Copies a database, with the commits in its log, into a new file. */
export function copyDatabase(from: string, to: string, mode = PRIVATE): void {
  const libsql = loadLibsql();
  createFile(to, mode);
  const database = new libsql(from);
  try {
    database.prepare('VACUUM INTO ?').run([to]);
  } finally {
    database.close();
  }
}

/**
 * An open database with its prepared statements. All calls are synchronous, so no other code of this process runs
 * between `BEGIN` and `COMMIT`.
 */
export class Connection {
  readonly #database: LibsqlDatabase;
  readonly #statements = new Map<string, LibsqlStatement>();
  readonly #path: string;
  /** The open file and its identity. */
  #file: string | undefined;
  #schema: readonly SqlValue[] | undefined;
  #incarnation: Incarnation = { id: '' };

  constructor(database: LibsqlDatabase, path = ':memory:') {
    this.#database = database;
    this.#path = path;
  }

  get inTransaction(): boolean {
    return this.#database.inTransaction;
  }

  /** Identifies this database; a restored one has another id. */
  get incarnation(): Incarnation {
    return this.#incarnation;
  }

  /** Whether the open file is the database that it was when it was opened: at its path, and not renewed by another process. */
  isCurrent(): boolean {
    return !this.isMoved() && readSchema(this)[1] === this.#schema?.[1];
  }

  /**
   * Gives the database a new incarnation after a restore or replacement. Every row gets a new version, so that
   * decisions from the other file do not apply.
   */
  renew(restoredAt: number): void {
    this.transaction(() => {
      for (const table of TABLE_NAMES) this.run(`UPDATE ${table} SET version = version + ?`, [restoredAt]);
      this.run('UPDATE holdpoint_schema SET incarnation = ?, restored_at = ?', [
        crypto.randomUUID(),
        restoredAt,
      ]);
    });
    this.#rememberSchema();
  }

  /**
   * Records the open file, so that every transaction can detect a change. Throws `STORE_FAILED` if the path led to
   * another file before.
   */
  remember(before: string | undefined): void {
    this.#file = fileAt(this.#path);
    if (before !== NO_FILE && before !== this.#file) throw replaced(this.#path);
    this.#rememberSchema();
  }

  /** Whether the path no longer leads to the open file: it was replaced, moved or deleted. */
  isMoved(): boolean {
    return this.#file !== undefined && fileAt(this.#path) !== this.#file;
  }

  /** Runs statements without results; a failure leaves nothing behind. */
  exec(sql: string): void {
    this.#database.exec(sql);
  }

  /** Returns the number of changed rows. */
  run(sql: string, parameters: readonly SqlValue[] = []): number {
    return this.#prepare(sql).run(parameters).changes;
  }

  /** Returns the rowid of the inserted row. */
  insert(sql: string, parameters: readonly SqlValue[]): number {
    return Number(this.#prepare(sql).run(parameters).lastInsertRowid);
  }

  /** The rows as lists of columns, read to the end, because an unfinished statement would hold its snapshot. */
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

  /** The number in the first column of the first row; 0 without a row. */
  number(sql: string, parameters: readonly SqlValue[] = []): number {
    return Number(this.value(sql, parameters) ?? 0);
  }

  /**
   * Runs `work` under the write lock, completely or not at all. Throws `SQLITE_BUSY` if another connection holds the
   * lock. Throws `STORE_FAILED` without a change if the schema or the incarnation of the file has changed; also if
   * the path leads to another file afterwards: a commit is then lost, and any error comes from the old file.
   */
  transaction<T>(work: () => T): T {
    let result: T;
    try {
      // Not prepared: a prepared BEGIN that meets a lock stays in progress, and then no COMMIT succeeds.
      this.exec('BEGIN IMMEDIATE');
      this.#assertSchema();
      result = work();
      this.exec('COMMIT');
    } catch (error) {
      // Some failures, such as a full disk, have already rolled it back.
      if (this.inTransaction) this.exec('ROLLBACK');
      throw this.isMoved() ? replaced(this.#path) : error;
    }
    if (this.isMoved()) throw replaced(this.#path);
    return result;
  }

  close(): void {
    this.#statements.clear();
    this.#moveLog();
    this.#database.close();
  }

  /** The driver releases a file only when its statements are collected, so SQLite does not do this at close. */
  #moveLog(): void {
    try {
      if (!this.isMoved()) this.#database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').all([]);
    } catch {
      // Nothing is lost: the next process that opens the file reads the log beside it.
    }
  }

  #rememberSchema(): void {
    this.#schema = readSchema(this);
    const [, id, restoredAt = null] = this.#schema;
    this.#incarnation = {
      id: String(id ?? ''),
      ...(restoredAt === null ? {} : { restoredAt: Number(restoredAt) }),
    };
  }

  #assertSchema(): void {
    if (this.#schema === undefined) return;
    const [version, incarnation] = readSchema(this);
    if (incarnation === this.#schema[1] && version === this.#schema[0]) return;
    if (version === this.#schema[0]) throw replaced(this.#path);
    throw new HoldpointError(
      'STORE_FAILED',
      `The SQLite file ${this.#path} got schema version ${String(version)} while this process had it open with ${String(this.#schema[0])}: start the process again, with that holdpoint.`,
    );
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

/** The file path of a path or a `file:` URL; undefined for a database without a file. */
export function placeOf(path: string): string | undefined {
  const place = path.replace(/^file:/, '').replace(/\?.*$/, '');
  return place === '' || place === ':memory:' ? undefined : place;
}

export const NO_FILE = 'none';

/** The identity of the file at a path; undefined for a database without a file. */
export function fileAt(path: string): string | undefined {
  const place = placeOf(path);
  if (place === undefined) return undefined;
  const found = statSync(place, { throwIfNoEntry: false });
  return found === undefined ? NO_FILE : `${found.dev}:${found.ino}`;
}

/** The content of a file that stands in for a database while `holdpoint restore` replaces it. */
export const NOTICE = 'holdpoint is restoring this database\n';

/** Whether the file at a path is a {@link NOTICE}. */
export function isNotice(path: string): boolean {
  const place = placeOf(path);
  if (place === undefined || statSync(place, { throwIfNoEntry: false })?.size !== NOTICE.length) return false;
  const file = openSync(place, 'r');
  const content = Buffer.alloc(NOTICE.length);
  readSync(file, content);
  closeSync(file);
  return content.toString() === NOTICE;
}

function replaced(path: string): HoldpointError {
  return new HoldpointError(
    'STORE_FAILED',
    `The SQLite file ${path} was replaced, moved or deleted while it was open: what was just written is not in the file that is there now.`,
    { details: { replaced: true } },
  );
}

/** The version, the incarnation and the restore time. */
function readSchema(connection: Connection): readonly SqlValue[] {
  return connection.row('SELECT version, incarnation, restored_at FROM holdpoint_schema') ?? [];
}
