/** Delays between the attempts to resume a stream. */
export interface BackOff {
  readonly attempts: number;
  readonly baseDelayMs: number;
  readonly maxDelayMs: number;
  readonly random: () => number;
}

/** The delay doubles with each attempt; the jitter spreads clients that lost their connection together. */
export function delayBefore(attempt: number, { baseDelayMs, maxDelayMs, random }: BackOff): number {
  return (Math.min(maxDelayMs, baseDelayMs * 2 ** attempt) * (1 + random())) / 2;
}

/** Waits; throws the signal's reason after an abort. */
export async function wait(milliseconds: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal?.addEventListener('abort', end);
  });
  signal?.throwIfAborted();
}
