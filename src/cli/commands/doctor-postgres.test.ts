import { Pool } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { transactionPooler } from '../../../test/faults/transaction-pooler.ts';
import { createDatabase } from '../../../test/postgres/create-database.ts';
import { inspectPostgres, postgresStore } from '../../store/postgres/index.ts';
import { run } from '../testing-support/run-command.ts';
import type { Finding } from './doctor.ts';

let url: string;
let pool: Pool;
beforeAll(async () => {
  url = await createDatabase();
  pool = new Pool({ connectionString: url });
  pool.on('error', () => undefined);
});
afterAll(() => pool.end());

/** The findings of `holdpoint doctor` about the database, by name. */
async function findings(...flags: readonly string[]): Promise<Record<string, [boolean, string]>> {
  const { out } = await run('doctor', '--db', url, '--json', ...flags);
  const list = JSON.parse(out) as Finding[];
  return Object.fromEntries(list.map(({ what, ok, says }) => [what, [ok, says]]));
}

it('holdpoint doctor finds no schema in an empty PostgreSQL database, and creates none', async () => {
  const { database } = await findings();
  expect(database).toEqual([false, expect.stringMatching(/ opens; it has no schema yet$/)]);
  expect(await inspectPostgres(pool)).toMatchObject({ version: 0, isCurrent: false, failedThreads: 0 });
  const { rows } = await pool.query(`SELECT 1 FROM pg_tables WHERE tablename = 'threads'`);
  expect(rows).toEqual([]);
});

it('holdpoint doctor finds a current schema of PostgreSQL, its clock and its failed threads', async () => {
  await run('migrate', '--db', url, '--schema', 'used');
  expect(await findings('--schema', 'used')).toMatchObject({
    pg: [true, 'loads'],
    database: [true, expect.stringMatching(/ opens; its schema is current$/)],
    writes: [true, 'allowed'],
    isolation: [true, 'read committed'],
    statements: [true, 'prepared once on each connection'],
    changes: [true, 'heard by LISTEN'],
    clock: [true, expect.stringMatching(/^differs from the database by \d+ ms$/)],
    threads: [true, 'no failed threads'],
  });
  const store = postgresStore(pool, { schema: 'used' });
  const thread = (name: string, status: string) => ({
    table: 'threads' as const,
    key: { scope: 's', thread: name, id: '' },
    doc: {},
    index: { status },
  });
  await store.commit({ puts: [thread('a', 'failed'), thread('b', 'failed'), thread('c', 'idle')] });
  await store.close();
  const found = await inspectPostgres(url, { schema: 'used' });
  expect(found).toMatchObject({ isCurrent: true, failedThreads: 2, skewMs: expect.any(Number) });
  expect((await findings('--schema', 'used'))['threads']).toEqual([false, expect.stringMatching(/^2 /)]);
});

it('holdpoint doctor tells what a pooler in transaction mode takes from hosts', async () => {
  await run('migrate', '--db', url, '--schema', 'pooled');
  const pooler = await transactionPooler(url);
  try {
    const { out, code } = await run('doctor', '--db', pooler.url, '--schema', 'pooled', '--json');
    const list = JSON.parse(out) as Finding[];
    const said = Object.fromEntries(list.map(({ what, says }) => [what, says]));
    expect(code).toBe(0);
    expect(said).toMatchObject({
      statements: expect.stringContaining('a pooler does not keep their names'),
      changes: expect.stringContaining('LISTEN hears nothing here'),
    });
  } finally {
    await pooler.close();
  }
});

it('holdpoint doctor names a standby and an isolation level that hosts cannot use', async () => {
  await run('migrate', '--db', url, '--schema', 'set');
  const other = new URL(url);
  other.searchParams.set(
    'options',
    '-c default_transaction_read_only=on -c default_transaction_isolation=serializable',
  );
  const { out, code } = await run('doctor', '--db', other.href, '--schema', 'set', '--json');
  const failed = (JSON.parse(out) as Finding[]).filter(({ ok }) => !ok).map(({ what }) => what);
  expect([code, failed]).toEqual([1, ['writes', 'isolation']]);
});

it('inspectPostgres rejects a schema of a later release', async () => {
  await run('migrate', '--db', url, '--schema', 'later');
  await pool.query('INSERT INTO later.migrations (version) VALUES (999)');
  await expect(inspectPostgres(url, { schema: 'later' })).rejects.toMatchObject({
    code: 'STORE_FAILED',
    message: expect.stringContaining('999'),
  });
});
