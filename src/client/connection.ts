import type { Clock } from '../core/index.ts';
import { defined, HoldpointError } from '../core/index.ts';
import type { ClientOptions } from './client-options.ts';
import { readHttpError } from './failures.ts';
import type { BackOff } from './stream/back-off.ts';
import { delayBefore, wait } from './stream/back-off.ts';

/** One request. */
interface Sending {
  readonly url: string;
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** A `Blob` is sent as it is, with the content type of `headers`; any other value as JSON. */
  readonly body?: unknown;
  readonly accept?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** The connection to one server. */
export interface Connection {
  readonly runUrl: string;
  readonly connectUrl: string;
  /** URL below which a Holdpoint host has its threads and its inbox; undefined when `url` does not contain it. */
  readonly base: string | undefined;
  /**
   * Sends a request, and repeats it while the host is closing: another process of it may take over. Throws a `HoldpointError` with
   * the server's code for an error status, `RUN_LOST` without a response, and the signal's reason after an abort.
   */
  send(sending: Sending): Promise<Response>;
  /** The server's time in milliseconds, from its date header: the local clock may be wrong. */
  now(): number;
}

const EVENT_STREAM = 'text/event-stream';
const AGENT_URL = /^(.*)\/agents\/[^/]+$/;
/** Milliseconds of clock difference to ignore: the header has whole seconds, and a request takes time. */
const SMALL_SKEW = 2000;

/** Creates the connection to one server. */
export function createConnection(
  {
    url,
    base,
    headers = {},
    fetch = (...request) => globalThis.fetch(...request),
  }: Omit<ClientOptions, 'registry'>,
  clock: Clock,
  backOff: BackOff,
): Connection {
  const runUrl = String(url);
  const [path = '', ...query] = runUrl.split('?');
  const agentUrl = path.replace(/(?:\/chat\/stream)?\/?$/, '');
  let skew = 0;
  return {
    runUrl,
    connectUrl: [`${agentUrl}/connect`, ...query].join('?'),
    base: base === undefined ? AGENT_URL.exec(agentUrl)?.[1] : String(base).replace(/\/$/, ''),
    now: () => clock.now() + skew,
    async send({ url: target, method = 'POST', body, accept = EVENT_STREAM, headers: more, signal }) {
      for (let attempt = 0; ;) {
        const ownHeaders = typeof headers === 'function' ? await headers() : headers;
        const response = await fetch(target, {
          method,
          headers: {
            accept,
            ...defined({ 'content-type': body === undefined ? undefined : 'application/json' }),
            ...ownHeaders,
            ...more,
          },
          ...defined({ body: body instanceof Blob ? body : JSON.stringify(body), signal }),
        }).catch((cause: unknown) => {
          signal?.throwIfAborted();
          throw new HoldpointError('RUN_LOST', `Could not reach ${target}. Check the URL.`, { cause });
        });
        const ahead = Date.parse(response.headers.get('date') ?? '') - clock.now();
        if (!Number.isNaN(ahead)) skew = Math.abs(ahead) < SMALL_SKEW ? 0 : ahead;
        if (response.ok) return response;
        const error = await readHttpError(response);
        // A host that is closing answers so before it begins anything.
        if (error.code !== 'UNAVAILABLE' || attempt >= backOff.attempts) throw error;
        await wait(delayBefore(attempt++, backOff), signal);
      }
    },
  };
}

/** The body of a response that must be an event stream. Throws `INPUT_INVALID` for other content types. */
export function eventStreamOf(response: Response): ReadableStream<Uint8Array> {
  const type = response.headers.get('content-type') ?? EVENT_STREAM;
  if (response.body !== null && !/json|html/i.test(type)) return response.body;
  const found = response.body === null ? 'nothing' : type;
  throw new HoldpointError(
    'INPUT_INVALID',
    `The server sent ${found} instead of an event stream. Check the URL of the agent.`,
  );
}
