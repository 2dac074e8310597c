import { HoldpointError } from '../../core/index.ts';
import type { TableName } from '../store.ts';
import type { Connection } from './connection.ts';

/** What each table is looked through by, besides its keys. An index that nobody reads costs every write. */
const TABLES: Readonly<Record<TableName, readonly IndexName[]>> = {
  threads: ['scope', 'due'],
  runs: [],
  interrupts: ['scope', 'status', 'due', 'scope_due'],
  executions: [],
  grants: ['scope'],
  secrets: [],
  files: [],
};

type IndexName = keyof typeof INDEXES;

/** The indexes on states and times leave out rows that have none. */
const INDEXES = {
  scope: '(scope, place)',
  status: '(status, scope, place) WHERE status IS NOT NULL',
  due: '(status, due_at, place) WHERE due_at IS NOT NULL',
  scope_due: '(scope, status, due_at, place) WHERE due_at IS NOT NULL',
} as const;

/** Rows: `place` is the order they were made in, which no change touches; where pages are read, no later row gets it again. */
const rowTable = ([table, indexes]: readonly [string, readonly IndexName[]]): string => `
  CREATE TABLE ${table} (
    place INTEGER PRIMARY KEY ${indexes.length === 0 ? '' : 'AUTOINCREMENT'},
    scope TEXT NOT NULL,
    thread TEXT NOT NULL,
    id TEXT NOT NULL,
    version INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    status TEXT,
    agent TEXT,
    reason TEXT,
    due_at INTEGER,
    doc TEXT NOT NULL
  );
  CREATE UNIQUE INDEX ${table}_key ON ${table} (scope, thread, id);
  ${indexes.map((name) => `CREATE INDEX ${table}_${name} ON ${table} ${INDEXES[name]};`).join('\n  ')}
`;

/** Logs lie in the order they are read; a head is left where a log was trimmed, so that no sequence is used again. */
const LOG_TABLES = `
  CREATE TABLE logs (
    log TEXT NOT NULL,
    scope TEXT NOT NULL,
    thread TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    item TEXT NOT NULL,
    PRIMARY KEY (log, scope, thread, sequence)
  ) WITHOUT ROWID;
  CREATE TABLE log_heads (
    log TEXT NOT NULL,
    scope TEXT NOT NULL,
    thread TEXT NOT NULL,
    next INTEGER NOT NULL,
    PRIMARY KEY (log, scope, thread)
  ) WITHOUT ROWID;
`;

/** The last change of each thread: a later one takes the place of the one before, so nothing has to be trimmed. */
const CHANGE_TABLE = `
  CREATE TABLE changes (
    change INTEGER PRIMARY KEY AUTOINCREMENT,
    scope TEXT NOT NULL,
    thread TEXT NOT NULL,
    UNIQUE (scope, thread)
  );
`;

/** What brings a file from each version to the next. Only ever added to. */
const MIGRATIONS: readonly string[] = [
  [...Object.entries(TABLES).map(rowTable), LOG_TABLES, CHANGE_TABLE].join('\n'),
];

/** The version of the schema that this package reads and writes. */
export const SCHEMA_VERSION: number = MIGRATIONS.length;

/**
 * Brings a file to the schema of this package, under the write lock, so that of two processes that start at once one
 * waits for the other. Gives the version the file had. Throws `STORE_FAILED` for a file of a newer package.
 */
export function migrate(connection: Connection, path: string): number {
  const before = schemaVersion(connection);
  refuseNewer(before, path);
  if (before === SCHEMA_VERSION) return before;
  return connection.transaction(() => {
    const version = schemaVersion(connection);
    refuseNewer(version, path);
    if (version === 0)
      connection.exec('CREATE TABLE IF NOT EXISTS holdpoint_schema (version INTEGER NOT NULL)');
    for (const sql of MIGRATIONS.slice(version)) connection.exec(sql);
    connection.exec(`DELETE FROM holdpoint_schema; INSERT INTO holdpoint_schema VALUES (${SCHEMA_VERSION})`);
    return version;
  });
}

/** 0 for a file that has no schema of ours yet. */
function schemaVersion(connection: Connection): number {
  const found = connection.number(
    `SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'holdpoint_schema'`,
  );
  return found === 0 ? 0 : connection.number('SELECT max(version) FROM holdpoint_schema');
}

function refuseNewer(version: number, path: string): void {
  if (version <= SCHEMA_VERSION) return;
  throw new HoldpointError(
    'STORE_FAILED',
    `The SQLite file ${path} has schema version ${version}, and this holdpoint knows up to ${SCHEMA_VERSION}: update holdpoint.`,
  );
}
