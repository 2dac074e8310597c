import type { OnExpire } from '../content/interrupts/index.ts';
import type { IdGenerator, JsonLimits } from '../core/index.ts';
import type { ApprovalMode, Policy } from '../engine/index.ts';
import type { AccessOptions, Principal, Quotas, RequestSource } from '../ledger/index.ts';
import type { DialectName } from '../protocol/index.ts';
import type { OnInterrupt } from '../runs/index.ts';
import type { Store } from '../store/index.ts';
import type { Agents } from './agent-directory.ts';
import type { FileOptions } from './files/file-options.ts';
import type { HostTelemetryOptions } from './host-metrics.ts';

/** The log of a host; pino and console fit. */
export interface Logger {
  error(details: object, message: string): void;
  warn(details: object, message: string): void;
  info(details: object, message: string): void;
}

/** Limits for what one caller uses at one time. */
interface CallerLimits {
  /** Open streams, in this process. */
  readonly openStreams?: number;
  /** Active runs, in this process. */
  readonly concurrentRuns?: number;
  /** Bytes of request bodies that this process reads or works on. */
  readonly bodyBytesAtWork?: number;
}

/** The limits of a host. A request beyond a limit is rejected; nothing that runs or is open ends. */
export interface HostLimits extends NonNullable<AccessOptions['limits']> {
  /** Limit for the body of a request, in bytes. Default 1 MiB. */
  readonly bodyBytes?: number;
  /** Limits for the depth and size of JSON. */
  readonly json?: Partial<JsonLimits>;
  /** Limit for the messages of one input. Default 5,000. */
  readonly messages?: number;
  /** Limit for the events of one run of a foreign agent, in characters. Beyond it the run fails. Default 256 Mi. */
  readonly agentCharacters?: number;
  /** Limit for active runs in this process. A fifth is kept for runs that continue an answer. Default 1,000. */
  readonly concurrentRuns?: number;
  /** Limit for open streams in this process. Default 20,000. */
  readonly openStreams?: number;
  /** Limit for the bytes of request bodies that this process reads or works on. Default 1 GiB. */
  readonly bodyBytesAtWork?: number;
  /**
   * Limits for one principal. Default: 50 `openStreams`, 20 `concurrentRuns`, 500 `openInterrupts`, 64 MiB
   * `bodyBytesAtWork`.
   */
  readonly perPrincipal?: CallerLimits & NonNullable<Quotas['perPrincipal']>;
  /**
   * Limits for one scope. Default: 500 `openStreams`, 200 `concurrentRuns`, 5,000 `openInterrupts`, 640 MiB
   * `bodyBytesAtWork`; no limit for `threads`. If all people share one scope, set them to what all of them need.
   */
  readonly perScope?: CallerLimits & NonNullable<Quotas['perScope']>;
}

/** The option `cors` of a host: pages of other origins that may call it from a browser. */
export interface CorsOptions {
  /** The origins, such as `https://app.example`. Pages of other origins cannot read responses. */
  readonly origins: readonly string[];
  /** Whether the browser may send cookies. Default false: pages send a token in a header. */
  readonly credentials?: boolean;
}

/** The options of {@link createHost}. */
export interface HostOptions extends AccessOptions {
  /** The agents: a list, a record by name, or a registry. */
  readonly agents: Agents;
  /** Keeps threads, interrupts and history. The host does not close it. */
  readonly store: Store;
  /**
   * Whether other hosts on the store have agents that this host does not know. Then an answer for such an agent is
   * accepted here, and the other host continues. Default false: only a cancellation is accepted.
   */
  readonly agentsElsewhere?: boolean;
  /**
   * Policies of the organisation; they come before those of tools and agents. Of an agent that `defineAgent` did not make, they see
   * the calls that it asks approval for. Default: none.
   */
  readonly policies?: readonly Policy[];
  /** The handling of calls that need an approval. Default `interactive`. */
  readonly mode?: ApprovalMode;
  /** Rules for interrupts. Default: no expiry. */
  readonly interrupts?: AccessOptions['interrupts'] & {
    /**
     * An input that leaves an interrupt out is rejected (default), or its answers are staged and the rest is asked
     * again.
     */
    readonly uncovered?: 'refuse' | 'reinterrupt';
    /** Milliseconds until an interrupt without its own expiry expires. Default: never. */
    readonly ttlMs?: number;
    /**
     * The action for an expired interrupt without its own rule. An `answer` is for questions whose schema it fits; other interrupts, and
     * every approval, are cancelled. Default `keep`.
     */
    readonly onExpire?: OnExpire;
    /**
     * Milliseconds between two checks of an open interrupt, for agents with `reconcile` that set no interval.
     * Default 60,000; 0 never checks.
     */
    readonly recheckMs?: number;
  };
  /** The dialect of requests that name none. Default 1.0. */
  readonly dialect?: DialectName;
  /**
   * The path that the host is mounted at, such as `/api/holdpoint`, if the server around it leaves the path in the
   * URL, as a route handler of Next.js does. Other paths answer 404. Default: the root.
   */
  readonly basePath?: string;
  /** Lets pages of other origins call the host. Default: only pages of the host's own origin. */
  readonly cors?: CorsOptions;
  /** The effect on a run when its client disconnects. Default `continue`. */
  readonly onDisconnect?: 'continue' | 'cancel';
  /**
   * Called for each interrupt that this host stores, for notifications. Best effort: a process that dies in between
   * does not call it, but the inbox has the interrupt. `generate` and `toA2a` have the same option. Default: none.
   */
  readonly onInterrupt?: OnInterrupt;
  /** 32 bytes in base64 to encrypt secret answers. Default: none; interrupts that ask for secrets are rejected. */
  readonly secretKey?: string;
  /** OpenTelemetry: spans for runs, model calls and tools, and metrics of the host. Default: none. */
  readonly telemetry?: HostTelemetryOptions;
  /** The log for warnings and errors. Default: the console, without `info`; `false` silences. */
  readonly logger?: Logger | false;
  /**
   * Serves the pages of a web app, without authentication; undefined for other paths. The request has the path within the
   * host; `basePath` is the part before it, such as `/ai`. Default: no pages.
   */
  readonly pages?:
    | ((request: Request, basePath: string) => Promise<Response | undefined> | Response | undefined)
    | undefined;
  /**
   * The address of the page where people sign in; the web app links to it after a 401. `{path}` stands for the address to
   * return to: `/login?next={path}`. Default: the web app asks to sign in, without a link.
   */
  readonly signIn?: string;
  /** Limits for requests, runs and streams. */
  readonly limits?: HostLimits;
  /** Rules for uploads, and where they are kept. */
  readonly files?: FileOptions;
  /** Milliseconds between two comments on a silent stream. Default 15,000. */
  readonly keepAliveMs?: number;
  /** Milliseconds until the lease of a run ends unless the run renews it. Default 30,000. */
  readonly leaseMs?: number;
  /**
   * Milliseconds between two sweeps for lost runs, expired interrupts and old events. Default 1,000; 0 never sweeps.
   */
  readonly sweepMs?: number;
  /** Milliseconds for which the events of an ended run are kept for clients that reconnect. Default 10 minutes. */
  readonly keepEventsMs?: number;
  /** Makes the ids of messages, runs and interrupts. Default: UUIDv7. */
  readonly newId?: IdGenerator;
}

/** What the server around a host knows of a request. */
export interface HostSource extends RequestSource {
  /** The part of the path that the server removed from the URL, such as `/ai`. */
  readonly mountPath?: string | undefined;
  /** Called for a request that is for no route and no page of the host, before its 404. */
  readonly onUnrouted?: () => void;
}

/** The variables of a request in the routes. */
export interface HostEnv {
  readonly Bindings: HostSource;
  readonly Variables: {
    principal: Principal;
    /** Counts bytes of the body until the response is there. Throws `RATE_LIMITED` or `TOO_LARGE`. */
    countBody: (bytes: number) => void;
  };
}
