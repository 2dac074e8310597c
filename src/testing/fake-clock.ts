import type { Clock } from '../core/index.ts';

/** A clock that moves only when a test moves it. */
export interface FakeClock extends Clock {
  /** Moves the clock forward by this many milliseconds. */
  advance(milliseconds: number): void;
}

/**
 * Creates a clock that stands still until a test moves it. Starts at the given milliseconds since the Unix epoch;
 * default: the time of the call.
 *
 * @example
 * ```ts
 * import { fakeClock } from 'holdpoint/testing';
 *
 * const clock = fakeClock(Date.UTC(2026, 0, 1));
 * clock.advance(60_000);
 * ```
 */
export function fakeClock(start: number = Date.now()): FakeClock {
  let time = start;
  return {
    now: () => time,
    advance(milliseconds) {
      time += milliseconds;
    },
  };
}
