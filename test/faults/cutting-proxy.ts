import type { Socket } from 'node:net';
import { connect, createServer } from 'node:net';

/** The last message of each answer of PostgreSQL: ready for the next query, in no transaction. */
const READY = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);

export interface CuttingProxy {
  readonly url: string;
  /** The number of commits so far. */
  readonly commits: number;
  /** Cuts the connection of the nth commit from now on: after its answer has come, or before the commit is sent on. */
  cut(nth: number, when: 'answered' | 'asked'): void;
  close(): Promise<void>;
}

/**
 * A proxy between a store and PostgreSQL. A commit whose connection is cut after its answer came is done, and the store
 * never gets the answer.
 */
export async function cuttingProxy(target: string): Promise<CuttingProxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let commits = 0;
  let plan: { readonly at: number; readonly when: 'answered' | 'asked' } | undefined;

  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    let cutsAnswer = false;
    let answer = Buffer.alloc(0);
    const end = () => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', end);
      socket.on('close', () => (sockets.delete(socket), end()));
    }
    client.on('data', (asked: Buffer) => {
      if (asked.includes('holdpoint_commit_')) {
        commits += 1;
        if (plan?.at === commits) {
          if (plan.when === 'asked') return end();
          cutsAnswer = true;
        }
      }
      upstream.write(asked);
      return undefined;
    });
    upstream.on('data', (answered: Buffer) => {
      if (!cutsAnswer) return client.write(answered);
      answer = Buffer.concat([answer, answered]);
      if (answer.includes(READY)) end();
      return undefined;
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The proxy has no port.');
  const url = new URL(target);
  url.port = String(address.port);
  return {
    url: url.href,
    get commits() {
      return commits;
    },
    cut(nth, when) {
      plan = { at: commits + nth, when };
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}
