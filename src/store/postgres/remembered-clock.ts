/** For how long a time that the database told is reckoned on from, in milliseconds. */
const TRUSTED_MS = 1000;

/**
 * The database's clock, without asking it every time: from what it last told, by what has passed here since. Both clocks of
 * the process count, so that a machine that slept asks again.
 */
export interface RememberedClock {
  /** The database told its time just now. */
  told(now: number): void;
  /** Undefined when it was told too long ago. */
  readonly now: number | undefined;
}

export function createRememberedClock(): RememberedClock {
  let last: { readonly now: number; readonly steady: number; readonly wall: number } | undefined;
  return {
    told(now) {
      // An answer that was long on its way is behind what is known; time does not go back for it.
      const known = this.now;
      if (known !== undefined && known > now) return;
      last = { now, steady: performance.now(), wall: Date.now() };
    },
    get now() {
      if (last === undefined) return undefined;
      const steady = performance.now() - last.steady;
      const wall = Math.abs(Date.now() - last.wall);
      return Math.max(steady, wall) > TRUSTED_MS ? undefined : Math.round(last.now + steady);
    },
  };
}
