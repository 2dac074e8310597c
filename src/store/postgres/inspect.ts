import { defined } from '../../core/index.ts';
import type { Connection } from './connect.ts';
import { connectPostgres, queryPrepared, queryRows } from './connect.ts';
import type { PostgresPool } from './driver.ts';
import { storeFailure } from './errors.ts';
import { checkedVersion } from './migrate.ts';
import type { PostgresOptions, SchemaNames } from './schema.ts';
import { SCHEMA_VERSION, schemaNames } from './schema.ts';
import { openEar } from './watch-changes.ts';

/** What {@link inspectPostgres} finds. */
export interface InspectedPostgres {
  /** The version of the schema; 0 for none. */
  readonly version: number;
  /** Whether the schema is that of this release; `holdpoint migrate` changes an earlier one. */
  readonly isCurrent: boolean;
  /** The number of threads that failed too often to be tried again; 0 for an earlier schema. */
  readonly failedThreads: number;
  /** How far the clocks of this process and the server differ, in milliseconds. */
  readonly skewMs: number;
  /** The isolation level of transactions; a store needs `read committed`. */
  readonly isolation: string;
  /** Whether the server refuses to write: it is a standby. */
  readonly isReadOnly: boolean;
  /** Whether prepared statements keep their names: false behind a pooler that does not know them. The store then works without. */
  readonly keepsNames: boolean;
  /** Whether LISTEN hears a notification; a store polls where it does not. Undefined without a current schema, or on a standby. */
  readonly hearsChanges?: boolean;
}

/**
 * Reads the state of a schema, tries what hosts do, and writes nothing. Throws `STORE_FAILED` for a schema of a later release, and for
 * errors of PostgreSQL.
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
  const connection = await connectPostgres(poolOrUrl, defined({ listen: options.listen }));
  try {
    const found = await connection.run(async (client) => {
      const number = async (sql: string) => Number((await queryRows(client, sql))[0]?.[0]);
      const version = await checkedVersion(client, names);
      const isCurrent = version === SCHEMA_VERSION;
      const failed = `SELECT count(*) FROM ${names.quoted}.threads WHERE state = 'failed'`;
      const settings = `SELECT current_setting('transaction_isolation'), current_setting('transaction_read_only')`;
      const [[isolation, readOnly] = []] = await queryRows(client, settings);
      const failedThreads = isCurrent ? await number(failed) : 0;
      const before = Date.now();
      const now = await number('SELECT extract(epoch FROM clock_timestamp()) * 1000');
      return {
        version,
        isCurrent,
        failedThreads,
        skewMs: Math.abs(now - (before + Date.now()) / 2),
        isolation: isolation ?? '',
        isReadOnly: readOnly === 'on',
      };
    });
    const mayNotify = found.isCurrent && !found.isReadOnly;
    const hearsChanges = mayNotify ? await hears(connection, names) : undefined;
    return { ...found, keepsNames: await keepsNames(connection), ...defined({ hearsChanges }) };
  } catch (cause) {
    throw storeFailure(`read the schema ${names.quoted}`, cause);
  } finally {
    await connection.close();
  }
}

async function hears(connection: Connection, names: SchemaNames): Promise<boolean> {
  const ear = await openEar(connection, names);
  try {
    return ear !== undefined && (await ear.hears(ear.lost)) !== undefined;
  } finally {
    await ear?.close();
  }
}

/** Prepares one statement on several connections and uses it again, as hosts do. */
async function keepsNames(connection: Connection): Promise<boolean> {
  const prepare = () =>
    connection.run((client) => queryPrepared(client, { kind: 'read', text: 'SELECT $1::text' }, ['']));
  for (let rounds = 0; rounds < 2; rounds += 1) await Promise.all([prepare(), prepare(), prepare()]);
  return connection.usesNames;
}
