/** The source of the time; passed in, so that tests and servers can set it. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
}

/** The clock of the platform. */
export const systemClock: Clock = { now: () => Date.now() };

/** Node's setImmediate does not wait for a timer; other platforms use a timer. */
const soon: (go: () => void) => unknown = globalThis.setImmediate ?? globalThis.setTimeout;

/** Resolves in the next turn of the event loop, after all pending microtasks. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    soon(resolve);
  });
}
