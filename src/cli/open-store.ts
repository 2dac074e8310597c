import { existsSync } from 'node:fs';
import { defined, HoldpointError } from '../core/index.ts';
import type { Store } from '../store/index.ts';
import { inspectPostgres, postgresStore } from '../store/postgres/index.ts';
import { inspectSqlite, sqliteStore } from '../store/sqlite/index.ts';
import type { Call } from './command.ts';

export const DB_FLAGS = {
  db: { type: 'string', help: 'a SQLite file, or postgres://… (default holdpoint.db, or HOLDPOINT_DB)' },
  schema: { type: 'string', help: 'the PostgreSQL schema (default holdpoint)' },
} as const;

/** The database of a command: `--db`, else `HOLDPOINT_DB`, else `holdpoint.db`. Throws `INPUT_INVALID` for another kind of URL. */
export function databaseOf(call: Call): string {
  const database = call.flag('db') ?? process.env['HOLDPOINT_DB'] ?? 'holdpoint.db';
  const [, kind] = /^([a-z][a-z\d+.-]*):\/\//i.exec(database) ?? [];
  if (kind !== undefined && !isPostgres(database))
    throw new HoldpointError(
      'INPUT_INVALID',
      `${kind}:// is not supported. --db is a SQLite file or postgres://…`,
    );
  return database;
}

/** As {@link databaseOf}, without the password. */
export function shownDatabase(call: Call): string {
  const database = databaseOf(call);
  if (!isPostgres(database)) return database;
  // The last `@` before the query ends the password, which may hold a raw `/`.
  return database
    .replace(/^(postgres(?:ql)?:\/\/[^:/?#@]*):[^?]*@/, '$1:…@')
    .replace(/([?&]password=)[^&#]*/gi, '$1…');
}

export function isPostgres(database: string): boolean {
  return /^postgres(?:ql)?:\/\//.test(database);
}

/** As {@link openStore}, but creates no database. Throws `STORE_FAILED` if it is missing or no Holdpoint database. */
export async function openExistingStore(call: Call): Promise<Store> {
  const database = databaseOf(call);
  assertThere(database);
  const { version } = isPostgres(database)
    ? await inspectPostgres(database, defined({ schema: call.flag('schema') }))
    : inspectSqlite(database);
  if (version > 0) return openStore(call);
  throw new HoldpointError(
    'STORE_FAILED',
    `${shownDatabase(call)} is no Holdpoint database. Give another --db, or create one with \`holdpoint migrate\`.`,
  );
}

function assertThere(database: string): void {
  if (!isMissing(database)) return;
  throw new HoldpointError(
    'STORE_FAILED',
    `There is no database at ${database}. Give another --db, or create one with \`holdpoint migrate\`.`,
  );
}

/** Opens the database to read it: creates and changes nothing. Throws `STORE_FAILED` if it is missing or no Holdpoint database. */
export async function openStoreToRead(call: Call): Promise<Store> {
  assertThere(databaseOf(call));
  return openStore(call, { readOnly: true });
}

/** Whether a SQLite file is missing; false for PostgreSQL, which only opening can tell. */
export function isMissing(database: string): boolean {
  return !isPostgres(database) && !existsSync(database);
}

/** Opens the store at `--db`, creates it if it is missing, and migrates its schema. */
export async function openStore(call: Call, options: { readonly readOnly?: boolean } = {}): Promise<Store> {
  const database = databaseOf(call);
  const schema = call.flag('schema');
  const store = isPostgres(database)
    ? postgresStore(database, { ...defined({ schema }), ...options })
    : sqliteStore(database, options);
  try {
    // Opening is lazy: reading a row connects and checks the schema.
    await store.get('threads', [{ scope: '', thread: '', id: '' }]);
    return store;
  } catch (error) {
    await store.close().catch(() => undefined);
    throw error;
  }
}
