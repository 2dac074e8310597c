import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase } from '../../../test/postgres/create-database.ts';
import { Pool } from 'pg';
import { migratePostgres, postgresStore } from './index.ts';
import { MIGRATIONS } from './migrations.ts';

let url: string;
let pool: Pool;
beforeAll(async () => {
  url = await createDatabase();
  pool = new Pool({ connectionString: url });
  pool.on('error', () => undefined);
});
afterAll(() => pool.end());

describe('the schema', () => {
  it('is made once when several processes start at once', async () => {
    const script = `
      import { migratePostgres } from ${JSON.stringify(new URL('index.ts', import.meta.url).href)};
      console.log((await migratePostgres(process.argv[1], { schema: 'shared' })).version);`;
    const flags = ['--import', import.meta.resolve('tsx'), '--input-type=module'];
    const run = () => promisify(execFile)(process.execPath, [...flags, '--eval', script, url]);
    const [one, two] = await Promise.all([run(), run()]);
    expect([one.stdout, two.stdout]).toEqual([1, 2].map(() => `${MIGRATIONS.length}\n`));
    const { rows } = await pool.query('SELECT version FROM shared.migrations ORDER BY version');
    expect(rows).toEqual(MIGRATIONS.map((_, index) => ({ version: index + 1 })));
  });

  it('is made once by many connections of one process', async () => {
    const versions = await Promise.all(
      Array.from({ length: 8 }, () => migratePostgres(pool, { schema: 'many' })),
    );
    expect(new Set(versions.map(({ version }) => version))).toEqual(new Set([MIGRATIONS.length]));
  });

  it('is left alone, and the store refuses to start, when a later release made it', async () => {
    await migratePostgres(pool, { schema: 'later' });
    await pool.query('INSERT INTO later.migrations (version) VALUES (999)');
    const refusal = {
      code: 'STORE_FAILED',
      message: expect.stringContaining(`has version 999, and this release knows up to ${MIGRATIONS.length}`),
      details: { schemaVersion: 999, knownVersion: MIGRATIONS.length },
    };
    await expect(migratePostgres(url, { schema: 'later' })).rejects.toMatchObject(refusal);
    const store = postgresStore(pool, { schema: 'later' });
    await expect(store.now()).rejects.toMatchObject(refusal);
    await store.close();
  });

  it('is made whole or not at all', async () => {
    await pool.query('CREATE SCHEMA taken; CREATE TABLE taken.changes (anything text)');
    await expect(migratePostgres(pool, { schema: 'taken' })).rejects.toMatchObject({ code: 'STORE_FAILED' });
    const { rows } = await pool.query(`SELECT tablename FROM pg_tables WHERE schemaname = 'taken'`);
    expect(rows).toEqual([{ tablename: 'changes' }]);
  });
});
