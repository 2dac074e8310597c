import { HoldpointError } from '../../core/index.ts';
import type { PostgresClient, PostgresListener, PostgresModule, PostgresPool, TextRow } from './driver.ts';
import { loadPostgres } from './driver.ts';
import { storeFailure, wasUndone } from './errors.ts';

/** The pool that queries go to, and a way to a connection outside it. */
export interface Connection {
  readonly pool: PostgresPool;
  /** A connection of its own, open; listening would otherwise take one from the pool for good. */
  openListener(): Promise<PostgresListener>;
  /** Ends the pool, unless it is the caller's. */
  close(): Promise<void>;
}

/** Takes a caller's pool as it is, and makes one for a connection string. Throws `STORE_FAILED` when `pg` is missing. */
export async function connectPostgres(poolOrUrl: PostgresPool | string): Promise<Connection> {
  const { Pool, Client } = await loadPostgres();
  const owned = typeof poolOrUrl === 'string';
  const pool = owned ? openPool(Pool, poolOrUrl) : poolOrUrl;
  guardNew(pool);
  return {
    pool,
    async openListener() {
      const listener = new Client(pool.options);
      // Without a listener of its own, a lost connection would end the process.
      listener.on('error', ignore);
      await listener.connect();
      return listener;
    },
    close: async () => (owned ? pool.end() : undefined),
  };
}

/** A query and its rows. Without values the text may have several statements. */
export async function queryRows(
  client: Pick<PostgresClient, 'query'>,
  text: string,
  values: unknown[] = [],
): Promise<readonly TextRow[]> {
  return (await client.query({ text, values, ...AS_TEXT })).rows;
}

/** As {@link queryRows}, for one of the few queries that are made over and over: a connection prepares it once. */
export async function queryPrepared(
  client: Pick<PostgresClient, 'query'>,
  text: string,
  values: unknown[],
): Promise<readonly TextRow[]> {
  const name = preparedNames.get(text) ?? `holdpoint_${preparedNames.size + 1}`;
  preparedNames.set(text, name);
  return (await client.query({ name, text, values, ...AS_TEXT })).rows;
}

/** A name stands for one text on every connection of the process; there are two for each schema. */
const preparedNames = new Map<string, string>();

/** Runs `use` with a connection of the pool, which gets it back unless its state is unknown. */
export async function withClient<T>(
  pool: PostgresPool,
  use: (client: PostgresClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  // A pool listens to the errors of idle connections only, and one that nobody listens to would end the process.
  client.on('error', ignore);
  try {
    const result = await use(client);
    giveBack(client);
    return result;
  } catch (error) {
    if (wasUndone(error) || HoldpointError.is(error, 'INPUT_INVALID')) giveBack(client);
    else client.release(true);
    throw error;
  }
}

function giveBack(client: PostgresClient): void {
  client.off('error', ignore);
  client.release();
}

const guarded = new WeakSet<object>();

/** A connection that is ended in the packet that opens it has no holder yet, and its error would end the process. */
function guardNew(pool: object): void {
  if (guarded.has(pool) || !('on' in pool) || typeof pool.on !== 'function') return;
  guarded.add(pool);
  pool.on('connect', (client: Pick<PostgresClient, 'on'>) => client.on('error', ignore));
}

/** Whoever waits for an answer learns of the error by that. */
function ignore(): void {}

/** Every column as text, whatever parsers the application has set. */
const AS_TEXT = { rowMode: 'array', types: { getTypeParser: () => (text: string) => text } } as const;

function openPool(Pool: PostgresModule['Pool'], connectionString: string): PostgresPool {
  try {
    const pool = new Pool({ connectionString, application_name: 'holdpoint', keepAlive: true });
    // An idle connection that is lost is replaced by the pool; the next query tells if none can be made.
    pool.on('error', ignore);
    return pool;
  } catch (cause) {
    throw storeFailure('open the store', cause);
  }
}
