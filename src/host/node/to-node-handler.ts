import type { IncomingMessage, ServerResponse } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import type { Host } from '../create-host.ts';

/**
 * A host as a handler of Node's own requests, for servers that one has already. `address` is the client's, where the server knows
 * better than the socket, as behind a proxy.
 */
export function toNodeHandler(
  host: Host,
): (request: IncomingMessage, response: ServerResponse, address?: string) => Promise<void> {
  const addresses = new WeakMap<object, string>();
  const listener = getRequestListener(
    (request, { incoming }) => host.fetch(request, { incoming, clientAddress: addresses.get(incoming) }),
    { overrideGlobalObjects: false },
  );
  return async (request, response, address) => {
    if (address !== undefined && address !== request.socket.remoteAddress) addresses.set(request, address);
    await listener(request, response);
  };
}
