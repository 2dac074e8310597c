import type { IdGenerator, JsonValue } from '../core/index.ts';
import type { ResumeEntry } from '../protocol/index.ts';
import type { LogItem } from '../store/index.ts';
import type { AnswerRules } from './check-answer.ts';
import type { Lease, Moment } from './lease.ts';
import type { Quotas } from './quotas.ts';
import type { ExecutionRecord, InterruptRecord, Way } from './records.ts';
import type { ReadThread, ThreadLook } from './thread-view.ts';
import type { Vault } from './vault.ts';

export interface BeginRun {
  readonly runId: string;
  readonly agent: string;
  /** Answers to open interrupts. */
  readonly entries: readonly ResumeEntry[];
  /** The new messages of the conversation. */
  readonly newMessages: readonly JsonValue[];
  /**
   * The end of the message log when `newMessages` was computed. If the log has grown since, the result is `stale`.
   */
  readonly expectMessages?: number;
  /** The new shared state, unless the run continues a turn. */
  readonly state?: JsonValue;
  /** How many messages of the thread to read with the claim. Default 0. */
  readonly messages?: number;
  /** The thread as the caller has read it, with the same interrupts and messages. Default: the claim reads it. */
  readonly look?: ThreadLook;
  /** The title of a thread that has none yet. */
  readonly title?: string;
  readonly via: Way;
  /** Milliseconds until the lease ends unless the run renews it. Default 30,000. */
  readonly leaseMs?: number | undefined;
  /** The effect of an input that leaves an interrupt out: reject it, or stage its answers and ask for the rest. */
  readonly uncovered?: 'refuse' | 'reinterrupt';
  readonly rules?: AnswerRules;
  readonly quotas?: Quotas | undefined;
  /** Encrypts the secrets of answers and decrypts those of the run. Without it, both are rejected. */
  readonly vault?: Vault | undefined;
  /** The run has no new input and continues the thread. `background` counts the attempts. */
  readonly continues?: 'on-request' | 'background';
  /** Creates the incarnation of a new thread. Default: UUIDs. */
  readonly newId?: IdGenerator | undefined;
  /** The calls that start together with the claim, each with its idempotency key. */
  readonly beginning?: (
    turn: JsonValue | undefined,
    answers: readonly ResumeEntry[],
    incarnation: string | undefined,
  ) => ReadonlyMap<string, string>;
}

/** The result of {@link beginRun}: a run with its claim, or the reason why no run begins. */
export type BeginResult = ClaimedRun | NoRun;

export type NoRun =
  /** A run with the same answers is already active. */
  | { readonly type: 'follow'; readonly runId: string }
  /** Nothing to do: show the thread. */
  | { readonly type: 'as-is' }
  /** The conversation has grown since it was read. */
  | { readonly type: 'stale' }
  /** The answers are staged; these interrupts have none. */
  | { readonly type: 'staged'; readonly open: readonly string[] };

/** A claim that is decided but not committed. */
export interface Claim {
  readonly type: 'started';
  readonly lease: Lease;
  readonly leaseMs: number;
  /** Whether the run continues the unfinished turn of another run; parts of it may be done. */
  readonly recovers: boolean;
  /** The events of the lost run follow this place in the event log. */
  readonly lostAfter?: number;
  /** How many messages the claim adds to the conversation. */
  readonly appended: number;
  /** The calls that start with the claim. */
  readonly begun: ReadonlyMap<string, ExecutionRecord>;
  /** The claimed answers, in the order of the interrupts. */
  readonly answers: readonly ResumeEntry[];
  readonly claimed: readonly InterruptRecord[];
  readonly turn: JsonValue | undefined;
  /** Messages that follow the turn. */
  readonly input: readonly JsonValue[];
  readonly state: JsonValue;
  readonly warnings: readonly string[];
}

/** A run with a committed claim. It can open its session. */
export interface ClaimedRun extends Claim {
  /** The start of the lease, by the clocks of this process. */
  readonly since: Moment;
  /** The thread with this run as its active run. */
  readonly thread: ReadThread;
  /** The database of the claim, where the store has one. */
  readonly database: string | undefined;
  /** The first messages of the thread before the claim, as many as were asked for. */
  readonly messages: readonly LogItem[];
}

/** The default of `leaseMs`. */
export const LEASE_MS = 30_000;

/** How often the background tries a thread before it gives up. */
export const MAX_ATTEMPTS = 5;
