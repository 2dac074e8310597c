/** How long things may take, in milliseconds. */
export interface Timing {
  /** Between two looks at a task that is polled. Default 1,000. */
  readonly pollMs: number;
  /** How long a stream is listened to after a pause, for what comes late. Default 200. */
  readonly drainMs: number;
  /** How long a stream may be silent before the task is looked at. Default 15,000. */
  readonly quietMs: number;
  /** How long an agent may go on showing the question that was just answered, before it counts as asked again. Default 5,000. */
  readonly settleMs: number;
  /** How long a look at a task may take. Default 15,000. */
  readonly requestMs: number;
  /** How long a cancellation may take. Default 10,000. */
  readonly cancelMs: number;
  /** Between two looks of a host whether an authorization has been given elsewhere. Default 5,000. */
  readonly authMs: number;
}

export const TIMING: Timing = {
  pollMs: 1000,
  drainMs: 200,
  quietMs: 15_000,
  settleMs: 5000,
  requestMs: 15_000,
  cancelMs: 10_000,
  authMs: 5000,
};

/** Waits; a signal ends it with its reason. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const never = new Promise<never>(() => undefined);
  await within(never, ms, signal);
}

/** Said in place of a value that took too long. */
export const TOO_LATE: unique symbol = Symbol('too late');

/** A value, unless it takes longer than this. A signal ends the wait with its reason; the value is not stopped. */
export async function within<Value>(
  value: Promise<Value>,
  ms: number,
  signal: AbortSignal,
): Promise<Value | typeof TOO_LATE> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stop: () => void = () => undefined;
  const late = new Promise<typeof TOO_LATE>((resolve, reject) => {
    timer = setTimeout(() => resolve(TOO_LATE), ms);
    stop = () => reject(signal.reason instanceof Error ? signal.reason : new Error('stopped'));
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([value, late]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}
