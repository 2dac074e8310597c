import type { Naming } from './naming.ts';
import type { StreamOptions } from './stream-options.ts';
import type { TextSource } from './text-source.ts';
import { toAguiEvents } from './to-agui-events.ts';

const SSE_HEADERS = [
  ['content-type', 'text/event-stream'],
  ['cache-control', 'no-cache, no-transform'],
  ['x-accel-buffering', 'no'],
] as const;

/** Options of {@link toAguiResponse}. */
export interface ResponseOptions<Chosen extends Naming = Naming> extends StreamOptions<Chosen> {
  /** Headers of the response, default none; a header of the same name replaces the default one. */
  readonly headers?: ConstructorParameters<typeof Headers>[0];
  /** HTTP status, default 200. */
  readonly status?: number | undefined;
  /**
   * Milliseconds of silence after which a comment line is sent, so that proxies keep the connection; default
   * 15,000, 0 for never.
   */
  readonly keepAliveMs?: number | undefined;
}

/**
 * Creates a response that streams a text as AG-UI events over SSE, one JSON object per frame, each sent at once.
 * The reader pulls: nothing is read ahead, and the source starts with the first read. Cancelling the body stops the
 * source. The status is sent before the source starts, so a failing source ends in `RUN_ERROR` under the same
 * status.
 *
 * No `connection` header: HTTP/1.1 servers add it by themselves and HTTP/2 forbids it (RFC 9113 §8.2.2).
 *
 * @example
 * ```ts
 * import { toAguiResponse } from 'holdpoint/stream';
 *
 * export async function POST(request: Request) {
 *   // A client expects the ids that it sent.
 *   const { threadId, runId } = await request.json();
 *   return toAguiResponse((signal) => askModel('Hello', { signal }), { threadId, runId });
 * }
 * ```
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
          // Below zero, an earlier comment is still unread.
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

function headersFor(added: ResponseOptions['headers']): Headers {
  const headers = new Headers(added);
  for (const [name, value] of SSE_HEADERS) if (!headers.has(name)) headers.set(name, value);
  return headers;
}

/** Waits for the work and calls `tick` after every `every` milliseconds; 0 never calls it. */
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

/** Lets a Node process exit during a silent stream; in a browser a timer is a number. */
function unref(timer: unknown): void {
  (timer as { unref?: () => void }).unref?.();
}
