import type { JsonObject, JsonValue } from '../core/index.ts';
import type { Interrupt, ResumeEntry } from '../protocol/index.ts';

/** Where a thread lives: a thread id is never authority, its scope is part of every key. */
export interface ThreadKey {
  readonly scope: string;
  readonly thread: string;
}

/** Who is calling. */
export interface Principal {
  readonly id: string;
  readonly scope: string;
  readonly roles?: readonly string[];
}

/** How an answer came in. */
export type Way = 'ag-ui' | 'inbox' | 'link' | 'expiry' | 'policy';

/** Where a question stands. */
export type InterruptState = 'pending' | 'answered' | 'claimed' | 'resolved' | 'cancelled' | 'expired';

/** What happens to a question whose time is over. */
export type OnExpire = 'keep' | 'cancel' | 'deny' | { readonly answer: JsonValue };

/** Who may answer: these people, these roles; nobody who asked where that is so. */
export interface Approvers {
  readonly principals?: readonly string[];
  readonly roles?: readonly string[];
  /** Whoever started the run may not answer it. */
  readonly notAsker?: boolean;
}

/** An answer as it was given. */
export interface GivenAnswer {
  readonly status: ResumeEntry['status'];
  readonly payload?: JsonValue;
  readonly metadata?: JsonObject;
  readonly by: string;
  readonly at: number;
  readonly via: Way;
  /** Of its canonical `{status, payload}`: the same answer has the same one. */
  readonly digest: string;
}

/** A question, its answer, and what became of it. */
export interface InterruptRecord {
  readonly interrupt: Interrupt;
  readonly state: InterruptState;
  readonly batch: string;
  readonly agent: string;
  readonly runId: string;
  readonly askedBy: string;
  readonly raisedAt: number;
  readonly answer?: GivenAnswer;
  /** The run that took the answer. */
  readonly claimedBy?: string;
  readonly endedAt?: number;
  readonly onExpire: OnExpire;
  readonly approvers?: Approvers;
}

/** A thread: who is at work on it, what it waits for, and where its history ends. */
export interface ThreadRecord {
  readonly agent: string;
  /** Grows with each run; a write that carries an older one does not hold. */
  readonly epoch: number;
  readonly active?: {
    readonly runId: string;
    readonly leaseUntil: number;
    readonly principal: string;
    readonly startedAt: number;
  };
  /** The questions of the open checkpoint. */
  readonly batch?: { readonly id: string; readonly interruptIds: readonly string[] };
  /** What the paused turn needs to go on; the engine's own. */
  readonly turn?: JsonValue;
  readonly state: JsonValue;
  readonly chain: { readonly count: number; readonly hash: string };
}

/** One invocation of an agent on a thread. */
export interface RunRecord {
  readonly agent: string;
  readonly status: 'active' | 'success' | 'interrupt' | 'cancelled' | 'error' | 'lost';
  readonly epoch: number;
  readonly principal: string;
  readonly startedAt: number;
  readonly endedAt?: number;
  readonly error?: { readonly code: string; readonly message: string };
  readonly result?: JsonValue;
}

/** One row of a thread's history; each carries the hash of the one before it. */
export interface HistoryEntry {
  readonly what:
    | 'raised'
    | 'staged'
    | 'claimed'
    | 'settled'
    | 'released'
    | 'cancelled'
    | 'expired'
    | 'superseded';
  readonly interruptId: string;
  readonly at: number;
  readonly by?: string;
  readonly via?: Way;
  readonly status?: ResumeEntry['status'];
  readonly payload?: JsonValue;
  /** Milliseconds from the question to this. */
  readonly latency?: number;
  readonly runId?: string;
  readonly previous: string;
  readonly hash: string;
}
