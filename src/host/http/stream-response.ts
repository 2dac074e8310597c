import { defined, HoldpointError, linkSignals, unref, within } from '../../core/index.ts';
import type { Access, AccessOptions, ScopeAccess } from '../../ledger/index.ts';
import { checkAgain, isStillCaller } from '../../ledger/index.ts';
import type { AgentStreamEvent, DialectName, EventWriterOptions } from '../../protocol/index.ts';
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
import type { HostOptions, Logger } from '../host-options.ts';
import { withBindings } from './tanstack-binding.ts';

interface StreamOptions {
  readonly headers: Readonly<Record<string, string>> | undefined;
  /** Aborts when the reader disconnects. A server may not notice a reader who leaves before it reads the body. */
  readonly gone: AbortSignal;
  readonly contentType: string | undefined;
  /** 0 for a stream without comments. */
  readonly keepAliveMs: number;
  /** Called when the reader disconnects before the end. */
  readonly onCancel: () => void;
  /** Called when the source fails. The reader sees a stream that ends early; the error goes to the logger. */
  readonly onError: (error: unknown) => void;
  /** Called once, at any end. */
  readonly onEnd: () => void;
}

type Chunk = Uint8Array<ArrayBuffer>;

const encoder = new TextEncoder();

/** A stream of a host. */
interface HostStream {
  /** The request of the reader, which is authenticated again. */
  readonly request: Request;
  /** The permission of the reader, which is checked again; absent for a stream that shows no thread. */
  readonly access: Access | ScopeAccess | undefined;
  /** Aborts when the host ends the stream. */
  readonly stopping: AbortSignal;
  /** Called once, at any end. */
  readonly onEnd: () => void;
  /** The media type. Default `text/event-stream`. */
  readonly contentType?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Called when the reader disconnects before the end. */
  readonly onCancel?: (() => void) | undefined;
  /** Called after each check of a reader who still may read. */
  readonly onAllowed?: () => void;
}

/** A response whose pieces end with the host, with its reader, and with the permission of the reader. */
export function hostStream(
  { options, logger }: { readonly options: Omit<HostOptions, 'store'>; readonly logger: Logger },
  { request, access, stopping, onEnd, contentType, headers, onCancel, onAllowed }: HostStream,
  pieces: (signal: AbortSignal) => AsyncIterable<string | Chunk>,
): Response {
  const stop = new AbortController();
  const { signal, unlink } = linkSignals(stop.signal, stopping);
  const refused = () => stop.abort();
  const stopAsking =
    access && recheckAccess(options, { request, access }, { refused, ...defined({ allowed: onAllowed }) });
  return streamResponse(untilRefused(pieces(signal)), {
    gone: request.signal,
    contentType,
    headers,
    keepAliveMs: contentType === undefined ? (options.keepAliveMs ?? 15_000) : 0,
    onCancel() {
      stop.abort();
      onCancel?.();
    },
    onError: (error) => logger.error({ err: error }, 'A stream broke off.'),
    onEnd() {
      stopAsking?.();
      unlink();
      onEnd();
    },
  });
}

/** A response that reads pieces at the pace of its reader. */
function streamResponse(pieces: AsyncIterable<string | Chunk>, options: StreamOptions): Response {
  const { gone, contentType, keepAliveMs, onCancel, onError, onEnd } = options;
  const iterator = pieces[Symbol.asyncIterator]();
  let pending: Promise<IteratorResult<string | Chunk>> | undefined;
  let timer: ReturnType<typeof setInterval> | undefined;
  let isOver = false;
  const end = () => {
    isOver = true;
    clearInterval(timer);
    gone.removeEventListener('abort', onGone);
    onEnd();
  };
  const leave = async () => {
    if (isOver) return;
    // The source must learn of it before it is released.
    onCancel();
    end();
    await iterator.return?.().catch(onError);
  };
  const onGone = () => void leave();
  const body = new ReadableStream<Chunk>(
    {
      start(controller) {
        if (keepAliveMs <= 0) return;
        timer = setInterval(() => {
          // A negative size means that an earlier comment is still unread.
          if ((controller.desiredSize ?? 0) >= 0) controller.enqueue(encoder.encode(SSE_KEEP_ALIVE));
        }, keepAliveMs);
        unref(timer);
      },
      async pull(controller) {
        pending ??= iterator.next();
        // Ends the stream instead of failing it, because an adapter would write the error to the socket and to
        // stderr.
        const result = await pending.catch((error: unknown) => {
          onError(error);
          return { done: true, value: undefined } as const;
        });
        pending = undefined;
        if (result.done === true) {
          if (!isOver) end();
          controller.close();
          return;
        }
        const { value } = result;
        controller.enqueue(typeof value === 'string' ? encoder.encode(value) : value);
      },
      cancel: leave,
    },
    { highWaterMark: 0 },
  );
  gone.addEventListener('abort', onGone, { once: true });
  if (gone.aborted) onGone();
  const headers = { ...SSE_HEADERS, ...options.headers, ...defined({ 'content-type': contentType }) };
  return new Response(body, { headers });
}

/** The open streams of this process: limits their number and ends them on close. */
export interface OpenStreams {
  /** Counts a stream until the returned function is called. Throws `RATE_LIMITED` beyond the limit. */
  open(): () => void;
  /** Says that the stream of a run is being read, until the returned function is called. */
  read(): () => void;
  /** Aborts when streams of runs must end. */
  readonly stopping: AbortSignal;
  /** Waits at most `limitMs` for the streams of runs that are being read. */
  close(limitMs: number): Promise<void>;
}

export function createOpenStreams(limit: number): OpenStreams {
  const stop = new AbortController();
  let open = 0;
  let read = 0;
  let isLast: () => void = () => undefined;
  return {
    stopping: stop.signal,
    open() {
      if (open >= limit) {
        throw new HoldpointError(
          'RATE_LIMITED',
          `The limit of ${limit} open streams is reached; try again later.`,
        );
      }
      open += 1;
      let isOpen = true;
      return () => {
        if (isOpen) open -= 1;
        isOpen = false;
      };
    },
    read() {
      read += 1;
      return () => {
        read -= 1;
        if (read === 0) isLast();
      };
    },
    async close(limitMs) {
      const last = new Promise<void>((resolve) => {
        isLast = resolve;
      });
      if (read > 0) await within(last, limitMs);
      stop.abort();
    },
  };
}

/** Called after each check of an open stream. */
interface StreamReader {
  /** Called when the reader may no longer read: the stream must end. */
  readonly refused: () => void;
  /** Called when the reader still may read. */
  readonly allowed?: () => void;
}

const EVERY_MS = 30_000;

/** Checks every `accessCheckMs` whether the reader of a stream may still read it. Returns the function to stop. */
function recheckAccess(
  options: AccessOptions,
  { request, access }: { readonly request: Request; readonly access: Access | ScopeAccess },
  { refused, allowed }: StreamReader,
): () => void {
  const { authenticate, authorize, accessCheckMs = EVERY_MS } = options;
  if ((authenticate ?? authorize) === undefined || accessCheckMs <= 0) return () => undefined;
  let isAsking = false;
  const ask = async () => {
    if (isAsking) return;
    isAsking = true;
    try {
      if (!(await isStillCaller(request, options, access.principal))) return refused();
      await checkAgain(access);
      allowed?.();
    } catch {
      refused();
    } finally {
      isAsking = false;
    }
  };
  const timer = setInterval(() => void ask(), accessCheckMs);
  unref(timer);
  return () => clearInterval(timer);
}

/** A stream that ends when its reader may no longer read. */
async function* untilRefused<Piece>(pieces: AsyncIterable<Piece>): AsyncGenerator<Piece, void, undefined> {
  try {
    yield* pieces;
  } catch (error) {
    if (HoldpointError.is(error, 'FORBIDDEN') || HoldpointError.is(error, 'THREAD_UNKNOWN')) return;
    throw error;
  }
}

/** Writes events in the dialect and form of a client. */
export interface EventEncoder {
  readonly contentType: string | undefined;
  /** Encodes events in as few pieces as possible; SSE ids are positions in the event log. */
  encode(events: readonly PlacedEvent[]): readonly (string | Uint8Array<ArrayBuffer>)[];
  /** Further headers of the response. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Called before the events of a run that the ledger rejected. */
  refused?(): void;
  /** The last piece of the stream. */
  end?(): string;
}

/** The dialect of a response: that of the request, of its agent, or of the host. Throws `PROTOCOL_UNSUPPORTED`. */
export function dialectFor(
  request: Request,
  agent: Pick<HostAgent, 'dialect'> | undefined,
  { dialect = '1.0' }: Pick<HostOptions, 'dialect'>,
): DialectName {
  return dialectNamed(request.headers.get('ag-ui-dialect') ?? agent?.dialect ?? dialect).name;
}

/** `reader`: the AG-UI version of the client. */
export function createEventEncoder(
  form: StreamForm,
  dialect: DialectName,
  reader: EventWriterOptions['reader'] = '1.0',
): EventEncoder {
  if (form === 'binary') {
    // The binary form of 1.0 has no dialects.
    const write = createEventWriter(reader === '1.0' ? '1.0' : dialect, { reader, form });
    return {
      contentType: AGUI_BINARY_MEDIA_TYPE,
      encode: (events) =>
        events.flatMap(({ event }) =>
          write(event).map((one) => new Uint8Array(encodeBinaryFrame(one as unknown as AgentStreamEvent))),
        ),
    };
  }
  const write = createEventWriter(dialect, { reader });
  const sse = createSseEncoder();
  return {
    contentType: undefined,
    encode(events) {
      let text = '';
      for (const { event, place } of events) {
        // The clients of TanStack AI send no version.
        const all = write(reader === '0.0' && dialect === '1.0' ? withBindings(event) : event);
        // A client that reconnects with an id has received the whole event.
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

/** Chooses SSE or binary by the `Accept` header. Throws `NOT_ACCEPTABLE`. */
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
    // Clients that accept only JSON get events.
    if (['text/event-stream', 'text/*', '*/*', 'application/json', 'application/*'].includes(type))
      return 'sse';
  }
  throw new HoldpointError(
    'NOT_ACCEPTABLE',
    `Events come as text/event-stream or ${AGUI_BINARY_MEDIA_TYPE}.`,
  );
}
