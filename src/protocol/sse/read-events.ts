import { HoldpointError } from '../../core/basics/index.ts';
import type { EventReaderOptions } from '../dialects/index.ts';
import { createEventReader } from '../dialects/index.ts';
import type { AgentStreamEvent } from '../events/index.ts';
import { createSseParser } from './parse-sse.ts';

/** An event, and the id of the frame it came in. */
export interface ReceivedEvent {
  readonly event: AgentStreamEvent;
  readonly id: string | undefined;
}

export interface ReadEventsOptions extends EventReaderOptions {
  readonly maxFrameLength?: number;
  /** Told of a frame that could not be read, which is then left out; without it such a frame is thrown. */
  readonly onInvalidFrame?: (error: HoldpointError, data: string) => void;
}

/**
 * Reads a stream of server-sent events, in any dialect, into events of AG-UI 1.0. Leaving the loop cancels
 * the stream. Throws `INPUT_INVALID`, `TOO_LARGE` and `RUN_LOST` (cut off in the middle of a frame); whether
 * the run came to its end is for the verifier to say.
 */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  options: ReadEventsOptions = {},
): AsyncGenerator<ReceivedEvent, void, undefined> {
  const { maxFrameLength, onInvalidFrame } = options;
  const reader = createEventReader(options);
  let ready: ReceivedEvent[] = [];
  const parser = createSseParser({
    ...(maxFrameLength === undefined ? {} : { maxFrameLength }),
    onFrame({ data, id }) {
      try {
        for (const event of reader.readText(data)) ready.push({ event, id });
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
      // What was whole before the broken frame is still given out.
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
