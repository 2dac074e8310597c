import type { Naming } from './naming.ts';
import type { StreamOptions } from './stream-options.ts';
import type { TextSource } from './text-source.ts';
import { toAguiEvents } from './to-agui-events.ts';

const SSE_HEADERS = [
  ['content-type', 'text/event-stream'],
  ['cache-control', 'no-cache, no-transform'],
  ['x-accel-buffering', 'no'],
] as const;

/** How a text becomes a response. */
export interface ResponseOptions<Chosen extends Naming = Naming> extends StreamOptions<Chosen> {
  /** Added to the response; a header of the same name replaces ours. */
  readonly headers?: HeadersInit | undefined;
  /** The HTTP status; 200 when absent. */
  readonly status?: number | undefined;
  /** A comment line is sent after each such silence, against proxies that hang up; 15,000 ms when absent, 0 for never. */
  readonly keepAliveMs?: number | undefined;
}

/**
 * A response that streams the text as AG-UI events over SSE, one JSON object a frame, each sent as soon as
 * it is there. Pulled by its reader: nothing is read ahead, and the source is not started before somebody
 * reads. Cancelling the body stops the source. The status is sent before the source starts, so a source
 * that fails ends in `RUN_ERROR` under the same status.
 *
 * No `connection` header: HTTP/1.1 servers add it by themselves and HTTP/2 forbids it (RFC 9113 §8.2.2).
 */
export function toAguiResponse(source: TextSource, options: ResponseOptions = {}): Response {
  const { status = 200, keepAliveMs = 15_000 } = options;
  const events = toAguiEvents(source, options);
  const encoder = new TextEncoder();
  let cancelled = false;

  const body = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        const write = (frame: string): void => controller.enqueue(encoder.encode(frame));
        const result = await whileWaiting(events.next(), keepAliveMs, () => {
          // Below zero an earlier comment is still unread.
          if (controller.desiredSize === 0) write(':\n\n');
        });
        if (cancelled) return;
        if (result.done === true) controller.close();
        else write(`data: ${JSON.stringify(result.value)}\n\n`);
      },
      async cancel() {
        cancelled = true;
        await events.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { status, headers: headersFor(options.headers) });
}

function headersFor(added: HeadersInit | undefined): Headers {
  const headers = new Headers(added);
  for (const [name, value] of SSE_HEADERS) if (!headers.has(name)) headers.set(name, value);
  return headers;
}

/** Waits for the work, calling `tick` each time that many milliseconds went by; 0 never calls it. */
async function whileWaiting<Value>(work: Promise<Value>, every: number, tick: () => void): Promise<Value> {
  if (every <= 0) return work;
  const timer = setInterval(tick, every);
  unref(timer);
  try {
    return await work;
  } finally {
    clearInterval(timer);
  }
}

/** A silent stream does not hold a Node process open; in a browser a timer is a number. */
function unref(timer: unknown): void {
  (timer as { unref?: () => void }).unref?.();
}
