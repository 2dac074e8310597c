import { describe, expect, it } from 'vitest';
import type { Change } from '../store.ts';
import { openDatabaseNow } from './connect.ts';
import { sqliteStore } from './index.ts';
import { temporaryPaths } from './testing-support/temporary-paths.ts';

const newPath = temporaryPaths();
const append = (thread: string) => ({
  appends: [{ log: 'events' as const, scope: 's', thread, items: [1] }],
});

describe('watching', () => {
  it('reports every thread that another store changed, and no earlier change', async () => {
    const path = newPath();
    const writer = sqliteStore(path);
    await writer.commit(append('before'));
    const watcher = sqliteStore(path, { pollIntervalMs: 1 });
    const seen = new Set<string>();
    const all = new Promise<void>((resolve) => {
      watcher.watch(({ thread }) => {
        seen.add(thread);
        if (seen.has('last')) resolve();
      });
    });
    const threads = Array.from({ length: 200 }, (_, number) => `t${number}`);
    for (const thread of threads) {
      await writer.commit(append(thread));
      if (thread.endsWith('7')) await watcher.commit(append('own'));
    }
    await writer.commit(append('last'));
    await all;
    expect(seen).toEqual(new Set([...threads, 'own', 'last']));
    await watcher.close();
    await writer.close();
  });

  it('reports changes of this store at once and once, until it is stopped', async () => {
    const store = sqliteStore(newPath());
    const seen: Change[] = [];
    const stop = store.watch((change) => seen.push(change));
    await store.commit(append('a'));
    expect(seen).toEqual([{ scope: 's', thread: 'a' }]);
    stop();
    await store.commit(append('b'));
    expect(seen).toHaveLength(1);
    await store.close();
  });

  it('reports trimmed logs, deleted rows, changed rows and appended items of another connection', async () => {
    const path = newPath();
    const writer = sqliteStore(path);
    const key = (id: string) => ({ scope: 's', thread: 't', id });
    const put = (id: string) => ({ table: 'files' as const, key: key(id), doc: {} });
    const gone = (id: string) => ({ table: 'files' as const, key: key(id) });
    await writer.commit({ puts: ['a', 'b', 'c', 'd'].map(put) });
    await writer.commit({ appends: [{ log: 'events', scope: 's', thread: 'log', items: [1, 2, 3] }] });
    const watcher = sqliteStore(path, { pollIntervalMs: 1 });
    let wake: (thread: string) => void = () => undefined;
    watcher.watch(({ thread }) => wake(thread));
    const told = (thread: string) =>
      new Promise<void>((resolve) => {
        wake = (heard) => (heard === thread ? resolve() : undefined);
      });
    const steps: (() => Promise<unknown>)[] = [
      () => writer.trim({ log: 'events', scope: 's', thread: 'log', through: 3 }),
      () => writer.commit({ deletes: [gone('c'), gone('d')] }),
      () => writer.commit({ puts: [put('b')], deletes: [gone('b')] }),
      () => writer.commit({ puts: [{ ...put('a'), expect: 1 }] }),
      () => writer.commit({ ...append('t'), deletes: [gone('a'), gone('b')] }),
      () => writer.commit(append('t')),
    ];
    for (const [number, step] of steps.entries()) {
      const heard = told(number === 0 ? 'log' : 't');
      await step();
      await heard;
    }
    await watcher.close();
    await writer.close();
  });

  it('reports nothing for a failed commit', async () => {
    const store = sqliteStore(newPath());
    const seen: Change[] = [];
    store.watch((change) => seen.push(change));
    const refused = { log: 'events' as const, scope: 's', thread: 'a', items: [1], expectNext: 5 };
    expect(await store.commit({ appends: [refused] })).toMatchObject({ ok: false });
    expect(seen).toEqual([]);
    await store.close();
  });

  it('reports every thread if changes were removed before they were read', async () => {
    const path = newPath();
    const writer = sqliteStore(path);
    const thread = (id: string) => ({
      puts: [{ table: 'threads' as const, key: { scope: 's', thread: id, id: '' }, doc: {} }],
    });
    for (const id of ['a', 'b']) await writer.commit(thread(id));
    const watcher = sqliteStore(path, { pollIntervalMs: 1 });
    const seen = new Set<string>();
    const all = new Promise<void>((resolve) => {
      watcher.watch((change) => {
        seen.add(change.thread);
        if (seen.size === 3) resolve();
      });
    });
    const { connection } = openDatabaseNow(path);
    // The state that a process finds after a sleep.
    connection.transaction(() => {
      connection.exec(`INSERT INTO changes (number, scope, thread) VALUES (90000, 's', 'x')`);
      connection.exec('DELETE FROM changes WHERE number < 90000');
    });
    connection.close();
    await writer.commit(thread('c'));
    await all;
    expect(seen).toEqual(new Set(['a', 'b', 'c']));
    await watcher.close();
    await writer.close();
  });
});
