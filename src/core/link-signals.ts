/** A signal that fires with the first of several others. */
export interface LinkedSignal {
  readonly signal: AbortSignal;
  /** Takes its listeners off the others. Call it when the work is over; more than once is fine. */
  readonly unlink: () => void;
}

/**
 * Joins signals of different lifetimes. `AbortSignal.any` leaves something behind in each of its sources for as long as the source
 * lives; this leaves nothing once it is unlinked, or once one of them has fired.
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
