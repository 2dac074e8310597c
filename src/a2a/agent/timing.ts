/** Waiting times and limits, in milliseconds. */
export interface Timing {
  /** Time between two polls of a task. Default 1,000. */
  readonly pollMs: number;
  /** Time to read late events of a stream after a pause. Default 200. */
  readonly drainMs: number;
  /** Silence on a stream before the task itself is read. Default 15,000. */
  readonly quietMs: number;
  /** Time in which the agent may still show the answered pause, before the pause counts as a new one. Default 5,000. */
  readonly settleMs: number;
  /** Limit for reading a task. Default 15,000. */
  readonly requestMs: number;
  /** Limit for cancelling a task. Default 10,000. */
  readonly cancelMs: number;
  /** Time for which a run waits for an agent that cannot be reached while its task is unfinished. Default 3,600,000. */
  readonly followMs: number;
  /** Time between two checks of the host whether an `auth-required` task has gone on. Default 5,000. */
  readonly authMs: number;
}

export const TIMING: Timing = {
  pollMs: 1000,
  drainMs: 200,
  quietMs: 15_000,
  settleMs: 5000,
  requestMs: 15_000,
  cancelMs: 10_000,
  followMs: 3_600_000,
  authMs: 5000,
};

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
