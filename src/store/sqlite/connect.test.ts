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

describe('a database that is opened', () => {
  afterEach(() => vi.restoreAllMocks());

  it.each([
    ['by default', {}, SYNCHRONOUS.FULL],
    ['when FULL is asked for', { synchronous: 'FULL' }, SYNCHRONOUS.FULL],
    ['when NORMAL is asked for', { synchronous: 'NORMAL' }, SYNCHRONOUS.NORMAL],
  ] as const)('writes ahead, and waits for the disk as it should %s', async (_when, options, expected) => {
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
