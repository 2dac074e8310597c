import type { DatabaseOptions } from './open-database.ts';
import { openDatabase } from './open-database.ts';
import { SCHEMA_VERSION } from './migrations.ts';

/**
 * Brings a file to the schema of this package without a store, as before a deployment. Gives the version it had and the
 * one it has. Throws `STORE_FAILED`.
 */
export async function migrateSqlite(
  path: string,
  options: Pick<DatabaseOptions, 'busyTimeoutMs'> = {},
): Promise<{ readonly from: number; readonly to: number }> {
  const { connection, versionBefore } = await openDatabase(path, options);
  connection.close();
  return { from: versionBefore, to: SCHEMA_VERSION };
}
