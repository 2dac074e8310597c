/** host/express: a host as middleware of an Express 5 application. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Host } from '../create-host.ts';
import { createNodeHandler } from '../node/serve.ts';

/** The part of an Express request that is used. */
type ExpressRequest = IncomingMessage & {
  readonly body?: unknown;
  /** The path that the application mounted the host at. */
  readonly baseUrl?: string;
  /** The client's address, by the application's `trust proxy`. */
  readonly ip?: string | undefined;
};
type Next = (error?: unknown) => void;

/**
 * A host as Express middleware: `app.use('/agent', toExpress(host))`. Mount it before any body parser; it rejects a
 * body that was already read. A request for no route and no page of the host goes to the next middleware.
 *
 * @example
 * ```ts
 * import express from 'express';
 * import { toExpress } from 'holdpoint/express';
 * import { createHost } from 'holdpoint/host';
 * import { memoryStore } from 'holdpoint/store/memory';
 *
 * const app = express();
 * app.use('/agent', toExpress(createHost({ agents: [], store: memoryStore() })));
 * ```
 */
export function toExpress(
  host: Pick<Host, 'fetch'>,
): (request: ExpressRequest, response: ServerResponse, next: Next) => void {
  const handle = createNodeHandler(host);
  const answer = async (request: ExpressRequest, response: ServerResponse, next: Next) => {
    try {
      const { ip: clientAddress, baseUrl: mountPath } = request;
      await handle(request, response, { clientAddress, mountPath, onUnrouted: next });
    } catch (error) {
      next(error);
    }
  };
  return (request, response, next) => {
    if (request.readableEnded && request.body !== undefined) {
      next(new Error('Mount toExpress(host) before body parsers: the body was already read.'));
      return;
    }
    void answer(request, response, next);
  };
}
