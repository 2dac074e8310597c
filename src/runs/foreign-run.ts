import type { IdGenerator } from '../core/index.ts';
import type { AgentContext } from '../engine/index.ts';
import type { BeginRun, StartedRun, Vault } from '../ledger/index.ts';
import type { Message, ResumeEntry, RunAgentInput } from '../protocol/index.ts';
import type { HostAgent } from './host-agent.ts';
import type { EventLog } from './event-log.ts';

/** A run of an agent that keeps its own checkpoint. */
export interface ForeignRun {
  readonly agent: HostAgent;
  readonly started: StartedRun;
  readonly conversation: readonly Message[];
  readonly newMessages: BeginRun['newMessages'];
  /** What the client sent besides messages and answers. */
  readonly input: RunAgentInput;
  readonly log: EventLog;
  readonly context: AgentContext;
  readonly cancelSignal: AbortSignal;
  readonly vault: Vault | undefined;
  /** Answers with their secrets in their places, at the moment they are handed over. */
  readonly opened: (answers: readonly ResumeEntry[]) => Promise<readonly ResumeEntry[]>;
  readonly newId: IdGenerator;
  /** Ids that questions of this thread already had. */
  readonly usedIds: (ids: readonly string[]) => Promise<ReadonlySet<string>>;
  readonly onError: (error: unknown) => void;
}
