import type { IdGenerator, JsonValue } from '../core/index.ts';
import type { ResumeEntry } from '../protocol/index.ts';
import type { LogItem } from '../store/index.ts';
import type { AnswerRules } from './check-answer.ts';
import type { Moment } from './held-lease.ts';
import type { Quotas } from './quotas.ts';
import type { ExecutionRecord, InterruptRecord, ThreadKey, Way } from './records.ts';
import type { ReadThread } from './thread-view.ts';
import type { Vault } from './vault.ts';

/** The right to write to a thread; every write says which epoch it belongs to. */
export interface Lease {
  readonly key: ThreadKey;
  readonly runId: string;
  readonly epoch: number;
}

export interface BeginRun {
  readonly runId: string;
  readonly agent: string;
  /** Answers to open questions. */
  readonly entries: readonly ResumeEntry[];
  /** What is new in the conversation. */
  readonly newMessages: readonly JsonValue[];
  /** Where the log of messages ended when it was decided what is new; when it has grown since, that is to be decided again. */
  readonly expectMessages?: number;
  /** What the shared state becomes when this is not the continuation of a turn. */
  readonly state?: JsonValue;
  /** How many messages of the thread to read with the claim. Default 0. */
  readonly messages?: number;
  /** What the thread is about, where nobody has said so yet. */
  readonly title?: string;
  readonly via: Way;
  /** Milliseconds that the run keeps its thread without a sign of life. Default 30,000. */
  readonly leaseMs?: number | undefined;
  /** What an input does that leaves a question out: it is refused, or what came is kept and the rest asked again. */
  readonly uncovered?: 'refuse' | 'reinterrupt';
  readonly rules?: AnswerRules;
  readonly quotas?: Quotas | undefined;
  /** Keeps the secrets of answers, and opens those that the run takes; without it both are refused. */
  readonly vault?: Vault | undefined;
  /** Nobody said anything: what can go on goes on. `background` counts the attempts. */
  readonly continues?: 'on-request' | 'background';
  /** Makes the incarnation of a thread that begins. Default: UUIDs. */
  readonly newId?: IdGenerator | undefined;
  /** The calls that begin at once with these answers, and the idempotency key of each: that they began is part of the claim. */
  readonly beginning?: (
    turn: JsonValue | undefined,
    answers: readonly ResumeEntry[],
    incarnation: string | undefined,
  ) => ReadonlyMap<string, string>;
}

/** The result of a request to begin a run: a run that has its claim, or the reason why none begins. */
export type BeginResult = ClaimedRun | NoRun;

export type NoRun =
  /** The same answers are at work in this run already. */
  | { readonly type: 'follow'; readonly runId: string }
  /** There is nothing to do but to show the thread. */
  | { readonly type: 'as-is' }
  /** The conversation has grown since it was read. */
  | { readonly type: 'stale' }
  /** Some interrupts have their answers now; these have none. */
  | { readonly type: 'staged'; readonly open: readonly string[] };

/** A claim that is decided and not yet committed. */
export interface Claim {
  readonly type: 'started';
  readonly lease: Lease;
  readonly leaseMs: number;
  /** Whether the run continues a turn that another run did not finish: some of it may have been done. */
  readonly recovers: boolean;
  /** How many messages the claim adds to the conversation. */
  readonly appended: number;
  /** The calls that begin with the claim. */
  readonly begun: ReadonlyMap<string, ExecutionRecord>;
  /** The answers that the run takes, in the order of the interrupts. */
  readonly answers: readonly ResumeEntry[];
  readonly claimed: readonly InterruptRecord[];
  readonly turn: JsonValue | undefined;
  /** Messages that follow the turn. */
  readonly input: readonly JsonValue[];
  readonly state: JsonValue;
  readonly warnings: readonly string[];
}

/** A run that holds its thread: the claim is committed, and the run can open its session. */
export interface ClaimedRun extends Claim {
  /** When the lease began, by this process's own clocks. */
  readonly since: Moment;
  /** The thread with this run at work on it. */
  readonly thread: ReadThread;
  /** The first messages of the thread before the claim, as many as were asked for. */
  readonly messages: readonly LogItem[];
}

/** The default of `leaseMs`. */
export const LEASE_MS = 30_000;

/** How often the background tries a thread whose runs fail. */
export const MAX_ATTEMPTS = 5;
