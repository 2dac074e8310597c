import { copyFileSync, existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { indexEarlierRow } from '../earlier-rows.ts';
import { expectMigrated } from '../testing-support/expect-migrated.ts';
import { openDatabaseNow } from './connect.ts';
import { loadLibsql } from './driver.ts';
import { migrateSqlite, sqliteStore } from './index.ts';
import { temporaryPaths } from './testing-support/temporary-paths.ts';

const newPath = temporaryPaths();
// Both made by the release that had schema version 2; its newest ten commits are in its journal alone.
const FIXTURE = new URL('testing-support/schema-2.sqlite', import.meta.url);
const CONTENTS = new URL('testing-support/schema-2.json', import.meta.url);

function earlierFile(): string {
  const path = newPath();
  copyFileSync(FIXTURE, path);
  return path;
}

describe('an interrupt of an earlier version', () => {
  it.each([
    [{ notAsker: true }, { approverUsers: [''] }],
    [{ notAsker: true, roles: ['boss'] }, { approverRoles: ['boss'] }],
    [{ notAsker: true, principals: ['bo'] }, { approverUsers: ['bo'] }],
    [{}, {}],
  ])('with the approvers %o gets the columns %o', (approvers, columns) => {
    expect(indexEarlierRow('interrupts', { approvers }, [])).toEqual(columns);
  });
});

describe('a file of schema version 2', () => {
  it('a file of schema version 2 is migrated into the tables, its journal included', async () => {
    const store = sqliteStore(earlierFile());
    await expectMigrated(store, CONTENTS);
    await store.close();
  });

  it('a file of schema version 2 is migrated with progress, and a copy of the earlier file is kept', async () => {
    const path = earlierFile();
    const told: { done: number; total: number }[] = [];
    const migrated = await migrateSqlite(path, { onProgress: (progress) => told.push(progress) });
    const backup = `${path}.schema-2`;
    expect(migrated).toEqual({ from: 2, to: 5, backup });
    expect(told.at(-1)?.done).toBe(told.at(-1)?.total);
    expect(await migrateSqlite(path)).toEqual({ from: 5, to: 5 });
    // The copy is a file of version 2 itself.
    const copied = sqliteStore(backup);
    await expectMigrated(copied, CONTENTS);
    await copied.close();
  });

  it('keeps its rows if the journal is missing, as in version 1', async () => {
    const path = earlierFile();
    const { connection } = openDatabaseNow(path);
    connection.close();
    const libsql = loadLibsql();
    const database = new libsql(`${path}.schema-2`);
    database.exec('DROP TABLE journal; UPDATE holdpoint_schema SET version = 1');
    database.close();
    const store = sqliteStore(`${path}.schema-2`);
    const { rows } = await store.list({ table: 'interrupts' });
    // As they were filed: the answer to q1 was in the journal.
    expect(rows.map(({ key, index }) => [key.id, index.status])).toEqual([
      ['q1', 'pending'],
      ['q2', 'pending'],
      ['q3', 'answered'],
      ['q4', 'resolved'],
      ['q5', 'pending'],
    ]);
    await store.close();
  });

  it('a file of schema version 2 stays unchanged if the migration fails', async () => {
    const path = earlierFile();
    const libsql = loadLibsql();
    const damage = new libsql(path);
    damage.exec(`UPDATE rows SET doc = '{' WHERE tbl = 'grants'`);
    damage.close();
    await expect(migrateSqlite(path)).rejects.toMatchObject({ code: 'STORE_FAILED' });
    const database = new libsql(path);
    expect(database.prepare('SELECT version FROM holdpoint_schema').raw().all([])).toEqual([[2]]);
    expect(
      database.prepare(`SELECT count(*) FROM sqlite_schema WHERE name = 'threads'`).raw().all([]),
    ).toEqual([[0]]);
    database.close();
    expect(existsSync(`${path}.schema-2`)).toBe(true);
  });

  it('a file of schema version 2 can no longer be written by a process that had it open', async () => {
    const path = newPath();
    const store = sqliteStore(path);
    const append = { log: 'events' as const, scope: 's', thread: 't', items: [1] };
    await store.commit({ appends: [append] });
    const { connection } = openDatabaseNow(path);
    connection.exec('UPDATE holdpoint_schema SET version = 6');
    await expect(store.commit({ appends: [append] })).rejects.toMatchObject({
      code: 'STORE_FAILED',
      message: expect.stringContaining('got schema version 6 while this process had it open with 5'),
    });
    expect(connection.number('SELECT count(*) FROM events')).toBe(1);
    connection.close();
    await store.close();
  });
});

describe('a file of schema version 3', () => {
  it('a file of schema version 3 gets the index of answered interrupts, and keeps its rows and its incarnation', async () => {
    const path = newPath();
    const before = sqliteStore(path);
    const key = { scope: 's', thread: 't', id: 'i' };
    await before.commit({ puts: [{ table: 'interrupts', key, doc: {}, expect: 0 }] });
    await before.close();
    const libsql = loadLibsql();
    const database = new libsql(path);
    // Version 3 has the same tables.
    database.exec('DROP INDEX interrupts_answered; UPDATE holdpoint_schema SET version = 3');
    const incarnation = () => database.prepare('SELECT incarnation FROM holdpoint_schema').raw().all([]);
    const was = incarnation();
    expect(await migrateSqlite(path)).toEqual({ from: 3, to: 5, backup: `${path}.schema-3` });
    expect(
      database.prepare(`SELECT count(*) FROM sqlite_schema WHERE name = 'interrupts_answered'`).raw().all([]),
    ).toEqual([[1]]);
    expect(incarnation()).toEqual(was);
    database.close();
    const store = sqliteStore(path);
    expect((await store.list({ table: 'interrupts' })).rows.map((row) => row.key)).toEqual([key]);
    await store.close();
  });
});
