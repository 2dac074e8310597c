import {
  checkOptions,
  defined,
  either,
  expecting,
  filledText,
  flag,
  HoldpointError,
  members,
  optional,
  text,
} from '../../core/index.ts';
import { localProcesses } from '../sqlite/local-processes.ts';
import { encodeBatch } from '../encode-batch.ts';
import { GroupCommits } from '../group-commits.ts';
import type { LogQuery, RowsQuery, SnapshotOf, Store } from '../store.ts';
import { groupBatches, wasOneRefused } from './commit-batches.ts';
import { assertWidth, connectPostgres, PATIENCE_MS, queryRows } from './connect.ts';
import type { Connection, QueryClient } from './connect.ts';
import type { PostgresPool } from './driver.ts';
import { assertCurrent, migrateSchema } from './migrate.ts';
import { storeFailure } from './errors.ts';
import type { ReadResults, Reads } from './read-rows.ts';
import { countRows, findStrays, listRows, readAll, trimLog } from './read-rows.ts';
import { schemaNames } from './schema.ts';
import type { PostgresStoreOptions } from './schema.ts';
import { createListeners } from './watch-changes.ts';

const postgresOptions = members<PostgresStoreOptions>({
  readOnly: optional(flag),
  schema: optional(text),
  patienceMs: optional(
    expecting('milliseconds as a number, 0 or more', (value) => typeof value === 'number' && value >= 0),
  ),
  listen: optional(
    either('an address or false', [(value) => value === false, flag], [() => true, filledText]),
  ),
});

/**
 * Keeps everything in a schema of a PostgreSQL database (13 or later). Takes a `pg.Pool`, which stays open and
 * belongs to the caller, or a connection string. The first call connects and migrates the schema; after a failure
 * the next call tries again. Throws `INPUT_INVALID` for an empty address. Watching takes one connection besides the pool. Times come
 * from the database. Connecting takes at most 5 s and a query 15 s, unless the pool has `connectionTimeoutMillis` or `query_timeout`.
 *
 * @example
 * ```ts
 * import { createHost } from 'holdpoint/host';
 * import { postgresStore } from 'holdpoint/store/postgres';
 *
 * createHost({ agents: [assistant], store: postgresStore('postgres://localhost/app', { schema: 'approvals' }) });
 * ```
 */
export function postgresStore(poolOrUrl: PostgresPool | string, options: PostgresStoreOptions = {}): Store {
  const isPool = typeof poolOrUrl === 'object' && typeof poolOrUrl?.connect === 'function';
  if (!isPool && (typeof poolOrUrl !== 'string' || poolOrUrl.trim() === '')) {
    throw new HoldpointError(
      'INPUT_INVALID',
      'postgresStore needs the address of a database, such as postgres://user@host/database, or a pool of pg, and got neither. Is DATABASE_URL set?',
    );
  }
  checkOptions('options of postgresStore', options, postgresOptions);
  const names = schemaNames(options);
  const clock = createRememberedClock();
  const { patienceMs = PATIENCE_MS, listen } = options;
  const closing = new AbortController();
  const { signal } = closing;
  const assertOpen = () => {
    if (signal.aborted) throw new HoldpointError('STORE_FAILED', 'The store was closed.');
  };
  let connecting: Promise<Connection> | undefined;
  let ready: Promise<Connection> | undefined;

  const connect = async () => {
    connecting ??= connectPostgres(poolOrUrl, { patienceMs, signal, ...defined({ listen }) });
    const connection = await connecting;
    if (options.readOnly === true) await assertCurrent(connection, names);
    else await migrateSchema(connection, names);
    return connection;
  };
  const opened = async () => {
    assertOpen();
    ready ??= connect().catch((error: unknown) => {
      ready = undefined;
      throw error;
    });
    return ready;
  };
  const assertWritable = () => {
    if (options.readOnly !== true) return;
    throw new HoldpointError('STORE_FAILED', 'The store was opened to read only.');
  };
  const query = async <T>(action: string, run: (client: QueryClient) => Promise<T>): Promise<T> => {
    const connection = await opened();
    try {
      return await connection.run(run);
    } catch (cause) {
      throw storeFailure(action, cause);
    }
  };
  const snapshot = async <const Reads extends readonly (RowsQuery | LogQuery)[]>(reads: Reads) => {
    const what = reads.map((read) => ('log' in read ? read.log : read.table)).join(', ');
    await opened();
    // One result for each read, of its kind.
    return (await readers.run(reads).catch((cause: unknown) => {
      throw storeFailure(`read ${what}`, cause);
    })) as SnapshotOf<Reads>;
  };
  /** Snapshots that are asked for while others are read share a statement. */
  const readers = new GroupCommits<Reads, ReadResults>({
    commitAll: async (snapshots) =>
      (await (ready ?? opened())).run((client) => readAll(client, names, snapshots)),
    wasUndone: wasOneRefused,
    mostTransactions: MOST_READERS,
    mostJobs: MOST_SNAPSHOTS,
  });
  const commits = groupBatches(async () => ready ?? opened(), names);
  const listeners = createListeners({ names, connect: opened });

  return {
    processes: localProcesses(),
    async commit(batch) {
      assertWritable();
      // Encoded before anything is awaited, because the caller may change the batch afterwards.
      const encoded = encodeBatch(names.dialect, batch);
      await opened();
      const askedAt = performance.now();
      const result = await commits.run(encoded).catch((cause: unknown) => {
        throw storeFailure('commit', cause);
      });
      if (result.ok) clock.told(result.now, askedAt);
      return result;
    },
    snapshot,
    get: async (table, keys) => (await snapshot([{ table, keys }]))[0],
    list: (list) => query(`list ${list.table}`, (client) => listRows(client, names, list)),
    count: (rows) => query(`count ${rows.table}`, (client) => countRows(client, names, rows)),
    read: async (log) => (await snapshot([log]))[0],
    findStrays: (choice) => query('audit the rows', (client) => findStrays(client, names, choice)),
    async trim(log) {
      assertWritable();
      await query(`trim ${log.log}`, (client) => trimLog(client, names, log));
    },
    async now() {
      await opened();
      const remembered = clock.now;
      if (remembered !== undefined) return remembered;
      return query('tell the time', async (client) => {
        const askedAt = performance.now();
        const [row] = assertWidth(await queryRows(client, `SELECT ${names.quoted}.now_ms(), 'now'`), 2);
        const now = Number(row?.[0]);
        clock.told(now, askedAt);
        return now;
      });
    },
    watch(listener) {
      assertOpen();
      return listeners.add(listener);
    },
    async close() {
      if (signal.aborted) return;
      closing.abort();
      await listeners.close();
      await Promise.all([commits.finish(), readers.finish()]);
      const connection = await connecting?.catch(() => undefined);
      await connection?.close();
    },
  };
}

/** Statements that read at the same time, and the snapshots that share one. */
const MOST_READERS = 3;
const MOST_SNAPSHOTS = 32;

/** Milliseconds for which a known time of the database is extrapolated. */
const TRUSTED_MS = 1000;
/**
 * A response that took longer is not used, because its time may be that far behind. The margin of a lease is larger.
 */
const MAX_LAG_MS = 50;

/**
 * The clock of the database without a query: its last known time plus the elapsed time of this process. It uses both
 * clocks of the process, so that a machine that slept queries again.
 */
interface RememberedClock {
  /** Takes the time of the database; `askedAt`: the steady clock when it was requested. */
  told(now: number, askedAt: number): void;
  /** Undefined if the last known time is too old. */
  readonly now: number | undefined;
}

function createRememberedClock(): RememberedClock {
  let last: { readonly now: number; readonly steady: number; readonly wall: number } | undefined;
  return {
    told(now, askedAt) {
      if (performance.now() - askedAt > MAX_LAG_MS) return;
      // A slow response may be behind the known time; the clock does not go back.
      const known = this.now;
      if (known !== undefined && known > now) return;
      last = { now, steady: performance.now(), wall: Date.now() };
    },
    get now() {
      if (last === undefined) return undefined;
      const steady = performance.now() - last.steady;
      const wall = Math.abs(Date.now() - last.wall);
      return Math.max(steady, wall) > TRUSTED_MS ? undefined : Math.round(last.now + steady);
    },
  };
}
