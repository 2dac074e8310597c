import { HoldpointError } from '../../core/index.ts';
import type { Progress } from '../earlier-rows.ts';
import type { Connection, QueryClient } from './connect.ts';
import { connectPostgres, queryRows } from './connect.ts';
import type { PostgresPool } from './driver.ts';
import { EARLIER_TABLES, moveEarlierRows, sealHistories } from './earlier-schema.ts';
import { storeFailure } from './errors.ts';
import { functionsSql } from './functions.ts';
import {
  changesIndexSql,
  changesSql,
  fromEarlierSql,
  SCHEMA_VERSION,
  schemaNames,
  tablesSql,
} from './schema.ts';
import type { PostgresOptions, SchemaNames } from './schema.ts';

/** The options of {@link migratePostgres}. */
export interface MigratePostgresOptions extends PostgresOptions {
  /** Called after each piece of a migration with the rows that were moved and the rows that there are. */
  readonly onProgress?: Progress;
}

/** The result of {@link migratePostgres}. */
export interface MigratedPostgres {
  /** The version of the schema. */
  readonly version: number;
  /** The earlier tables, under their new names, if their rows were moved. */
  readonly backup?: string;
}

/**
 * Creates the schema or migrates it; does nothing if it is current. Any number of processes may call it at once.
 * Throws `STORE_FAILED` for a schema of a later release, and for errors of PostgreSQL.
 *
 * @example
 * ```ts
 * import { migratePostgres } from 'holdpoint/store/postgres';
 *
 * const { version, backup } = await migratePostgres('postgres://localhost/app');
 * console.log(`Schema version ${version}; the earlier tables are ${backup ?? 'not needed'}.`);
 * ```
 */
export async function migratePostgres(
  poolOrUrl: PostgresPool | string,
  options: MigratePostgresOptions = {},
): Promise<MigratedPostgres> {
  const names = schemaNames(options);
  const connection = await connectPostgres(poolOrUrl);
  try {
    const before = await migrateSchema(connection, names, options.onProgress);
    const isMoved = before === 1;
    const backup = EARLIER_TABLES.map((table) => `${names.quoted}.${table}_schema_1`).join(', ');
    return { version: SCHEMA_VERSION, ...(isMoved ? { backup } : {}) };
  } finally {
    await connection.close();
  }
}

/** As {@link migratePostgres}, with an open connection. Returns the version that the schema had. */
export async function migrateSchema(
  connection: Connection,
  names: SchemaNames,
  onProgress?: Progress,
): Promise<number> {
  try {
    // A role without permission to change the schema can use one that is current.
    const found = await connection.run((client) => checkedVersion(client, names));
    if (found === SCHEMA_VERSION) return SCHEMA_VERSION;
    const migrateOnce = async (client: QueryClient) => {
      await queryRows(client, 'BEGIN');
      try {
        const before = await applyMigrations(client, names, onProgress);
        await queryRows(client, 'COMMIT');
        return before;
      } catch (error) {
        await queryRows(client, 'ROLLBACK').catch(() => undefined);
        throw error;
      }
    };
    return await connection.run(migrateOnce, { isLong: true });
  } catch (cause) {
    throw storeFailure(`prepare the schema ${names.quoted}`, cause);
  }
}

/** Throws `STORE_FAILED` for a schema that is missing or of another version. */
export async function assertCurrent(connection: Connection, names: SchemaNames): Promise<void> {
  const version = await connection
    .run((client) => checkedVersion(client, names))
    .catch((cause: unknown) => {
      throw storeFailure(`read the schema ${names.quoted}`, cause);
    });
  if (version === SCHEMA_VERSION) return;
  const name = JSON.stringify(names.name);
  throw new HoldpointError(
    'STORE_FAILED',
    version === 0
      ? `The database has no Holdpoint tables in the schema ${name}: see that --db and --schema name the right ones.`
      : `The schema ${name} has version ${version}, and this release reads ${SCHEMA_VERSION}: run \`holdpoint migrate\` first.`,
  );
}

/** The transaction holds the lock: one process migrates, and the others find the schema current. */
async function applyMigrations(
  client: QueryClient,
  names: SchemaNames,
  onProgress?: Progress,
): Promise<number> {
  const { name, quoted } = names;
  await queryRows(client, 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [
    `holdpoint migrations of ${name}`,
  ]);
  const found = await queryRows(client, 'SELECT 1 FROM pg_namespace WHERE nspname = $1', [name]);
  if (found.length === 0) await queryRows(client, `CREATE SCHEMA ${quoted}`);
  await queryRows(
    client,
    `CREATE TABLE IF NOT EXISTS ${quoted}.migrations (
       version integer PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())`,
  );
  const current = await checkedVersion(client, names);
  if (current === SCHEMA_VERSION) return current;
  if (current === 0) {
    await queryRows(client, tablesSql(names));
    await queryRows(client, changesSql(names));
  } else if (current === 1) {
    await moveEarlierRows(client, names, onProgress);
  } else {
    await queryRows(client, fromEarlierSql(names, current));
  }
  if (current > 0 && current < 4) await sealHistories(client, names);
  await queryRows(client, changesIndexSql(names));
  await queryRows(client, functionsSql(names));
  await queryRows(client, `INSERT INTO ${quoted}.migrations (version) VALUES ($1)`, [SCHEMA_VERSION]);
  return current;
}

/** The version of the schema, 0 for none. Throws for a later version. */
export async function checkedVersion(client: QueryClient, { name, quoted }: SchemaNames): Promise<number> {
  const [table] = await queryRows(client, 'SELECT to_regclass($1) IS NOT NULL', [`${quoted}.migrations`]);
  if (table?.[0] !== 't') return 0;
  const [row] = await queryRows(client, `SELECT coalesce(max(version), 0) FROM ${quoted}.migrations`);
  const version = Number(row?.[0]);
  if (version > SCHEMA_VERSION) {
    throw new HoldpointError(
      'STORE_FAILED',
      `The schema ${JSON.stringify(name)} has version ${version}, and this release knows up to ${SCHEMA_VERSION}: ` +
        'update holdpoint, or give it another schema.',
      { details: { schemaVersion: version, knownVersion: SCHEMA_VERSION } },
    );
  }
  return version;
}
