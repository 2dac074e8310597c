/** Runs `a2aAgent` on a thread without a host: verifies and applies every event, and keeps every id. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage, RequestListener } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { Agent } from '../../src/engine/index.ts';
import {
  createApplier,
  createVerifier,
  interruptsOf,
  isRunError,
  isRunFinished,
} from '../../src/protocol/index.ts';
import type { Interrupt, Message, ResumeEntry } from '../../src/protocol/index.ts';

export interface Ended {
  readonly outcome: string;
  readonly interrupts: readonly Interrupt[];
  readonly texts: readonly string[];
}

export function threadOf(agent: Agent, threadId: string) {
  let messages: Message[] = [];
  let state: unknown = {};
  let runs = 0;
  const run = async (resume: readonly ResumeEntry[]): Promise<Ended> => {
    runs += 1;
    const runId = `agui-run-${runs}`;
    const verifier = createVerifier();
    const warnings: string[] = [];
    const applier = createApplier({ messages, state, onWarning: (warning) => warnings.push(warning) });
    let outcome = '';
    let interrupts: readonly Interrupt[] = [];
    const input = { threadId, runId, messages, state, tools: [], context: [], forwardedProps: {} };
    for await (const event of agent.run(resume.length === 0 ? input : { ...input, resume: [...resume] })) {
      verifier.check(event);
      applier.apply(event);
      if (isRunFinished(event)) {
        outcome = event.outcome?.type ?? 'success';
        interrupts = interruptsOf(event);
      }
      if (isRunError(event)) outcome = `${event.code}: ${event.message}`;
    }
    verifier.end();
    assert.deepEqual(warnings, []);
    messages = [...applier.messages];
    state = applier.state;
    const texts = messages.flatMap(({ role, content }) =>
      role === 'assistant' && typeof content === 'string' ? [content] : [],
    );
    return { outcome, interrupts, texts };
  };
  return {
    say(text: string): Promise<Ended> {
      messages = [...messages, { id: `agui-message-${runs}`, role: 'user', content: text }];
      return run([]);
    },
    resume: run,
  };
}

/** A server on a free port that records its requests. */
export async function listen(make: (url: string) => Promise<RequestListener> | RequestListener) {
  const requests: string[] = [];
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const app = await make(url);
  server.on('request', (request, response) => {
    record(request, requests);
    app(request, response);
  });
  return {
    url,
    port,
    requests,
    /** Stops the server; `start` continues it at the same address. */
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
    async start() {
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
    },
    async close() {
      if (!server.listening) return;
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

function record(request: IncomingMessage, requests: string[]): void {
  const pieces: Buffer[] = [];
  request.on('data', (piece: Buffer) => pieces.push(piece));
  request.on('end', () => {
    requests.push(
      `${request.url} ${JSON.stringify(request.headers)} ${Buffer.concat(pieces).toString('utf8')}`,
    );
  });
}

/** Expects that no AG-UI id has reached a server. */
export function assertNothingLeaked(requests: readonly string[], interrupts: readonly Interrupt[]): void {
  const ids = ['agui-', ...interrupts.map(({ id }) => id)];
  const leaked = ids.filter((id) => requests.some((request) => request.includes(id)));
  assert.deepEqual(leaked, []);
}
