import type { OnExpire } from '../content/interrupts/index.ts';
import type { IdGenerator } from '../core/index.ts';
import type { AgentContext } from '../engine/index.ts';
import type {
  Access,
  ApproversOf,
  BeginRun,
  ClaimedRun,
  InterruptRecord,
  RunSession,
  RunStatus,
  ThreadKey,
  Vault,
} from '../ledger/index.ts';
import type { RunAgentInput } from '../protocol/index.ts';
import type { Store } from '../store/index.ts';
import type { HostAgent } from './host-agent.ts';

export interface RunRequest {
  /** The permission to begin the run. */
  readonly access: Access<'run' | 'answer'>;
  readonly agent: HostAgent;
  readonly input: RunAgentInput;
  readonly uncovered?: BeginRun['uncovered'];
  readonly continues?: BeginRun['continues'];
}

/** A run with its claim and its session, ready to work. */
export interface PreparedRun {
  readonly type: 'started';
  readonly claim: ClaimedRun;
  readonly session: RunSession;
  readonly work: () => Promise<void>;
  /** Stops the run at its next call. */
  cancel(): void;
}

/** A run that is active in this process. */
export interface LiveRun extends PreparedRun {
  readonly key: ThreadKey;
  readonly runId: string;
  /** The end of the event log before the run. */
  readonly eventsBefore: number;
  /** Resolves when the run has ended, in any way. */
  readonly done: Promise<void>;
}

export interface RunsOptions {
  readonly store: Store;
  readonly newId: IdGenerator;
  readonly leaseMs?: number | undefined;
  /** Called before a run begins; returns the function to call when it has ended. Throws `RATE_LIMITED` beyond a limit. */
  readonly admit: (request: RunRequest) => () => void;
  /** Limit for the events of a run of a foreign agent. Default 256 Mi. */
  readonly maxCharacters?: number | undefined;
  readonly quotas: BeginRun['quotas'];
  readonly onExpire: OnExpire | undefined;
  /** The approvers of interrupts of foreign agents. Default: none. */
  readonly approversOf?: ApproversOf | undefined;
  /** Encrypts secret answers; undefined without a key. */
  readonly vault: () => Promise<Vault | undefined>;
  /** The context of every run: policies, grants, mode. */
  readonly contextFor: (request: RunRequest) => AgentContext;
  readonly onError: (error: unknown, where: { readonly thread: string; readonly runId: string }) => void;
  readonly onEnd: (key: ThreadKey, runId: string) => void;
  /** Called with the interrupts whose answers a run has claimed. */
  readonly onClaimed: (claimed: readonly InterruptRecord[]) => void;
  /** Called once with the outcome of each run. */
  readonly onOutcome: (outcome: RunStatus, agent: string) => void;
}
