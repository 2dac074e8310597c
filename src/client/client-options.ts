import type { CustomRequest, CustomResponse, ContentRegistry } from '../content/index.ts';
import type { Clock, IdGenerator, UnknownRecord } from '../core/index.ts';
import type { DialectName } from '../protocol/index.ts';

/** Options of {@link createClient}; only `url` is required. */
export interface ClientOptions<
  Request extends CustomRequest = never,
  Response extends CustomResponse = never,
> {
  /** URL that takes runs; for a Holdpoint host, `…/agents/<name>`. */
  readonly url: string | URL;
  /**
   * URL below which a Holdpoint host has its threads and its inbox; default: `url` before `/agents/<name>`. A
   * client of another server can run and resume without it.
   */
  readonly base?: string | URL;
  /** Headers of every request, default none. A function is called for each request, so that it can renew a token. */
  readonly headers?: RequestHeaders | (() => RequestHeaders | Promise<RequestHeaders>);
  /** The fetch function; default `globalThis.fetch`. */
  readonly fetch?: typeof globalThis.fetch;
  /** Dialect of the inputs that the client writes, default `1.0`. The client reads every dialect. */
  readonly dialect?: DialectName;
  /** Keeps open interrupts and staged answers over a reload; `localStorage` fits. Default: nothing is kept. */
  readonly storage?: ClientStorage;
  /** Tools that run in the client, default none. The agent may call them; the client sends back their results. */
  readonly tools?: readonly ClientTool[];
  /** Most rounds in one run of calling these tools and running the agent again, default 10. */
  readonly maxToolRounds?: number;
  /** An application's own content types. */
  readonly registry?: ContentRegistry<Request, Response>;
  /** How a broken stream is resumed; see its members for the defaults. */
  readonly retry?: RetryOptions;
  /**
   * Milliseconds of silence after which a stream counts as broken. Default: 45,000 for a server that numbers its
   * events, because its stream can be resumed; no limit for other servers.
   */
  readonly stallTimeoutMs?: number;
  /** Receives a sentence for data that was left out or not stored. Default: ignored. */
  readonly onWarning?: (warning: string) => void;
  /** Creates the ids of threads, runs and messages; default UUIDv7. */
  readonly newId?: IdGenerator;
  /** Source of the time; default: the system clock. */
  readonly clock?: Clock;
  /** Returns a number from 0 to 1 for the jitter of the back-off; default `Math.random`. */
  readonly random?: () => number;
}

/** HTTP headers by name. */
export type RequestHeaders = Readonly<Record<string, string>>;

/** The common part of `localStorage` and asynchronous storages. */
export interface ClientStorage {
  /** Returns the stored text; null without one. */
  getItem(key: string): string | null | Promise<string | null>;
  /** Stores a text. */
  setItem(key: string, value: string): unknown;
  /** Removes a text. */
  removeItem(key: string): unknown;
}

/** How a broken stream is resumed. */
export interface RetryOptions {
  /** Attempts without a new event before the run fails, default 5. */
  readonly attempts?: number;
  /** Milliseconds before the first attempt, default 500. The delay doubles with each attempt and has jitter. */
  readonly baseDelayMs?: number;
  /** Longest delay in milliseconds, default 15,000. */
  readonly maxDelayMs?: number;
}

/** A tool that runs in the client. */
export interface ClientTool {
  /** Name of the tool, as the model calls it. */
  readonly name: string;
  /** Purpose of the tool, for the model. */
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly parameters: UnknownRecord;
  /**
   * Returns the result: a string goes to the agent unchanged, other values as JSON. A thrown error becomes an error
   * result.
   */
  run(input: unknown, context: ClientToolContext): unknown;
}

/** Passed to a tool that runs in the client. */
export interface ClientToolContext {
  /** Id of the call. */
  readonly toolCallId: string;
  /** Id of the thread. */
  readonly threadId: string;
  /** Aborts with the run. */
  readonly signal: AbortSignal;
}
