/** The reader process of `host.ts`: opens connections, counts their bytes and reports when all have ended. */
import { connect } from 'node:net';

export interface ReadersTask {
  readonly port: number;
  /** One for each connection. */
  readonly requests: readonly string[];
  /** `end` reads each connection to its end; `open` reports when each has its response, and keeps it open. */
  readonly until: 'end' | 'open';
}

export interface ReadersResult {
  readonly milliseconds: number;
  readonly bytes: number;
}

async function read({ port, requests, until }: ReadersTask): Promise<ReadersResult> {
  const start = performance.now();
  let bytes = 0;
  const one = (request: string) =>
    new Promise<void>((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => socket.write(request));
      socket.on('error', reject);
      socket.on('data', (data) => {
        bytes += data.length;
        if (until === 'open') resolve();
      });
      socket.on('end', () => {
        socket.end();
        resolve();
      });
    });
  if (until === 'end') await Promise.all(requests.map(one));
  // As many at once as the backlog of the server takes.
  else
    for (let at = 0; at < requests.length; at += 200)
      await Promise.all(requests.slice(at, at + 200).map(one));
  return { milliseconds: performance.now() - start, bytes };
}

process.on('message', (task: ReadersTask | 'end') => {
  if (task === 'end') process.exit(0);
  read(task).then(
    (result) => process.send?.(result),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});
