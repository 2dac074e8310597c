import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { connect, createServer } from 'node:net';

/** One connection through a wire. */
export interface WireConnection {
  readonly client: Socket;
  /** Breaks it. */
  readonly end: () => void;
}

/** What a wire does with what the host says on one connection. */
export interface Carrier {
  /** The client said something. */
  asked?(): void;
  carry(bytes: Buffer): void;
  /** The host has said all; without this the client is told at once. */
  ended?(): void;
}

/** A wire between clients and a host, over real connections. */
export interface Wire {
  readonly url: string;
  /** The host at its other end. */
  port: number;
  breakAll(): void;
  close(): void;
}

export async function startWire(
  port: number,
  createCarrier: (connection: WireConnection) => Carrier,
): Promise<Wire> {
  const sockets = new Set<Socket>();
  const breakAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  const server = createServer((client) => {
    const host = connect(wire.port, '127.0.0.1');
    const end = () => (client.destroy(), host.destroy());
    for (const socket of [client, host]) {
      sockets.add(socket);
      socket.on('error', end).on('close', () => (sockets.delete(socket), end()));
    }
    const carrier = createCarrier({ client, end });
    client.on('data', (bytes: Buffer) => {
      carrier.asked?.();
      host.write(bytes);
    });
    host.on('data', (bytes: Buffer) => carrier.carry(bytes));
    host.on('end', () => (carrier.ended === undefined ? client.end() : carrier.ended()));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const wire = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    port,
    breakAll,
    close() {
      server.close();
      breakAll();
    },
  };
  return wire;
}
