import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { defined, HoldpointError } from '../../core/index.ts';
import type { Progress } from '../earlier-rows.ts';
import type { LibsqlDatabase } from './driver.ts';
import { Connection, createPrivately, fileAt, isNotice, loadLibsql, NO_FILE, placeOf } from './driver.ts';
import { isBusy, restoring, storeFailure } from './errors.ts';
import { knownVersion, migrate } from './migrate.ts';
import { SCHEMA_VERSION } from './schema.ts';

export interface DatabaseOptions {
  /** `FULL` (default): a commit survives a power cut. `NORMAL`: it survives a crash of the process, and is faster. */
  readonly synchronous?: 'FULL' | 'NORMAL';
  /** Milliseconds to wait for the lock of another process. Default 5,000. */
  readonly busyTimeoutMs?: number;
  /** Throws `STORE_FAILED` if the file is missing, instead of creating it. Default false. */
  readonly mustExist?: boolean;
  /**
   * Only reads: creates and changes no file. Throws `STORE_FAILED` for a file that is missing, is no Holdpoint database, or has another
   * schema. Default false.
   */
  readonly readOnly?: boolean;
  /** Called after each piece of a migration with the rows that were moved and the rows that there are. */
  readonly onProgress?: Progress;
}

export interface OpenedDatabase {
  readonly connection: Connection;
  /** The version of the schema that the file had. */
  readonly versionBefore: number;
  /** The copy of the file before its schema was changed. */
  readonly backup?: string;
}

export const DEFAULT_BUSY_TIMEOUT_MS = 5000;

/** Opens a file, creates it if it is missing, and migrates its schema. Waits for a lock. Throws `STORE_FAILED`. */
export async function openDatabase(path: string, options: DatabaseOptions = {}): Promise<OpenedDatabase> {
  const { busyTimeoutMs = DEFAULT_BUSY_TIMEOUT_MS } = options;
  try {
    return await retryWhileBusy(() => openDatabaseNow(path, options), busyTimeoutMs);
  } catch (error) {
    throw storeFailure(path, error);
  }
}

/** {@link openDatabase} without waiting: throws errors of SQLite, `SQLITE_BUSY` for a locked file. */
export function openDatabaseNow(path: string, options: DatabaseOptions = {}): OpenedDatabase {
  const { synchronous = 'FULL', onProgress, mustExist = false } = options;
  const file = fileAt(path);
  if (options.readOnly === true && file === NO_FILE)
    throw new HoldpointError('STORE_FAILED', `There is no SQLite file at ${path}.`);
  if (mustExist && file === NO_FILE) {
    throw new HoldpointError(
      'STORE_FAILED',
      `The SQLite file ${path} is no longer there: put it back, or start the process again to begin with an empty one.`,
    );
  }
  if (isNotice(path)) throw restoring(path);
  const libsql = loadLibsql();
  if (options.readOnly === true) return openToRead(path, new libsql(readOnlyUrl(path)));
  if (file === NO_FILE) createPrivately(path);
  const connection = new Connection(new libsql(path), path);
  try {
    // The waiting of SQLite would block the process; see retryWhileBusy.
    connection.all('PRAGMA busy_timeout = 0');
    // Only for a new file. A commit writes every page that it touches, and most rows are small.
    connection.exec('PRAGMA page_size = 2048');
    connection.all('PRAGMA journal_mode = WAL');
    connection.exec(`PRAGMA synchronous = ${synchronous}`);
    // Pages that many commits have written are moved into the file once, from a write-ahead log of 16 MB.
    connection.all('PRAGMA wal_autocheckpoint = 8000');
    const migrated = migrate(connection, path, onProgress);
    connection.remember(file);
    return { connection, ...migrated };
  } catch (error) {
    connection.close();
    throw error;
  }
}

/**
 * The URL that opens a file to read. Without a log file, no process has the database open, and SQLite can read it without creating
 * files.
 */
export function readOnlyUrl(path: string): string {
  const file = placeOf(path) ?? path;
  const mode = existsSync(`${file}-wal`) ? 'mode=ro' : 'mode=ro&immutable=1';
  return `${pathToFileURL(resolve(file)).href}?${mode}`;
}

function openToRead(path: string, database: LibsqlDatabase): OpenedDatabase {
  const connection = new Connection(database, path);
  try {
    connection.all('PRAGMA busy_timeout = 0');
    const version = knownVersion(connection, path);
    if (version === SCHEMA_VERSION) {
      connection.remember(fileAt(path));
      return { connection, versionBefore: version };
    }
    const says =
      version === 0
        ? 'is no Holdpoint database: see that the path names the right file'
        : `has schema version ${version}, and this release reads ${SCHEMA_VERSION}: run \`holdpoint migrate\` first`;
    throw new HoldpointError('STORE_FAILED', `The SQLite file ${path} ${says}.`);
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** The result of {@link migrateSqlite}. */
export interface Migrated {
  /** The version of the schema that the file had; 0 for a new one. */
  readonly from: number;
  /** The version of the schema that it has now. */
  readonly to: number;
  /** The copy of the earlier file, if its schema was changed. */
  readonly backup?: string;
}

/**
 * Migrates a file without a store, for example before a deployment. Copies a file of an earlier schema to
 * `<path>.schema-<version>` first. Throws `STORE_FAILED`.
 *
 * @example
 * ```ts
 * import { migrateSqlite } from 'holdpoint/store/sqlite';
 *
 * const { from, to, backup } = await migrateSqlite('holdpoint.db', {
 *   onProgress: ({ done, total }) => console.log(`${done} of ${total} rows`),
 * });
 * console.log(`Schema ${from} is now ${to}; the copy is ${backup ?? 'not needed'}.`);
 * ```
 */
export async function migrateSqlite(
  path: string,
  options: Pick<DatabaseOptions, 'busyTimeoutMs' | 'onProgress'> = {},
): Promise<Migrated> {
  const { connection, versionBefore, backup } = await openDatabase(path, options);
  connection.close();
  return { from: versionBefore, to: SCHEMA_VERSION, ...defined({ backup }) };
}

const LONGEST_PAUSE_MS = 25;

/**
 * Tries again while another connection holds the lock, without blocking the event loop. Makes the first attempt
 * before it returns. Throws the last error after `timeoutMs`.
 */
export async function retryWhileBusy<T>(attempt: () => T, timeoutMs: number): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (let count = 0; ; count += 1) {
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error) || performance.now() >= deadline) throw error;
    }
    // Growing pauses that differ between processes.
    await delay(Math.min(LONGEST_PAUSE_MS, 2 ** Math.min(count, 10)) * (0.5 + Math.random()));
  }
}
