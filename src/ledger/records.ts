import type { Approvers, OnExpire } from '../content/interrupts/index.ts';
import type { JsonObject, JsonValue } from '../core/index.ts';
import type { Interrupt, ResumeEntry } from '../protocol/index.ts';
import type { LeaseOwner } from '../store/index.ts';

/** The key of a thread. The scope is part of every key; a thread id alone grants nothing. */
export interface ThreadKey {
  readonly scope: string;
  readonly thread: string;
}

/** The caller. */
export interface Principal {
  readonly id: string;
  readonly scope: string;
  readonly roles?: readonly string[];
}

/**
 * The way an answer came in. `inbox` is the answer route of the host, and `withdrawal` its withdraw route: the chat and the inbox both
 * use it.
 */
export type Way = 'ag-ui' | 'in-process' | 'inbox' | 'withdrawal' | 'link' | 'expiry' | 'policy' | 'grant';

/** The state of an interrupt. */
export type InterruptState = 'pending' | 'answered' | 'claimed' | 'resolved' | 'cancelled' | 'expired';

/** A stored answer. */
export interface GivenAnswer {
  readonly status: ResumeEntry['status'];
  readonly payload?: JsonValue;
  readonly metadata?: JsonObject;
  readonly by: string;
  readonly at: number;
  readonly via: Way;
  /**
   * The digest of the canonical `{status, payload}` of an answer whose payload cannot be compared: it had secrets, or it was erased
   * (empty). Answers of older versions all have one.
   */
  readonly digest?: string;
  /** The asker, or the application, took the interrupt back; the status is `cancelled`. */
  readonly withdrawn?: true;
  /** When the grant was given that the call ran by. `by` is its giver, empty if the grant names none. */
  readonly grantedAt?: number;
  /** Its author can take it back until this time. Until then only the author can let a run claim it. */
  readonly undoUntil?: number;
}

/** An interrupt with its answer and state. */
export interface InterruptRecord {
  readonly interrupt: Interrupt;
  readonly state: InterruptState;
  readonly batch: string;
  readonly agent: string;
  readonly runId: string;
  /** The principal whose messages the run came from. A principal who only answered is no asker. */
  readonly askedBy: string;
  /** Other principals with messages in the run. */
  readonly alsoAskedBy?: readonly string[];
  /** The version of the tool that asked, if it has one. */
  readonly toolVersion?: string;
  readonly raisedAt: number;
  readonly answer?: GivenAnswer;
  /** The run that claimed the answer. */
  readonly claimedBy?: string;
  readonly endedAt?: number;
  /** The interrupt that was raised in its place, because a person asked again. */
  readonly supersededBy?: string;
  /** The call of the interrupt failed after the answer. */
  readonly failed?: true;
  /** A lost run may have made the call of the interrupt, or not. Never with `failed`. */
  readonly uncertain?: true;
  /** The approvals and recoveries of the same call before this interrupt. They get the outcome of the call. */
  readonly earlier?: readonly string[];
  readonly onExpire: OnExpire;
  readonly approvers?: Approvers;
  /** A foreign agent raised the interrupt, so its schema came from outside. */
  readonly foreign?: true;
  /** Its thread was deleted. The interrupt stays for the audit: it is closed, and belongs to no later thread of the same id. */
  readonly threadDeleted?: ThreadDeleted;
}

/** Who deleted a thread and when, and what the call of the interrupt returned before. */
export interface ThreadDeleted extends Partial<CallResult> {
  /** The id of the principal. */
  readonly by: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** The result of a call, as the pages show it. */
export interface CallResult {
  /** At most 4,000 characters. */
  readonly result: string;
  /** The tool's texts for the result: a text, or texts by the names of members. */
  readonly display?: JsonValue;
  /** True when the call failed: the result is its error. */
  readonly failed?: true;
}

/** A thread: its active run, its open batch, its unfinished turn and the end of its history. */
export interface ThreadRecord {
  readonly agent: string;
  /** Created with the thread, and again after the thread was removed. Threads of older versions have none. */
  readonly incarnation?: string;
  /** Grows with each run. A write with an older epoch fails. */
  readonly epoch: number;
  /** The principal of its first run. */
  readonly owner?: string;
  /** The principal of the newest run; background runs work for the same principal. */
  readonly principal?: Principal;
  /** The askers of the newest runs, if the principal is not the only one. */
  readonly askers?: readonly string[];
  readonly active?: ActiveRun;
  /** The newest run, active or ended. */
  readonly lastRun?: string;
  /** The open batch. */
  readonly batch?: { readonly id: string; readonly interruptIds: readonly string[] };
  /** The turn that is not finished, and what it needs to go on; the engine's own. It has a row of its own (see `turnKey`). */
  readonly turn?: JsonValue;
  /** Interrupts whose answers the unfinished turn holds. */
  readonly claimed?: readonly string[];
  /** Messages that came with the answers, and results of the client's calls. They follow the turn. */
  readonly input?: readonly JsonValue[];
  /** A run ended before its turn did, so the turn can be continued without new input. */
  readonly unfinished?: true;
  /** The time from which the background may continue the thread. */
  readonly readyAt?: number;
  /** Attempts of the background since the last progress. */
  readonly attempts?: number;
  /** Why the background no longer tries. */
  readonly failed?: RunFailure;
  /** A short title. */
  readonly title?: string;
  /** The client sent the messages up to this position of the log, also those of other roles than its own. Absent if it sent none of these. */
  readonly importedThrough?: number;
  /** The events up to this position are removed. */
  readonly eventsTrimmed?: number;
  readonly state: JsonValue;
  /** The ends of the logs. Every append also writes this row. */
  readonly logs: { readonly messages: number; readonly events: number };
  /** Only the history is left; `partly` until everything else is removed. */
  readonly pruned?: true | 'partly';
  /** The incarnation of the restored database that it was last changed in: another id, or none, means that it comes from a backup. */
  readonly database?: string;
  /** Its open turn comes from a backup: calls of the turn without a result may have run after the backup was made. */
  readonly turnMayHaveRun?: true;
  /** The time at which the last run ended, if the thread waits for nothing. For a removed thread whose decided interrupts are kept, the time of its deletion. */
  readonly endedAt?: number;
  /** The time at which the newest run ended; absent after its events are removed. */
  readonly restedAt?: number;
  /** Interrupts whose answers hold secrets that are still needed, each with its key. */
  readonly secrets?: readonly { readonly id: string; readonly keyId: string }[];
  readonly chain: { readonly count: number; readonly hash: string };
}

export interface ActiveRun {
  readonly runId: string;
  readonly leaseUntil: number;
  /** The process that holds the lease, if it is known. */
  readonly owner?: LeaseOwner;
  readonly startedAt: number;
  /** The end of the event log when the run began. */
  readonly eventsBefore: number;
  /** The end of the event log when the run last wrote the state. */
  readonly stateAt?: number;
  /** Counts the writes of the run, so that it can tell whether a commit with a lost response succeeded. */
  readonly writes: number;
  /** The id of the principal who asked the run to stop; it stops at its next call. */
  readonly cancelledBy?: string;
}

export interface RunFailure {
  readonly code: string;
  readonly message: string;
}

export type RunStatus = 'success' | 'interrupt' | 'cancelled' | 'error' | 'lost';

/** An ended run. The active run is part of the thread. */
export interface RunRecord {
  readonly agent: string;
  readonly status: RunStatus;
  readonly epoch: number;
  readonly principal: Principal;
  readonly startedAt: number;
  readonly endedAt?: number;
  readonly error?: RunFailure;
  /** The result of the run, for later readers; the engine's own form. */
  readonly summary?: JsonValue;
}

/** A call or step of an unfinished turn. */
export interface ExecutionRecord {
  readonly runId: string;
  readonly startedAt: number;
  /** The idempotency key of a call; absent for a step. */
  readonly idempotencyKey?: string;
  /** The interrupt that the grant of the call spared. */
  readonly spared?: string;
  /** The outcome; absent while the call or step runs. */
  readonly outcome?: JsonValue;
}

/** One entry of a history, with the hash of the entry before it. */
export interface HistoryEntry {
  readonly what:
    | 'raised'
    | 'staged'
    | 'claimed'
    | 'settled'
    | 'released'
    | 'cancelled'
    | 'expired'
    | 'superseded'
    | 'withdrawn'
    | 'taken-back'
    /** A call started by a grant. The interrupt is the one that the grant spared. */
    | 'granted'
    /** The outcome of the call became another one after the interrupt was settled: it was made again, or it failed. */
    | 'outcome'
    /** The thread was pruned or deleted. The entry belongs to no interrupt. */
    | 'pruned'
    /** The values of earlier entries were erased. The entry belongs to no interrupt. */
    | 'erased';
  readonly interruptId: string;
  readonly at: number;
  readonly by?: string;
  readonly via?: Way;
  readonly status?: ResumeEntry['status'];
  readonly payload?: JsonValue;
  /** Milliseconds since the interrupt was raised. */
  readonly latency?: number;
  readonly runId?: string;
  readonly reason?: string;
  /** The grant that the call started by. */
  readonly grant?: string;
  /** The call that started by a grant. */
  readonly toolCallId?: string;
  /** The name of the tool, where an interrupt is raised. It stays after the interrupt is pruned or erased. */
  readonly tool?: string;
  /** The state of the interrupt after the entry. */
  readonly state?: InterruptState;
  /** The call failed, or a lost run may have made it. */
  readonly outcome?: 'failed' | 'uncertain';
  /**
   * Salted digests of what the row of the interrupt says since the entry, by names: `tool`, `version`, `arguments`, `message`, `asker`,
   * `approvers`, `schema`, `details`, `answer`, `course` and `result`.
   */
  readonly digests?: Readonly<Record<string, string>>;
  /** The interrupts of earlier entries that still have a row; the entry removed the rows of all others. */
  readonly kept?: readonly string[];
  /** The entries that the entry erased, as ranges of sequences: from the first to the last. */
  readonly erases?: readonly (readonly [first: number, last: number])[];
  /** The salted digest of `by`, `payload`, `reason` and `grant`; absent for an entry without these and without `digests`. */
  readonly seal?: string;
  /** The salt of the seal and of the digests. */
  readonly salt?: string;
  /** `by`, `payload`, `reason` and the salt were erased. A later entry names this one in `erases`. */
  readonly erased?: true;
  readonly previous: string;
  /** The digest of the entry with the seal in place of its values. */
  readonly hash: string;
}

/** An entry before it is sealed. */
export interface HistoryFacts extends Omit<
  HistoryEntry,
  'previous' | 'hash' | 'seal' | 'salt' | 'digests' | 'erased'
> {
  /** What the entry seals of a row, by names; the entry has the digests. */
  readonly shown?: Readonly<Record<string, unknown>>;
}
