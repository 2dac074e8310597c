import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase } from '../../../test/postgres/create-database.ts';
import { Pool } from 'pg';
import { expectMigrated } from '../testing-support/expect-migrated.ts';
import { migratePostgres, postgresStore } from './index.ts';
import { SCHEMA_VERSION } from './schema.ts';

let url: string;
let pool: Pool;
beforeAll(async () => {
  url = await createDatabase();
  pool = new Pool({ connectionString: url });
  pool.on('error', () => undefined);
});
afterAll(() => pool.end());

describe('the schema', () => {
  it('the schema is created once by several processes that start together', async () => {
    const script = `
      import { migratePostgres } from ${JSON.stringify(new URL('index.ts', import.meta.url).href)};
      console.log((await migratePostgres(process.argv[1], { schema: 'shared' })).version);`;
    const flags = ['--import', import.meta.resolve('tsx'), '--input-type=module'];
    const run = () => promisify(execFile)(process.execPath, [...flags, '--eval', script, url]);
    const [one, two] = await Promise.all([run(), run()]);
    expect([one.stdout, two.stdout]).toEqual([1, 2].map(() => `${SCHEMA_VERSION}\n`));
    const { rows } = await pool.query('SELECT version FROM shared.migrations ORDER BY version');
    expect(rows).toEqual([{ version: SCHEMA_VERSION }]);
  });

  it('the schema is created once by many connections of one process', async () => {
    const versions = await Promise.all(
      Array.from({ length: 8 }, () => migratePostgres(pool, { schema: 'many' })),
    );
    expect(new Set(versions.map(({ version }) => version))).toEqual(new Set([SCHEMA_VERSION]));
  });

  it('the schema of a later release stays unchanged, and the store refuses to start', async () => {
    await migratePostgres(pool, { schema: 'later' });
    await pool.query('INSERT INTO later.migrations (version) VALUES (999)');
    const refusal = {
      code: 'STORE_FAILED',
      message: expect.stringContaining(`has version 999, and this release knows up to ${SCHEMA_VERSION}`),
      details: { schemaVersion: 999, knownVersion: SCHEMA_VERSION },
    };
    await expect(migratePostgres(url, { schema: 'later' })).rejects.toMatchObject(refusal);
    const store = postgresStore(pool, { schema: 'later' });
    await expect(store.now()).rejects.toMatchObject(refusal);
    await store.close();
  });

  it('the schema is created completely or not at all', async () => {
    await pool.query('CREATE SCHEMA taken; CREATE TABLE taken.changes (anything text)');
    await expect(migratePostgres(pool, { schema: 'taken' })).rejects.toMatchObject({ code: 'STORE_FAILED' });
    const { rows } = await pool.query(`SELECT tablename FROM pg_tables WHERE schemaname = 'taken'`);
    expect(rows).toEqual([{ tablename: 'changes' }]);
  });
});

describe('a schema of version 1', () => {
  // Both made by the release that had schema version 1.
  const sql = readFileSync(new URL('testing-support/schema-1.sql', import.meta.url), 'utf8');
  const contents = new URL('testing-support/schema-1.json', import.meta.url);

  it('a schema of version 1 is migrated into the tables of this version, with progress', async () => {
    await pool.query(sql);
    const told: { done: number; total: number }[] = [];
    const onProgress = (progress: { done: number; total: number }) => told.push(progress);
    const made = '"made_before"';
    expect(await migratePostgres(pool, { schema: 'made_before', onProgress })).toEqual({
      version: SCHEMA_VERSION,
      backup: `${made}.rows_schema_1, ${made}.log_items_schema_1, ${made}.log_heads_schema_1`,
    });
    expect(told.at(-1)?.done).toBe(told.at(-1)?.total);
    const store = postgresStore(pool, { schema: 'made_before' });
    await expectMigrated(store, contents);
    await store.close();
  });

  it('rejects a process of the earlier release', async () => {
    await expect(
      pool.query(`SELECT made_before.commit_batches('[]'::jsonb, '{}'::text[], '{}'::boolean[])`),
    ).rejects.toThrow('does not exist');
    const { rows } = await pool.query(`SELECT tablename FROM pg_tables WHERE schemaname = 'made_before'`);
    expect(rows.map(({ tablename }) => String(tablename)).toSorted()).toEqual([
      'anchors',
      'changes',
      'events',
      'executions',
      'files',
      'grants',
      'history',
      'interrupts',
      'log_heads',
      'log_heads_schema_1',
      'log_items_schema_1',
      'messages',
      'migrations',
      'rows_schema_1',
      'runs',
      'secrets',
      'threads',
    ]);
  });
});

describe('a schema of version 2', () => {
  it('a schema of version 2 gets the index and the functions of this version, and keeps its rows', async () => {
    const options = { schema: 'made_by_2' };
    const before = postgresStore(pool, options);
    const key = { scope: 's', thread: 't', id: 'i' };
    await before.commit({ puts: [{ table: 'interrupts', key, doc: {}, expect: 0 }] });
    await before.close();
    // Version 2 has the same tables.
    await pool.query(`
      DROP INDEX made_by_2.interrupts_answered;
      ALTER FUNCTION made_by_2.commit_batches_5 RENAME TO commit_batches_2;
      ALTER FUNCTION made_by_2.trim_log_5 RENAME TO trim_log_2;
      UPDATE made_by_2.migrations SET version = 2`);
    const open = postgresStore(pool, options);
    expect((await open.list({ table: 'interrupts' })).rows.map((row) => row.key)).toEqual([key]);
    await open.commit({ puts: [{ table: 'interrupts', key, doc: { a: 1 }, expect: 1 }] });
    await open.close();
    const { rows } = await pool.query(`
      SELECT proname AS name FROM pg_proc WHERE pronamespace = 'made_by_2'::regnamespace
      UNION SELECT indexname FROM pg_indexes WHERE schemaname = 'made_by_2' AND indexname = 'interrupts_answered' ORDER BY 1`);
    expect(rows.map(({ name }) => name)).toEqual([
      'commit_batches_5',
      'interrupts_answered',
      'now_ms',
      'trim_log_5',
    ]);
    expect(await migratePostgres(pool, options)).toEqual({ version: SCHEMA_VERSION });
  });
});

describe('a schema of version 4', () => {
  it('a schema of version 4 gets the functions of this version, and no history is sealed anew', async () => {
    const options = { schema: 'made_by_4' };
    const before = postgresStore(pool, options);
    const key = { scope: 's', thread: 't', id: '' };
    // Not a chain that verifies: sealing would change it.
    const entry = { what: 'raised', by: 'ana', previous: '', hash: 'as it was' };
    await before.commit({
      puts: [{ table: 'threads', key, doc: { chain: { count: 1, hash: 'x' } }, expect: 0 }],
      appends: [{ log: 'history', scope: 's', thread: 't', items: [entry] }],
    });
    await before.close();
    await pool.query(`
      ALTER FUNCTION made_by_4.commit_batches_5 RENAME TO commit_batches_4;
      ALTER FUNCTION made_by_4.trim_log_5 RENAME TO trim_log_4;
      UPDATE made_by_4.migrations SET version = 4`);
    const open = postgresStore(pool, options);
    expect(await open.get('threads', [key])).toMatchObject([{ version: 1 }]);
    expect(await open.read({ log: 'history', scope: 's', thread: 't' })).toEqual([
      { sequence: 1, item: entry },
    ]);
    await open.commit({ puts: [{ table: 'threads', key, doc: {}, expect: 1 }] });
    await open.close();
    const { rows } = await pool.query(
      `SELECT proname AS name FROM pg_proc WHERE pronamespace = 'made_by_4'::regnamespace ORDER BY 1`,
    );
    expect(rows.map(({ name }) => name)).toEqual(['commit_batches_5', 'now_ms', 'trim_log_5']);
  });
});
