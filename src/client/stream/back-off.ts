/** How long to wait before a stream is taken up again, and how often. */
export interface BackOff {
  readonly attempts: number;
  readonly baseDelay: number;
  readonly maxDelay: number;
  readonly random: () => number;
}

/** Twice as long each time, and between half and all of it: clients that were cut off together come back apart. */
export function delayBefore(attempt: number, { baseDelay, maxDelay, random }: BackOff): number {
  return Math.min(maxDelay, baseDelay * 2 ** attempt) * (1 + random()) * 0.5;
}

/** Waits; throws the signal's reason when it is aborted. */
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
