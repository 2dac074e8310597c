/** store/sqlite: everything in one file, for the processes of one machine. May touch Node and `libsql`, which it loads late. */
export { migrateSqlite } from './migrate-sqlite.ts';
export { sqliteStore } from './sqlite-store.ts';
export type { SqliteStoreOptions } from './sqlite-store.ts';
