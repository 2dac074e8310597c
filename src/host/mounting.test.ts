import { HttpAgent } from '@ag-ui/client';
import { Hono } from 'hono';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { memoryStore } from '../store/memory/index.ts';
import type { Host } from './create-host.ts';
import { createHost } from './create-host.ts';
import type { HostOptions } from './host-options.ts';
import { toNodeHandler } from './node/index.ts';
import { demoAgent } from './testing-support/demo-agent.ts';
import { approve, createHostClient } from './testing-support/host-client.ts';

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

function setUp(options: Partial<HostOptions> = {}) {
  const outside = { done: [] as string[] };
  const host = createHost({
    logger: false,
    agents: [demoAgent(outside)],
    store: memoryStore(),
    sweepMs: 0,
    ...options,
  });
  closers.push(() => host.close({ withinMs: 100 }));
  return { host, outside };
}

/** Serves one function and returns its address. */
async function serveFetch(host: Pick<Host, 'fetch'>): Promise<string> {
  const handle = toNodeHandler(host);
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  closers.push(
    () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(resolve);
      }),
  );
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('agentRoute', () => {
  it('serves runs, answers and connect of one agent at the path that it is mounted at', async () => {
    const { host, outside } = setUp();
    const url = await serveFetch({ fetch: host.agentRoute('assistant') });
    const agent = new HttpAgent({ url: `${url}/api/agent`, threadId: 't' });
    agent.addMessage({ id: 'm', role: 'user', content: 'email' });
    await agent.runAgent({});
    const [interrupt] = agent.pendingInterrupts;
    const reloaded = new HttpAgent({ url: `${url}/api/agent/connect`, threadId: 't' });
    await reloaded.runAgent({});
    expect(reloaded.pendingInterrupts).toEqual([interrupt]);
    await agent.runAgent({ resume: [approve(interrupt)] });
    expect([outside.done, agent.messages.at(-1)?.content]).toEqual([
      ['a@b.c: hello'],
      'Result: {"sent":true}',
    ]);
  });

  it('serves useChat of AI SDK below the path that it is mounted at', async () => {
    const { host } = setUp();
    const serve = host.agentRoute('assistant');
    const url = 'http://localhost/api/agent/ui-message-stream';
    const messages = [{ id: 'u', role: 'user', parts: [{ type: 'text', text: 'email' }] }];
    const body = JSON.stringify({ id: 'connect', messages });
    const headers = { 'content-type': 'application/json' };
    const sent = await serve(new Request(url, { method: 'POST', headers, body }));
    expect(await sent.text()).toContain('"tool-approval-request"');
    const loaded = await (await serve(new Request(`${url}/connect`))).json();
    expect(loaded).toMatchObject({ id: 'connect', messages: [{ id: 'u' }, { id: 'reply-u' }] });
    expect(await (await serve(new Request(`${url}/connect/stream`))).text()).toContain('"reply-u"');
  });

  it('describes the agent for a GET, and rejects other methods and unknown agents', async () => {
    const { host } = setUp();
    const request = (method: string) => new Request('http://localhost/api/agent', { method });
    const shown = await host.agentRoute('assistant')(request('GET'));
    expect(await shown.json()).toMatchObject({ id: 'assistant', capabilities: {} });
    expect((await host.agentRoute('assistant')(request('DELETE'))).status).toBe(404);
    expect((await host.agentRoute('nobody/else')(request('GET'))).status).toBe(404);
  });
});

describe('basePath', () => {
  it('serves every route under its prefix, as a route handler of Next.js passes them', async () => {
    const { host, outside } = setUp({ basePath: '/api/holdpoint/' });
    const client = createHostClient(host.fetch, { url: 'http://localhost/api/holdpoint' });
    const { interrupts } = await client.run({ say: 'email' });
    expect((await client.get('/interrupts')).body.interrupts).toHaveLength(1);
    expect((await client.run({ resume: [approve(interrupts[0])] })).outcome).toBe('success');
    expect(outside.done).toHaveLength(1);
    expect((await client.get('/threads/t')).body.status).toBe('idle');
    expect((await client.send('DELETE', '/threads/t')).status).toBe(204);
    expect((await client.get('/nothing')).body.error).toMatchObject({ code: 'NOT_FOUND' });
  });

  it('does not change a path that only begins with the same letters', async () => {
    const { host } = setUp({ basePath: '/api' });
    const get = (path: string) => host.fetch(new Request(`http://localhost${path}`));
    expect((await get('/api/agents')).status).toBe(200);
    expect((await get('/apiagents')).status).toBe(404);
  });

  it('answers 404 outside the base path, for every method and before authentication', async () => {
    const { host } = setUp({
      basePath: '/api',
      authenticate: () => undefined,
      pages: () => new Response(''),
    });
    const send = async (path: string, method = 'GET') =>
      (await host.fetch(new Request(`http://localhost${path}`, { method }))).status;
    expect([await send('/agents'), await send('/healthz'), await send('/'), await send('/apis')]).toEqual([
      404, 404, 404, 404,
    ]);
    expect([await send('/agents/assistant', 'POST'), await send('/api/agents/assistant', 'POST')]).toEqual([
      404, 401,
    ]);
  });

  it('leaves the prefix of a Hono application to that application', async () => {
    const { host } = setUp({ basePath: '/api' });
    const app = new Hono().route('/ai', host.app);
    expect((await app.request('http://localhost/ai/agents')).status).toBe(200);
  });
});
