import type { IdGenerator } from '../core/index.ts';
import { HoldpointError } from '../core/index.ts';
import type { Gate, ScopeAccess, StoredGrants, ThreadKey, Vault } from '../ledger/index.ts';
import type { HostAgent, NotifyInterrupts, Runs, ThreadFeed } from '../runs/index.ts';
import type { AgentDirectory } from './agent-directory.ts';
import type { ThreadFiles } from './files/thread-files.ts';
import type { HostOptions, Logger } from './host-options.ts';
import type { SharedInboxes } from './http/shared-inbox.ts';
import type { OpenStreams } from './http/stream-response.ts';
import type { HostMetrics } from './host-metrics.ts';
import type { UseLimit } from './use-limit.ts';

/** The shared parts of the routes. They have no store: they read and write with a permission of the gate. */
export interface HostParts {
  readonly options: Omit<HostOptions, 'store'>;
  readonly gate: Gate;
  readonly agents: AgentDirectory;
  readonly runs: Runs;
  readonly feed: ThreadFeed;
  readonly files: ThreadFiles;
  /** The remembered decisions of a scope. */
  readonly grantsOf: (access: ScopeAccess) => StoredGrants;
  /** The time of the store. */
  readonly now: () => Promise<number>;
  readonly newId: IdGenerator;
  /** Opens the vault for secret answers; undefined without a key. */
  readonly openVault: () => Promise<Vault | undefined>;
  readonly logger: Logger;
  /** Counts runs and sweeps; undefined without telemetry. */
  readonly metrics: HostMetrics | undefined;
  /** Aborts when the host closes, to end endless streams. */
  readonly closing: AbortSignal;
  /** Whether new requests are accepted; false while the host closes. */
  readonly isAccepting: () => boolean;
  /** The streams that are open in this process. */
  readonly streams: OpenStreams;
  readonly inboxes: SharedInboxes;
  /** Limits the bytes of request bodies at work. */
  readonly bodies: UseLimit;
  /** Called when a thread is ready to continue. */
  readonly ready: (key: ThreadKey) => void;
  /** Whether a completed batch can be continued, here or elsewhere. */
  readonly canGoOn: (key: ThreadKey, agent: string) => Promise<boolean>;
  /** Calls `onInterrupt` for interrupts that no run of this host raised. */
  readonly notify: NotifyInterrupts;
}

/** Throws `AGENT_UNKNOWN`. */
export function agentNamed({ agents }: HostParts, idOrAlias: string): HostAgent {
  const agent = agents.resolve(idOrAlias);
  if (agent === undefined) throw new HoldpointError('AGENT_UNKNOWN', `There is no agent ${idOrAlias}.`);
  return agent;
}

/** Throws `INPUT_INVALID` unless an id is a printable text of at most 256 characters. */
export function checkedId(id: string, what: string): string {
  // Control characters and lone surrogates do not belong in an id.
  if (id.length === 0 || id.length > 256 || /[\p{Cc}\p{Cs}]/u.test(id)) {
    throw new HoldpointError(
      'INPUT_INVALID',
      `The ${what} is not usable: give 1 to 256 printable characters.`,
    );
  }
  return id;
}
