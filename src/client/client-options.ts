import type { CustomRequest, CustomResponse, ContentRegistry } from '../content/index.ts';
import type { Clock, IdGenerator, UnknownRecord } from '../core/basics/index.ts';
import type { DialectName } from '../protocol/index.ts';

/** What {@link createClient} takes; only `url` is needed. */
export interface ClientOptions<
  Request extends CustomRequest = never,
  Response extends CustomResponse = never,
> {
  /** Where the agent takes runs; of a Holdpoint host, `…/agents/<name>`. */
  readonly url: string | URL;
  /**
   * Where a Holdpoint host has its threads and its inbox; by default the URL before `/agents/<name>`. A server
   * with neither can still be run and resumed.
   */
  readonly base?: string | URL;
  /** Sent with every request; a function is asked each time, so that a token can be renewed. */
  readonly headers?: RequestHeaders | (() => RequestHeaders | Promise<RequestHeaders>);
  readonly fetch?: typeof globalThis.fetch;
  /** The form in which inputs are written, default `1.0`. Every form is read. */
  readonly dialect?: DialectName;
  /** Keeps open questions and staged answers over a reload; `localStorage` fits. */
  readonly storage?: ClientStorage;
  /** Tools that run here: the agent may call them, and their results go back to it. */
  readonly tools?: readonly ClientTool[];
  /** How often in one run the tools above may be called and the agent run again; default 10. */
  readonly maxToolRounds?: number;
  /** An application's own kinds of question. */
  readonly registry?: ContentRegistry<Request, Response>;
  readonly retry?: RetryOptions;
  /**
   * Milliseconds of silence after which a stream counts as broken. By default 45,000 for a server that numbers
   * its events, since its stream can be taken up again; a server that does not may think as long as it likes.
   */
  readonly stallTimeout?: number;
  /** Told of what was left out or could not be kept; nothing that needs an answer. */
  readonly onWarning?: (warning: string) => void;
  readonly newId?: IdGenerator;
  readonly clock?: Clock;
  /** From 0 to 1, for the jitter of the back-off. */
  readonly random?: () => number;
}

export type RequestHeaders = Readonly<Record<string, string>>;

/** What `localStorage` and its asynchronous likes have in common. */
export interface ClientStorage {
  getItem(key: string): string | null | Promise<string | null>;
  setItem(key: string, value: string): unknown;
  removeItem(key: string): unknown;
}

/** How a broken stream is taken up again. */
export interface RetryOptions {
  /** Attempts without a new event, default 5. */
  readonly attempts?: number;
  /** The delay before the first one in milliseconds, default 500; it doubles each time, with jitter. */
  readonly baseDelay?: number;
  /** The longest delay, default 15,000. */
  readonly maxDelay?: number;
}

/** A tool that runs where the client runs. */
export interface ClientTool {
  readonly name: string;
  readonly description: string;
  /** A JSON Schema of the arguments. */
  readonly parameters: UnknownRecord;
  /** What it gives goes to the agent: a string as it is, anything else as JSON. A throw is an error result. */
  run(input: unknown, context: ClientToolContext): unknown;
}

export interface ClientToolContext {
  readonly toolCallId: string;
  readonly threadId: string;
  readonly signal: AbortSignal;
}
