import { connectPostgres, queryRows, withClient } from './connect.ts';
import type { PostgresPool } from './driver.ts';
import { storeFailure } from './errors.ts';
import { checkedVersion } from './migrate.ts';
import type { PostgresOptions } from './schema.ts';
import { SCHEMA_VERSION, schemaNames } from './schema.ts';

/** What {@link inspectPostgres} finds. */
export interface InspectedPostgres {
  /** The version of the schema; 0 for none. */
  readonly version: number;
  /** Whether the schema is that of this release; `holdpoint migrate` changes an earlier one. */
  readonly isCurrent: boolean;
  /** The number of threads that failed too often to be tried again; 0 for an earlier schema. */
  readonly failedThreads: number;
  /** The time of the server, in milliseconds since the Unix epoch. */
  readonly now: number;
}

/**
 * Reads the state of a schema and writes nothing. Throws `STORE_FAILED` for a schema of a later release, and for errors of
 * PostgreSQL.
 *
 * @example
 * ```ts
 * import { inspectPostgres } from 'holdpoint/store/postgres';
 *
 * const { version, isCurrent } = await inspectPostgres('postgres://localhost/app');
 * console.log(`Schema version ${version}${isCurrent ? '' : ': run holdpoint migrate'}.`);
 * ```
 */
export async function inspectPostgres(
  poolOrUrl: PostgresPool | string,
  options: PostgresOptions = {},
): Promise<InspectedPostgres> {
  const names = schemaNames(options);
  const connection = await connectPostgres(poolOrUrl);
  try {
    return await withClient(connection.pool, async (client) => {
      const number = async (sql: string) => Number((await queryRows(client, sql))[0]?.[0]);
      const version = await checkedVersion(client, names);
      const isCurrent = version === SCHEMA_VERSION;
      const failed = `SELECT count(*) FROM ${names.quoted}.threads WHERE state = 'failed'`;
      return {
        version,
        isCurrent,
        failedThreads: isCurrent ? await number(failed) : 0,
        now: await number('SELECT extract(epoch FROM clock_timestamp()) * 1000'),
      };
    });
  } catch (cause) {
    throw storeFailure(`read the schema ${names.quoted}`, cause);
  } finally {
    await connection.close();
  }
}
