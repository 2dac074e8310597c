import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { connect, createServer } from 'node:net';

/** A connection through the proxy. */
export interface WireConnection {
  readonly client: Socket;
  /** Breaks the connection. */
  readonly end: () => void;
}

/** Handles the bytes of the host on one connection. */
export interface Carrier {
  /** Called when the client sends bytes. */
  asked?(): void;
  carry(bytes: Buffer): void;
  /** Called at the end of the host's response. Default: ends the client's side at once. */
  ended?(): void;
}

/** A TCP proxy between clients and a host. */
export interface Wire {
  readonly url: string;
  /** The URL of the host behind the proxy. */
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
