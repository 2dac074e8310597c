import { HoldpointError } from '../../core/index.ts';

/** A row with text or null in every column. */
export type TextRow = readonly (string | null)[];

export interface PostgresQuery {
  /** Each connection parses and plans a query with a name once. */
  name?: string;
  text: string;
  values?: unknown[];
  rowMode?: 'array';
  types: { getTypeParser(): (text: string) => string };
  /** Milliseconds after which the query fails here; the server is not told. */
  query_timeout?: number;
}

export interface PostgresResult {
  readonly rows: readonly TextRow[];
}

/** The part of `pg.PoolClient` that the store uses. */
export interface PostgresClient {
  query(query: PostgresQuery): Promise<PostgresResult>;
  /** Returns it to its pool; `true` discards it. */
  release(destroy?: boolean): void;
  on(event: 'error', listener: () => void): unknown;
  off(event: 'error', listener: () => void): unknown;
}

/** The part of `pg.Pool` that the store uses. */
export interface PostgresPool {
  connect(): Promise<PostgresClient>;
  end(): Promise<void>;
  /** The options of its connections. */
  readonly options: object;
}

/** The part of `pg.Client` that listening needs. */
export interface PostgresListener {
  connect(): Promise<unknown>;
  end(): Promise<void>;
  query(query: PostgresQuery): Promise<PostgresResult>;
  on(event: 'error' | 'end', listener: () => void): unknown;
  on(event: 'notification', listener: (message: { payload?: string | undefined }) => void): unknown;
}

/** The part of the package `pg` that is used. */
export interface PostgresModule {
  Pool: new (options: object) => PostgresPool & { on(event: 'error', listener: () => void): unknown };
  Client: new (options: object) => PostgresListener;
}

/** Loads `pg`, an optional peer, when the first store is opened. Throws `STORE_FAILED` if it is missing. */
export async function loadPostgres(): Promise<PostgresModule> {
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
