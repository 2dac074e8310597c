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
