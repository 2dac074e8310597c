import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as NodeReadableStream } from 'node:stream/web';

/** A real server on a free port; dispose of it to close every connection. */
export interface Served {
  readonly url: string;
  close(): Promise<void>;
}

/** Answers every request with the response that `answer` returns for its JSON body. */
export async function serve(answer: (input: unknown) => Response): Promise<Served> {
  const server = createServer((request, response) => {
    handle(answer, { request, response }).catch(() => response.destroy());
  });
  // Only the client ends an idle connection: a server that does so may meet the next request on it.
  server.keepAliveTimeout = 0;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

async function handle(answer: (input: unknown) => Response, { request, response }: Exchange): Promise<void> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += String(chunk);
  const answered = answer(text === '' ? undefined : JSON.parse(text));
  response.writeHead(answered.status, Object.fromEntries(answered.headers));
  // The DOM and Node declare this class separately.
  const body = answered.body as unknown as NodeReadableStream<Uint8Array>;
  await pipeline(Readable.fromWeb(body), response);
}
