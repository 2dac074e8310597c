import { nameEvent } from './naming.ts';
import type { EventIn, Naming } from './naming.ts';
import { runEvents } from './run-events.ts';
import type { StreamOptions } from './stream-options.ts';
import { createTextReader } from './text-reader.ts';
import type { TextSource } from './text-source.ts';

/**
 * Yields the six core events of one run, for your own transport: `RUN_STARTED`, `TEXT_MESSAGE_START`, one
 * `TEXT_MESSAGE_CONTENT` for each non-empty text, `TEXT_MESSAGE_END`, `RUN_FINISHED`. A failing source closes its
 * message and ends in `RUN_ERROR`; the generator itself does not throw. Reads nothing ahead. `return()` and
 * `options.signal` stop the source at once, also in the middle of a read.
 *
 * @example
 * ```ts
 * import { toAguiEvents } from 'holdpoint/stream';
 *
 * for await (const event of toAguiEvents(['Hello ', 'world'])) socket.send(JSON.stringify(event));
 * ```
 */
export function toAguiEvents<Chosen extends Naming = 'screaming'>(
  source: TextSource,
  options: StreamOptions<Chosen> = {},
): AsyncGenerator<EventIn<Chosen>, undefined, undefined> {
  const controller = new AbortController();
  const { signal } = controller;
  const outside = options.signal;
  const stop = (): void => controller.abort(outside?.reason);
  if (outside?.aborted === true) stop();
  else outside?.addEventListener('abort', stop, { once: true });

  const events = runEvents({ reader: createTextReader(source, signal), signal }, options);

  async function end(): Promise<IteratorReturnResult<undefined>> {
    outside?.removeEventListener('abort', stop);
    stop();
    await events.return(undefined);
    return { done: true, value: undefined };
  }

  return {
    async next() {
      if (signal.aborted) return end();
      const result = await events.next();
      if (signal.aborted) return end();
      if (result.done !== true) return { done: false, value: nameEvent(result.value, options.naming) };
      outside?.removeEventListener('abort', stop);
      return result;
    },
    return: end,
    async throw(error: unknown) {
      await end();
      throw error;
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
