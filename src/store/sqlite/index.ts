/**
 * store/sqlite: everything in one file, for the processes of one machine. May use Node and `libsql`, which it loads
 * on first use.
 */
export { migrateSqlite } from './connect.ts';
export type { Migrated } from './connect.ts';
export { inspectSqlite } from './inspect.ts';
export type { InspectedSqlite } from './inspect.ts';
export { restoreSqlite } from './restore.ts';
export type { RestoreSqlite } from './restore.ts';
export { sqliteStore } from './create-store.ts';
export type { SqliteStoreOptions } from './create-store.ts';
