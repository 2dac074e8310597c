import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase } from '../../../test/postgres/create-database.ts';
import { startPostgres } from '../../../test/postgres/start-postgres.ts';
import type { TestPostgres } from '../../../test/postgres/start-postgres.ts';
import { Pool } from 'pg';
import { HoldpointError } from '../../core/index.ts';
import { postgresStore } from './index.ts';

let url: string;
beforeAll(async () => {
  url = await createDatabase();
});

const key = (id: string, thread = '') => ({ scope: 's', thread, id });

describe('concurrent commits', () => {
  it('all finish although they change the same rows in opposite order', async () => {
    const stores = Array.from({ length: 8 }, () => postgresStore(url, { schema: 'opposite' }));
    const names = ['a', 'b', 'c', 'd', 'e'];
    const results = await Promise.all(
      stores.map(async (store, n) => {
        const order = n % 2 === 0 ? names : names.toReversed();
        const committed: boolean[] = [];
        for (let round = 0; round < 25; round += 1) {
          const { ok } = await store.commit({
            puts: order.flatMap((name) => [
              { table: 'grants', key: key(name), doc: { n } },
              { table: 'runs', key: key('r', name), doc: { n } },
            ]),
            appends: order.map((thread) => ({ log: 'history', scope: 's', thread, items: [n] })),
          });
          committed.push(ok);
        }
        return committed;
      }),
    );
    expect(results.flat()).toEqual(Array.from({ length: 200 }, () => true));
    const [store] = stores;
    const rows = await store?.get(
      'grants',
      names.map((name) => key(name)),
    );
    expect(rows?.map((row) => row?.version)).toEqual(names.map(() => 200));
    for (const thread of names) {
      const items = await store?.read({ log: 'history', scope: 's', thread });
      expect(items?.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 200 }, (_, n) => n + 1));
    }
    await Promise.all(stores.map((each) => each.close()));
  });

  it('share transactions, and only the one that PostgreSQL rejects fails', async () => {
    const store = postgresStore(url, { schema: 'poison' });
    const admin = new Pool({ connectionString: url });
    admin.on('error', () => undefined);
    await store.now();
    await admin.query(`ALTER TABLE poison.runs ADD CHECK (doc::text NOT LIKE '%poison%')`);
    const commits = await Promise.allSettled(
      Array.from({ length: 40 }, (_, n) =>
        store.commit({
          puts: [{ table: 'runs', key: key(`r${n}`, 't'), doc: n === 20 ? { poison: true } : {}, expect: 0 }],
          appends: [{ log: 'events', scope: 's', thread: 't', items: [n] }],
        }),
      ),
    );
    expect(commits.flatMap(({ status }, n) => (status === 'rejected' ? [n] : []))).toEqual([20]);
    expect(await store.read({ log: 'events', scope: 's', thread: 't' })).toHaveLength(39);
    expect((await admin.query('SELECT DISTINCT xmin FROM poison.runs')).rowCount).toBeLessThan(40);
    await admin.end();
    await store.close();
  });

  it('concurrent commits count each of several changes of one row in a batch', async () => {
    const store = postgresStore(url, { schema: 'twice' });
    const put = { table: 'runs', key: key('a', 't'), doc: {} } as const;
    const append = { log: 'events', scope: 's', thread: 't' } as const;
    const result = await store.commit({
      puts: [put, { ...put, doc: { last: true } }],
      appends: [
        { ...append, items: [1, 2] },
        { ...append, items: [] },
        { ...append, items: [3] },
      ],
    });
    expect(result).toMatchObject({ ok: true, sequences: [1, 3, 3] });
    expect(await store.get('runs', [put.key])).toMatchObject([{ version: 2, doc: { last: true } }]);
    expect(
      await store.commit({ deletes: [{ ...put, expect: 2 }], puts: [{ ...put, expect: 2 }] }),
    ).toMatchObject({
      ok: true,
    });
    expect(await store.get('runs', [put.key])).toMatchObject([{ version: 1 }]);
    await store.close();
  });
});

describe('a server that stops under load', () => {
  let server: TestPostgres;
  beforeAll(async () => {
    server = await startPostgres();
  }, 180_000);
  afterAll(() => server.stop());

  it('keeps every acknowledged commit, and the others throw STORE_FAILED', async () => {
    const store = postgresStore(server.url, { schema: 'restart' });
    await store.now();
    const acknowledged: string[] = [];
    const failures: unknown[] = [];
    const stop = new AbortController();
    let commits = 0;
    const until = (condition: () => boolean) =>
      new Promise<void>((resolve) => {
        const check = () => (condition() ? resolve() : void setImmediate(check));
        check();
      });
    const workers = Array.from({ length: 16 }, async () => {
      while (!stop.signal.aborted) {
        const id = `r${(commits += 1)}`;
        try {
          const { ok } = await store.commit({
            puts: [{ table: 'runs', key: key(id, id), doc: {}, expect: 0 }],
          });
          if (ok) acknowledged.push(id);
        } catch (error) {
          failures.push(error);
          // Gives the server's start a turn.
          await new Promise(setImmediate);
        }
      }
    });
    await until(() => acknowledged.length > 100);
    await server.halt();
    await until(() => failures.length > 0);
    await server.start();
    const before = acknowledged.length;
    await until(() => acknowledged.length > before + 100);
    stop.abort();
    await Promise.all(workers);
    expect(failures.every((error) => HoldpointError.is(error, 'STORE_FAILED'))).toBe(true);
    const found = await store.get(
      'runs',
      acknowledged.map((id) => key(id, id)),
    );
    expect(found.filter((row) => row === undefined)).toEqual([]);
    await store.close();
  });
});
