/** A signal that aborts with the first of several sources. */
export interface LinkedSignal {
  readonly signal: AbortSignal;
  /** Separates the signal from its sources. Call it when the work is over; repeated calls do nothing. */
  readonly unlink: () => void;
}

interface Source {
  readonly fires: Set<() => void>;
  readonly onAbort: () => void;
}

/** The linked sources. A source has one listener, however many signals it is linked to: Node warns of more than ten. */
const linked = new WeakMap<AbortSignal, Source>();

function link(signal: AbortSignal, fire: () => void): void {
  const known = linked.get(signal);
  if (known !== undefined) {
    known.fires.add(fire);
    return;
  }
  const fires = new Set([fire]);
  const onAbort = () => fires.forEach((one) => one());
  linked.set(signal, { fires, onAbort });
  signal.addEventListener('abort', onAbort, { once: true });
}

function unlinkFrom(signal: AbortSignal, fire: () => void): void {
  const source = linked.get(signal);
  source?.fires.delete(fire);
  if (source?.fires.size !== 0) return;
  linked.delete(signal);
  signal.removeEventListener('abort', source.onAbort);
}

/**
 * Joins signals of different lifetimes. `AbortSignal.any` keeps memory in each source for the life of the source;
 * this function keeps none after `unlink` or the first abort.
 */
export function linkSignals(...sources: readonly (AbortSignal | undefined)[]): LinkedSignal {
  const joined = new AbortController();
  const unlink = () => {
    for (const source of sources) if (source !== undefined) unlinkFrom(source, fire);
  };
  function fire() {
    unlink();
    const fired = sources.find((source) => source?.aborted === true);
    joined.abort(fired?.reason);
  }
  for (const source of sources) if (source !== undefined) link(source, fire);
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
