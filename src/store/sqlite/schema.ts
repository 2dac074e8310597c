import type { LogName } from '../store.ts';
import { INDEXES, KEPT_BY_KEY, LOG_NAMES, LOGS, TABLE_NAMES, TABLES } from '../tables.ts';

/**
 * The version of the schema that this package reads and writes. 1 and 2 kept all rows in one table; 3 lacks the index
 * of answered interrupts; 4 has the values of entries in the hashes of the history; 5 keeps events and the history by key.
 */
export const SCHEMA_VERSION = 6;

const TYPES = { text: 'TEXT', number: 'INTEGER', list: 'TEXT' } as const;

const TABLES_SQL = TABLE_NAMES.map((table) => {
  const columns = TABLES[table].map(({ name, type }) => `${name} ${TYPES[type]},`);
  const byKey = KEPT_BY_KEY.has(table);
  return `
  CREATE TABLE ${table} (
    ordinal INTEGER ${byKey ? 'NOT NULL' : 'PRIMARY KEY'},
    scope TEXT NOT NULL,
    thread TEXT NOT NULL,
    id TEXT NOT NULL,
    version INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    ${columns.join('\n    ')}
    doc TEXT NOT NULL${byKey ? ',\n    PRIMARY KEY (scope, thread, id)' : ''}
  )${byKey ? ' WITHOUT ROWID' : ''};
  ${byKey ? '' : `CREATE UNIQUE INDEX ${table}_key ON ${table} (scope, thread, id);`}`;
});

/**
 * The messages of a thread are read together, so they are kept by key. Events and history entries are larger: a tree by key would have
 * a few of them on each page, also on the pages inside, and an append would split pages. They are kept in the order of their commits.
 */
const LOGS_BY_KEY: ReadonlySet<LogName> = new Set(['messages']);

/** A log. Its columns are computed on read, so they cost nothing to write. */
export function logSql(log: LogName): string {
  const columns = LOGS[log].map(
    ({ name, type, member }) => `${name} ${TYPES[type]} GENERATED ALWAYS AS (doc ->> '$.${member}') VIRTUAL,`,
  );
  return `
  CREATE TABLE ${log} (
    scope TEXT NOT NULL,
    thread TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    doc TEXT NOT NULL,
    ${columns.join('\n    ')}
    ${LOGS_BY_KEY.has(log) ? 'PRIMARY KEY' : 'UNIQUE'} (scope, thread, sequence)
  )${LOGS_BY_KEY.has(log) ? ' WITHOUT ROWID' : ''};`;
}

const INDEXES_SQL = INDEXES.map(
  ({ name, table, columns, where }) =>
    `CREATE INDEX IF NOT EXISTS ${name} ON ${table} (${columns})${where === undefined ? '' : ` WHERE ${where}`};`,
);

/** The end of a trimmed log, so that no sequence is used again. */
export const LOG_HEADS_SQL = `
  CREATE TABLE log_heads (
    scope TEXT NOT NULL,
    thread TEXT NOT NULL,
    log TEXT NOT NULL,
    next INTEGER NOT NULL,
    PRIMARY KEY (scope, thread, log)
  ) WITHOUT ROWID;`;

/** The threads that the last commits changed, for other processes (see `watch-changes.ts`). */
const CHANGES_SQL = `
  CREATE TABLE changes (number INTEGER PRIMARY KEY, scope TEXT NOT NULL, thread TEXT NOT NULL);`;

/** The tables and logs that a file of version 1 or 2 lacks. */
export const CREATE_TABLES: string = [...TABLES_SQL, ...LOG_NAMES.map(logSql), CHANGES_SQL].join('\n');

/**
 * Created last: the table of an earlier version has indexes of the same names, and indexing a full table is faster.
 */
export const CREATE_INDEXES: string = INDEXES_SQL.join('\n');

/**
 * One row: the version, which earlier releases read too, and the incarnation. A restored file gets a new
 * incarnation, so that processes that had it open notice (see `connect.ts`).
 */
export const SCHEMA_TABLE_SQL = `
  CREATE TABLE holdpoint_schema (version INTEGER NOT NULL, incarnation TEXT NOT NULL, restored_at INTEGER);`;
