import { HoldpointError } from '../../core/index.ts';
import { storeFailure, wasUndone } from './postgres-errors.ts';

/** A query of which every column comes back as text, whatever parsers the application has set. */
export interface PostgresQuery {
  /** Each connection parses and plans a query with a name once. */
  name?: string;
  text: string;
  values?: unknown[];
  types: { getTypeParser(): (text: string) => string };
}

export interface PostgresResult {
  readonly rows: readonly unknown[];
}

/** The slice of `pg.PoolClient` that the store uses. */
export interface PostgresClient {
  query(query: PostgresQuery): Promise<PostgresResult>;
  /** Gives it back to its pool; `true` throws it away. */
  release(destroy?: boolean): void;
  on(event: 'error', listener: () => void): unknown;
  off(event: 'error', listener: () => void): unknown;
}

/** The slice of `pg.Pool` that the store uses. */
export interface PostgresPool {
  connect(): Promise<PostgresClient>;
  end(): Promise<void>;
  /** What its connections are made with. */
  readonly options: object;
}

/** The slice of `pg.Client` that listening needs. */
export interface PostgresListener {
  connect(): Promise<unknown>;
  end(): Promise<void>;
  query(query: PostgresQuery): Promise<PostgresResult>;
  on(event: 'error' | 'end', listener: () => void): unknown;
  on(event: 'notification', listener: (message: { payload?: string | undefined }) => void): unknown;
}

interface PostgresModule {
  Pool: new (options: object) => PostgresPool & { on(event: 'error', listener: () => void): unknown };
  Client: new (options: object) => PostgresListener;
}

/** A row as it comes: text or null in every column. */
export type TextRow = Readonly<Record<string, string | null>>;

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

/** A query and its rows. */
export async function queryRows(
  client: Pick<PostgresClient, 'query'>,
  text: string,
  values: unknown[] = [],
): Promise<readonly TextRow[]> {
  const { rows } = await client.query({ text, values, types: TEXT_ONLY });
  return rows as readonly TextRow[];
}

/** As {@link queryRows}, for one of the few queries that are made over and over: a connection prepares it once. */
export async function queryPrepared(
  client: Pick<PostgresClient, 'query'>,
  text: string,
  values: unknown[],
): Promise<readonly TextRow[]> {
  const name = preparedNames.get(text) ?? `holdpoint_${preparedNames.size + 1}`;
  preparedNames.set(text, name);
  const { rows } = await client.query({ name, text, values, types: TEXT_ONLY });
  return rows as readonly TextRow[];
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

const TEXT_ONLY = { getTypeParser: () => (text: string) => text };

async function loadPostgres(): Promise<PostgresModule> {
  try {
    // A CommonJS package: its members are on the default export in every release.
    const module = (await import('pg')) as unknown as { default: PostgresModule };
    return module.default;
  } catch (cause) {
    throw new HoldpointError('STORE_FAILED', 'The PostgreSQL store needs the package "pg": npm install pg.', {
      cause,
    });
  }
}

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
