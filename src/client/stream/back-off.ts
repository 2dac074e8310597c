/** Delays between the attempts to resume a stream. */
export interface BackOff {
  readonly attempts: number;
  readonly baseDelayMs: number;
  readonly maxDelayMs: number;
  readonly random: () => number;
}

/** The delay doubles with each attempt; the jitter spreads clients that lost their connection together. */
export function delayBefore(attempt: number, { baseDelayMs, maxDelayMs, random }: BackOff): number {
  return Math.min(maxDelayMs, baseDelayMs * 2 ** attempt) * (1 + random()) * 0.5;
}

/** Waits; throws the signal's reason after an abort. */
export function wait(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}
