import type { IncomingMessage, ServerResponse } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import type { Host } from '../create-host.ts';

/** A host as a handler of Node's own requests, for servers that one has already. */
export function toNodeHandler(
  host: Host,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  const listener = getRequestListener(host.fetch, { overrideGlobalObjects: false });
  return async (request, response) => {
    await listener(request, response);
  };
}
