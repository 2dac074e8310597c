/**
 * Any text, streamed as AG-UI events: a page at `/`, and `POST /agent` for every AG-UI client.
 * Run: npx tsx --conditions=holdpoint-source examples/01-stream-text/server.ts [--port 4680]
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as NodeReadableStream } from 'node:stream/web';
import { setTimeout as sleep } from 'node:timers/promises';

import { toAguiResponse } from 'holdpoint/stream';

const TEXT = `and the answer is already on its way.

You did not wait for all of it. Each word leaves the server as soon as it is there, in an event of its own, so a page can show it, a test can count it and another program can pass it on. Close this tab and the sentence simply stops: nothing keeps talking to an empty room.

There is no model behind this and no key. When you have one, hand its text to the same function, and everything you see here stays as it is.`;

/** Replaces a model: any source of text works, such as AI SDK's `streamText(...)`. */
async function* answer(question: string, signal: AbortSignal): AsyncGenerator<string> {
  for (const word of `You wrote “${question}”, ${TEXT}`.split(/(?<=\s)(?=\S)/)) {
    await sleep(25, undefined, { signal });
    yield word;
  }
}

const textIn = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

async function runAgent(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { threadId, runId, messages } = (await json(request)) as Record<string, unknown>;
  const question = textIn(Array.isArray(messages) && messages.at(-1)?.content) ?? 'nothing at all';
  const ids = { threadId: textIn(threadId), runId: textIn(runId) };
  const { status, headers, body } = toAguiResponse((signal) => answer(question, signal), ids);
  response.writeHead(status, Object.fromEntries(headers));
  await pipeline(Readable.fromWeb(body as NodeReadableStream), response);
}

const PAGE = new Map([
  ['/', { file: 'page.html', type: 'text/html; charset=utf-8' }],
  ['/page.css', { file: 'page.css', type: 'text/css; charset=utf-8' }],
  ['/page.js', { file: 'page.js', type: 'text/javascript; charset=utf-8' }],
  ['/icon.svg', { file: 'icon.svg', type: 'image/svg+xml' }],
]);

const server = createServer((request, response) => {
  const asset = PAGE.get(request.url ?? '');
  if (request.method === 'POST' && request.url === '/agent') {
    runAgent(request, response).catch(() => {
      if (response.headersSent) response.destroy();
      else response.writeHead(400).end('The body is not an AG-UI run input.\n');
    });
  } else if (request.method === 'GET' && asset !== undefined) {
    const headers = { 'content-security-policy': "default-src 'self'", 'content-type': asset.type };
    response.writeHead(200, headers).end(readFileSync(new URL(asset.file, import.meta.url)));
  } else response.writeHead(404).end('Not found.\n');
});

function fail(code: number, sentence: string): never {
  console.error(sentence);
  process.exit(code);
}

const match = /^(?:--port (\d{1,5}))?$/.exec(process.argv.slice(2).join(' '));
const chosen = match?.[1];
let port = Number(chosen ?? 4680);
if (match === null || port > 65_535) fail(2, 'The only option is --port, with a number from 0 to 65535.');
server.on('listening', () => {
  console.log(`Holdpoint demo on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
server.on('error', (error) => {
  if (chosen || !error.message.includes('EADDRINUSE'))
    fail(1, `The server could not start: ${error.message}.`);
  server.listen((port += 1), '127.0.0.1');
});
server.listen(port, '127.0.0.1');
for (const name of ['SIGINT', 'SIGTERM']) process.once(name, () => server.close().closeAllConnections());
