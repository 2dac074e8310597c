import { HoldpointError } from '../core/index.ts';
import type { Store } from '../store/index.ts';
import type { ThreadKey, ThreadRecord } from './records.ts';

/** The right to write to a thread; every write says which epoch it belongs to. */
export interface Lease {
  readonly key: ThreadKey;
  readonly runId: string;
  readonly epoch: number;
}

/** Whether a run is at work on a thread: its lease is not over, and its process is not certainly dead. */
export function isAtWork(
  thread: ThreadRecord | undefined,
  now: number,
  { processes }: Pick<Store, 'processes'>,
): boolean {
  const active = thread?.active;
  if (active === undefined || active.leaseUntil <= now) return false;
  return active.owner === undefined || processes?.isGone(active.owner) !== true;
}

/** Throws `RUN_LOST` unless the lease is still the run's own. */
export function assertLease(thread: ThreadRecord | undefined, lease: Lease): asserts thread is ThreadRecord {
  if (thread?.epoch === lease.epoch && thread.active?.runId === lease.runId) return;
  throw lost(lease);
}

/** The error of a run that no longer holds its thread. */
export function lost({ runId, key }: Lease, cause?: unknown): HoldpointError {
  const sentence = `The run ${runId} lost its lease on the thread ${key.thread}.`;
  return new HoldpointError('RUN_LOST', sentence, { cause });
}

/**
 * How long a lease is certainly one's own, by this process's own clocks. Both count: the steady one does not see a machine
 * that slept, the other is set by people. Whichever says more has passed is believed.
 */
export interface HeldLease {
  /** The store was told at this moment that the lease is held for its whole time again. */
  renewed(at: Moment): void;
  isHeld(): boolean;
  /** Milliseconds that are left. */
  left(): number;
}

export interface Moment {
  readonly steady: number;
  readonly wall: number;
}

export function currentMoment(): Moment {
  return { steady: performance.now(), wall: Date.now() };
}

/** Milliseconds from one moment to another, by the clock that says more. */
export function elapsedMs(from: Moment, to: Moment): number {
  return Math.max(to.steady - from.steady, to.wall - from.wall);
}

/**
 * A process gives its lease up this part of its time before the store does: a store may answer with a time that it remembers, which is
 * a little behind.
 */
const MARGIN = 1 / 20;

export function holdLease(leaseMs: number, since: Moment): HeldLease {
  let from = since;
  const left = () => leaseMs * (1 - MARGIN) - elapsedMs(from, currentMoment());
  return {
    renewed(at) {
      from = at;
    },
    isHeld: () => left() > 0,
    left,
  };
}
