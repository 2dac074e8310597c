/** store/postgres: everything in a PostgreSQL schema, shared by any number of processes. Needs `pg`; may use Node. */
export type { PostgresPool } from './driver.ts';
export { inspectPostgres } from './inspect.ts';
export type { InspectedPostgres } from './inspect.ts';
export { migratePostgres } from './migrate.ts';
export type { MigratedPostgres, MigratePostgresOptions } from './migrate.ts';
export { postgresStore } from './create-store.ts';
export type { PostgresOptions, PostgresStoreOptions } from './schema.ts';
