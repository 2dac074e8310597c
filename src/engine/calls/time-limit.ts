import { HoldpointError } from '../../core/index.ts';
import { isSuspension } from './journal.ts';
import { NEVER } from './run-context.ts';

/** How a body ended. */
export type BodyEnd = { readonly output: unknown } | { readonly error: unknown };

export interface TimeLimit {
  /** Fires with the run's own signal, and when the time is up. */
  readonly signal: AbortSignal;
  /** How the body ended; undefined for one that goes on after it was told to stop. */
  race(body: Promise<BodyEnd>): Promise<BodyEnd | undefined>;
  clear(): void;
}

/** Milliseconds that a body whose time is up has to end by itself: one that does says how it ended. */
const STOPPING_MS = 1000;

/** The limit of a body that nothing stops: it needs no signal of its own. */
const NO_LIMIT: TimeLimit = { signal: NEVER, race: (body) => body, clear: () => undefined };

/** Gives a body so many milliseconds, and no longer than its run has. */
export function limitTime(milliseconds: number | undefined, outer: AbortSignal): TimeLimit {
  if (milliseconds === undefined && outer === NEVER) return NO_LIMIT;
  const controller = new AbortController();
  const { signal } = controller;
  const abort = () => controller.abort(toError(outer.reason));
  const timers: ReturnType<typeof setTimeout>[] = [];
  const after = (delayMs: number, action: () => void) => timers.push(setTimeout(action, delayMs));
  const goesOn = new Promise<undefined>((resolve) => {
    signal.addEventListener(
      'abort',
      () => {
        // A run that is over does not wait for its bodies.
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
      // What a body throws because it was stopped says less than why it was.
      return signal.aborted ? { error: signal.reason } : end;
    },
    clear() {
      for (const timer of timers) clearTimeout(timer);
      outer.removeEventListener('abort', abort);
    },
  };
}

/** Bodies of this process that go on although they were told to stop, by the idempotency key of their call. */
const goingOn = new Map<string, Promise<unknown>>();

/** Remembers a body that goes on, until it ends. */
export function keepGoing(idempotencyKey: string, body: Promise<unknown>): void {
  goingOn.set(idempotencyKey, body);
  void body.finally(() => {
    if (goingOn.get(idempotencyKey) === body) goingOn.delete(idempotencyKey);
  });
}

/** An earlier body of the same call that still goes on in this process: the call is not made again beside it. */
export function earlierBody(idempotencyKey: string): Promise<unknown> | undefined {
  return goingOn.get(idempotencyKey);
}

function toError(reason: unknown): Error {
  return reason instanceof Error
    ? reason
    : new HoldpointError('INTERNAL', 'The run was stopped.', { cause: reason });
}
