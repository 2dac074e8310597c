import { newId } from '../core/ids.ts';
import type { CoreEvent } from './core-event.ts';
import { describeFailure } from './describe-failure.ts';
import type { Naming } from './naming.ts';
import type { StreamOptions } from './stream-options.ts';
import type { TextReader } from './text-reader.ts';
import { untilAborted } from './until-aborted.ts';

/** What an event says besides its time. */
type Untimed<Event> = Event extends CoreEvent ? Omit<Event, 'timestamp'> : never;

/** A text that is being read, and what stops the reading. */
interface Reading {
  readonly reader: TextReader;
  readonly signal: AbortSignal;
}

/**
 * The events of one run in AG-UI's naming, from its start to either end. After an abort it stops waiting,
 * and whoever pulls it drops what it still gives.
 */
export async function* runEvents(
  { reader, signal }: Reading,
  options: StreamOptions<Naming>,
): AsyncGenerator<CoreEvent, undefined, undefined> {
  const { now = Date.now, newId: nextId = newId } = options;
  const { threadId = nextId(), runId = nextId(), messageId = nextId() } = options;
  // The compiler does not put a union back together that was taken apart.
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
