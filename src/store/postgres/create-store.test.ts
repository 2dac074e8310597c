import { beforeAll, describe, expect, it } from 'vitest';
import { createDatabase } from '../../../test/postgres/create-database.ts';
import { Pool } from 'pg';
import type { Batch, CheckRow, PutRow } from '../store.ts';
import { storeContract } from '../testing/index.ts';
import { postgresStore } from './index.ts';

let url: string;
beforeAll(async () => {
  url = await createDatabase();
});

const key = (id: string) => ({ scope: 's', thread: 't', id });

describe('the PostgreSQL store', () => {
  let schemas = 0;
  const create = async () => {
    const schema = `My "Schema" ${(schemas += 1)}`;
    return {
      store: postgresStore(url, { schema }),
      open: async () => postgresStore(url, { schema }),
    };
  };
  it.each(storeContract(create))('$name', ({ run }) => run());

  it('accepts keys and index values of any length and characters', async () => {
    const { store } = await create();
    const random = Array.from({ length: 9_000 }, (_, n) =>
      String.fromCodePoint(0x4e00 + ((n * 7919) % 20_000)),
    );
    const texts = [
      'a\0b',
      '\ud800',
      '\udfff',
      String.raw`\ud800`,
      '"\\\n',
      random.join(''),
      `${random.join('')}x`,
    ];
    const keys = texts.map((text) => ({ scope: text, thread: text, id: text }));
    for (const [n, rowKey] of keys.entries()) {
      const index = { status: texts[n % 5] ?? '', agent: rowKey.id, reason: rowKey.id };
      const puts = [{ table: 'interrupts' as const, key: rowKey, doc: { n }, index, expect: 0 }];
      const appends = [{ log: 'events' as const, scope: rowKey.scope, thread: rowKey.thread, items: [n] }];
      expect(await store.commit({ puts, appends })).toMatchObject({ ok: true, sequences: [1] });
    }
    const rows = await store.get('interrupts', keys);
    expect(rows.map((row) => row?.key)).toEqual(keys);
    expect(rows.map((row) => row?.doc['n'])).toEqual([...keys.keys()]);
    for (const [n, { scope, thread }] of keys.entries()) {
      const { rows: listed } = await store.list({ table: 'interrupts', scope, thread, agent: scope });
      expect(listed.map(({ doc }) => doc['n'])).toEqual([n]);
      expect(await store.read({ log: 'events', scope, thread })).toEqual([{ sequence: 1, item: n }]);
    }
    await store.close();
  });

  it('plans a repeated snapshot at most five times on a connection', async () => {
    const pool = new Pool({ connectionString: url, max: 1 });
    const store = postgresStore(pool, { schema: 'planned once' });
    const keys = [key('a'), key('b')];
    for (let reads = 0; reads < 12; reads += 1) {
      await store.snapshot([
        { table: 'threads', keys: keys.slice(0, 1 + (reads % 2)) },
        { table: 'interrupts', keys },
        { log: 'messages', scope: 's', thread: 't', limit: reads },
      ]);
    }
    const { rows } = await pool.query(
      `SELECT custom_plans::int, generic_plans::int FROM pg_prepared_statements WHERE statement LIKE '%planned once%'`,
    );
    expect(rows).toEqual([{ custom_plans: 5, generic_plans: 7 }]);
    await store.close();
    await pool.end();
  });

  it('keeps documents exactly: order of members, large numbers, lone surrogates', async () => {
    const { store } = await create();
    const doc = { z: 1, a: 1e300, '\0': '\ud800', 'b\\u0000': String.raw`\u0000`, n: -0.1 };
    await store.commit({
      puts: [{ table: 'runs', key: key('a'), doc }],
      appends: [{ log: 'messages', scope: 's', thread: 't', items: [doc] }],
    });
    const [row] = await store.get('runs', [key('a')]);
    const [item] = await store.read({ log: 'messages', scope: 's', thread: 't' });
    expect(JSON.stringify(row?.doc)).toBe(JSON.stringify(doc));
    expect(JSON.stringify(item?.item)).toBe(JSON.stringify(doc));
    await store.close();
  });

  it('lets exactly one of two processes win, in a thread and outside', async () => {
    const { store, open } = await create();
    const stores = [store, await open()] as const;
    // Connects first, so that they meet in the database.
    await Promise.all(stores.map((each) => Promise.all([each.now(), each.now()])));
    const race = async (batchOf: (mine: string, theirs: string) => Batch) => {
      const results = await Promise.all([
        stores[0].commit(batchOf('a', 'b')),
        stores[1].commit(batchOf('b', 'a')),
      ]);
      return results.filter(({ ok }) => ok).length;
    };
    const winners: number[] = [];
    for (let round = 0; round < 100; round += 1) {
      for (const thread of ['', 't']) {
        const put = (id: string, expect: number): PutRow & CheckRow => ({
          table: 'grants',
          key: { scope: 's', thread, id: `${id}${round}` },
          doc: {},
          expect,
        });
        winners.push(
          // The same row is made, and then changed.
          await race(() => ({ puts: [put('same', 0)] })),
          await race(() => ({ puts: [put('same', 1)] })),
          // Each makes a row only if the other's is not there.
          await race((mine, theirs) => ({ checks: [put(theirs, 0)], puts: [put(mine, 0)] })),
        );
      }
    }
    expect(winners).toEqual(winners.map(() => 1));
    await Promise.all(stores.map((each) => each.close()));
  });

  it('returns numbers and text whatever parsers the application has set, and leaves its pool open', async () => {
    const pool = new Pool({
      connectionString: url,
      types: { getTypeParser: () => () => 'not a value' },
    });
    pool.on('error', () => undefined);
    const store = postgresStore(pool, { schema: 'callers' });
    await store.commit({ puts: [{ table: 'interrupts', key: key('a'), doc: {}, index: { dueAt: 1.5 } }] });
    const [row] = await store.get('interrupts', [key('a')]);
    expect(row).toEqual({
      key: key('a'),
      version: 1,
      createdAt: expect.any(Number),
      index: { dueAt: 1.5 },
      doc: {},
    });
    await store.close();
    expect((await pool.query('SELECT 1')).rowCount).toBe(1);
    await pool.end();
  });

  it('finishes earlier calls on close, and throws STORE_FAILED afterwards', async () => {
    const { store, open } = await create();
    await store.now();
    const commits = Array.from({ length: 20 }, (_, n) =>
      store.commit({ puts: [{ table: 'runs', key: key(`r${n}`), doc: {} }] }),
    );
    await Promise.resolve();
    await store.close();
    expect((await Promise.all(commits)).every(({ ok }) => ok)).toBe(true);
    const closed = { code: 'STORE_FAILED', message: 'The store was closed.' };
    await expect(store.commit({})).rejects.toMatchObject(closed);
    await expect(store.now()).rejects.toMatchObject(closed);
    expect(() => store.watch(() => undefined)).toThrow('The store was closed.');
    await store.close();
    const other = await open();
    expect((await other.list({ table: 'runs' })).rows).toHaveLength(20);
    await other.close();
  });

  it('rejects an invalid cursor, and a schema name that PostgreSQL would cut', async () => {
    const { store } = await create();
    for (const cursor of ['x', btoa(encodeURIComponent('[1,"x"]'))]) {
      await expect(store.list({ table: 'runs', cursor })).rejects.toMatchObject({ code: 'INPUT_INVALID' });
    }
    await store.close();
    for (const schema of ['', 'x'.repeat(64), 'a\0']) {
      expect(() => postgresStore(url, { schema })).toThrow('1 to 63 bytes');
    }
  });
});

it.each([{ patienceMs: -1 }, { patienceMs: NaN }, { listen: '' }, { listen: 'db.example' }])(
  'rejects the options %j of a PostgreSQL store with INPUT_INVALID',
  (options) => {
    const [name = ''] = Object.keys(options);
    expect(() => postgresStore('postgres://127.0.0.1/none', options)).toThrow(
      expect.objectContaining({ code: 'INPUT_INVALID', message: expect.stringContaining(name) }),
    );
  },
);

describe('STORE_FAILED of PostgreSQL', () => {
  it('names a missing server, and the next call tries again', async () => {
    const store = postgresStore('postgres://nobody:x@127.0.0.1:1/none', { patienceMs: 0 });
    for (const call of [() => store.now(), () => store.commit({})]) {
      await expect(call()).rejects.toMatchObject({
        code: 'STORE_FAILED',
        message: expect.stringContaining('there is no connection (connect ECONNREFUSED'),
        cause: expect.anything(),
      });
    }
    await store.close();
  });

  it('names a rejected login or permission', async () => {
    const admin = new Pool({ connectionString: url });
    admin.on('error', () => undefined);
    await admin.query(`CREATE ROLE guest LOGIN PASSWORD 'guest'`);
    const guest = url.replace(/\/\/.*@/, '//guest:guest@');
    const wrong = postgresStore(guest.replace('guest:guest', 'guest:wrong'));
    await expect(wrong.now()).rejects.toThrow('the login was refused');
    await wrong.close();
    const refused = postgresStore(guest, { schema: 'for guests' });
    await expect(refused.now()).rejects.toThrow('permission was denied');

    const owner = postgresStore(url, { schema: 'for guests' });
    await owner.commit({ puts: [{ table: 'runs', key: key('a'), doc: {} }] });
    await admin.query('GRANT USAGE ON SCHEMA "for guests" TO guest');
    await admin.query('GRANT SELECT ON ALL TABLES IN SCHEMA "for guests" TO guest');
    expect(await refused.get('runs', [key('a')])).toHaveLength(1);
    await expect(refused.commit({ puts: [{ table: 'runs', key: key('a'), doc: {} }] })).rejects.toMatchObject(
      {
        code: 'STORE_FAILED',
        message: expect.stringContaining('permission was denied'),
      },
    );
    for (const open of [refused, owner, admin]) await ('end' in open ? open.end() : open.close());
  });

  it('names an isolation level that would hide commits of others', async () => {
    const pool = new Pool({
      connectionString: url,
      options: '-c default_transaction_isolation=serializable',
    });
    pool.on('error', () => undefined);
    const store = postgresStore(pool, { schema: 'strict' });
    await expect(store.commit({})).rejects.toThrow('isolation level "read committed"');
    await pool.end();
  });
});
