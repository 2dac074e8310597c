import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { defined, HoldpointError, TOO_LATE, within } from '../../core/index.ts';
import type {
  PostgresClient,
  PostgresListener,
  PostgresModule,
  PostgresPool,
  PostgresQuery,
  PostgresResult,
  TextRow,
} from './driver.ts';
import { loadPostgres } from './driver.ts';
import { isNameLost, isPassing, isReadOnly, MalformedResult, storeFailure, wasUndone } from './errors.ts';
import type { PostgresOptions } from './schema.ts';

/** What queries go through. */
export interface QueryClient {
  query(query: PostgresQuery): Promise<PostgresResult>;
}

/** The pool that queries go to, and a way to a connection outside it. */
export interface Connection {
  /**
   * Runs `use` with a connection of the pool. Repeats it while it fails for a reason that passes, until the patience is over; so a
   * commit whose outcome is unknown must throw `unknownOutcome` (`errors.ts`).
   */
  run<T>(use: (client: QueryClient) => Promise<T>, limits?: RunLimits): Promise<T>;
  /**
   * Opens a separate connection that listens on a channel; it would otherwise occupy one of the pool for good. Undefined if the store must
   * not listen.
   */
  openListener(channel: string): Promise<PostgresListener | undefined>;
  /** Whether prepared statements have names: false after a server has lost one. */
  readonly usesNames: boolean;
  /** Ends the pool unless it belongs to the caller. */
  close(): Promise<void>;
}

interface RunLimits {
  /** For work that takes long, such as a migration: its queries have no time limit. */
  readonly isLong?: boolean;
}

interface ConnectOptions extends Pick<PostgresOptions, 'patienceMs' | 'listen'> {
  /** Ends all patience when it aborts. */
  readonly signal?: AbortSignal;
}

/** Milliseconds for which the store repeats work that cannot reach the database. */
export const PATIENCE_MS = 10_000;
const SHORTEST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 1000;
/** Time limits where the pool sets none: without them, a frozen server holds a query for good. */
const CONNECT_MS = 5000;
const QUERY_MS = 15_000;

/** Uses the pool of a caller, or creates one for a connection string. Throws `STORE_FAILED` if `pg` is missing. */
export async function connectPostgres(
  poolOrUrl: PostgresPool | string,
  { patienceMs = 0, listen, signal }: ConnectOptions = {},
): Promise<Connection> {
  const { Pool, Client } = await loadPostgres();
  const owned = typeof poolOrUrl === 'string';
  const pool = owned ? openPool(Pool, poolOrUrl) : poolOrUrl;
  const { query_timeout = 0, connectionTimeoutMillis = 0 } = pool.options as TimeLimits;
  const connectMs = connectionTimeoutMillis > 0 ? connectionTimeoutMillis : CONNECT_MS;
  let usesNames = true;
  guardNew(pool);

  const limited = (client: QueryClient, isLong: boolean): QueryClient => {
    const limit = isLong || query_timeout > 0 ? {} : { query_timeout: QUERY_MS };
    return {
      async query({ name, ...query }) {
        if (name === undefined || !usesNames) return client.query({ ...limit, ...query });
        try {
          return await client.query({ ...limit, ...query, name });
        } catch (error) {
          if (!isNameLost(error)) throw error;
          // The server looked for the statement before it ran anything.
          usesNames = false;
          return client.query({ ...limit, ...query });
        }
      },
    };
  };
  const attempt = async <T>(use: (client: QueryClient) => Promise<T>, isLong: boolean): Promise<T> => {
    const client = await checkOut(pool, connectMs);
    try {
      const result = await use(limited(client, isLong));
      giveBack(client);
      return result;
    } catch (error) {
      const isGood = wasUndone(error) ? !isReadOnly(error) : HoldpointError.is(error, 'INPUT_INVALID');
      if (isGood) giveBack(client);
      else client.release(true);
      throw error;
    }
  };
  return {
    async run(use, { isLong = false } = {}) {
      const end = performance.now() + patienceMs;
      for (let tries = 0; ; tries += 1) {
        try {
          return await attempt(use, isLong);
        } catch (error) {
          const pauseMs = Math.min(LONGEST_PAUSE_MS, SHORTEST_PAUSE_MS * 2 ** tries) * (0.5 + Math.random());
          const isOver = performance.now() + pauseMs > end || signal?.aborted === true || isEnded(pool);
          if (isOver || !isPassing(error)) throw error;
          await delay(pauseMs, undefined, defined({ signal })).catch(() => undefined);
        }
      }
    },
    async openListener(channel) {
      if (listen === false) return undefined;
      const own = listen === undefined ? pool.options : { ...POOL_OPTIONS, connectionString: listen };
      const listener = new Client({ ...own, connectionTimeoutMillis: connectMs });
      // Without an error listener, a lost connection would end the process.
      listener.on('error', ignore);
      try {
        await listener.connect();
        await queryRows(limited(listener, false), `LISTEN "${channel}"`);
        return listener;
      } catch (error) {
        void listener.end().catch(ignore);
        throw error;
      }
    },
    get usesNames() {
      return usesNames;
    },
    close: async () => (owned ? pool.end() : undefined),
  };
}

/** The time limits that a pool of a caller may have. */
interface TimeLimits {
  readonly query_timeout?: number;
  readonly connectionTimeoutMillis?: number;
}

/** Whether the caller has ended its pool: no attempt can succeed any more. */
function isEnded(pool: PostgresPool & { readonly ending?: boolean }): boolean {
  return pool.ending === true;
}

/** A query and its rows. Without values the text may have several statements. */
export async function queryRows(
  client: QueryClient,
  text: string,
  values: unknown[] = [],
): Promise<readonly TextRow[]> {
  return (await client.query({ text, values, ...AS_TEXT })).rows;
}

/** As {@link queryRows}, for frequent queries: each connection prepares it once. */
export async function queryPrepared(
  client: QueryClient,
  { kind, text }: { readonly kind: 'commit' | 'read'; readonly text: string },
  values: unknown[],
): Promise<readonly TextRow[]> {
  return (await client.query({ name: preparedName(kind, text), text, values, ...AS_TEXT })).rows;
}

const preparedNames = new Map<string, string>();

/**
 * The name of a text in every process: behind a pooler, processes share connections, and a name that one of them gave to another text
 * would run that text. PostgreSQL cuts names after 63 bytes.
 */
function preparedName(kind: string, text: string): string {
  const known = preparedNames.get(text);
  if (known !== undefined) return known;
  const name = `holdpoint_${kind}_${createHash('sha256').update(text).digest('base64url')}`;
  preparedNames.set(text, name);
  return name;
}

/** Throws if a row has not as many columns as the query asks for. */
export function assertWidth(rows: readonly TextRow[], width: number): readonly TextRow[] {
  if (rows.some((row) => row.length !== width)) throw new MalformedResult();
  return rows;
}

/** Takes a connection from the pool; one that comes too late goes back. */
async function checkOut(pool: PostgresPool, connectMs: number): Promise<PostgresClient> {
  const connecting = pool.connect();
  const client = await within(connecting, connectMs);
  if (client === TOO_LATE) {
    connecting.then((late) => late.release(), ignore);
    throw new Error(`no connection within ${connectMs} ms`);
  }
  // A pool handles errors of idle connections only; without this listener, an error of a used one would end the
  // process.
  client.on('error', ignore);
  return client;
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

const POOL_OPTIONS = { application_name: 'holdpoint', keepAlive: true };

function openPool(Pool: PostgresModule['Pool'], connectionString: string): PostgresPool {
  try {
    const pool = new Pool({ ...POOL_OPTIONS, connectionString, connectionTimeoutMillis: CONNECT_MS });
    // An idle connection that is lost is replaced by the pool; the next query tells if none can be made.
    pool.on('error', ignore);
    return pool;
  } catch (cause) {
    throw storeFailure('open the store', cause);
  }
}
