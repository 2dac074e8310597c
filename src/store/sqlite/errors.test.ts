import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { HoldpointError } from '../../core/index.ts';
import { groupTransactions } from './commit-batches.ts';
import { migrateSqlite, sqliteStore } from './index.ts';
import { loadLibsql } from './driver.ts';
import { openDatabaseNow } from './connect.ts';
import { storeFailure } from './errors.ts';
import { SCHEMA_VERSION } from './schema.ts';
import { temporaryPaths } from './testing-support/temporary-paths.ts';

const newPath = temporaryPaths();
const append = { log: 'events' as const, scope: 's', thread: 't', items: ['x'] };

const failureOf = async (work: Promise<unknown>): Promise<string> => {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!HoldpointError.is(error, 'STORE_FAILED')) throw new Error('Expected STORE_FAILED', { cause: error });
  return error.message;
};

describe('a problem with a SQLite file', () => {
  it('a missing package is named, with the install command', () => {
    const load = (name: string) => {
      throw new Error(`Cannot find module '${name}'`);
    };
    expect(() => loadLibsql(load)).toThrow(
      'The SQLite store needs the package libsql, which could not be loaded: run `npm install libsql`.',
    );
  });

  it('a missing folder is named', async () => {
    const path = `${newPath()}/missing/file.db`;
    expect(await failureOf(sqliteStore(path).read(append))).toBe(
      `The SQLite file ${path} cannot be opened: see that its folder is there and that this process may read and write in it.`,
    );
  });

  it('a file that is not a database is named', async () => {
    const path = newPath();
    writeFileSync(path, 'This is a letter. '.repeat(1000));
    const store = sqliteStore(path);
    const sentence = `The SQLite file ${path} is not an SQLite database: see that the path names the right file.`;
    expect(await failureOf(store.commit({ appends: [append] }))).toBe(sentence);
    expect(await failureOf(migrateSqlite(path))).toBe(sentence);
    await store.close();
  });

  it('a damaged file is named', async () => {
    const path = newPath();
    const { connection } = openDatabaseNow(path);
    connection.exec('PRAGMA writable_schema = ON');
    connection.exec(`UPDATE sqlite_schema SET rootpage = 9999 WHERE name IN ('events', 'log_heads')`);
    connection.close();
    const store = sqliteStore(path);
    expect(await failureOf(store.read(append))).toContain('is damaged: restore it from a backup');
    expect(await failureOf(store.commit({ appends: [append] }))).toContain('is damaged');
    await store.close();
  });

  it('a read-only file can be read', async () => {
    const path = newPath();
    const writer = sqliteStore(path);
    await writer.commit({ appends: [append] });
    const reader = sqliteStore(`file:${path}?mode=ro`);
    expect(await reader.read(append)).toHaveLength(1);
    expect(await failureOf(reader.commit({ appends: [append] }))).toContain('is read-only');
    expect(await writer.read(append)).toHaveLength(1);
    await reader.close();
    await writer.close();
  });

  it('a file of a newer release is rejected with both versions', async () => {
    const path = newPath();
    expect(await migrateSqlite(path)).toEqual({ from: 0, to: SCHEMA_VERSION });
    expect(await migrateSqlite(path)).toEqual({ from: SCHEMA_VERSION, to: SCHEMA_VERSION });
    const { connection } = openDatabaseNow(path);
    connection.exec('UPDATE holdpoint_schema SET version = 7');
    connection.close();
    const store = sqliteStore(path);
    const sentence = `The SQLite file ${path} has schema version 7, and this holdpoint knows up to ${SCHEMA_VERSION}: update holdpoint.`;
    expect(await failureOf(store.read(append))).toBe(sentence);
    expect(await failureOf(migrateSqlite(path))).toBe(sentence);
    await store.close();
  });

  it('a full disk loses the failing commit only', async () => {
    const { connection } = openDatabaseNow(newPath());
    connection.exec('CREATE TABLE filling (text TEXT)');
    connection.all(`PRAGMA max_page_count = ${connection.number('PRAGMA page_count') + 8}`);
    const group = groupTransactions(connection, 0);
    const fill = async (length: number) =>
      group.run(() => connection.run('INSERT INTO filling VALUES (?)', ['x'.repeat(length)]));
    await fill(10);
    const error: unknown = await fill(100_000).catch((thrown: unknown) => thrown);
    expect(storeFailure('a.db', error).message).toBe(
      'The SQLite file a.db cannot grow: the disk is full; free some space, and try again.',
    );
    await fill(20);
    expect(connection.all('SELECT length(text) FROM filling')).toEqual([[10], [20]]);
    expect(connection.value('PRAGMA integrity_check')).toBe('ok');
    connection.close();
  });
});
