import { HoldpointError } from '../../core/index.ts';

/** A row as it comes: text or null in every column. */
export type TextRow = readonly (string | null)[];

export interface PostgresQuery {
  /** Each connection parses and plans a query with a name once. */
  name?: string;
  text: string;
  values?: unknown[];
  rowMode?: 'array';
  types: { getTypeParser(): (text: string) => string };
}

export interface PostgresResult {
  readonly rows: readonly TextRow[];
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

/** What the package `pg` exports, as far as it is used here. */
export interface PostgresModule {
  Pool: new (options: object) => PostgresPool & { on(event: 'error', listener: () => void): unknown };
  Client: new (options: object) => PostgresListener;
}

/** Loads `pg`, an optional peer, when the first store is opened. Throws `STORE_FAILED` where it is missing. */
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
