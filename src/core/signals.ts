/** A signal that aborts with the first of several sources. */
export interface LinkedSignal {
  readonly signal: AbortSignal;
  /** Removes the listeners from the sources. Call it when the work is over; repeated calls do nothing. */
  readonly unlink: () => void;
}

/**
 * Joins signals of different lifetimes. `AbortSignal.any` keeps memory in each source for the life of the source;
 * this function keeps none after `unlink` or the first abort.
 */
export function linkSignals(...sources: readonly (AbortSignal | undefined)[]): LinkedSignal {
  const joined = new AbortController();
  const unlink = () => {
    for (const source of sources) source?.removeEventListener('abort', fire);
  };
  function fire() {
    unlink();
    const fired = sources.find((source) => source?.aborted === true);
    joined.abort(fired?.reason);
  }
  for (const source of sources) source?.addEventListener('abort', fire, { once: true });
  if (sources.some((source) => source?.aborted === true)) fire();
  return { signal: joined.signal, unlink };
}

/** A signal that {@link abortAfter} made. */
interface DelayedAbort {
  readonly signal: AbortSignal;
  /** Stops the timer. */
  clear(): void;
}

/** A signal that fires `ms` milliseconds after the given one; never without one. */
export function abortAfter(given: AbortSignal | undefined, ms: number): DelayedAbort {
  const end = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const start = () => {
    timer = setTimeout(() => end.abort(), ms);
  };
  given?.addEventListener('abort', start, { once: true });
  if (given?.aborted === true) start();
  return {
    signal: end.signal,
    clear() {
      clearTimeout(timer);
      given?.removeEventListener('abort', start);
    },
  };
}
