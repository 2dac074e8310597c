import type { Socket } from 'node:net';
import { connect, createServer } from 'node:net';

/** The last message of each answer of PostgreSQL: ready for the next query, in no transaction. */
const READY = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);

/** The answer to `SELECT 1`, as some poolers give it to a client that asked something else. */
const OTHER_ANSWER = Buffer.concat([
  Buffer.from([0x31, 0, 0, 0, 4, 0x32, 0, 0, 0, 4]),
  message('T', Buffer.from([0, 1]), Buffer.from('?column?\0'), Buffer.alloc(6), int4Type()),
  message('D', Buffer.from([0, 1, 0, 0, 0, 1]), Buffer.from('1')),
  message('C', Buffer.from('SELECT 1\0')),
  READY,
]);

function message(type: string, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(type), length, body]);
}

function int4Type(): Buffer {
  const type = Buffer.alloc(12);
  type.writeInt32BE(23);
  type.writeInt16BE(4, 4);
  return type;
}

export interface CuttingProxy {
  readonly url: string;
  /** The number of commits so far. */
  readonly commits: number;
  /**
   * Spoils the nth commit from now on: cuts its connection after its answer has come, or before the commit is sent on; or replaces its
   * answer by that of another query.
   */
  cut(nth: number, when: 'answered' | 'asked' | 'answered wrongly'): void;
  /** Replaces the answer of the next read by that of another query. */
  answerReadWrongly(): void;
  /** How many connections will still be cut. */
  readonly refused: number;
  /** Cuts the open connections, and the next ones as they come. */
  refuse(connections: number): void;
  /** Passes nothing on any more, on the connections that are open: `'all'` also on later ones. */
  freeze(which: 'open' | 'all'): void;
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
  let plan: { readonly at: number; readonly when: Parameters<CuttingProxy['cut']>[1] } | undefined;
  let spoilsRead = false;
  let refused = 0;
  let freezesAll = false;

  const server = createServer((client) => {
    if (refused > 0) {
      refused -= 1;
      client.destroy();
      return;
    }
    const upstream = connect(Number(port), hostname);
    let spoils: 'cut' | 'replace' | undefined;
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
          spoils = plan.when === 'answered' ? 'cut' : 'replace';
        }
      }
      if (spoilsRead && asked.includes('holdpoint_read_')) {
        spoilsRead = false;
        spoils = 'replace';
      }
      upstream.write(asked);
      return undefined;
    });
    upstream.on('data', (answered: Buffer) => {
      if (spoils === undefined) return client.write(answered);
      answer = Buffer.concat([answer, answered]);
      if (!answer.includes(READY)) return undefined;
      if (spoils === 'cut') return end();
      spoils = undefined;
      answer = Buffer.alloc(0);
      return client.write(OTHER_ANSWER);
    });
    if (freezesAll) for (const socket of [client, upstream]) socket.pause();
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
    get refused() {
      return refused;
    },
    cut(nth, when) {
      plan = { at: commits + nth, when };
    },
    answerReadWrongly() {
      spoilsRead = true;
    },
    refuse(connections) {
      refused = connections;
      for (const socket of sockets) socket.destroy();
    },
    freeze(which) {
      freezesAll = which === 'all';
      for (const socket of sockets) socket.pause();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}
