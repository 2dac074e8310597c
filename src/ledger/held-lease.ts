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

export function holdLease(leaseMs: number, since: Moment): HeldLease {
  let from = since;
  const left = () => {
    const now = currentMoment();
    return leaseMs - Math.max(now.steady - from.steady, now.wall - from.wall);
  };
  return {
    renewed(at) {
      from = at;
    },
    isHeld: () => left() > 0,
    left,
  };
}
