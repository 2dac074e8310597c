/** The process of a server that streams the same events: a host on a store, or `node:http` that writes the same bytes. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHost } from 'holdpoint/host';
import { serve } from 'holdpoint/node';
import { memoryStore } from 'holdpoint/store/memory';
import { sqliteStore } from 'holdpoint/store/sqlite';

export interface EventServerOptions {
  readonly kind: 'memory' | 'sqlite' | 'bare';
  readonly file: string;
}

/** Also in `cases/events.ts`, which does not load a host. */
const EVENTS = 500;

export async function open({ kind, file }: EventServerOptions) {
  const port = kind === 'bare' ? await serveBare() : await serveHost(kind, file);
  return { port: () => port };
}

/** A model that emits four events in each turn of the event loop. */
async function* talker({ threadId, runId }: { readonly threadId: string; readonly runId: string }) {
  yield { type: 'RUN_STARTED', threadId, runId };
  yield { type: 'TEXT_MESSAGE_START', messageId: 'm', role: 'assistant' };
  for (let n = 0; n < EVENTS - 4; n += 1) {
    yield { type: 'TEXT_MESSAGE_CONTENT', messageId: 'm', delta: 'so many words ' };
    if (n % 4 === 0) {
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
    }
  }
  yield { type: 'TEXT_MESSAGE_END', messageId: 'm' };
  yield { type: 'RUN_FINISHED', threadId, runId };
}

async function serveHost(kind: 'memory' | 'sqlite', file: string): Promise<number> {
  const store = kind === 'memory' ? memoryStore() : sqliteStore(file);
  // One principal reads all streams.
  const many = { openStreams: 20_000, concurrentRuns: 5000 };
  const limits = { requestsPerMinute: 1e9, concurrentRuns: 5000, perPrincipal: many, perScope: many };
  const host = createHost({ agents: { talker }, store, limits, logger: false });
  return (await serve(host, { port: 0 })).port;
}

async function serveBare(): Promise<number> {
  const frame = `id: 100\ndata: ${JSON.stringify({ type: 'TEXT_MESSAGE_CONTENT', messageId: 'm', delta: 'so many words ' })}\n\n`;
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const write = async () => {
      for await (const _event of talker({ threadId: 't', runId: 'r' })) {
        if (!response.write(frame)) await once(response, 'drain');
      }
      response.end();
    };
    void write();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}
