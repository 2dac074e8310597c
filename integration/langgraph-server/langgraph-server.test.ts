/** A LangGraph server behind a host by the official `LangGraphAgent`: two tenants at once, and what it gets of a client. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { LangGraphAgent } from '@ag-ui/langgraph';
import { startServer } from '@langchain/langgraph-api/server';

import { fromAgUi } from '../../src/adapters/ag-ui/index.ts';
import { answer, createClient } from '../../src/client/index.ts';
import type { Host } from '../../src/host/index.ts';
import { createHost } from '../../src/host/index.ts';
import { serve } from '../../src/host/node/index.ts';
import { memoryStore } from '../../src/store/memory/index.ts';

// The server logs every error: with a closed output, it would log the errors of its own log for ever.
for (const output of [process.stdout, process.stderr]) output.on('error', () => process.exit(1));

const folder = mkdtempSync(join(import.meta.dirname, 'node_modules/.server-'));
let server: Awaited<ReturnType<typeof startServer>>;
let deploymentUrl = '';
before(async () => {
  const graphs = { agent: `${join(import.meta.dirname, 'graph.ts')}:graph` };
  server = await startServer({ port: 0, nWorkers: 10, host: '127.0.0.1', cwd: folder, graphs });
  deploymentUrl = `http://${server.host}`;
});
after(async () => {
  await server.cleanup();
  rmSync(folder, { recursive: true, force: true });
});

const TENANTS = ['red', 'blue'];

/** The host, and a client of each tenant and agent. A tenant is the value of the header `tenant`. */
async function start(): Promise<{ readonly host: Host; readonly url: string; close(): Promise<void> }> {
  const make = () => new LangGraphAgent({ deploymentUrl, graphId: 'agent' });
  const host = createHost({
    logger: false,
    store: memoryStore(),
    sweepMs: 0,
    agents: { instance: make(), factory: make, adapted: fromAgUi(make()) },
    authenticate: (request) => ({ id: 'ana', scope: request.headers.get('tenant') ?? '' }),
  });
  return { host, ...(await serve(host, { port: 0 })) };
}

for (const agent of ['instance', 'factory', 'adapted']) {
  void test(`${agent}: each stream of two tenants holds the words of its own run`, async () => {
    const { url, close } = await start();
    const streams = TENANTS.flatMap((tenant) =>
      Array.from({ length: 4 }, async (_, index) => {
        const client = createClient({ url: `${url}/agents/${agent}`, headers: { tenant } });
        // Both tenants use the same thread ids.
        const run = client.run({ threadId: `t${index}`, messages: `${tenant} ${index}` });
        let words = '';
        for await (const { contents } of run) {
          for (const part of contents) if (part.type === 'text') words += part.text;
        }
        return [words, `You said ${tenant} ${index}.`] as const;
      }),
    );
    for (const [words, expected] of await Promise.all(streams)) assert.equal(words, expected);
    await close();
  });

  void test(`${agent}: an answer reaches the graph of its own tenant`, async () => {
    const { url, close } = await start();
    const [red, blue] = TENANTS.map((tenant) =>
      createClient({ url: `${url}/agents/${agent}`, headers: { tenant } }),
    );
    assert.ok(red !== undefined && blue !== undefined);
    const asked = await Promise.all(
      [red, blue].map((client, index) => client.run({ threadId: 't', messages: `pay ${index}` }).finished),
    );
    const [first, second] = asked.map(({ interrupts }) => interrupts[0]);
    assert.ok(first !== undefined && second !== undefined);
    assert.match(JSON.stringify(first), /May I pay 0/);
    assert.match(JSON.stringify(second), /May I pay 1/);
    const { messages } = await red.resume({ threadId: 't' }, answer(first, { approved: true })).finished;
    assert.equal(messages.at(-1)?.content, 'pay 0: {"approved":true}');
    assert.equal((await blue.connect('t').finished).interrupts.length, 1);
    await close();
  });
}

/** The address of a server that passes requests on to the LangGraph server, and the requests that it got. */
async function startRecorder(): Promise<{ url: string; requests: string[]; close(): void }> {
  const requests: string[] = [];
  const recorder = createServer((request, response) => {
    void (async () => {
      const pieces: Buffer[] = [];
      for await (const piece of request) pieces.push(piece as Buffer);
      const text = Buffer.concat(pieces).toString();
      requests.push(`${request.method} ${request.url} ${text}`);
      const reply = await fetch(`${deploymentUrl}${request.url}`, {
        method: request.method ?? 'GET',
        headers: { 'content-type': 'application/json' },
        ...(text === '' ? {} : { body: text }),
      });
      response.writeHead(reply.status, { 'content-type': reply.headers.get('content-type') ?? '' });
      response.end(Buffer.from(await reply.arrayBuffer()));
    })();
  });
  await new Promise<void>((listening) => recorder.listen(0, '127.0.0.1', listening));
  const url = `http://127.0.0.1:${(recorder.address() as AddressInfo).port}`;
  return { url, requests, close: () => recorder.close().closeAllConnections() };
}

void test('the server gets no command, checkpoint, address, config or state that a client wrote', async () => {
  const recorder = await startRecorder();
  const make = () => new LangGraphAgent({ deploymentUrl: recorder.url, graphId: 'agent' });
  const host = createHost({
    logger: false,
    store: memoryStore(),
    sweepMs: 0,
    agents: { direct: make(), adapted: fromAgUi(make()) },
    authenticate: () => ({ id: 'ana', scope: 'a' }),
  });
  const { url } = await serve(host, { port: 0 });
  const post = async (agent: string, threadId: string, rest: object) => {
    const empty = {
      runId: crypto.randomUUID(),
      messages: [],
      tools: [],
      context: [],
      protocolVersion: '1.0',
    };
    const body = JSON.stringify({ ...empty, threadId, ...rest });
    const headers = { 'content-type': 'application/json' };
    return (await fetch(`${url}/agents/${agent}`, { method: 'POST', headers, body })).text();
  };
  for (const agent of ['direct', 'adapted']) {
    const written = {
      state: { approved: 'written by a client' },
      forwardedProps: {
        command: { goto: 'written by a client', update: { approved: 'written by a client' } },
        checkpoint_id: 'written by a client',
        webhook: 'https://client.example/written by a client',
        config: { configurable: { written: 'written by a client' } },
        interrupt_before: ['written by a client'],
      },
    };
    const messages = [{ id: `m-${agent}`, role: 'user', content: 'pay 7' }];
    assert.match(await post(agent, agent, { ...written, messages }), /May I pay 7/);
    // Both forms of an answer in one input.
    const open = await host.fetch(new Request(`${url}/interrupts?thread=${agent}`));
    const { interrupts } = (await open.json()) as { interrupts: { interrupt: { id: string } }[] };
    const resume = interrupts.map(({ interrupt }) => ({ interruptId: interrupt.id, status: 'cancelled' }));
    assert.equal(resume.length, 1);
    const both = { resume, forwardedProps: { command: { resume: 'written by a client' } } };
    assert.match(await post(agent, agent, both), /INPUT_INVALID/);
  }
  assert.ok(recorder.requests.some((request) => request.includes('pay 7')));
  assert.deepEqual(
    recorder.requests.filter((request) => request.includes('written by a client')),
    [],
  );
  await host.close({ withinMs: 1000 });
  recorder.close();
});
