import { describe, expect, it } from 'vitest';
import { loadLibsql } from './driver.ts';
import { migrateSqlite, restoreSqlite, sqliteStore } from './index.ts';
import { openDatabaseNow } from './connect.ts';
import type { Child } from './testing-support/spawn-child.ts';
import { nextLine, spawnChild } from './testing-support/spawn-child.ts';
import { temporaryPaths } from './testing-support/temporary-paths.ts';

const newPath = temporaryPaths();
const HOLD_LOCK = new URL('./testing-support/hold-lock.ts', import.meta.url);
const INCREMENT = new URL('./testing-support/increment.ts', import.meta.url);
const COMMIT_UNTIL_KILLED = new URL('./testing-support/commit-until-killed.ts', import.meta.url);
const COMMIT_FOR_TOKENS = new URL('./testing-support/commit-for-tokens.ts', import.meta.url);

const append = { log: 'events' as const, scope: 's', thread: 't', items: ['x'] };

describe('a file that another process has locked', () => {
  it('a file that another process has locked is awaited without blocking the process, and written when it is free', async () => {
    const path = newPath();
    const store = sqliteStore(path, { busyTimeoutMs: 60_000 });
    const holder = spawnChild(HOLD_LOCK, path);
    await nextLine(holder);
    let settled = false;
    const committed = Promise.all([
      store.commit({ appends: [append] }),
      store.commit({ appends: [append] }),
    ]).finally(() => {
      settled = true;
    });
    // Twenty timer turns pass while the lock is held; reads continue.
    for (let turn = 0; turn < 20; turn += 1) {
      await new Promise((resolve) => {
        setTimeout(resolve, 5);
      });
      expect(await store.read(append)).toEqual([]);
    }
    expect(settled).toBe(false);
    holder.process.stdin?.end();
    expect(await committed).toMatchObject([
      { ok: true, sequences: [1] },
      { ok: true, sequences: [2] },
    ]);
    expect(await holder.ended).toBe(0);
    await store.close();
  });

  it('throws STORE_FAILED after the timeout, without a write', async () => {
    const path = newPath();
    const store = sqliteStore(path, { busyTimeoutMs: 50 });
    const holder = spawnChild(HOLD_LOCK, path);
    await nextLine(holder);
    const failure = {
      code: 'STORE_FAILED',
      message: `The SQLite file ${path} is locked by another process: see which one holds it, and try again.`,
      cause: { code: 'SQLITE_BUSY' },
    };
    await expect(store.commit({ appends: [append] })).rejects.toMatchObject(failure);
    await expect(store.trim({ ...append, through: 1 })).rejects.toMatchObject(failure);
    holder.process.stdin?.end();
    await holder.ended;
    expect(await store.commit({ appends: [append] })).toMatchObject({ sequences: [1] });
    await store.close();
  });

  it('a file that another process has locked is opened when it is free', async () => {
    const path = newPath();
    const holder = spawnChild(HOLD_LOCK, path);
    await nextLine(holder);
    const store = sqliteStore(path, { busyTimeoutMs: 60_000 });
    const committed = store.commit({ appends: [append] });
    await expect(migrateSqlite(path, { busyTimeoutMs: 20 })).rejects.toMatchObject({ code: 'STORE_FAILED' });
    holder.process.stdin?.end();
    expect(await committed).toMatchObject({ sequences: [1] });
    await holder.ended;
    await store.close();
  });
});

describe('two processes on one file', () => {
  it('create its schema together and lose no change', async () => {
    const path = newPath();
    const children = [spawnChild(INCREMENT, path, '200'), spawnChild(INCREMENT, path, '200')];
    await Promise.all(children.map(nextLine));
    for (const child of children) child.process.stdin?.write('go\n');
    expect(await Promise.all(children.map(({ ended }) => ended))).toEqual([0, 0]);
    const store = sqliteStore(path);
    const [row] = await store.get('runs', [{ scope: 's', thread: 't', id: 'counter' }]);
    expect([row?.doc, row?.version]).toEqual([{ count: 400 }, 400]);
    await store.close();
  });
});

describe('a process that is killed during commits', () => {
  it('leaves a valid file with every acknowledged commit, and no partial one', async () => {
    const path = newPath();
    const survivor = sqliteStore(path);
    const place = { scope: 's', thread: 't' };
    const own = { log: 'history' as const, ...place, items: ['own'] };
    await survivor.commit({ appends: [own] });
    const child = spawnChild(COMMIT_UNTIL_KILLED, path);
    const acknowledged: string[] = [];
    for await (const line of child.lines) {
      acknowledged.push(line);
      if (acknowledged.length === 300) child.process.kill('SIGKILL');
    }
    expect(await child.ended).toBe('SIGKILL');

    const { connection } = openDatabaseNow(path);
    expect(connection.value('PRAGMA integrity_check')).toBe('ok');
    connection.close();
    // A store that was open all the time, and a new one.
    const newcomer = sqliteStore(path);
    for (const store of [survivor, newcomer]) {
      const { rows } = await store.list({ table: 'runs', ...place, limit: 1000 });
      const ids = rows.map(({ key }) => key.id);
      const items = (await store.read({ log: 'events', ...place })).map(({ item }) => String(item));
      expect(acknowledged.filter((number) => !ids.includes(number))).toEqual([]);
      expect(items.toSorted()).toEqual(ids.toSorted());
    }
    expect(await survivor.commit({ appends: [own] })).toMatchObject({ ok: true, sequences: [2] });
    expect(await newcomer.read(own)).toHaveLength(2);
    await survivor.close();
    await newcomer.close();
  });
});

describe('a file that is restored repeatedly under two processes', () => {
  it('a file that is restored repeatedly under two processes has every acknowledged commit that began after a restore', async () => {
    const path = newPath();
    const first = sqliteStore(path);
    await first.commit({ appends: [append] });
    await first.close();
    const children = ['one', 'two'].map((name) => spawnChild(COMMIT_FOR_TOKENS, path, name));
    await Promise.all(children.map(nextLine));
    const acknowledged = async (child: Child): Promise<string[]> => {
      const ids: string[] = [];
      for (let line = await nextLine(child); line !== 'over'; line = await nextLine(child)) ids.push(line);
      return ids;
    };
    for (const token of ['a', 'b', 'c', 'd']) {
      const backup = newPath();
      const libsql = loadLibsql();
      const database = new libsql(path);
      database.prepare('VACUUM INTO ?').run([backup]);
      database.close();
      await restoreSqlite({ backup, path });
      for (const child of children) child.process.stdin?.write(`${token}\n`);
      const lines = (await Promise.all(children.map(acknowledged))).flat();
      const ids = lines.filter((line) => line !== 'failed');
      expect(ids.length).toBeGreaterThan(20);
      const store = sqliteStore(path);
      const { rows } = await store.list({ table: 'runs', limit: 1000 });
      const kept = new Set(rows.map(({ key }) => key.id));
      expect(ids.filter((id) => !kept.has(id))).toEqual([]);
      await store.close();
    }
    for (const child of children) child.process.stdin?.end();
    expect(await Promise.all(children.map(({ ended }) => ended))).toEqual([0, 0]);
  });
});
