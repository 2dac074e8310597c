/** A proxy between a host and its A2A agent that asks for a kill at given points of their exchange. */
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Side = 'host' | 'agent' | 'both';

/** Before the agent gets a request, after the first part of its response was passed on, or after its whole response, which is dropped. */
export const MOMENTS = ['before', 'during', 'after'] as const;

export interface KillPoint {
  /** The number of the request, from 0. */
  readonly request: number;
  readonly side: Side;
  readonly moment: (typeof MOMENTS)[number];
}

export interface Wire {
  readonly url: string;
  onKill(kill: (side: Side) => Promise<void>): void;
  /** The points where a kill happened. */
  readonly reached: ReadonlySet<KillPoint>;
  /** The number of requests so far. */
  requests(): number;
  close(): void;
}

export async function startKillWire(target: string, points: readonly KillPoint[]): Promise<Wire> {
  let count = 0;
  const reached = new Set<KillPoint>();
  let kill: (side: Side) => Promise<void> = async () => undefined;
  const die = async (point: KillPoint, response: ServerResponse) => {
    reached.add(point);
    await kill(point.side);
    response.destroy();
  };
  const forward = async (request: IncomingMessage, response: ServerResponse) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const body = Buffer.concat(pieces).toString('utf8');
    const point = points.find((one) => one.request === count);
    count += 1;
    if (point?.moment === 'before') return die(point, response);
    const answered = await fetch(`${target}${request.url}`, {
      method: request.method ?? 'GET',
      headers: { ...(request.headers as Record<string, string>), connection: 'close' },
      ...(body === '' ? {} : { body }),
    });
    if (point?.moment === 'after') {
      await answered.arrayBuffer();
      return die(point, response);
    }
    response.writeHead(answered.status, { 'content-type': answered.headers.get('content-type') ?? '' });
    for await (const chunk of answered.body ?? []) {
      response.write(chunk);
      if (point?.moment === 'during') return die(point, response);
    }
    response.end();
  };
  const server = createServer(
    (request, response) => void forward(request, response).catch(() => response.destroy()),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    onKill(next) {
      kill = next;
    },
    reached,
    requests: () => count,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
