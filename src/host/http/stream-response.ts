import { HoldpointError } from '../../core/index.ts';
import type { Access, AccessOptions, ScopeAccess } from '../../ledger/index.ts';
import { checkAgain } from '../../ledger/index.ts';
import type { DialectName } from '../../protocol/index.ts';
import {
  AGUI_BINARY_MEDIA_TYPE,
  createEventWriter,
  createSseEncoder,
  dialectNamed,
  encodeBinaryFrame,
  SSE_HEADERS,
  SSE_KEEP_ALIVE,
} from '../../protocol/index.ts';
import type { HostAgent, PlacedEvent } from '../../runs/index.ts';
import type { HostOptions } from '../host-options.ts';

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

/** Writes events in the form a client asked for. */
export interface EventEncoder {
  readonly contentType: string | undefined;
  /** Events in as few pieces as the form allows; by the place of one in the thread's log a reader can come back. */
  encode(events: readonly PlacedEvent[]): readonly (string | Uint8Array<ArrayBuffer>)[];
}

/** The form that a request wants: it says so itself, or its agent does, or the host. Throws `PROTOCOL_UNSUPPORTED`. */
export function dialectFor(
  request: Request,
  agent: Pick<HostAgent, 'dialect'> | undefined,
  { dialect = '1.0' }: Pick<HostOptions, 'dialect'>,
): DialectName {
  return dialectNamed(request.headers.get('ag-ui-dialect') ?? agent?.dialect ?? dialect).name;
}

export function createEventEncoder(form: StreamForm, dialect: DialectName): EventEncoder {
  if (form === 'binary') {
    return {
      contentType: AGUI_BINARY_MEDIA_TYPE,
      encode: (events) => events.map(({ event }) => new Uint8Array(encodeBinaryFrame(event))),
    };
  }
  const write = createEventWriter(dialect);
  const sse = createSseEncoder();
  return {
    contentType: undefined,
    encode(events) {
      let text = '';
      for (const { event, place } of events) {
        const all = write(event);
        // Whoever comes back by an id has had all of its event.
        for (const one of all) text += sse.encode(one, one === all.at(-1) ? place : undefined);
      }
      return [text];
    },
  };
}

export type StreamForm = 'sse' | 'binary';

interface Accepted {
  readonly type: string;
  readonly quality: number;
  readonly place: number;
}

/** Which form a client wants its events in: the first of those it likes best. Throws `NOT_ACCEPTABLE`. */
export function negotiateForm(accept: string | null): StreamForm {
  if (accept === null || accept.trim() === '') return 'sse';
  const wanted = accept
    .split(',')
    .map((part, place): Accepted => {
      const [type = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase());
      const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
      return { type, quality: quality === undefined ? 1 : Number(quality), place };
    })
    .filter(({ quality }) => quality > 0)
    .toSorted((one, other) => other.quality - one.quality || one.place - other.place);
  for (const { type } of wanted) {
    if (type === AGUI_BINARY_MEDIA_TYPE) return 'binary';
    // Clients that ask for JSON alone mean the events.
    if (['text/event-stream', 'text/*', '*/*', 'application/json', 'application/*'].includes(type))
      return 'sse';
  }
  throw new HoldpointError(
    'NOT_ACCEPTABLE',
    `Events come as text/event-stream or ${AGUI_BINARY_MEDIA_TYPE}.`,
  );
}
