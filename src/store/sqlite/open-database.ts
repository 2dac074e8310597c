import { Connection } from './connection.ts';
import { loadLibsql } from './libsql.ts';
import { migrate } from './migrations.ts';
import { retryWhileBusy } from './retry-while-busy.ts';
import { storeFailure } from './sqlite-errors.ts';

export interface DatabaseOptions {
  /** `FULL` (default): a commit survives a power cut. `NORMAL`: it survives a crash of the process, and is faster. */
  readonly synchronous?: 'FULL' | 'NORMAL';
  /** How long to wait for a lock that another process holds; default 5,000. */
  readonly busyTimeoutMs?: number;
}

export interface OpenedDatabase {
  readonly connection: Connection;
  /** The version of the schema that the file had. */
  readonly versionBefore: number;
}

export const DEFAULT_BUSY_TIMEOUT_MS = 5000;

/** Opens a file, makes it if it is not there, and brings its schema up to date. Waits for a lock. Throws `STORE_FAILED`. */
export async function openDatabase(path: string, options: DatabaseOptions = {}): Promise<OpenedDatabase> {
  const { busyTimeoutMs = DEFAULT_BUSY_TIMEOUT_MS } = options;
  try {
    return await retryWhileBusy(() => openDatabaseNow(path, options), busyTimeoutMs);
  } catch (error) {
    throw storeFailure(path, error);
  }
}

/** {@link openDatabase} without waiting: throws what SQLite throws, `SQLITE_BUSY` where the file is locked. */
export function openDatabaseNow(
  path: string,
  { synchronous = 'FULL' }: DatabaseOptions = {},
): OpenedDatabase {
  const libsql = loadLibsql();
  const connection = new Connection(new libsql(path));
  try {
    // SQLite's own waiting would hold up the whole process; see retryWhileBusy.
    connection.all('PRAGMA busy_timeout = 0');
    connection.all('PRAGMA journal_mode = WAL');
    connection.exec(`PRAGMA synchronous = ${synchronous}`);
    // Pages that many commits have written are moved into the file once: 16 MB of journal instead of 4.
    connection.all('PRAGMA wal_autocheckpoint = 4000');
    return { connection, versionBefore: migrate(connection, path) };
  } catch (error) {
    connection.close();
    throw error;
  }
}
