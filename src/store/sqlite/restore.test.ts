import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { describe, expect, it } from 'vitest';
import { HoldpointError } from '../../core/index.ts';
import type { Batch, Store } from '../store.ts';
import { openDatabaseNow } from './connect.ts';
import { loadLibsql, modeOf } from './driver.ts';
import type { SqliteStoreOptions } from './index.ts';
import { restoreSqlite, sqliteStore } from './index.ts';
import { replaceFile } from './restore.ts';
import { SCHEMA_TABLE_SQL, SCHEMA_VERSION } from './schema.ts';
import { backUp, execute } from './testing-support/execute.ts';
import { temporaryPaths } from './testing-support/temporary-paths.ts';

const newPath = temporaryPaths();
/** A commit fails if it notices the replaced file first, and conflicts if another call did. */
const isRefused = (store: Store, batch: Batch) =>
  store.commit(batch).then(
    ({ ok }) => !ok,
    (error: unknown) => HoldpointError.is(error, 'STORE_FAILED') && error.details?.['replaced'] === true,
  );

const put = (id: string, expected?: number) => ({
  puts: [
    {
      table: 'runs' as const,
      key: { scope: 's', thread: 't', id },
      doc: {},
      ...(expected === undefined ? {} : { expect: expected }),
    },
  ],
});
const idsOf = async (store: Store) =>
  (await store.list({ table: 'runs' })).rows.map(({ key }) => key.id).join('');

/** Two stores with one file that has a, whose backup was made, and then b. */
async function twoStores(options: SqliteStoreOptions = {}) {
  const path = newPath();
  const [one, other] = [sqliteStore(path, options), sqliteStore(path, options)];
  await one.commit(put('a'));
  const backup = newPath();
  backUp(path, backup);
  await other.commit(put('b'));
  return { path, backup, one, other, stores: [one, other] };
}

describe('a file that is restored under running processes', () => {
  it('fails the next commit of each process, and has everything acknowledged after that', async () => {
    const { path, backup, one, other, stores } = await twoStores();
    const before = one.incarnation?.id;
    expect(await restoreSqlite({ backup, path })).toBe(`${path}.replaced`);
    // A decision from the previous file does not apply, whether the row is in the backup or not.
    expect(await Promise.all(stores.map((store) => isRefused(store, put('a', 1))))).toEqual([true, true]);
    expect(await Promise.all(stores.map((store) => isRefused(store, put('b', 1))))).toEqual([true, true]);
    expect(await one.commit(put('c', 0))).toMatchObject({ ok: true });
    expect(await other.commit(put('d', 0))).toMatchObject({ ok: true });
    for (const store of stores) expect(await idsOf(store)).toBe('acd');
    expect(one.incarnation).toEqual(other.incarnation);
    expect(one.incarnation).toEqual({
      id: expect.not.stringMatching(before ?? ''),
      restoredAt: expect.any(Number),
    });
    // The previous file is complete too.
    const kept = sqliteStore(`${path}.replaced`);
    expect(await idsOf(kept)).toBe('ab');
    for (const store of [...stores, kept]) await store.close();
  });

  it('fails every commit of a shared transaction', async () => {
    const { path, backup, one, other } = await twoStores();
    await restoreSqlite({ backup, path });
    const refused = await Promise.all([1, 2, 3].map((version) => isRefused(one, put('b', version))));
    expect(refused).toEqual([true, true, true]);
    expect(await idsOf(one)).toBe('a');
    await one.close();
    await other.close();
  });

  it('lets one process change a version once', async () => {
    const { path, backup, stores } = await twoStores();
    await restoreSqlite({ backup, path });
    for (const store of stores) await store.commit(put('x')).catch(() => undefined);
    const [row] = (await stores[0]?.get('runs', [{ scope: 's', thread: 't', id: 'a' }])) ?? [];
    const results = await Promise.all(stores.map((store) => store.commit(put('a', row?.version ?? 0))));
    expect(results.filter(({ ok }) => ok)).toHaveLength(1);
    for (const store of stores) await store.close();
  });

  it('reports every thread to watchers', async () => {
    const { path, backup, one, other } = await twoStores();
    const key = { scope: 's', thread: 'kept', id: '' };
    await restoreSqlite({
      backup,
      path,
      prepare: async (store) => void (await store.commit({ puts: [{ table: 'threads', key, doc: {} }] })),
    });
    await one.close();
    const watcher = sqliteStore(path, { pollIntervalMs: 1 });
    await watcher.now();
    const told = new Promise<string>((resolve) => {
      watcher.watch(({ thread }) => resolve(thread));
    });
    await restoreSqlite({ backup: path, path });
    // A read notices as well.
    for (let thread = ''; thread === '';) {
      await watcher.get('threads', [key]);
      thread = await Promise.race([told, new Promise<string>((resolve) => setImmediate(() => resolve('')))]);
    }
    expect(await told).toBe('kept');
    await watcher.close();
    await other.close();
  });

  it('a restore without a valid backup leaves the file unchanged', async () => {
    const { path, stores } = await twoStores();
    await expect(restoreSqlite({ backup: `${path}.missing`, path })).rejects.toMatchObject({
      code: 'STORE_FAILED',
      message: `There is no backup at ${path}.missing.`,
    });
    const letter = newPath();
    writeFileSync(letter, 'This is a letter. '.repeat(1000));
    await expect(restoreSqlite({ backup: letter, path })).rejects.toMatchObject({ code: 'STORE_FAILED' });
    expect(existsSync(`${path}.restoring`)).toBe(false);
    for (const store of stores) expect(await store.commit(put('c'))).toMatchObject({ ok: true });
    for (const store of stores) await store.close();
  });

  it('a restore creates the file if there was none', async () => {
    const { backup, stores } = await twoStores();
    const path = newPath();
    expect(await restoreSqlite({ backup, path })).toBeUndefined();
    const store = sqliteStore(path);
    expect(await idsOf(store)).toBe('a');
    for (const each of [...stores, store]) await each.close();
  });
});

describe('a restore that is killed', () => {
  /** What a process that starts now finds: the rows, and whether the database says that it was restored. */
  async function lookAt(path: string): Promise<string> {
    const store = sqliteStore(path, { busyTimeoutMs: 0 });
    try {
      const ids = await idsOf(store);
      return store.incarnation?.restoredAt === undefined ? ids : `${ids} restored`;
    } catch (error) {
      return HoldpointError.is(error, 'STORE_FAILED') ? error.message : 'another error';
    } finally {
      await store.close();
    }
  }
  /** Stops a restore after some of its steps, while two stores have the file open. */
  async function killAfter(steps: number) {
    const { path, backup, stores } = await twoStores({ busyTimeoutMs: 100 });
    const prepared = newPath();
    await restoreSqlite({ backup, path: prepared });
    const replacement = replaceFile(path, prepared);
    let isDone = false;
    for (let step = 0; step < steps; step += 1) isDone = replacement.next().done === true;
    return { path, backup, stores, isDone };
  }

  it.each([0, 1, 2, 3, 4, 5, 6])(
    'after %i steps leaves the complete previous file, the restored file, or a file that cannot be opened',
    async (steps) => {
      const { path, backup, stores, isDone } = await killAfter(steps);
      const interrupted = `A restore of ${path} was interrupted: run \`holdpoint restore\` again. The previous file is ${path}.replaced.`;
      const found = await lookAt(path);
      expect(isDone ? ['a restored'] : ['ab', interrupted]).toContain(found);
      // An open store acknowledges nothing that a new process does not find.
      const [open] = stores;
      const isKept = await open?.commit(put('c')).then(
        ({ ok }) => ok,
        () => false,
      );
      if (isKept === true) expect(await lookAt(path)).toBe(found.replace(/^a?b?/, '$&c'));
      const before = await lookAt(path);
      await restoreSqlite({ backup, path });
      expect(await lookAt(path)).toBe('a restored');
      // A commit that was rejected may be in the previous file, which nobody uses any more.
      const previous = before === interrupted ? ['ab', 'abc'] : [before];
      if (!isDone) expect(previous).toContain(await lookAt(`${path}.replaced`));
      for (const store of stores) await store.close();
    },
  );
});

describe('a file that another program replaces while it is open', () => {
  it('a file that another program replaces while it is open gets a new incarnation once, from the processes that notice', async () => {
    const { path, backup, stores } = await twoStores();
    const copy = newPath();
    copyFileSync(backup, copy);
    for (const log of ['-wal', '-shm']) rmSync(path + log, { force: true });
    renameSync(copy, path);
    for (const store of stores) expect(await isRefused(store, put('a', 1))).toBe(true);
    for (const store of stores) expect(await store.commit(put('c'))).toMatchObject({ ok: true });
    const [one, other] = stores.map((store) => store.incarnation);
    expect(one).toEqual({ id: expect.any(String), restoredAt: expect.any(Number) });
    expect(other).toEqual(one);
    for (const store of stores) await store.close();
  });

  it('a file that another program replaces while it is open is awaited if another process has it locked', async () => {
    const { path, backup, one, other } = await twoStores();
    copyFileSync(backup, `${path}.copy`);
    const libsql = loadLibsql();
    const locking = new libsql(`${path}.copy`);
    locking.exec('PRAGMA journal_mode = WAL; BEGIN IMMEDIATE');
    for (const log of ['-wal', '-shm']) renameSync(`${path}.copy${log}`, path + log);
    renameSync(`${path}.copy`, path);
    const written = one.commit(put('c')).catch((error: unknown) => {
      // The open file may take the first commit and fail it.
      if (!HoldpointError.is(error) || error.details?.['replaced'] !== true) throw error;
      return one.commit(put('c'));
    });
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    locking.exec('ROLLBACK');
    expect(await written).toMatchObject({ ok: true });
    locking.close();
    for (const each of [one, other]) await each.close();
  });

  it('a file that another program replaces while it is open is not created again after it was moved away, and is used again when it is back', async () => {
    const { path, stores } = await twoStores();
    const away = newPath();
    for (const end of ['', '-wal', '-shm']) renameSync(path + end, away + end);
    const [store] = stores;
    await expect(store?.commit(put('lost'))).rejects.toMatchObject({ code: 'STORE_FAILED' });
    await expect(store?.commit(put('c'))).rejects.toThrow('is no longer there: put it back');
    expect(existsSync(path)).toBe(false);
    for (const end of ['', '-wal', '-shm']) if (existsSync(away + end)) renameSync(away + end, path + end);
    expect(await store?.commit(put('c'))).toMatchObject({ ok: true });
    for (const each of stores) await each.close();
  });

  it('a file that another program replaces while it is open is used again by a process that had it open, after another process renewed it', async () => {
    const { path, one, other } = await twoStores();
    const away = newPath();
    renameSync(path, away);
    await expect(one.commit(put('lost'))).rejects.toMatchObject({ code: 'STORE_FAILED' });
    renameSync(away, path);
    expect(await one.commit(put('c'))).toMatchObject({ ok: true });
    // A run asks this before each call: it must not start one for a database that others have renewed.
    expect(other.isCurrent?.()).toBe(false);
    expect(await isRefused(other, put('a', 1))).toBe(true);
    expect(await other.commit(put('d'))).toMatchObject({ ok: true });
    expect(other.incarnation).toEqual(one.incarnation);
    for (const each of [one, other]) await each.close();
  });
});

describe('the permissions of a restored file', () => {
  /** Lets only the owner read a file, where the system can. Returns its permissions. */
  const close = (path: string) => {
    chmodSync(path, 0o600);
    return modeOf(path);
  };

  it('are those of the previous file', async () => {
    const { path, backup, stores } = await twoStores();
    for (const store of stores) await store.close();
    const mode = close(path);
    const replacement = replaceFile(path, backup);
    for (let step = 0; step < 3; step += 1) replacement.next();
    // A notice is in the place of the file: a killed restore leaves it behind.
    expect(modeOf(path)).toBe(mode);
    backUp(`${path}.replaced`, `${backup}.2`);
    await restoreSqlite({ backup: `${backup}.2`, path });
    expect(modeOf(path)).toBe(mode);
  });

  it.skipIf(process.platform === 'win32')(
    'let only the owner read without a previous file, whatever the umask and the backup allow',
    async () => {
      const { path, backup, stores } = await twoStores();
      for (const store of stores) await store.close();
      chmodSync(backup, 0o644);
      rmSync(path);
      const before = process.umask(0);
      try {
        await restoreSqlite({ backup, path });
      } finally {
        process.umask(before);
      }
      expect(modeOf(path)).toBe(0o600);
    },
  );
});

describe('a file that is not a Holdpoint database', () => {
  it.each<[string, (path: string) => void, string]>([
    [
      'empty',
      (path) => writeFileSync(path, ''),
      'is not a Holdpoint database: it has no table holdpoint_schema.',
    ],
    [
      'of another program',
      (path) => execute(path, 'CREATE TABLE notes (text TEXT)'),
      'is not a Holdpoint database: it has no table holdpoint_schema.',
    ],
    [
      'with the schema table alone',
      (path) => {
        execute(
          path,
          `${SCHEMA_TABLE_SQL} INSERT INTO holdpoint_schema VALUES (${SCHEMA_VERSION}, 'x', NULL)`,
        );
      },
      'is not a Holdpoint database: it has no table threads.',
    ],
    [
      'with a trigger',
      (path) => {
        copyFileSync(currentBackup(), path);
        execute(path, 'CREATE TRIGGER steal AFTER UPDATE ON interrupts BEGIN DELETE FROM history; END');
      },
      'has the trigger steal, which does not belong to a Holdpoint database. Use a backup without it.',
    ],
    [
      'with a view',
      (path) => {
        copyFileSync(currentBackup(), path);
        execute(path, 'CREATE VIEW shown AS SELECT * FROM interrupts');
      },
      'has the view shown, which does not belong to a Holdpoint database. Use a backup without it.',
    ],
  ])('is not restored if it is %s, and the previous file stays as it is', async (_what, make, sentence) => {
    const { path, stores } = await twoStores();
    const wrong = newPath();
    make(wrong);
    await expect(restoreSqlite({ backup: wrong, path })).rejects.toMatchObject({
      code: 'STORE_FAILED',
      message: `${wrong} ${sentence}`,
    });
    expect([existsSync(`${path}.replaced`), existsSync(`${path}.restoring`)]).toEqual([false, false]);
    for (const store of stores) expect(await idsOf(store)).toBe('ab');
    for (const store of stores) await store.close();
  });

  it('is restored with the tables of an application', async () => {
    const { path, backup, stores } = await twoStores();
    for (const store of stores) await store.close();
    execute(backup, 'CREATE TABLE accounts (id TEXT PRIMARY KEY)');
    expect(await restoreSqlite({ backup, path })).toBe(`${path}.replaced`);
  });
});

it.skipIf(process.platform === 'win32')(
  'a restore writes through no link at its temporary names',
  async () => {
    const { path, backup, stores } = await twoStores();
    for (const store of stores) await store.close();
    const precious = newPath();
    for (const end of [
      '.restoring',
      '.restoring-wal',
      '.restoring.copy',
      '.restoring.copy.notice',
      '.replaced',
    ]) {
      writeFileSync(`${precious}${end}`, 'precious');
      symlinkSync(`${precious}${end}`, `${path}${end}`);
    }
    await restoreSqlite({ backup, path });
    for (const end of [
      '.restoring',
      '.restoring-wal',
      '.restoring.copy',
      '.restoring.copy.notice',
      '.replaced',
    ])
      expect([end, readFileSync(`${precious}${end}`, 'utf8')]).toEqual([end, 'precious']);
    expect(lstatSync(path).isFile()).toBe(true);
    const store = sqliteStore(path);
    expect(await idsOf(store)).toBe('a');
    await store.close();
  },
);

/** A new Holdpoint database without rows. */
function currentBackup(): string {
  const path = newPath();
  openDatabaseNow(path).connection.close();
  return path;
}
