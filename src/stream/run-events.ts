import { newId } from '../core/ids.ts';
import type { CoreEvent } from './core-event.ts';
import type { Naming } from './naming.ts';
import type { StreamOptions } from './stream-options.ts';
import type { TextReader } from './text-reader.ts';

/** An event without its timestamp. */
type Untimed<Event> = Event extends CoreEvent ? Omit<Event, 'timestamp'> : never;

/** A text being read, and the signal that stops it. */
interface Reading {
  readonly reader: TextReader;
  readonly signal: AbortSignal;
}

/**
 * Yields the events of one run in AG-UI's naming. After an abort the generator stops waiting, and its caller drops
 * the remaining events.
 */
export async function* runEvents(
  { reader, signal }: Reading,
  options: StreamOptions<Naming>,
): AsyncGenerator<CoreEvent, undefined, undefined> {
  const { now = Date.now, newId: nextId = newId } = options;
  const { threadId = nextId(), runId = nextId(), messageId = nextId() } = options;
  // The compiler cannot rebuild a union from its spread members.
  const stamp = ({ type, ...fields }: Untimed<CoreEvent>) =>
    ({ type, timestamp: now(), ...fields }) as CoreEvent;

  yield stamp({ type: 'RUN_STARTED', threadId, runId, protocolVersion: '1.0' });
  let open = false;
  try {
    await untilAborted(reader.open(), signal);
    open = true;
    yield stamp({ type: 'TEXT_MESSAGE_START', messageId, role: 'assistant' });
    for (;;) {
      const delta = await untilAborted(reader.next(), signal);
      if (delta === undefined) break;
      if (delta !== '') yield stamp({ type: 'TEXT_MESSAGE_CONTENT', messageId, delta });
    }
  } catch (error) {
    if (signal.aborted) return;
    const message = describeFailure(error, options);
    if (open) yield stamp({ type: 'TEXT_MESSAGE_END', messageId });
    yield stamp({ type: 'RUN_ERROR', message, code: 'INTERNAL' });
    return;
  }
  yield stamp({ type: 'TEXT_MESSAGE_END', messageId });
  yield stamp({ type: 'RUN_FINISHED', threadId, runId, outcome: { type: 'success' } });
}

/** Default message of `RUN_ERROR`: an exception may contain a key, a path or a prompt. */
const BARE_SENTENCE = 'The stream failed.';

/** Calls `onError` and returns the message of `RUN_ERROR`. A hook that throws changes nothing. */
function describeFailure(error: unknown, options: StreamOptions<Naming>): string {
  try {
    options.onError?.(error);
  } catch {}
  try {
    return options.errorMessage?.(error) ?? BARE_SENTENCE;
  } catch {
    return BARE_SENTENCE;
  }
}

/**
 * Settles like the work, or resolves to `undefined` as soon as the signal aborts; a later failure of the work is
 * then ignored. Leaves no listener behind.
 */
function untilAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value | undefined> {
  return new Promise((resolve, reject) => {
    const stop = (): void => resolve(undefined);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    const settle = (): void => signal.removeEventListener('abort', stop);
    work.then(resolve, reject).finally(settle).catch(reject);
  });
}
