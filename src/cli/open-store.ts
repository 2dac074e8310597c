import { existsSync } from 'node:fs';
import { HoldpointError } from '../core/index.ts';
import type { Store } from '../store/index.ts';
import { postgresStore } from '../store/postgres/index.ts';
import { sqliteStore } from '../store/sqlite/index.ts';
import type { Call } from './command.ts';

export const DB_FLAGS = {
  db: { type: 'string', help: 'a SQLite file, or postgres://… (default holdpoint.db, or HOLDPOINT_DB)' },
  schema: { type: 'string', help: 'the PostgreSQL schema (default holdpoint)' },
} as const;

/** Where the database is that a command is about. */
export function databaseOf(call: Call): string {
  return call.flag('db') ?? process.env['HOLDPOINT_DB'] ?? 'holdpoint.db';
}

/** The same for people to read: without a password. */
export function shownDatabase(call: Call): string {
  return databaseOf(call).replace(/^(postgres(?:ql)?:\/\/[^:/?#]*):[^/?#]*@/, '$1:…@');
}

export function isPostgres(database: string): boolean {
  return /^postgres(?:ql)?:\/\//.test(database);
}

/**
 * As {@link openStore}, for a command about what was kept: a SQLite file that is not there is not made. Throws
 * `STORE_FAILED`.
 */
export async function openKeptStore(call: Call): Promise<Store> {
  const database = databaseOf(call);
  if (isMissing(database)) {
    throw new HoldpointError(
      'STORE_FAILED',
      `There is no database at ${database}: give another --db, or make one with \`holdpoint migrate\`.`,
    );
  }
  return openStore(call);
}

/** Whether a SQLite file is not there; whether a PostgreSQL is, only opening it tells. */
export function isMissing(database: string): boolean {
  return !isPostgres(database) && !existsSync(database);
}

/** Opens the store that `--db` names, makes it where there is none, and brings its schema up to date. */
export async function openStore(call: Call): Promise<Store> {
  const database = databaseOf(call);
  const schema = call.flag('schema');
  const store = isPostgres(database)
    ? postgresStore(database, schema === undefined ? {} : { schema })
    : sqliteStore(database);
  try {
    // Telling the time needs no file: only reading a row shows that the database is there and its schema fits.
    await store.get('threads', [{ scope: '', thread: '', id: '' }]);
    return store;
  } catch (error) {
    await store.close().catch(() => undefined);
    throw error;
  }
}
