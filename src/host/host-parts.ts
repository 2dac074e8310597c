import type { IdGenerator } from '../core/index.ts';
import { HoldpointError } from '../core/index.ts';
import type { Gate, ScopeAccess, StoredGrants, ThreadKey, Vault } from '../ledger/index.ts';
import type { HostAgent, Runs, ThreadFeed } from '../runs/index.ts';
import type { AgentDirectory } from './agent-directory.ts';
import type { ThreadFiles } from './files/thread-files.ts';
import type { HostOptions, Logger } from './host-options.ts';
import type { OpenStreams } from './http/stream-response.ts';
import type { HostMetrics } from './host-metrics.ts';
import type { TellOfQuestions } from './background.ts';

/** What the routes of a host share. They have no store: what they read and write, they do with a right that the gate gave. */
export interface HostParts {
  readonly options: Omit<HostOptions, 'store'>;
  readonly gate: Gate;
  readonly agents: AgentDirectory;
  readonly runs: Runs;
  readonly feed: ThreadFeed;
  readonly files: ThreadFiles;
  /** Remembered decisions of the scope. */
  readonly grantsOf: (access: ScopeAccess) => StoredGrants;
  /** The store's time. */
  readonly now: () => Promise<number>;
  readonly newId: IdGenerator;
  /** Where secret answers are kept; undefined where there is no key. */
  readonly openVault: () => Promise<Vault | undefined>;
  readonly logger: Logger;
  /** Counts runs and sweeps; undefined without telemetry. */
  readonly metrics: HostMetrics | undefined;
  /** Fires when the host closes: streams that have no end of their own end then. */
  readonly closing: AbortSignal;
  /** Whether new requests are served: not while the host closes. */
  readonly isAccepting: () => boolean;
  /** The streams that are open in this process. */
  readonly streams: OpenStreams;
  /** A thread can go on: whoever continues such threads is told. */
  readonly ready: (key: ThreadKey) => void;
  /** Whether somebody goes on with a thread whose interrupts all have their answers. */
  readonly canGoOn: (key: ThreadKey) => Promise<boolean>;
  /** Questions were asked by no run of this host: the application is told of them as of any. */
  readonly tell: TellOfQuestions;
}

/** Throws `AGENT_UNKNOWN`. */
export function agentNamed({ agents }: HostParts, idOrAlias: string): HostAgent {
  const agent = agents.resolve(idOrAlias);
  if (agent === undefined) throw new HoldpointError('AGENT_UNKNOWN', `There is no agent ${idOrAlias}.`);
  return agent;
}

/** Writes the failure of a stream to the logger. */
export function streamFailure({ logger }: HostParts): (error: unknown) => void {
  return (error) => logger.error({ err: error }, 'A stream broke off.');
}

/** Ids that people and programs give: short enough to be keys, and printable. */
export function checkedId(id: string, what: string): string {
  // A control character, or half of one, in an id is nobody's honest choice.
  if (id.length === 0 || id.length > 256 || /[\p{Cc}\p{Cs}]/u.test(id)) {
    throw new HoldpointError(
      'INPUT_INVALID',
      `The ${what} is not usable: give 1 to 256 printable characters.`,
    );
  }
  return id;
}
