import type { OnExpire } from '../content/interrupts/index.ts';
import type { IdGenerator, JsonLimits } from '../core/index.ts';
import type { ApprovalMode, Policy } from '../engine/index.ts';
import type { AccessOptions, InterruptRecord, Principal, Quotas, ThreadKey } from '../ledger/index.ts';
import type { DialectName } from '../protocol/index.ts';
import type { Store } from '../store/index.ts';
import type { Agents } from './agent-directory.ts';
import type { FileOptions } from './files/file-options.ts';
import type { HostTelemetryOptions } from './host-metrics.ts';

/** Where a host writes what happens; pino and console fit. */
export interface Logger {
  error(details: object, message: string): void;
  warn(details: object, message: string): void;
  info(details: object, message: string): void;
}

export interface HostLimits {
  /** Bytes of a request's body. Default 1 MiB. */
  readonly bodyBytes?: number;
  /** Depth and size of JSON. */
  readonly json?: Partial<JsonLimits>;
  /** Messages of one input. Default 5,000. */
  readonly messages?: number;
  /** Runs at work in this process. Default 1,000. */
  readonly concurrentRuns?: number;
  /** Requests of one principal in a minute. Default 1,200. */
  readonly requestsPerMinute?: number;
  /** Failed logins of one client address in a minute, IPv6 by its first 64 bits. Default 60. */
  readonly failedLoginsPerMinute?: number;
  /** Streams that are open in this process. Default 20,000. */
  readonly openStreams?: number;
}

export interface HostOptions extends AccessOptions {
  readonly agents: Agents;
  readonly store: Store;
  /**
   * Other hosts of the store have agents that this one does not know: an answer for one of those is taken here, and they go on.
   * By default such an answer is refused, and only a cancellation is taken.
   */
  readonly agentsElsewhere?: boolean;
  /**
   * Behind a proxy: the header in which it writes the client's address, such as `x-forwarded-for`; the last address of the header
   * counts. Trust none that clients can write past the proxy. Default: the address that the server gives.
   */
  readonly clientAddressHeader?: string;
  /** Rules of the organisation, before those of tools and agents. */
  readonly policies?: readonly Policy[];
  readonly mode?: ApprovalMode;
  readonly interrupts?: AccessOptions['interrupts'] & {
    /** An input that leaves a question out is refused (default), or what came is kept and the rest asked again. */
    readonly uncovered?: 'refuse' | 'reinterrupt';
    /** Milliseconds after which a question expires that says nothing of it; never when absent. */
    readonly ttlMs?: number;
    /** What becomes of a question that says nothing of it when its time is over. Default `keep`. */
    readonly onExpire?: OnExpire;
    /**
     * Milliseconds between two looks at an open question of an agent that offers `reconcile` and does not say how often itself.
     * Default 60,000; 0 never looks.
     */
    readonly recheckMs?: number;
    /** How much may be open in one scope; beyond it, runs are refused, and nothing that is open goes. */
    readonly quotas?: Quotas;
  };
  /** The form on the wire where a request says none. Default 1.0. */
  readonly dialect?: DialectName;
  /** What a run does when whoever began it hangs up. Default `continue`. */
  readonly onDisconnect?: 'continue' | 'cancel';
  /**
   * Told of each question once it is stored: the place for a notification. Best effort: a process that is killed between the two
   * does not tell, and the inbox has the question all the same.
   */
  readonly onInterrupt?: (record: InterruptRecord, thread: ThreadKey) => void | Promise<void>;
  /** 32 bytes in base64, under which secret answers are kept. Without it questions that ask for secrets are refused. */
  readonly secretKey?: string;
  /** OpenTelemetry: a span for each run, model call and tool, and what the host counts. */
  readonly telemetry?: HostTelemetryOptions;
  /** Where warnings and errors go. Default: the console, without `info`; `false` silences. */
  readonly logger?: Logger | false;
  /** Pages of a web app: undefined for a path that is none of theirs. They are shown before anybody is asked who they are. */
  readonly pages?: ((request: Request) => Promise<Response | undefined> | Response | undefined) | undefined;
  readonly limits?: HostLimits;
  readonly files?: FileOptions;
  /** Milliseconds between two comments on a silent stream. Default 15,000. */
  readonly keepAliveMs?: number;
  /** Milliseconds a run keeps its thread without a sign of life. Default 30,000. */
  readonly leaseMs?: number;
  /**
   * Milliseconds between two looks for work that others left, for questions whose time is over, and for events that are kept no
   * longer. Default 1,000; 0 never looks.
   */
  readonly sweepMs?: number;
  /** Milliseconds that the events of a run that is over are kept for whoever comes back. Default 10 minutes. */
  readonly keepEventsMs?: number;
  readonly newId?: IdGenerator;
}

/** What a server knows of a request besides the request itself. */
export interface RequestSource {
  /** The address of the client itself, by which failed logins are limited. */
  readonly clientAddress?: string | undefined;
  /** Node's own request; the other end of its socket is the client, or a proxy. */
  readonly incoming?: { readonly socket?: { readonly remoteAddress?: string | undefined } };
}

/** What the routes know of a request before they look at it. */
export interface HostEnv {
  readonly Bindings: RequestSource;
  readonly Variables: { principal: Principal };
}
