import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The part of an OpenAI chat request that the tests read. */
export interface ChatRequest {
  readonly model: string;
  readonly messages: readonly Record<string, unknown>[];
  readonly tools?: readonly { readonly function: { readonly name: string; readonly parameters: unknown } }[];
  readonly [member: string]: unknown;
}

/** The scripted response to one request: chunks, an error status, or a start without an end. */
export type Reply =
  | { readonly chunks: readonly object[] }
  | { readonly status: number }
  | { readonly silentAfter: readonly object[] };

/** The server and its recorded requests. */
export interface OpenAiServer {
  readonly url: string;
  readonly requests: readonly ChatRequest[];
  /** Resolves when the client hangs up before the answer is complete. */
  readonly hungUp: Promise<void>;
  close(): Promise<void>;
}

/** A server on a free port that streams as OpenAI does, one scripted reply for each request. */
export async function startOpenAiServer(replies: readonly Reply[]): Promise<OpenAiServer> {
  const requests: ChatRequest[] = [];
  const { promise: hungUp, resolve: noteHangUp } = withResolvers();
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    let text = '';
    for await (const chunk of request.setEncoding('utf8')) text += String(chunk);
    requests.push(JSON.parse(text) as ChatRequest);
    response.on('close', () => {
      if (!response.writableFinished) noteHangUp();
    });
    const reply = replies[requests.length - 1] ?? { status: 404 };
    if ('status' in reply) {
      response.writeHead(reply.status, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { message: 'secret detail', type: 'server_error' } }));
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const chunks = 'chunks' in reply ? reply.chunks : reply.silentAfter;
    for (const chunk of chunks) response.write(`data: ${JSON.stringify(chunk)}\n\n`);
    if ('chunks' in reply) response.end('data: [DONE]\n\n');
  };
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    hungUp,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

const about = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1_700_000_000, model: 'small' };

function chunk(delta: object, finishReason: string | null = null): object {
  return { ...about, choices: [{ index: 0, delta, finish_reason: finishReason }] };
}

const usage = {
  ...about,
  choices: [],
  usage: {
    prompt_tokens: 10,
    completion_tokens: 5,
    total_tokens: 15,
    prompt_tokens_details: { cached_tokens: 4 },
    completion_tokens_details: { reasoning_tokens: 2 },
  },
};

/** Text in pieces, then a call whose arguments come in pieces, then the usage. */
export function callChunks(
  words: readonly string[],
  call: { id: string; name: string; input: unknown },
): object[] {
  const text = JSON.stringify(call.input);
  const half = Math.ceil(text.length / 2);
  const piece = (part: string, named = {}) => ({
    tool_calls: [
      { index: 0, ...named, function: { ...('id' in named ? { name: call.name } : {}), arguments: part } },
    ],
  });
  return [
    chunk({ role: 'assistant', content: '' }),
    ...words.map((content) => chunk({ content })),
    chunk(piece('', { id: call.id, type: 'function' })),
    chunk(piece(text.slice(0, half))),
    chunk(piece(text.slice(half))),
    chunk({}, 'tool_calls'),
    usage,
  ];
}

/** Text in pieces, then the usage. */
export function textChunks(words: readonly string[]): object[] {
  return [
    chunk({ role: 'assistant', content: '' }),
    ...words.map((content) => chunk({ content })),
    chunk({}, 'stop'),
    usage,
  ];
}

function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
