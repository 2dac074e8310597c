import type { OnExpire } from '../content/questions/index.ts';
import type { IdGenerator } from '../core/index.ts';
import type { AgentContext } from '../engine/index.ts';
import type {
  Access,
  BeginRun,
  Begun,
  RunSession,
  RunStatus,
  StartedRun,
  ThreadKey,
  Vault,
} from '../ledger/index.ts';
import type { RunAgentInput } from '../protocol/index.ts';
import type { Store } from '../store/index.ts';
import type { HostAgent } from './host-agent.ts';

/** A run at work in this process. */
export interface LiveRun {
  readonly key: ThreadKey;
  readonly runId: string;
  /** Where the thread's log of events ended before it. */
  readonly eventsBefore: number;
  /** Resolves when it is over, however it ended. */
  readonly done: Promise<void>;
  /** Stops it at its next call. */
  cancel(): void;
}

export interface RunRequest {
  /** The right to begin the run. */
  readonly access: Access<'run' | 'answer'>;
  readonly agent: HostAgent;
  readonly input: RunAgentInput;
  readonly uncovered?: BeginRun['uncovered'];
  readonly continues?: BeginRun['continues'];
}

export type Started = { readonly type: 'started'; readonly run: LiveRun } | Exclude<Begun, StartedRun>;

export interface RunsOptions {
  readonly store: Store;
  readonly newId: IdGenerator;
  readonly leaseMs?: number | undefined;
  readonly maxRuns: number;
  readonly quotas: BeginRun['quotas'];
  readonly onExpire: OnExpire | undefined;
  /** Where secret answers are kept; undefined where there is no key. */
  readonly vault: () => Promise<Vault | undefined>;
  /** What surrounds every run: policies, grants, the mode. */
  readonly contextFor: (request: RunRequest) => AgentContext;
  readonly onError: (error: unknown, where: { readonly thread: string; readonly runId: string }) => void;
  readonly onEnd: (key: ThreadKey, runId: string) => void;
  /** Told once how each run ended. */
  readonly onOutcome: (outcome: RunStatus, agent: string) => void;
}

/** A run that has begun, and what is to be done in it. */
export interface BegunRun {
  readonly type: 'begun';
  readonly run: Omit<LiveRun, 'done'> & { readonly session: RunSession };
  readonly work: () => Promise<void>;
}

/** What a request came to before anything of it was done. */
export type BegunRequest = BegunRun | Exclude<Begun, StartedRun>;

/** Where a run that has begun is. */
export function placeOf({ thread, lease }: StartedRun): Pick<LiveRun, 'key' | 'runId' | 'eventsBefore'> {
  const eventsBefore = thread.view.thread?.active?.eventsBefore ?? 0;
  return { key: lease.key, runId: lease.runId, eventsBefore };
}
