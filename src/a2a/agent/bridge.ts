import type { Clock, IdGenerator } from '../../core/index.ts';
import { HoldpointError } from '../../core/index.ts';
import type { AgentContext, DeliveryReport, Principal } from '../../engine/index.ts';
import type { ThreadKey } from '../../ledger/index.ts';
import type { Emitter, Message, RunAgentInput } from '../../protocol/index.ts';
import type { RequestDialect } from '../dialects/request-dialect.ts';
import type { A2aMemory, TaskMemory, ThreadMemory, Versioned } from './a2a-memory.ts';
import type { Activities } from './activities.ts';
import type { Connection } from './connect.ts';
import type { TaskDisplay } from './task-display.ts';
import type { Timing } from './timing.ts';
import type { ViewState } from './view-state.ts';

/** The options of an `a2aAgent`, with defaults filled in. */
export interface BridgeSettings {
  readonly agentId: string;
  readonly memory: A2aMemory;
  readonly dialects: readonly RequestDialect[];
  readonly timing: Timing;
  readonly onCancelled: 'cancel-task' | 'decline';
  readonly maxRepeats: number;
  readonly artifactBytes: number;
  readonly connect: (principal?: Principal) => Promise<Connection>;
}

/** One run between a thread and an A2A agent. */
export interface Bridge extends BridgeSettings {
  readonly key: ThreadKey;
  readonly input: RunAgentInput;
  readonly context: AgentContext;
  readonly signal: AbortSignal;
  readonly newId: IdGenerator;
  readonly clock: Clock;
  readonly connection: Connection;
  readonly emitter: Emitter;
  readonly state: ViewState;
  readonly display: TaskDisplay;
  readonly activities: Activities;
  /** Reports whether the agent got the answers, or the message, of a run that fails. */
  readonly report: (report: DeliveryReport) => void;
  /** The thread as it was when the run began. */
  readonly thread: ThreadMemory;
  /** Messages of the user that were not sent to the agent yet. */
  readonly fresh: readonly Message[];
}

/** Attempts to write a change against concurrent changes. */
const MAX_TRIES = 20;

/** Changes the memory of a thread; reads and changes it again after a concurrent change. Throws `RUN_CONFLICT`. */
export async function changeThread(
  { memory, key }: Pick<Bridge, 'memory' | 'key'>,
  change: (thread: ThreadMemory) => ThreadMemory,
): Promise<ThreadMemory> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const { value, version } = await memory.readThread(key);
    const next = change(value);
    if (await memory.writeThread(key, next, version)) return next;
  }
  throw new HoldpointError(
    'RUN_CONFLICT',
    `The thread ${key.thread} changes too often: ${MAX_TRIES} writes failed.`,
  );
}

/** As {@link changeThread}, for a task. `change` returns undefined to leave the task as it is. */
export async function changeTask(
  { memory, key }: Pick<Bridge, 'memory' | 'key'>,
  taskId: string,
  change: (task: TaskMemory | undefined) => TaskMemory | undefined,
): Promise<TaskMemory | undefined> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const known: Versioned<TaskMemory> | undefined = await memory.readTask(key, taskId);
    const next = change(known?.value);
    if (next === undefined) return known?.value;
    if (await memory.writeTask(key, next, known?.version ?? 0)) return next;
  }
  throw new HoldpointError(
    'RUN_CONFLICT',
    `The task ${taskId} changes too often: ${MAX_TRIES} writes failed.`,
  );
}
