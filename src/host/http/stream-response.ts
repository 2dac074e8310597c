import { SSE_HEADERS, SSE_KEEP_ALIVE } from '../../protocol/index.ts';

export interface StreamOptions {
  readonly contentType?: string | undefined;
  /** 0 for a stream that needs no comments. */
  readonly keepAliveMs: number;
  /** The reader went away before the end. */
  readonly onCancel: () => void;
  /** The pieces failed. The reader sees a stream that ends early; the failure is for the logger. */
  readonly onError: (error: unknown) => void;
  /** Called once, however it ended. */
  readonly onEnd?: () => void;
}

type Chunk = Uint8Array<ArrayBuffer>;

const encoder = new TextEncoder();

/** A response that sends pieces as its reader takes them: what is not taken is not asked for. */
export function streamResponse(pieces: AsyncIterable<string | Chunk>, options: StreamOptions): Response {
  const { contentType, keepAliveMs, onCancel, onError, onEnd = () => undefined } = options;
  const iterator = pieces[Symbol.asyncIterator]();
  let pending: Promise<IteratorResult<string | Chunk>> | undefined;
  let timer: ReturnType<typeof setInterval> | undefined;
  const end = () => {
    clearInterval(timer);
    onEnd();
  };
  const body = new ReadableStream<Chunk>(
    {
      start(controller) {
        if (keepAliveMs <= 0) return;
        timer = setInterval(() => {
          // Below zero an earlier comment is still unread.
          if ((controller.desiredSize ?? 0) >= 0) controller.enqueue(encoder.encode(SSE_KEEP_ALIVE));
        }, keepAliveMs);
        (timer as { unref?: () => void }).unref?.();
      },
      async pull(controller) {
        pending ??= iterator.next();
        // An adapter would write an error's message to the socket and to stderr: a stream that fails ends instead.
        const result = await pending.catch((error: unknown) => {
          onError(error);
          return { done: true, value: undefined } as const;
        });
        pending = undefined;
        if (result.done === true) {
          end();
          controller.close();
          return;
        }
        const { value } = result;
        controller.enqueue(typeof value === 'string' ? encoder.encode(value) : value);
      },
      async cancel() {
        // What waits has to hear of it before it is let go.
        onCancel();
        end();
        await iterator.return?.().catch(onError);
      },
    },
    { highWaterMark: 0 },
  );
  const headers = { ...SSE_HEADERS, ...(contentType === undefined ? {} : { 'content-type': contentType }) };
  return new Response(body, { headers });
}
