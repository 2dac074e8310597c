import type { Clock } from '../core/basics/index.ts';
import { HoldpointError, present } from '../core/basics/index.ts';
import type { ClientOptions } from './client-options.ts';
import { readHttpError } from './failures.ts';

/** One request of ours. */
export interface Sending {
  readonly url: string;
  readonly method?: 'GET' | 'POST';
  readonly body?: unknown;
  readonly accept?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** The way to one server. */
export interface Connection {
  readonly runUrl: string;
  readonly connectUrl: string;
  /** Where a Holdpoint host has its threads and its inbox; undefined where the URL does not tell. */
  readonly base: string | undefined;
  /**
   * Throws a `HoldpointError` with the server's code for an answer that is not a success, `RUN_LOST` when there
   * is none at all, and the signal's reason when it was aborted.
   */
  send(sending: Sending): Promise<Response>;
  /** The server's time as far as it is known: whether a question has expired is not for this clock to say. */
  now(): number;
}

const EVENT_STREAM = 'text/event-stream';
const AGENT_URL = /^(.*)\/agents\/[^/]+$/;
/** Clocks that differ by less are the same: the header has whole seconds, and a request takes time. */
const SMALL_SKEW = 2000;

export function createConnection(
  {
    url,
    base,
    headers = {},
    fetch = (...request) => globalThis.fetch(...request),
  }: Omit<ClientOptions, 'registry'>,
  clock: Clock,
): Connection {
  const runUrl = String(url);
  const [path = '', query] = runUrl.split('?');
  const agentUrl = path.replace(/\/(?:chat\/stream\/?)?$/, '').replace(/\/chat\/stream$/, '');
  let skew = 0;
  return {
    runUrl,
    connectUrl: `${agentUrl}/connect${query === undefined ? '' : `?${query}`}`,
    base: base === undefined ? AGENT_URL.exec(agentUrl)?.[1] : String(base).replace(/\/$/, ''),
    now: () => clock.now() + skew,
    async send({ url: target, method = 'POST', body, accept = EVENT_STREAM, headers: more, signal }) {
      signal?.throwIfAborted();
      const given = typeof headers === 'function' ? await headers() : headers;
      const json = body === undefined ? {} : { 'content-type': 'application/json' };
      const response = await fetch(target, {
        method,
        headers: { accept, ...json, ...given, ...more },
        ...present({ body: JSON.stringify(body), signal }),
      }).catch((cause: unknown) => {
        signal?.throwIfAborted();
        throw new HoldpointError('RUN_LOST', `${target} could not be reached.`, { cause });
      });
      const ahead = Date.parse(response.headers.get('date') ?? '') - clock.now();
      if (!Number.isNaN(ahead)) skew = Math.abs(ahead) < SMALL_SKEW ? 0 : ahead;
      if (!response.ok) throw await readHttpError(response);
      return response;
    },
  };
}

/** The body of an answer that is to be a stream of events. Throws `INPUT_INVALID` for anything else. */
export function eventStreamOf(response: Response): ReadableStream<Uint8Array> {
  const type = response.headers.get('content-type') ?? EVENT_STREAM;
  if (response.body !== null && !/json|html/i.test(type)) return response.body;
  const found = response.body === null ? 'nothing' : type;
  throw new HoldpointError('INPUT_INVALID', `Expected a stream of events from the server, found ${found}.`);
}
