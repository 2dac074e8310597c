import { copyFileSync, existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../core/index.ts';
import { indexEarlierRow } from '../earlier-rows.ts';
import { expectMigrated } from '../testing-support/expect-migrated.ts';
import type { LogName } from '../store.ts';
import { openDatabaseNow } from './connect.ts';
import { loadLibsql } from './driver.ts';
import { migrateSqlite, sqliteStore } from './index.ts';
import { SCHEMA_VERSION } from './schema.ts';
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
    expect(migrated).toEqual({ from: 2, to: SCHEMA_VERSION, backup });
    expect(told.at(-1)?.done).toBe(told.at(-1)?.total);
    expect(await migrateSqlite(path)).toEqual({ from: SCHEMA_VERSION, to: SCHEMA_VERSION });
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
    connection.exec('UPDATE holdpoint_schema SET version = 7');
    await expect(store.commit({ appends: [append] })).rejects.toMatchObject({
      code: 'STORE_FAILED',
      message: expect.stringContaining(
        `got schema version 7 while this process had it open with ${SCHEMA_VERSION}`,
      ),
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
    expect(await migrateSqlite(path)).toEqual({ from: 3, to: SCHEMA_VERSION, backup: `${path}.schema-3` });
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

describe('a file of schema version 5', () => {
  it('a file of schema version 5 keeps the items and ends of its logs, and no history is sealed anew', async () => {
    const path = newPath();
    const before = sqliteStore(path);
    const append = (log: LogName, thread: string, items: JsonValue[]) => ({ log, scope: 's', thread, items });
    // Not a chain that verifies: sealing would change it.
    const entry = { what: 'raised', by: 'ana', previous: '', hash: 'as it was' };
    const thread = {
      table: 'threads' as const,
      key: { scope: 's', thread: 'b', id: '' },
      doc: { chain: { count: 1, hash: 'x' } },
    };
    await before.commit({
      puts: [thread],
      appends: [
        append('history', 'b', [entry]),
        append('events', 'b', [1, 2]),
        append('messages', 'b', ['m']),
      ],
    });
    await before.commit({
      appends: [append('history', 'a', [{ what: 'staged' }]), append('events', 'b', [3])],
    });
    await before.trim({ log: 'events', scope: 's', thread: 'b', through: 3 });
    await before.close();
    const libsql = loadLibsql();
    const database = new libsql(path);
    for (const log of ['events', 'history']) {
      database.exec(`CREATE TABLE by_key (scope TEXT NOT NULL, thread TEXT NOT NULL, sequence INTEGER NOT NULL, doc TEXT NOT NULL,
        PRIMARY KEY (scope, thread, sequence)) WITHOUT ROWID;
        INSERT INTO by_key SELECT scope, thread, sequence, doc FROM ${log}; DROP TABLE ${log}; ALTER TABLE by_key RENAME TO ${log}`);
    }
    database.exec('UPDATE holdpoint_schema SET version = 5');
    expect(await migrateSqlite(path)).toEqual({ from: 5, to: SCHEMA_VERSION, backup: `${path}.schema-5` });
    const columns = database.prepare('SELECT thread, sequence, what, principal FROM history ORDER BY thread');
    expect(columns.raw().all([])).toEqual([
      ['a', 1, 'staged', null],
      ['b', 1, 'raised', 'ana'],
    ]);
    database.close();
    const store = sqliteStore(path);
    expect(await store.read({ log: 'history', scope: 's', thread: 'b' })).toEqual([
      { sequence: 1, item: entry },
    ]);
    expect(await store.get('threads', [thread.key])).toMatchObject([{ version: 1, doc: thread.doc }]);
    const more = [append('events', 'b', [4]), append('history', 'b', [{}])];
    expect(await store.commit({ appends: more })).toMatchObject({ ok: true, sequences: [4, 2] });
    await store.close();
  });
});
