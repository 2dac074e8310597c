import { createRequire } from 'node:module';
import { HoldpointError } from '../../core/index.ts';

/** What a statement is given and gives: one value of a column. */
export type SqlValue = string | number | null;

/** The slice of a `libsql` statement that is used here. */
export interface LibsqlStatement {
  /** Whether it gives rows. */
  readonly reader: boolean;
  run(parameters: readonly SqlValue[]): { readonly changes: number };
  all(parameters: readonly SqlValue[]): unknown[];
  /** The first row alone. */
  get(parameters: readonly SqlValue[]): unknown;
  /** Rows as lists of their columns. */
  raw(): LibsqlStatement;
}

/** The slice of a `libsql` database that is used here. */
export interface LibsqlDatabase {
  readonly inTransaction: boolean;
  prepare(sql: string): LibsqlStatement;
  exec(sql: string): void;
  close(): void;
}

/** The class that the package `libsql` exports. */
export type Libsql = new (path: string) => LibsqlDatabase;

/** Loads `libsql`, an optional dependency, when the first store is opened. Throws `STORE_FAILED` where it is missing. */
export function loadLibsql(load: (name: string) => unknown = createRequire(import.meta.url)): Libsql {
  try {
    // The one place where the package is trusted to be what its name says.
    return load('libsql') as Libsql;
  } catch (cause) {
    throw new HoldpointError(
      'STORE_FAILED',
      'The SQLite store needs the package libsql, which could not be loaded: run `npm install libsql`.',
      { cause },
    );
  }
}
