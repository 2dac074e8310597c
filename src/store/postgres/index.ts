/** store/postgres: everything in a PostgreSQL schema, shared by any number of processes. Needs `pg`; may use Node. */
export type { PostgresPool } from './connect.ts';
export { migratePostgres } from './migrate-postgres.ts';
export { postgresStore } from './postgres-store.ts';
export type { PostgresOptions } from './schema-names.ts';
