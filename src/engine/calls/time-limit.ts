import { HoldpointError } from '../../core/index.ts';
import { isSuspension } from './journal.ts';

/** The end of a body. */
export type BodyEnd = { readonly output: unknown } | { readonly error: unknown };

export interface TimeLimit {
  /** Aborts with the signal of the run, and at the time limit. */
  readonly signal: AbortSignal;
  /** The end of the body; undefined for a body that continues after the abort. */
  race(body: Promise<BodyEnd>): Promise<BodyEnd | undefined>;
  clear(): void;
}

/** Milliseconds for a body to end by itself after its time limit. */
const STOPPING_MS = 1000;

/** Limits the time of a body, within the time of its run. */
export function limitTime(milliseconds: number | undefined, outer: AbortSignal): TimeLimit {
  const controller = new AbortController();
  const { signal } = controller;
  const abort = () => controller.abort(toError(outer.reason));
  const timers: ReturnType<typeof setTimeout>[] = [];
  const after = (delayMs: number, action: () => void) => timers.push(setTimeout(action, delayMs));
  const goesOn = new Promise<undefined>((resolve) => {
    signal.addEventListener(
      'abort',
      () => {
        // An ended run does not wait for its bodies.
        if (outer.aborted) resolve(undefined);
        else after(STOPPING_MS, () => resolve(undefined));
      },
      { once: true },
    );
  });
  outer.addEventListener('abort', abort, { once: true });
  if (outer.aborted) abort();
  if (milliseconds !== undefined) {
    const sentence = `it did not finish within ${milliseconds} ms.`;
    after(milliseconds, () => controller.abort(new HoldpointError('TOOL_FAILED', sentence)));
  }
  return {
    signal,
    async race(body) {
      const end = await Promise.race([body, goesOn]);
      if (end === undefined || !('error' in end) || isSuspension(end.error)) return end;
      // The reason of the abort says more than the error of the stopped body.
      return signal.aborted ? { error: signal.reason } : end;
    },
    clear() {
      for (const timer of timers) clearTimeout(timer);
      outer.removeEventListener('abort', abort);
    },
  };
}

/** Bodies of this process that continue after an abort, by the idempotency key of their call. */
const goingOn = new Map<string, Promise<unknown>>();

/** Remembers a body that continues, until it ends. */
export function keepGoing(idempotencyKey: string, body: Promise<unknown>): void {
  goingOn.set(idempotencyKey, body);
  void body.finally(() => {
    if (goingOn.get(idempotencyKey) === body) goingOn.delete(idempotencyKey);
  });
}

/** An earlier body of the same call that still runs in this process; the call does not start beside it. */
export function earlierBody(idempotencyKey: string): Promise<unknown> | undefined {
  return goingOn.get(idempotencyKey);
}

function toError(reason: unknown): Error {
  return reason instanceof Error
    ? reason
    : new HoldpointError('INTERNAL', 'The run was stopped.', { cause: reason });
}
