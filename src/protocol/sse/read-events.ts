import { defined, HoldpointError } from '../../core/index.ts';
import type { WireEvent } from '../dialects/dialect.ts';
import type { EventReaderOptions } from '../dialects/dialects.ts';
import { createEventReader } from '../dialects/dialects.ts';
import { wireEventOf } from '../dialects/wire-event.ts';
import type { AgentStreamEvent } from '../events.ts';
import { createSseParser } from './parse-sse.ts';

/** An event, and the id of its frame. */
export interface ReceivedEvent {
  /** The event in AG-UI 1.0. */
  readonly event: AgentStreamEvent;
  /** The event as it came over the wire, in the dialect of the server. */
  readonly raw: WireEvent;
  /** Id of the frame, after which a reader can resume; undefined without one. */
  readonly id: string | undefined;
}

/** Options of {@link readEvents}. */
export interface ReadEventsOptions extends EventReaderOptions {
  /** Largest frame in characters; default 10 Mi. */
  readonly maxFrameLength?: number;
  /** Called for an unreadable frame, which is then skipped; default: the error is thrown. */
  readonly onInvalidFrame?: (error: HoldpointError, data: string) => void;
}

/**
 * Reads a stream of server-sent events, in any dialect, into events of AG-UI 1.0. Leaving the loop cancels the
 * stream. Throws `INPUT_INVALID`, `TOO_LARGE` and `RUN_LOST` (cut off inside a frame). It does not check that the
 * run ended: use the verifier for that.
 *
 * @example
 * ```ts
 * import { readEvents } from 'holdpoint/protocol';
 *
 * const response = await fetch(url, { method: 'POST', body: JSON.stringify(input) });
 * if (response.body !== null) for await (const { event } of readEvents(response.body)) console.log(event.type);
 * ```
 */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  options: ReadEventsOptions = {},
): AsyncGenerator<ReceivedEvent, void, undefined> {
  const { maxFrameLength, onInvalidFrame } = options;
  const reader = createEventReader(options);
  let ready: ReceivedEvent[] = [];
  const parser = createSseParser({
    ...defined({ maxFrameLength }),
    onFrame({ data, id }) {
      try {
        for (const event of reader.readText(data)) ready.push({ event, raw: wireEventOf(event), id });
      } catch (error) {
        if (onInvalidFrame === undefined || !HoldpointError.is(error)) throw error;
        onInvalidFrame(error, data);
      }
    },
  });
  const source = body.getReader();
  try {
    for (;;) {
      const { done, value } = await source.read();
      let failure: { readonly error: unknown } | undefined;
      try {
        if (done) parser.end();
        else parser.push(value);
      } catch (error) {
        failure = { error };
      }
      // Frames before the broken one are still yielded.
      const events = ready;
      ready = [];
      yield* events;
      if (failure !== undefined) throw failure.error;
      if (done) return;
    }
  } finally {
    await source.cancel().catch(() => undefined);
  }
}
