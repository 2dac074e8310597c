import { once } from 'node:events';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AgentStreamEvent, DialectName, RunAgentInput } from '../../protocol/index.ts';
import { createEventWriter } from '../../protocol/index.ts';

/** One request, and functions to answer it in any way. */
export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The JSON body; `{}` without one. */
  readonly body: RunAgentInput & Record<string, unknown>;
  readonly response: ServerResponse;
  /** Writes text unchanged. */
  write(text: string): Promise<void>;
  /** Writes events as frames, numbered from `firstId` if it is set. */
  send(events: readonly unknown[], firstId?: number): Promise<void>;
  end(): void;
  /** Breaks the connection. */
  cut(): void;
  json(status: number, value: unknown): void;
}

export interface Served {
  readonly origin: string;
  /** The URL of an agent, as on a Holdpoint host. */
  readonly url: string;
  readonly exchanges: Exchange[];
  close(): Promise<void>;
}

export type Handler = (exchange: Exchange, index: number) => void | Promise<void>;

/** A real server on a free port; the handler answers each request. */
export async function serve(handler: Handler): Promise<Served> {
  const exchanges: Exchange[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    request.on('end', () => {
      const exchange = createExchange(response, {
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        body: (text === '' ? {} : JSON.parse(text)) as Exchange['body'],
      });
      exchanges.push(exchange);
      Promise.resolve(handler(exchange, exchanges.length - 1)).catch(() => response.destroy());
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    url: `${origin}/agents/assistant`,
    exchanges,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

function createExchange(
  response: ServerResponse,
  request: Pick<Exchange, 'method' | 'path' | 'headers' | 'body'>,
): Exchange {
  const write = (text: string) =>
    new Promise<void>((resolve) => {
      if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(text, () => resolve());
    });
  return {
    ...request,
    response,
    write,
    send: (events, firstId) =>
      write(
        events
          .map((event, index) => frame(event, firstId === undefined ? undefined : firstId + index))
          .join(''),
      ),
    end: () => response.end(),
    cut: () => response.destroy(),
    json(status, value) {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(value));
    },
  };
}

/** One frame; the id is before the data, as servers write it. */
export function frame(event: unknown, id?: number | string): string {
  return `${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(event)}\n\n`;
}

/** The events of a run in a dialect. */
export function inDialect(events: readonly AgentStreamEvent[], dialect: DialectName): unknown[] {
  const write = createEventWriter(dialect);
  return events.flatMap((event) => write(event));
}
