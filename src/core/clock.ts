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

/** Waits. If the signal aborts, rejects with its reason. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const never = new Promise<never>(() => undefined);
  await within(never, ms, signal);
}

/** The result of {@link within} after the time is over. */
export const TOO_LATE: unique symbol = Symbol('too late');

/** Waits at most `ms` for a value; does not stop the work behind it. If the signal aborts, rejects with its reason. */
export async function within<Value>(
  value: Promise<Value>,
  ms: number,
  signal?: AbortSignal,
): Promise<Value | typeof TOO_LATE> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stop: () => void = () => undefined;
  const late = new Promise<typeof TOO_LATE>((resolve, reject) => {
    timer = setTimeout(() => resolve(TOO_LATE), ms);
    stop = () => reject(signal?.reason instanceof Error ? signal.reason : new Error('stopped'));
    if (signal?.aborted === true) stop();
    signal?.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([value, late]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
  }
}

/** Lets the process end although the timer is pending, where timers support that. */
export function unref(timer: unknown): void {
  (timer as { unref?: () => void } | undefined)?.unref?.();
}
