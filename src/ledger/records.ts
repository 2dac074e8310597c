import type { Approvers, OnExpire } from '../content/interrupts/index.ts';
import type { JsonObject, JsonValue } from '../core/index.ts';
import type { Interrupt, ResumeEntry } from '../protocol/index.ts';
import type { LeaseOwner } from '../store/index.ts';

/** Where a thread lives: a thread id is never authority, its scope is part of every key. */
export interface ThreadKey {
  readonly scope: string;
  readonly thread: string;
}

/** The name of a thread in maps: different threads have different names. */
export function threadName({ scope, thread }: ThreadKey): string {
  return JSON.stringify([scope, thread]);
}

/** Who is calling. */
export interface Principal {
  readonly id: string;
  readonly scope: string;
  readonly roles?: readonly string[];
}

/** How an answer came in. */
export type Way = 'ag-ui' | 'in-process' | 'inbox' | 'link' | 'expiry' | 'policy';

/** Where a question stands. */
export type InterruptState = 'pending' | 'answered' | 'claimed' | 'resolved' | 'cancelled' | 'expired';

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
  /** Whose words the run came from. Whoever let it go on by an answer has not asked. */
  readonly askedBy: string;
  /** Others who said something before it was asked. */
  readonly alsoAskedBy?: readonly string[];
  readonly raisedAt: number;
  readonly answer?: GivenAnswer;
  /** The run that took the answer. */
  readonly claimedBy?: string;
  readonly endedAt?: number;
  readonly onExpire: OnExpire;
  readonly approvers?: Approvers;
  /** A foreign agent raised it: its schema came from outside. */
  readonly foreign?: true;
}

/** A thread: who is at work on it, what it waits for, and where its history ends. */
export interface ThreadRecord {
  readonly agent: string;
  /** Made when the thread begins, and anew when it begins again after it was removed; threads of older versions have none yet. */
  readonly incarnation?: string;
  /** Grows with each run; a write that carries an older one does not hold. */
  readonly epoch: number;
  /** The principal of its first run. */
  readonly owner?: string;
  /** On whose behalf the newest run works; whoever goes on in the background does so for them. */
  readonly principal?: Principal;
  /** Whose words its newest runs came from, where that is not the principal alone: others only answered. */
  readonly askers?: readonly string[];
  readonly active?: ActiveRun;
  /** The newest run, at work or over. */
  readonly lastRun?: string;
  /** The questions of the open checkpoint. */
  readonly batch?: { readonly id: string; readonly interruptIds: readonly string[] };
  /** The turn that is not finished, and what it needs to go on; the engine's own. It has a row of its own (see `turnKey`). */
  readonly turn?: JsonValue;
  /** Questions whose answers the unfinished turn holds. */
  readonly claimed?: readonly string[];
  /** Messages that came with the answers: they follow the turn. */
  readonly input?: readonly JsonValue[];
  /** A run ended before its turn did: it can be continued, with nothing new. */
  readonly unfinished?: true;
  /** It can go on in the background from then on. */
  readonly readyAt?: number;
  /** How often it was tried in the background since it last got on. */
  readonly attempts?: number;
  /** Why nobody tries any more. */
  readonly failed?: RunFailure;
  /** What it is about, in a few words. */
  readonly title?: string;
  /** Events up to here are gone. */
  readonly eventsTrimmed?: number;
  readonly state: JsonValue;
  /** Where its logs end: nothing is added to them but with this row. */
  readonly logs: { readonly messages: number; readonly events: number };
  /** All that is left of it is its history: `partly` until everything else is removed. */
  readonly pruned?: true | 'partly';
  /** The incarnation of the database that it was last changed in, where the store has one: another id means that it comes from a backup. */
  readonly database?: string;
  /** Its open turn comes from a backup: calls of the turn without a result may have run after the backup was made. */
  readonly turnMayHaveRun?: true;
  /** When its last run finished, where it waits for nothing. */
  readonly endedAt?: number;
  /** When its newest run was over, however it ended; absent once the events of it are removed. */
  readonly restedAt?: number;
  /** The questions whose answers hold secrets that are still needed, and the key each was sealed with. */
  readonly secrets?: readonly { readonly id: string; readonly keyId: string }[];
  readonly chain: { readonly count: number; readonly hash: string };
}

export interface ActiveRun {
  readonly runId: string;
  readonly leaseUntil: number;
  /** The process that has the lease, where that can be known. */
  readonly owner?: LeaseOwner;
  readonly startedAt: number;
  /** Where the log of events ended when it began. */
  readonly eventsBefore: number;
  /** Where the log of events ended when the run last wrote the thread's state. */
  readonly stateAt?: number;
  /** Counts what the run has written: one that lost sight of a commit knows by it whether it held. */
  readonly writes: number;
  /** Somebody wants it to stop at its next call. */
  readonly cancelledBy?: string;
}

export interface RunFailure {
  readonly code: string;
  readonly message: string;
}

export type RunStatus = 'success' | 'interrupt' | 'cancelled' | 'error' | 'lost';

/** One invocation of an agent on a thread that is over; the one at work is in the thread itself. */
export interface RunRecord {
  readonly agent: string;
  readonly status: RunStatus;
  readonly epoch: number;
  readonly principal: Principal;
  readonly startedAt: number;
  readonly endedAt?: number;
  readonly error?: RunFailure;
  /** What it came to, for whoever comes later; the engine's own. */
  readonly summary?: JsonValue;
}

/** A call or a step of an unfinished turn: begun, and where it stands since. */
export interface ExecutionRecord {
  readonly runId: string;
  readonly startedAt: number;
  /** What a call hands to others so that they can tell repeats apart; a step has none. */
  readonly idempotencyKey?: string;
  /** What it came to; absent while it is at work. */
  readonly outcome?: JsonValue;
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
    | 'superseded'
    | 'withdrawn'
    | 'taken-back';
  readonly interruptId: string;
  readonly at: number;
  readonly by?: string;
  readonly via?: Way;
  readonly status?: ResumeEntry['status'];
  readonly payload?: JsonValue;
  /** Milliseconds from the question to this. */
  readonly latency?: number;
  readonly runId?: string;
  readonly reason?: string;
  readonly previous: string;
  readonly hash: string;
}
