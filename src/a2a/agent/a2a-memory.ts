import type { JsonObject } from '../../core/index.ts';
import type { JsonSchemaObject } from '../../core/schema/index.ts';
import type { ThreadKey } from '../../ledger/index.ts';

/** A message of a thread that went to the agent as the beginning of something new. */
export interface SentMessage {
  /** The thread's messages that it carried. */
  readonly sources: readonly string[];
  /** The id it had on the way; kept before it is sent. */
  readonly outbound: string;
  /** What it led to; absent while nobody knows. */
  readonly taskId?: string;
  /** It was answered with a message, or refused: there is no task to go on with. */
  readonly done?: boolean;
}

/** What is known of a thread: its context at the agent, and what was sent there. */
export interface ThreadMemory {
  readonly contextId?: string;
  readonly tasks: readonly string[];
  readonly sent: readonly SentMessage[];
}

export interface AskedQuestion {
  /** `input-<taskId>-<n>`. */
  readonly id: string;
  readonly requestId?: string;
  readonly request: JsonObject;
  readonly text: string;
  readonly responseSchema?: JsonSchemaObject;
}

/** An answer that was given to a pause, or is about to be: written before anything is sent. */
export interface Claim {
  /** The id of the message that carries it. */
  readonly outbound: string;
  readonly runId: string;
}

/** A pause of a task as it was asked. */
export interface PauseMemory {
  readonly state: 'input-required' | 'auth-required';
  readonly statusMessageId: string;
  readonly timestamp: string;
  readonly dialect: string;
  readonly questions: readonly AskedQuestion[];
  /** What it asks, whatever its ids: tells a question that comes again. */
  readonly digest: string;
  /** How often the same was asked before, one after the other. */
  readonly repeats: number;
  readonly claim?: Claim;
}

/** What is known of a task. The agent's own copy is the truth; this is what the agent cannot know. */
export interface TaskMemory {
  readonly taskId: string;
  readonly contextId: string;
  readonly protocolVersion: string;
  readonly status: string;
  /** Questions so far: ids count up and are never used again. */
  readonly asked: number;
  readonly lastRunId?: string;
  readonly lastInterruptId?: string;
  readonly summaries: readonly string[];
  readonly pause?: PauseMemory;
  /** A run has told how it ended, or that its agent does not know it any more. */
  readonly told?: 'over' | 'lost';
}

/** Something with the version that a change of it must name. */
export interface Versioned<Value> {
  readonly value: Value;
  readonly version: number;
}

/** Where the mapping between threads and tasks lives, and who may answer a pause. All changes compare and set. */
export interface A2aMemory {
  readThread(key: ThreadKey): Promise<Versioned<ThreadMemory>>;
  readTask(key: ThreadKey, taskId: string): Promise<Versioned<TaskMemory> | undefined>;
  /** False when somebody else changed it since `expect` was read; 0 says that it is new. */
  writeThread(key: ThreadKey, value: ThreadMemory, expect: number): Promise<boolean>;
  writeTask(key: ThreadKey, value: TaskMemory, expect: number): Promise<boolean>;
}
