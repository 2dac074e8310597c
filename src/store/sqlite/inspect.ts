import { Connection, isNotice, loadLibsql, placeOf } from './driver.ts';
import { readOnlyUrl } from './connect.ts';
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
  try {
    if (isNotice(path)) throw restoring(file);
    const libsql = loadLibsql();
    const database = new libsql(readOnlyUrl(path));
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
