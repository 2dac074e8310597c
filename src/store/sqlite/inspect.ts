import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Connection, isNotice, loadLibsql, placeOf } from './driver.ts';
import { restoring, storeFailure } from './errors.ts';
import { knownVersion } from './migrate.ts';
import { SCHEMA_VERSION } from './schema.ts';

/** What {@link inspectSqlite} finds. */
export interface InspectedSqlite {
  /** The version of the schema; 0 for a file without one. */
  readonly version: number;
  /** Whether the schema is that of this release; `holdpoint migrate` changes an earlier one. */
  readonly isCurrent: boolean;
  /** The number of threads that failed too often to be tried again; 0 for an earlier schema. */
  readonly failedThreads: number;
}

/**
 * Reads the state of a SQLite file and writes nothing: it creates, migrates and locks no file. Throws `STORE_FAILED` for a file
 * that is missing, is no database, or is of a later release.
 *
 * @example
 * ```ts
 * import { inspectSqlite } from 'holdpoint/store/sqlite';
 *
 * const { version, isCurrent } = inspectSqlite('holdpoint.db');
 * console.log(`Schema version ${version}${isCurrent ? '' : ': run holdpoint migrate'}.`);
 * ```
 */
export function inspectSqlite(path: string): InspectedSqlite {
  const file = placeOf(path) ?? path;
  // Without a log file, no process has the database open, and SQLite can read it without creating files.
  const mode = existsSync(`${file}-wal`) ? 'mode=ro' : 'mode=ro&immutable=1';
  try {
    if (isNotice(path)) throw restoring(file);
    const libsql = loadLibsql();
    const database = new libsql(`${pathToFileURL(resolve(file)).href}?${mode}`);
    try {
      const connection = new Connection(database, path);
      const version = knownVersion(connection, path);
      const isCurrent = version === SCHEMA_VERSION;
      const failedThreads = isCurrent
        ? connection.number(`SELECT count(*) FROM threads WHERE state = 'failed'`)
        : 0;
      return { version, isCurrent, failedThreads };
    } finally {
      database.close();
    }
  } catch (error) {
    throw storeFailure(path, error);
  }
}
