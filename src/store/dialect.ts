import type { Classes } from './search-text.ts';
import type { LogName, RowKey, TableName } from './store.ts';

/** One value of a column, as a statement takes and gives it. PostgreSQL takes a list as it is. */
export type SqlValue = string | number | null | readonly string[];

/** A statement and its parameters. */
export interface Statement {
  readonly sql: string;
  readonly values: SqlValue[];
}

/** The columns that a SELECT reads, and what follows them. */
export interface Selection {
  readonly columns: readonly string[];
  readonly rest: string;
}

/** Adds a parameter to a statement and gives how the statement names it. */
export type Bind = (value: SqlValue) => string;

/** The SQL that differs between the databases. Everything else in `src/store` is the same in both. */
export interface Dialect {
  /** A table or a log, as a statement names it. */
  table(name: TableName | LogName): string;
  /** A table of which a statement reads the rows of one thread. */
  tableOfThread(name: TableName): string;
  /** The parameter with this number, counted from 1. */
  parameter(number: number, value: SqlValue): string;
  /** A scope, a thread or an id, as its column keeps it. */
  keyPart(text: string): string;
  /** The scope, thread and id of a row, and the whole key as JSON if a part is too long for its column. */
  key(key: RowKey): readonly string[];
  /** The column with the whole key; `NULL` in a database whose columns take parts of any length. */
  readonly fullKey: string;
  /** Whether the columns of a log are written; SQLite computes them when they are read. */
  readonly writesLogColumns: boolean;
  /** A list as its column takes it. */
  writeList(values: readonly string[]): SqlValue;
  /** A column with a list, read as JSON text. */
  readList(column: string): string;
  /** True if a column with a list has one of these values. */
  hasAny(column: string, values: readonly string[], bind: Bind): string;
  /** True if a column contains a character of each class, one after the other. */
  contains(column: string, classes: Classes, bind: Bind): string;
  /**
   * True if a document of `interrupts` has one of the forms in a value of its answer: in a text or a number of the payload, or in the
   * reason of a withdrawal. Markers of secrets do not count.
   */
  answerContains(forms: readonly Classes[], bind: Bind): string;
}

/** Builds a statement from a function that binds its parameters. */
export function statement(dialect: Dialect, build: (bind: Bind) => string): Statement {
  const values: SqlValue[] = [];
  const sql = build((value) => dialect.parameter(values.push(value), value));
  return { sql, values };
}
