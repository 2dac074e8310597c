import { rmSync } from 'node:fs';
import { defined, HoldpointError } from '../../core/index.ts';
import type { Progress } from '../earlier-rows.ts';
import type { Connection } from './driver.ts';
import { copyDatabase, placeOf } from './driver.ts';
import { moveEarlierRows, moveLogs, sealHistories } from './earlier-schema.ts';
import { CREATE_INDEXES, CREATE_TABLES, LOG_HEADS_SQL, SCHEMA_TABLE_SQL, SCHEMA_VERSION } from './schema.ts';

/**
 * Migrates an open file under the write lock, so that of two processes that start at once one waits. Throws
 * `STORE_FAILED` for a file of a newer release.
 */
export function migrate(
  connection: Connection,
  path: string,
  onProgress?: Progress,
): { readonly versionBefore: number; readonly backup?: string } {
  const before = knownVersion(connection, path);
  if (before === SCHEMA_VERSION) return { versionBefore: before };
  return connection.transaction(() => {
    const version = knownVersion(connection, path);
    if (version === SCHEMA_VERSION) return { versionBefore: version };
    const backup = version === 0 ? undefined : copyFile(path, version);
    if (version < 3) connection.exec(CREATE_TABLES);
    if (version === 0) connection.exec(LOG_HEADS_SQL);
    else if (version < 3) moveEarlierRows(connection, onProgress);
    if (version !== 0 && version < 5) sealHistories(connection);
    if (version >= 3) moveLogs(connection);
    connection.exec(CREATE_INDEXES);
    if (version < 3) {
      connection.exec(`DROP TABLE IF EXISTS holdpoint_schema; ${SCHEMA_TABLE_SQL}`);
      connection.run('INSERT INTO holdpoint_schema (version, incarnation) VALUES (?, ?)', [
        SCHEMA_VERSION,
        crypto.randomUUID(),
      ]);
    } else {
      connection.run('UPDATE holdpoint_schema SET version = ?', [SCHEMA_VERSION]);
    }
    return { versionBefore: version, ...defined({ backup }) };
  });
}

/** 0 for a file without our schema. */
/** The version of the schema, 0 for none. Throws `STORE_FAILED` for a later version. */
export function knownVersion(connection: Connection, path: string): number {
  const found = connection.number(
    `SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'holdpoint_schema'`,
  );
  const version = found === 0 ? 0 : connection.number('SELECT max(version) FROM holdpoint_schema');
  if (version <= SCHEMA_VERSION) return version;
  throw new HoldpointError(
    'STORE_FAILED',
    `The SQLite file ${path} has schema version ${version}, and this holdpoint knows up to ${SCHEMA_VERSION}: update holdpoint.`,
  );
}

/** Copies the file; the caller holds the write lock, and another connection reads beside it. */
function copyFile(path: string, version: number): string | undefined {
  const place = placeOf(path);
  if (place === undefined) return undefined;
  const copy = `${place}.schema-${version}`;
  // An unfinished copy of another process.
  rmSync(copy, { force: true });
  copyDatabase(path, copy);
  return copy;
}
