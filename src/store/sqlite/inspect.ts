import { HoldpointError } from '../../core/index.ts';
import { LOG_NAMES, TABLE_NAMES } from '../tables.ts';
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
  return readOnly(path, (connection) => {
    const version = knownVersion(connection, path);
    const isCurrent = version === SCHEMA_VERSION;
    const failedThreads = isCurrent
      ? connection.number(`SELECT count(*) FROM threads WHERE state = 'failed'`)
      : 0;
    return { version, isCurrent, failedThreads };
  });
}

/**
 * Throws `STORE_FAILED` unless a file is a Holdpoint database, of this release or an earlier one. It may have tables of an application,
 * but no trigger, view or virtual table: they would run with the commits of Holdpoint.
 */
export function assertHoldpoint(path: string): void {
  readOnly(path, (connection) => {
    const version = knownVersion(connection, path);
    const schema = connection.all('SELECT type, name, sql FROM sqlite_schema');
    const tables = new Set(schema.flatMap(([type, name]) => (type === 'table' ? [name] : [])));
    const missing =
      version === SCHEMA_VERSION
        ? [...TABLE_NAMES, ...LOG_NAMES].find((name) => !tables.has(name))
        : undefined;
    if (version === 0 || missing !== undefined) {
      throw new HoldpointError(
        'STORE_FAILED',
        `${path} is not a Holdpoint database: it has no table ${missing ?? 'holdpoint_schema'}.`,
      );
    }
    const foreign = schema.find(
      ([type, , sql]) =>
        type === 'trigger' || type === 'view' || /^create\s+virtual\b/i.test(String(sql ?? '')),
    );
    if (foreign === undefined) return;
    const [type, name] = foreign;
    const what = type === 'table' ? 'virtual table' : String(type);
    throw new HoldpointError(
      'STORE_FAILED',
      `${path} has the ${what} ${String(name)}, which does not belong to a Holdpoint database. Use a backup without it.`,
    );
  });
}

/** Reads a file without changing it. Throws `STORE_FAILED`. */
function readOnly<Result>(path: string, read: (connection: Connection) => Result): Result {
  const file = placeOf(path) ?? path;
  try {
    if (isNotice(path)) throw restoring(file);
    const libsql = loadLibsql();
    const database = new libsql(readOnlyUrl(path));
    try {
      return read(new Connection(database, path));
    } finally {
      database.close();
    }
  } catch (error) {
    throw storeFailure(path, error);
  }
}
