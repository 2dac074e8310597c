/** Serves a fetch function on a free loopback port and records the requests. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';

export interface ServedFetch {
  readonly url: string;
  readonly requests: readonly string[];
  close(): Promise<void>;
}

export async function serveFetch(fetch: (request: Request) => Promise<Response>): Promise<ServedFetch> {
  const requests: string[] = [];
  const listener = getRequestListener(async (request) => {
    const copy = request.clone();
    requests.push(
      `${request.method} ${request.url} ${JSON.stringify([...request.headers])} ${await copy.text()}`,
    );
    return fetch(request);
  });
  const server = createServer((request, response) => void listener(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
