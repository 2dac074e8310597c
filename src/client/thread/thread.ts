import type { HoldpointError } from '../../core/index.ts';
import type { Interrupt, Message, ResumeEntry, TokenUsage } from '../../protocol/index.ts';

/** The status of a thread, as known to this client. */
export type ThreadStatus = 'idle' | 'running' | 'interrupted' | 'failed';

/** A thread at one moment. Snapshots never change; unchanged parts are the same objects in the next snapshot. */
export interface ThreadSnapshot {
  readonly threadId: string;
  readonly status: ThreadStatus;
  /** Id of the newest run. */
  readonly runId?: string;
  readonly messages: readonly Message[];
  readonly state: unknown;
  /** The open interrupts. */
  readonly interrupts: readonly Interrupt[];
  /** Answers that wait until every open interrupt has one. */
  readonly staged: readonly ResumeEntry[];
  /** The result of the newest run. */
  readonly result?: unknown;
  readonly usage?: readonly TokenUsage[];
  /** The error of the newest run. */
  readonly error?: HoldpointError;
}

/** A thread, for a user interface: `useSyncExternalStore(thread.subscribe, thread.getSnapshot)`. */
export interface Thread {
  readonly threadId: string;
  /** Calls the listener once for all changes that arrive together; returns a function that unsubscribes. */
  readonly subscribe: (listener: () => void) => () => void;
  readonly getSnapshot: () => ThreadSnapshot;
}
