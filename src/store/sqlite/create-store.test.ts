import { copyFileSync, statSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { storeContract } from '../testing/index.ts';
import { sqliteStore } from './index.ts';
import { temporaryPaths } from './testing-support/temporary-paths.ts';

const newPath = temporaryPaths();

describe('the SQLite store on a file', () => {
  const create = async () => {
    const path = newPath();
    return { store: sqliteStore(path), open: async () => sqliteStore(path) };
  };
  it.each(storeContract(create))('$name', ({ run }) => run());
});

describe('the SQLite store in memory', () => {
  it.each(storeContract(async () => ({ store: sqliteStore(':memory:') })))('$name', ({ run }) => run());
});

describe('the SQLite store', () => {
  it('keeps a copy of the batch', async () => {
    const store = sqliteStore(newPath());
    const key = { scope: 's', thread: 't', id: 'a' };
    const doc = { list: [1] };
    const committed = store.commit({ puts: [{ table: 'runs', key, doc }] });
    doc.list.push(2);
    await committed;
    const [found] = await store.get('runs', [key]);
    expect(found?.doc).toEqual({ list: [1] });
    await store.close();
  });

  it('distinguishes names that SQLite cannot store unchanged', async () => {
    const store = sqliteStore(newPath());
    const names = ['a\u0000b', 'a\u0000c', 'a', 'a\\u0000b', '\\', '\ud800', '\ud801', '🎉', ''];
    const keys = names.map((id) => ({ scope: id, thread: 't', id }));
    for (const key of keys) {
      const index = { status: key.id };
      await store.commit({ puts: [{ table: 'runs', key, doc: { id: key.id }, index, expect: 0 }] });
    }
    const rows = await store.get('runs', keys);
    expect(rows.map((row) => row?.key.id)).toEqual(names);
    expect(rows.map((row) => row?.doc['id'])).toEqual(names);
    for (const scope of names) {
      const page = await store.list({ table: 'runs', scope, status: [scope] });
      expect(page.rows.map(({ key, index }) => [key.id, index.status])).toEqual([[scope, scope]]);
    }
    await store.close();
  });

  it('never returns an earlier time', async () => {
    const times = [5, 9, 3, 7, 12];
    const store = sqliteStore(newPath(), { clock: { now: () => times.shift() ?? 0 } });
    const seen = [
      await store.now(),
      await store.now(),
      await store.now(),
      await store.now(),
      await store.now(),
    ];
    expect(seen).toEqual([5, 9, 9, 9, 12]);
    await store.close();
  });

  it('undoes only the failing batch of a shared transaction', async () => {
    const path = newPath();
    const store = sqliteStore(path);
    const put = (id: string, expect?: number) => ({
      table: 'runs' as const,
      key: { scope: 's', thread: 't', id },
      doc: {},
      ...(expect === undefined ? {} : { expect }),
    });
    const impossible = { ...put('b'), doc: undefined } as unknown as ReturnType<typeof put>;
    const results = await Promise.allSettled([
      store.commit({ puts: [put('a')] }),
      store.commit({ puts: [put('half'), impossible] }),
      store.commit({ puts: [put('half'), put('a', 7)] }),
      store.commit({ puts: [put('c')] }),
    ]);
    expect(results.map((result) => (result.status === 'fulfilled' ? result.value.ok : 'failed'))).toEqual([
      true,
      'failed',
      false,
      true,
    ]);
    const { rows } = await store.list({ table: 'runs' });
    expect(rows.map(({ key }) => key.id)).toEqual(['a', 'c']);
    await store.close();
  });

  it('writes pending commits on close, and nothing after', async () => {
    const path = newPath();
    const store = sqliteStore(path);
    const append = { log: 'events' as const, scope: 's', thread: 't', items: [1] };
    const before = store.commit({ appends: [append] });
    const closed = store.close();
    await expect(store.commit({ appends: [append] })).rejects.toMatchObject({ code: 'STORE_FAILED' });
    expect(await before).toMatchObject({ ok: true });
    await closed;
    await expect(store.read(append)).rejects.toMatchObject({
      code: 'STORE_FAILED',
      message: 'The store was closed.',
    });
    const again = sqliteStore(path);
    expect(await again.read(append)).toEqual([{ sequence: 1, item: 1 }]);
    await again.close();
  });

  it('leaves everything in the file itself on close, so that a copy is complete', async () => {
    const path = newPath();
    const store = sqliteStore(path);
    const append = { log: 'events' as const, scope: 's', thread: 't', items: [1] };
    await store.commit({ appends: [append] });
    await store.close();
    const copy = newPath();
    copyFileSync(path, copy);
    const copied = sqliteStore(copy);
    expect(await copied.read(append)).toEqual([{ sequence: 1, item: 1 }]);
    await copied.close();
  });

  it('rejects an invalid cursor', async () => {
    const store = sqliteStore(newPath());
    const refused = { code: 'INPUT_INVALID' };
    await expect(store.list({ table: 'runs', cursor: 'x' })).rejects.toMatchObject(refused);
    const cursor = btoa(encodeURIComponent('[1,""]'));
    await expect(store.list({ table: 'runs', order: 'due', cursor })).rejects.toMatchObject(refused);
    await store.close();
  });
});

it.skipIf(process.platform === 'win32')(
  'a new SQLite file and its logs can be read by their owner only, whatever the umask allows',
  async () => {
    const path = newPath();
    const before = process.umask(0);
    try {
      const store = sqliteStore(path);
      await store.commit({ puts: [{ table: 'runs', key: { scope: 's', thread: 't', id: 'a' }, doc: {} }] });
      const modes = ['', '-wal', '-shm'].map((end) => statSync(path + end).mode & 0o777);
      expect(modes).toEqual([0o600, 0o600, 0o600]);
      await store.close();
    } finally {
      process.umask(before);
    }
  },
);

it.skipIf(process.platform === 'win32')('an existing SQLite file keeps its permissions', async () => {
  const path = newPath();
  writeFileSync(path, '', { mode: 0o640 });
  const store = sqliteStore(path);
  await store.now();
  await store.get('runs', [{ scope: 's', thread: 't', id: 'a' }]);
  expect(statSync(path).mode & 0o777).toBe(0o640);
  await store.close();
});
