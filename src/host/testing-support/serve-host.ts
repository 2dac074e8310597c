import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Host } from '../create-host.ts';
import { toNodeHandler } from '../node/index.ts';

/** Serves a host on a free loopback port. */
export async function serveHost(host: Host): Promise<{ readonly url: string; close(): Promise<void> }> {
  const handle = toNodeHandler(host);
  const server: Server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      await host.close({ withinMs: 1000 });
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}
