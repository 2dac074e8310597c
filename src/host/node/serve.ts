import { getRequestListener } from '@hono/node-server';
import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { AddressInfo, Socket } from 'node:net';
import { HoldpointError } from '../../core/index.ts';
import type { Host } from '../create-host.ts';
import type { HostSource } from '../host-options.ts';

/** The options of {@link serve}. */
export interface ServeOptions {
  /** 0 for any free port. Default 4680. */
  readonly port?: number;
  /** Default 127.0.0.1. Another address needs a host with `authenticate` or `allowUnauthenticated`. */
  readonly hostname?: string;
  /** Takes the next free port if this one is in use. Default false. */
  readonly nextFreePort?: boolean;
  /**
   * Milliseconds for a request to arrive, headers and body. Default 60,000. Streams are responses and may last
   * longer.
   */
  readonly requestTimeoutMs?: number;
  /**
   * Closes host and server on SIGTERM and SIGINT, and ends the process within this many milliseconds, also while the body of a
   * tool goes on. True: 10,000. Default false.
   */
  readonly closeOnSignals?: boolean | number;
}

/** A host that listens. */
export interface ServedHost {
  readonly url: string;
  readonly port: number;
  readonly server: Server;
  /** Rejects new requests, lets runs finish or hands them over, and closes. */
  close(options?: { readonly withinMs?: number }): Promise<void>;
}

const LOOPBACK = new Set(['127.0.0.1', 'localhost', '::1']);
const PORTS_TO_TRY = 20;
const LAST_BYTES_MS = 500;
/** Milliseconds of the time to close that are kept for handing over the runs that did not end, and for the last bytes. */
const HAND_OVER_MS = 1000;

/**
 * Serves a host over HTTP. Throws `INPUT_INVALID` for a host without authentication on an address that others can
 * reach, unless it sets `allowUnauthenticated`.
 *
 * @example
 * ```ts
 * import { createHost } from 'holdpoint/host';
 * import { serve } from 'holdpoint/node';
 * import { memoryStore } from 'holdpoint/store/memory';
 *
 * const served = await serve(createHost({ agents: [], store: memoryStore() }), { port: 4680 });
 * console.log(served.url);
 * await served.close();
 * ```
 */
export async function serve(host: Host, options: ServeOptions = {}): Promise<ServedHost> {
  const { hostname = '127.0.0.1', nextFreePort = false } = options;
  if (host.isUnauthenticated && !host.allowsUnauthenticated && !LOOPBACK.has(hostname)) {
    throw new HoldpointError(
      'INPUT_INVALID',
      `A host without authenticate listens on 127.0.0.1 only, not on ${hostname}. Set authenticate, or allowUnauthenticated.`,
    );
  }
  const handle = toNodeHandler(host);
  const server = createServer(
    limitsOf(options.requestTimeoutMs ?? 60_000),
    (request, response) => void handle(request, response),
  );
  const port = await listen(server, {
    hostname,
    port: options.port ?? 4680,
    tries: nextFreePort ? PORTS_TO_TRY : 1,
  });
  const close: ServedHost['close'] = async ({ withinMs = 10_000 } = {}) => {
    const closed = new Promise((resolve) => {
      server.close(resolve);
    });
    await host.close({ withinMs });
    // Gives connections time to receive their last bytes, but does not wait for clients that do not read.
    const idle = setInterval(() => server.closeIdleConnections(), 10);
    const late = setTimeout(() => server.closeAllConnections(), LAST_BYTES_MS);
    await closed;
    clearInterval(idle);
    clearTimeout(late);
  };
  if (options.closeOnSignals !== undefined && options.closeOnSignals !== false) {
    const withinMs = typeof options.closeOnSignals === 'number' ? options.closeOnSignals : 10_000;
    const end = () => {
      // A process with nothing left to do ends earlier. Code that does not listen would keep it alive.
      setTimeout(() => process.exit(), withinMs).unref();
      void close({ withinMs: withinMs - Math.min(HAND_OVER_MS, withinMs / 2) });
    };
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, end);
  }
  const shown = hostname.includes(':') ? `[${hostname}]` : hostname;
  return { url: `http://${shown}:${port}`, port, server, close };
}

/** Cuts off headers and bodies that do not end. */
function limitsOf(requestTimeout: number): ServerOptions {
  return {
    requestTimeout,
    headersTimeout: Math.min(15_000, requestTimeout),
    connectionsCheckingInterval: Math.min(5000, requestTimeout),
    // Longer than the 60 s of most proxies: a server that closes first resets a request that is on its way.
    keepAliveTimeout: 65_000,
    maxHeaderSize: 16 * 1024,
  };
}

async function listen(
  server: Server,
  given: { readonly hostname: string; readonly port: number; readonly tries: number },
): Promise<number> {
  const { hostname, tries } = given;
  for (let attempt = 0; ; attempt += 1) {
    const port = given.port === 0 ? 0 : given.port + attempt;
    try {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, hostname, () => {
          server.off('error', reject);
          resolve();
        });
      });
      return (server.address() as AddressInfo).port;
    } catch (error) {
      const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
      if (!isTaken || attempt + 1 >= tries) throw error;
    }
  }
}

/**
 * A host as a handler for an existing Node server. `address`: the client's address, if the server knows it better
 * than the socket, as behind a proxy.
 *
 * @example
 * ```ts
 * import { createServer } from 'node:http';
 * import { createHost } from 'holdpoint/host';
 * import { toNodeHandler } from 'holdpoint/node';
 * import { memoryStore } from 'holdpoint/store/memory';
 *
 * const handle = toNodeHandler(createHost({ agents: [], store: memoryStore() }));
 * createServer((incoming, response) => void handle(incoming, response)).listen(4680);
 * ```
 */
export function toNodeHandler(
  host: Pick<Host, 'fetch'>,
): (request: IncomingMessage, response: ServerResponse, address?: string) => Promise<void> {
  const handle = createNodeHandler(host);
  return (request, response, clientAddress) => handle(request, response, { clientAddress });
}

/** As {@link toNodeHandler}. With `onUnrouted`, a request that is not for the host gets no response. */
export function createNodeHandler(
  host: Pick<Host, 'fetch'>,
): (request: IncomingMessage, response: ServerResponse, source: HostSource) => Promise<void> {
  const sources = new WeakMap<object, HostSource>();
  const listener = getRequestListener(
    async (request, { incoming }) => {
      const { onUnrouted, ...source } = sources.get(incoming) ?? {};
      let isUnrouted = false;
      const response = await host.fetch(request, {
        incoming,
        ...source,
        onUnrouted: () => {
          isUnrouted = true;
        },
      });
      if (!isUnrouted || onUnrouted === undefined) return response;
      onUnrouted();
      return RESPONSE_ALREADY_SENT;
    },
    { overrideGlobalObjects: false },
  );
  const closing = createCloser();
  return async (request, response, { clientAddress, ...source }) => {
    closing(request, response);
    const isKnown = clientAddress === undefined || clientAddress === request.socket.remoteAddress;
    sources.set(request, isKnown ? source : { ...source, clientAddress });
    await listener(request, response);
  };
}

/**
 * Closes responses with their connection. Node closes only the response that it is sending; a response that waits behind it, for
 * a client that sends several requests at once, would stay open.
 */
function createCloser(): (request: IncomingMessage, response: ServerResponse) => void {
  const waiting = new WeakMap<Socket, Set<ServerResponse>>();
  const responsesOn = (socket: Socket): Set<ServerResponse> => {
    const known = waiting.get(socket);
    if (known !== undefined) return known;
    const responses = new Set<ServerResponse>();
    waiting.set(socket, responses);
    socket.once('close', () => {
      for (const response of responses) if (response.socket === null) response.emit('close');
    });
    return responses;
  };
  return ({ socket }, response) => {
    const responses = responsesOn(socket);
    responses.add(response);
    response.once('close', () => responses.delete(response));
  };
}
