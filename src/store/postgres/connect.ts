import { HoldpointError } from '../../core/index.ts';
import type { PostgresClient, PostgresListener, PostgresModule, PostgresPool, TextRow } from './driver.ts';
import { loadPostgres } from './driver.ts';
import { storeFailure, wasUndone } from './errors.ts';

/** The pool that queries go to, and a way to a connection outside it. */
export interface Connection {
  readonly pool: PostgresPool;
  /** Opens a separate connection; listening would otherwise occupy one of the pool for good. */
  openListener(): Promise<PostgresListener>;
  /** Ends the pool unless it belongs to the caller. */
  close(): Promise<void>;
}

/** Uses the pool of a caller, or creates one for a connection string. Throws `STORE_FAILED` if `pg` is missing. */
export async function connectPostgres(poolOrUrl: PostgresPool | string): Promise<Connection> {
  const { Pool, Client } = await loadPostgres();
  const owned = typeof poolOrUrl === 'string';
  const pool = owned ? openPool(Pool, poolOrUrl) : poolOrUrl;
  guardNew(pool);
  return {
    pool,
    async openListener() {
      const listener = new Client(pool.options);
      // Without an error listener, a lost connection would end the process.
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

/** As {@link queryRows}, for frequent queries: each connection prepares it once. */
export async function queryPrepared(
  client: Pick<PostgresClient, 'query'>,
  { kind, text }: { readonly kind: 'commit' | 'read'; readonly text: string },
  values: unknown[],
): Promise<readonly TextRow[]> {
  const name = preparedNames.get(text) ?? `holdpoint_${kind}_${preparedNames.size + 1}`;
  preparedNames.set(text, name);
  return (await client.query({ name, text, values, ...AS_TEXT })).rows;
}

/** A name stands for one text on every connection; there are few for each schema. */
const preparedNames = new Map<string, string>();

/** Runs `use` with a connection of the pool, and returns it unless its state is unknown. */
export async function withClient<T>(
  pool: PostgresPool,
  use: (client: PostgresClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  // A pool handles errors of idle connections only; without this listener, an error of a used one would end the
  // process.
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

/** A connection that ends in the packet that opens it has no owner yet, and its error would end the process. */
function guardNew(pool: object): void {
  if (guarded.has(pool) || !('on' in pool) || typeof pool.on !== 'function') return;
  guarded.add(pool);
  pool.on('connect', (client: Pick<PostgresClient, 'on'>) => client.on('error', ignore));
}

/** The pending query reports the error. */
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
