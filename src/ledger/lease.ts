import { HoldpointError } from '../core/index.ts';
import type { Store } from '../store/index.ts';
import type { ThreadKey, ThreadRecord } from './records.ts';

/** The right to write to a thread. Every write names its epoch. */
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

/** Throws `RUN_LOST` unless the run holds the lease. */
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
 * The time for which this process certainly holds a lease. It takes the larger elapsed time of two clocks: the
 * steady clock stops while the machine sleeps, and people can set the wall clock.
 */
export interface HeldLease {
  /** Called with the moment of a renewal for the full time. */
  renewed(at: Moment): void;
  isHeld(): boolean;
  /** The remaining milliseconds. */
  left(): number;
}

export interface Moment {
  readonly steady: number;
  readonly wall: number;
}

export function currentMoment(): Moment {
  return { steady: performance.now(), wall: Date.now() };
}

/** Milliseconds between two moments: the larger value of the two clocks. */
export function elapsedMs(from: Moment, to: Moment): number {
  return Math.max(to.steady - from.steady, to.wall - from.wall);
}

/**
 * The process gives up its lease this share of the time earlier than the store, because the cached time of a store
 * may be slightly behind.
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
