import { renameSync } from 'node:fs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Connection } from './driver.ts';
import { sqliteStore } from './index.ts';
import { openDatabase, openDatabaseNow } from './connect.ts';
import { temporaryPaths } from './testing-support/temporary-paths.ts';

const newPath = temporaryPaths();

/** What `PRAGMA synchronous` says. */
const SYNCHRONOUS = { NORMAL: 1, FULL: 2 };

const settingsOf = (connection: Connection) => [
  connection.value('PRAGMA journal_mode'),
  connection.number('PRAGMA synchronous'),
];

describe('an opened SQLite database', () => {
  afterEach(() => vi.restoreAllMocks());

  it.each([
    ['by default', {}, SYNCHRONOUS.FULL],
    ['when FULL is asked for', { synchronous: 'FULL' }, SYNCHRONOUS.FULL],
    ['when NORMAL is asked for', { synchronous: 'NORMAL' }, SYNCHRONOUS.NORMAL],
  ] as const)('uses a write-ahead log and the synchronous setting %s', async (_when, options, expected) => {
    const path = newPath();
    const [now, later] = [openDatabaseNow(path, options), await openDatabase(path, options)];
    for (const { connection } of [now, later]) {
      expect(settingsOf(connection)).toEqual(['wal', expected]);
      connection.close();
    }
    // The store's own connection, seen as it is opened.
    const used = vi.spyOn(Connection.prototype, 'exec');
    const store = sqliteStore(path, options);
    await store.now();
    const [connection] = used.mock.contexts;
    expect(connection === undefined ? [] : settingsOf(connection as Connection)).toEqual(['wal', expected]);
    await store.close();
  });
});

describe('a SQLite transaction', () => {
  it('fails after its commit if the path leads to another file', () => {
    const path = newPath();
    const [{ connection }, { connection: other }] = [openDatabaseNow(path), openDatabaseNow(`${path}.other`)];
    other.close();
    const write = () => connection.run(`INSERT INTO changes (scope, thread) VALUES ('s', 't')`);
    expect(connection.transaction(write)).toBe(1);
    const replace = () => (write(), renameSync(`${path}.other`, path));
    expect(() => connection.transaction(replace)).toThrow('was replaced, moved or deleted while it was open');
    expect(connection.isMoved()).toBe(true);
    connection.close();
  });

  it('reports an error of the old file as a replaced file if the path leads to another one', () => {
    const path = newPath();
    const [{ connection }, { connection: other }] = [openDatabaseNow(path), openDatabaseNow(`${path}.other`)];
    other.close();
    const replace = () => {
      renameSync(`${path}.other`, path);
      connection.exec('SELECT * FROM missing');
    };
    expect(() => connection.transaction(replace)).toThrow('was replaced, moved or deleted while it was open');
    connection.close();
  });

  it('changes nothing if the file has another incarnation', () => {
    const path = newPath();
    const [{ connection }, { connection: other }] = [openDatabaseNow(path), openDatabaseNow(path)];
    other.renew(5);
    const write = () => connection.run(`INSERT INTO changes (scope, thread) VALUES ('s', 't')`);
    expect(() => connection.transaction(write)).toThrow('was replaced, moved or deleted while it was open');
    expect(other.number('SELECT count(*) FROM changes')).toBe(0);
    for (const each of [connection, other]) each.close();
  });
});
