/** The source of the time; passed in, so that tests and servers can set it. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
}

/** The clock of the platform. */
export const systemClock: Clock = { now: () => Date.now() };
