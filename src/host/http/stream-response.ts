import { HoldpointError } from '../../core/index.ts';
import type { Access, AccessOptions, ScopeAccess } from '../../ledger/index.ts';
import { checkAgain } from '../../ledger/index.ts';
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

/** The streams that are open in this process, so that they are neither too many nor cut off at the end. */
export interface OpenStreams {
  /**
   * Counts one until what it gives back is called; `run` for one that ends with its run, `endless` for one that only its
   * reader ends. Throws `RATE_LIMITED` for one too many.
   */
  open(kind: 'run' | 'endless'): () => void;
  /** Fires when those that should have ended by themselves have to. */
  readonly stopping: AbortSignal;
  /** Waits at most so long for those that end by themselves. */
  close(limitMs: number): Promise<void>;
}

export function createOpenStreams(limit: number): OpenStreams {
  const stop = new AbortController();
  const open = { run: 0, endless: 0 };
  let isLast: () => void = () => undefined;
  return {
    stopping: stop.signal,
    open(kind) {
      if (open.run + open.endless >= limit) {
        throw new HoldpointError('RATE_LIMITED', `${limit} streams are open here already; try again.`);
      }
      open[kind] += 1;
      let isOpen = true;
      return () => {
        if (!isOpen) return;
        isOpen = false;
        open[kind] -= 1;
        if (open.run === 0) isLast();
      };
    },
    async close(limitMs) {
      let timer: ReturnType<typeof setTimeout> | undefined;
      if (open.run > 0) {
        await new Promise<void>((resolve) => {
          isLast = resolve;
          timer = setTimeout(resolve, limitMs);
        });
      }
      clearTimeout(timer);
      stop.abort();
    },
  };
}

/** Called after each check of an open stream. */
interface StreamReader {
  /** The reader may no longer read: the stream is to end. */
  readonly refused: () => void;
  /** The reader still may. */
  readonly allowed?: () => void;
}

const EVERY_MS = 30_000;

/** Asks every `accessCheckMs` whether the reader of a stream still may read it. Gives back how to stop asking. */
export function recheckAccess(
  { authorize, accessCheckMs = EVERY_MS }: AccessOptions,
  access: Access | ScopeAccess,
  { refused, allowed }: StreamReader,
): () => void {
  if (authorize === undefined || accessCheckMs <= 0) return () => undefined;
  let isAsking = false;
  const ask = async () => {
    if (isAsking) return;
    isAsking = true;
    try {
      await checkAgain(access);
      allowed?.();
    } catch {
      refused();
    } finally {
      isAsking = false;
    }
  };
  const timer = setInterval(() => void ask(), accessCheckMs);
  (timer as { unref?: () => void }).unref?.();
  return () => clearInterval(timer);
}

/** A stream that ends where its reader may read no further. */
export async function* untilRefused<Piece>(
  pieces: AsyncIterable<Piece>,
): AsyncGenerator<Piece, void, undefined> {
  try {
    yield* pieces;
  } catch (error) {
    if (HoldpointError.is(error, 'FORBIDDEN') || HoldpointError.is(error, 'THREAD_UNKNOWN')) return;
    throw error;
  }
}
