import { isApprovable } from '../../content/interrupts/index.ts';
import type { JsonObject } from '../../core/index.ts';
import type { JsonSchemaObject } from '../../core/schema/index.ts';
import type { ThreadKey } from '../../ledger/index.ts';
import { agentMemoryRows } from '../../ledger/index.ts';
import { InterruptReason } from '../../protocol/index.ts';
import type { Store } from '../../store/index.ts';
import type { AskedRequest } from '../dialects/request-dialect.ts';

/** An A2A message that started a task, or was meant to. */
export interface SentMessage {
  /** Ids of the thread's messages that it contains. */
  readonly sources: readonly string[];
  /** The id of the A2A message; stored before the message is sent. */
  readonly outbound: string;
  /** The task that the message started; absent as long as the outcome is unknown. */
  readonly taskId?: string;
  /** The agent replied without a task, or rejected the message. */
  readonly done?: boolean;
}

/** The context of a thread at the agent, and the messages that went there. */
export interface ThreadMemory {
  readonly contextId?: string;
  readonly tasks: readonly string[];
  readonly sent: readonly SentMessage[];
}

/** An interrupt that a pause of a task raised. */
export interface TaskInterrupt {
  /** `input-<taskId>-<n>`. */
  readonly id: string;
  readonly requestId?: string;
  readonly request: JsonObject;
  readonly text: string;
  readonly responseSchema?: JsonSchemaObject;
  readonly call?: NonNullable<AskedRequest['call']>;
  readonly details?: JsonObject;
}

/** The run that answers a pause; stored before the answer is sent. */
export interface Claim {
  /** The id of the A2A message with the answer. */
  readonly outbound: string;
  readonly runId: string;
}

/** A pause of a task and the interrupts that it raised. */
export interface PauseMemory {
  readonly state: 'input-required' | 'auth-required';
  readonly statusMessageId: string;
  readonly timestamp: string;
  readonly dialect: string;
  readonly interrupts: readonly TaskInterrupt[];
  /** A digest of texts and schemas without ids: equal for a request that the agent repeats. */
  readonly digest: string;
  /** How often the agent repeated this request in a row. */
  readonly repeats: number;
  readonly claim?: Claim;
}

/** The part of a task that the agent does not know. The agent's own copy of the task is the truth. */
export interface TaskMemory {
  readonly taskId: string;
  readonly contextId: string;
  readonly protocolVersion: string;
  readonly status: string;
  /** Interrupts raised so far. Their ids count up and are never used again. */
  readonly asked: number;
  readonly lastRunId?: string;
  readonly lastInterruptId?: string;
  readonly summaries: readonly string[];
  readonly pause?: PauseMemory;
  /** A run has already shown the end of the task (`over`), or that the agent lost it (`lost`). */
  readonly told?: 'over' | 'lost';
}

/** A value with the version that a change must name. */
export interface Versioned<Value> {
  readonly value: Value;
  readonly version: number;
}

/**
 * Stores which thread belongs to which task, and which run answers a pause. A write compares versions: it returns false, and
 * writes nothing, if the value has changed since version `expect` was read. Version 0 means that the value is new.
 */
export interface A2aMemory {
  readThread(key: ThreadKey): Promise<Versioned<ThreadMemory>>;
  readTask(key: ThreadKey, taskId: string): Promise<Versioned<TaskMemory> | undefined>;
  writeThread(key: ThreadKey, value: ThreadMemory, expect: number): Promise<boolean>;
  writeTask(key: ThreadKey, value: TaskMemory, expect: number): Promise<boolean>;
}

/** Keeps the memory in a store: a value for the thread and one for each task. Deleting the thread deletes them. */
export function storeMemory(store: Store, agent: string): A2aMemory {
  const rows = agentMemoryRows(store, 'a2a', agent);
  return {
    async readThread(key) {
      const row = await rows.read(key, 'thread');
      if (row === undefined) return { value: { tasks: [], sent: [] }, version: 0 };
      return { value: row.value as unknown as ThreadMemory, version: row.version };
    },
    async readTask(key, taskId) {
      const row = await rows.read(key, `task:${taskId}`);
      if (row === undefined) return undefined;
      return { value: toTaskMemory(row.value as unknown as StoredTask), version: row.version };
    },
    writeThread: (key, value, expect) => rows.write(key, 'thread', { value, expect }),
    writeTask: (key, value, expect) => rows.write(key, `task:${value.taskId}`, { value, expect }),
  };
}

/** Rows of earlier versions call the interrupts of a pause `questions`. */
type StoredTask = TaskMemory & { readonly pause?: { readonly questions?: readonly TaskInterrupt[] } };

function toTaskMemory(stored: StoredTask): TaskMemory {
  if (stored.pause?.questions === undefined) return stored;
  const { questions: interrupts, ...pause } = stored.pause;
  return { ...stored, pause: { ...pause, interrupts } };
}

/** The id of the nth interrupt of a task. */
export function interruptIdOf(taskId: string, n: number): string {
  return `input-${taskId}-${n}`;
}

/** The task of an interrupt; undefined for an id of another form. */
export function taskIdOf(interruptId: string): string | undefined {
  return /^input-(.+)-\d+$/su.exec(interruptId)?.[1];
}

/** The reason of an interrupt that waits for an authorization outside Holdpoint. */
export const AUTH_REQUIRED = 'a2a:auth_required';

/** The reason of an interrupt of a pause. */
export function reasonOf(
  { state }: Pick<PauseMemory, 'state'>,
  { id, responseSchema }: TaskInterrupt,
): string {
  const schema = responseSchema === undefined ? {} : { responseSchema: { ...responseSchema } };
  if (isApprovable({ id, reason: '', ...schema })) return InterruptReason.Confirmation;
  return state === 'auth-required' ? AUTH_REQUIRED : InterruptReason.InputRequired;
}
