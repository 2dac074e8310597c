import type { HoldpointError } from '../../core/basics/index.ts';
import type { Interrupt, Message, ResumeEntry, TokenUsage } from '../../protocol/index.ts';

/** Where a thread stands, as far as this client has seen. */
export type ThreadStatus = 'idle' | 'running' | 'interrupted' | 'failed';

/** A thread at one moment. Snapshots never change; a part that did not change is the same object in the next. */
export interface ThreadSnapshot {
  readonly threadId: string;
  readonly status: ThreadStatus;
  /** The newest run. */
  readonly runId?: string;
  readonly messages: readonly Message[];
  readonly state: unknown;
  /** The open questions. */
  readonly interrupts: readonly Interrupt[];
  /** Answers that are given and not sent, since others are missing. */
  readonly staged: readonly ResumeEntry[];
  /** What the newest run came to. */
  readonly result?: unknown;
  readonly usage?: readonly TokenUsage[];
  /** Why the newest run failed. */
  readonly error?: HoldpointError;
}

/** A thread, for a user interface: `useSyncExternalStore(thread.subscribe, thread.getSnapshot)`. */
export interface Thread {
  readonly threadId: string;
  /** Calls back after each change, which is once for all that arrived together; gives what ends that. */
  readonly subscribe: (listener: () => void) => () => void;
  readonly getSnapshot: () => ThreadSnapshot;
}
