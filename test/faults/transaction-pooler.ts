import type { Socket } from 'node:net';
import { createServer } from 'node:net';
import { Client } from 'pg';

export interface TransactionPooler {
  readonly url: string;
  /** The connection to PostgreSQL, 0 or 1, that the next transactions get. */
  use(connection: 0 | 1): void;
  close(): Promise<void>;
}

interface Message {
  readonly type: string;
  readonly bytes: Buffer;
}

/** A connection to PostgreSQL, and the transactions that wait for it. */
interface Upstream {
  readonly client: Client;
  readonly stream: Socket;
  /** The session that has it; undefined between transactions. */
  holder: Session | undefined;
  readonly waiting: Session[];
}

interface Session {
  readonly socket: Socket;
  /** What it asks until the end of a query. */
  readonly asked: Buffer[];
}

/**
 * A pooler in transaction mode that knows nothing of prepared statements, as PgBouncer up to 1.20: two connections to PostgreSQL serve
 * all clients, each for one transaction at a time. What PostgreSQL sends between transactions reaches nobody.
 */
export async function transactionPooler(target: string): Promise<TransactionPooler> {
  const upstreams = await Promise.all([openUpstream(target), openUpstream(target)]);
  const sockets = new Set<Socket>();
  let current = 0;

  const serve = (upstream: Upstream) => {
    const [next] = upstream.waiting;
    const session = upstream.holder ?? next;
    if (session === undefined || session.asked.length === 0) return;
    if (upstream.holder === undefined) upstream.waiting.shift();
    upstream.holder = session;
    upstream.stream.write(Buffer.concat(session.asked.splice(0)));
  };
  for (const upstream of upstreams) {
    onMessages(upstream.stream, ({ type, bytes }) => {
      const { holder } = upstream;
      holder?.socket.write(bytes);
      // Ready, and in no transaction.
      if (type !== 'Z' || bytes.at(-1) !== 0x49) return;
      upstream.holder = undefined;
      serve(upstream);
    });
  }

  const server = createServer((socket) => {
    const session: Session = { socket, asked: [] };
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
    socket.once('data', () => {
      // No password, and ready.
      socket.write(Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49]));
      const pending: Buffer[] = [];
      onMessages(socket, ({ type, bytes }) => {
        if (type === 'X') return;
        pending.push(bytes);
        // A simple query, or the end of an extended one.
        if (type !== 'Q' && type !== 'S') return;
        session.asked.push(...pending.splice(0));
        const held = upstreams.find(({ holder }) => holder === session);
        const upstream = held ?? upstreams[current];
        if (upstream === undefined) return;
        if (held === undefined) upstream.waiting.push(session);
        if (held !== undefined || upstream.holder === undefined) serve(upstream);
      });
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The pooler has no port.');
  const url = new URL(target);
  url.port = String(address.port);
  return {
    url: url.href,
    use(connection) {
      current = connection;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      for (const { stream } of upstreams) stream.destroy();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

/** Logs in with `pg`, and then takes its socket. */
async function openUpstream(target: string): Promise<Upstream> {
  const client = new Client({ connectionString: target });
  client.on('error', () => undefined);
  await client.connect();
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
  stream.removeAllListeners('data');
  return { client, stream, holder: undefined, waiting: [] };
}

/** Calls `use` with each whole message. */
function onMessages(socket: Socket, use: (message: Message) => void): void {
  let rest = Buffer.alloc(0);
  socket.on('data', (data: Buffer) => {
    rest = Buffer.concat([rest, data]);
    while (rest.length >= 5 && rest.length >= 1 + rest.readInt32BE(1)) {
      const bytes = rest.subarray(0, 1 + rest.readInt32BE(1));
      rest = rest.subarray(bytes.length);
      use({ type: String.fromCharCode(bytes[0] ?? 0), bytes });
    }
  });
}
