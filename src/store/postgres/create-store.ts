import { HoldpointError } from '../../core/index.ts';
import { localProcesses } from '../sqlite/local-processes.ts';
import type { Store } from '../store.ts';
import { commitBatches } from './commit-batches.ts';
import { connectPostgres, queryRows, withClient } from './connect.ts';
import type { Connection } from './connect.ts';
import type { PostgresClient, PostgresPool } from './driver.ts';
import { encodeBatch } from './encode-batch.ts';
import { getRows } from './get-rows.ts';
import { GroupCommits } from './group-commits.ts';
import { listRows } from './list-rows.ts';
import { migrateSchema } from './migrate.ts';
import { storeFailure } from './errors.ts';
import { readLog, trimLog } from './read-log.ts';
import { schemaNames } from './schema.ts';
import type { PostgresOptions } from './schema.ts';
import { followChanges, Watchers } from './watch-changes.ts';

/**
 * Keeps everything in a schema of a PostgreSQL database (13 or later). Takes a `pg.Pool`, which stays the caller's and
 * open, or a connection string. The first call connects and brings the schema up to date; one that fails is tried
 * again by the next call. Watching takes one connection besides the pool. Times are the database's.
 */
export function postgresStore(poolOrUrl: PostgresPool | string, options: PostgresOptions = {}): Store {
  const names = schemaNames(options);
  const clock = createRememberedClock();
  let closed = false;
  let connecting: Promise<Connection> | undefined;
  let ready: Promise<Connection> | undefined;

  const connect = async () => {
    if (closed) throw new HoldpointError('STORE_FAILED', 'The store was closed.');
    connecting ??= connectPostgres(poolOrUrl);
    const connection = await connecting;
    await migrateSchema(connection.pool, names);
    return connection;
  };
  const opened = async () => {
    if (closed) throw new HoldpointError('STORE_FAILED', 'The store was closed.');
    ready ??= connect().catch((error: unknown) => {
      ready = undefined;
      throw error;
    });
    return ready;
  };
  const query = async <T>(action: string, run: (client: PostgresClient) => Promise<T>): Promise<T> => {
    const { pool } = await opened();
    try {
      return await withClient(pool, run);
    } catch (cause) {
      throw storeFailure(action, cause);
    }
  };
  const commits = new GroupCommits(async (batches) =>
    commitBatches((await (ready ?? opened())).pool, names, batches),
  );
  const watchers = new Watchers((tell, signal) =>
    followChanges({ names, tell, signal, open: async () => (await opened()).openListener() }),
  );

  return {
    processes: localProcesses(),
    async commit(batch) {
      // Taken down before anything is waited for: whoever gave it may go on to change it.
      const encoded = encodeBatch(batch);
      await opened();
      const askedAt = performance.now();
      const result = await commits.commit(encoded);
      if (result.ok) clock.told(result.now, askedAt);
      return result;
    },
    get: (table, keys) => query(`get rows of ${table}`, (client) => getRows(client, names, { table, keys })),
    list: (list) => query(`list ${list.table}`, (client) => listRows(client, names, list)),
    read: (log) => query(`read ${log.log}`, (client) => readLog(client, names, log)),
    trim: (log) => query(`trim ${log.log}`, (client) => trimLog(client, names, log)),
    async now() {
      await opened();
      const remembered = clock.now;
      if (remembered !== undefined) return remembered;
      return query('tell the time', async (client) => {
        const askedAt = performance.now();
        const [row] = await queryRows(client, `SELECT ${names.quoted}.now_ms() AS now`);
        const now = Number(row?.['now']);
        clock.told(now, askedAt);
        return now;
      });
    },
    watch(listener) {
      if (closed) throw new HoldpointError('STORE_FAILED', 'The store was closed.');
      return watchers.watch(listener);
    },
    async close() {
      if (closed) return;
      closed = true;
      await watchers.close();
      await commits.finish();
      const connection = await connecting?.catch(() => undefined);
      await connection?.close();
    },
  };
}

/** For how long a time that the database told is reckoned on from, in milliseconds. */
const TRUSTED_MS = 1000;
/** A time that was longer on its way is not reckoned on from: it may be that far behind. A lease is given up earlier by more than this. */
const MAX_LAG_MS = 50;

/**
 * The database's clock, without asking it every time: from what it last told, by what has passed here since. Both clocks of
 * the process count, so that a machine that slept asks again.
 */
interface RememberedClock {
  /** The database told its time just now; it was asked at `askedAt`, by the steady clock of the process. */
  told(now: number, askedAt: number): void;
  /** Undefined when it was told too long ago. */
  readonly now: number | undefined;
}

function createRememberedClock(): RememberedClock {
  let last: { readonly now: number; readonly steady: number; readonly wall: number } | undefined;
  return {
    told(now, askedAt) {
      if (performance.now() - askedAt > MAX_LAG_MS) return;
      // An answer that was long on its way is behind what is known; time does not go back for it.
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
