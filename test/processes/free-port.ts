import { createServer } from 'node:net';

/** Below the ephemeral ports of the system. */
const FIRST = 20_000;
const COUNT = 10_000;
/** Far from the ports of a process that started a moment before: it may restart a server on one of them. */
let next = FIRST + ((process.pid * 100) % COUNT);

/** A loopback port that stays free until it is used, also during a restart of its server. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < COUNT; attempt += 1) {
    const port = next;
    next = FIRST + ((next + 1 - FIRST) % COUNT);
    if (await isFree(port)) return port;
  }
  throw new Error('No free port was found.');
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
