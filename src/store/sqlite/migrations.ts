import { HoldpointError } from '../../core/index.ts';
import type { Connection } from './connection.ts';

/**
 * All tables and all logs in one, in the order they were made, so that what is filed together lies together. Nothing that is
 * added gets a place before what was there (see `journal.ts`). Items of a log are rows with version 0 (see `log-lines.ts`).
 */
const ROWS = `
  CREATE TABLE rows (
    place INTEGER PRIMARY KEY,
    scope TEXT NOT NULL,
    thread TEXT NOT NULL,
    tbl TEXT NOT NULL,
    id NOT NULL,
    version INTEGER NOT NULL,
    created_at INTEGER,
    status TEXT,
    agent TEXT,
    reason TEXT,
    due_at INTEGER,
    doc TEXT NOT NULL
  );
  CREATE UNIQUE INDEX rows_key ON rows (scope, thread, tbl, id);
`;

/** Questions that somebody may still answer: few, however many there were. Written the same way where they are listed. */
export const OPEN_STATES = ['pending', 'answered', 'expired'] as const;
export const IS_OPEN: string = `status IN (${OPEN_STATES.map((state) => `'${state}'`).join(', ')})`;

/** Threads that somebody has to look at. */
export const ODD_STATES = ['failed', 'pruning'] as const;
export const IS_ODD: string = `status IN (${ODD_STATES.map((state) => `'${state}'`).join(', ')})`;

/** What is looked for besides keys. Each has only the rows that are: an index that nobody reads costs every write. */
const INDEXES = `
  CREATE INDEX threads_scope ON rows (scope, place) WHERE tbl = 'threads';
  CREATE INDEX threads_due ON rows (status, due_at, place) WHERE tbl = 'threads' AND due_at IS NOT NULL;
  CREATE INDEX threads_odd ON rows (status, place) WHERE tbl = 'threads' AND ${IS_ODD};
  CREATE INDEX interrupts_scope ON rows (scope, place) WHERE tbl = 'interrupts';
  CREATE INDEX interrupts_open ON rows (status, scope, place) WHERE tbl = 'interrupts' AND ${IS_OPEN};
  CREATE INDEX interrupts_due ON rows (status, due_at, place)
    WHERE tbl = 'interrupts' AND due_at IS NOT NULL AND ${IS_OPEN};
  CREATE INDEX interrupts_scope_due ON rows (scope, status, due_at, place)
    WHERE tbl = 'interrupts' AND due_at IS NOT NULL AND ${IS_OPEN};
  CREATE INDEX grants_scope ON rows (scope, place) WHERE tbl = 'grants';
`;

/** Where a log ended when it was trimmed, so that no sequence is used again. */
const LOG_HEADS = `
  CREATE TABLE log_heads (
    scope TEXT NOT NULL,
    thread TEXT NOT NULL,
    log TEXT NOT NULL,
    next INTEGER NOT NULL,
    PRIMARY KEY (scope, thread, log)
  ) WITHOUT ROWID;
`;

/** The last transactions, each as one record: what they changed is filed later (see `journal.ts`). */
const JOURNAL = `
  CREATE TABLE journal (
    slot INTEGER PRIMARY KEY,
    number INTEGER NOT NULL,
    filed_to INTEGER NOT NULL,
    text TEXT NOT NULL
  );
`;

/** What brings a file from each version to the next. Only ever added to. */
const MIGRATIONS: readonly string[] = [[ROWS, INDEXES, LOG_HEADS].join('\n'), JOURNAL];

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
