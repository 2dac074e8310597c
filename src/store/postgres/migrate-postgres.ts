import { HoldpointError } from '../../core/index.ts';
import { connectPostgres, queryRows, withClient } from './connect.ts';
import type { PostgresClient, PostgresPool } from './connect.ts';
import { MIGRATIONS } from './migrations.ts';
import { storeFailure } from './postgres-errors.ts';
import { schemaNames } from './schema-names.ts';
import type { PostgresOptions, SchemaNames } from './schema-names.ts';

/**
 * Makes the schema, or brings it up to date; does nothing where it is. Any number of processes may do so at once.
 * Throws `STORE_FAILED` when the schema was made by a later release, or when PostgreSQL refuses.
 */
export async function migratePostgres(
  poolOrUrl: PostgresPool | string,
  options: PostgresOptions = {},
): Promise<{ readonly version: number }> {
  const names = schemaNames(options);
  const connection = await connectPostgres(poolOrUrl);
  try {
    await migrateSchema(connection.pool, names);
    return { version: MIGRATIONS.length };
  } finally {
    await connection.close();
  }
}

/** As {@link migratePostgres}, on a pool that is open. */
export async function migrateSchema(pool: PostgresPool, names: SchemaNames): Promise<void> {
  try {
    await withClient(pool, async (client) => {
      // A role that may not change the schema can work in one that is up to date.
      if ((await checkedVersion(client, names)) === MIGRATIONS.length) return;
      await queryRows(client, 'BEGIN');
      try {
        await applyMigrations(client, names);
        await queryRows(client, 'COMMIT');
      } catch (error) {
        await queryRows(client, 'ROLLBACK').catch(() => undefined);
        throw error;
      }
    });
  } catch (cause) {
    throw storeFailure(`prepare the schema ${names.quoted}`, cause);
  }
}

/** In a transaction, which holds the lock: one process migrates, the others then find it done. */
async function applyMigrations(client: PostgresClient, names: SchemaNames): Promise<void> {
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
  for (const [index, migration] of MIGRATIONS.entries()) {
    const version = index + 1;
    if (version <= current) continue;
    await client.query({ text: migration(names), types: { getTypeParser: () => String } });
    await queryRows(client, `INSERT INTO ${quoted}.migrations (version) VALUES ($1)`, [version]);
  }
}

/** The version the schema has, 0 for none; throws when it is beyond what this release knows. */
async function checkedVersion(client: PostgresClient, { name, quoted }: SchemaNames): Promise<number> {
  const [table] = await queryRows(client, 'SELECT to_regclass($1) IS NOT NULL AS found', [
    `${quoted}.migrations`,
  ]);
  if (table?.['found'] !== 't') return 0;
  const [row] = await queryRows(
    client,
    `SELECT coalesce(max(version), 0) AS version FROM ${quoted}.migrations`,
  );
  const version = Number(row?.['version']);
  if (version > MIGRATIONS.length) {
    throw new HoldpointError(
      'STORE_FAILED',
      `The schema ${JSON.stringify(name)} has version ${version}, and this release knows up to ${MIGRATIONS.length}: ` +
        'update holdpoint, or give it another schema.',
      { details: { schemaVersion: version, knownVersion: MIGRATIONS.length } },
    );
  }
  return version;
}
