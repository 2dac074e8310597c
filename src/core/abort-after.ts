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
