import { HttpAgent } from '@ag-ui/client';
import { Hono } from 'hono';
import express from 'express';
import fastify from 'fastify';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { memoryStore } from '../store/memory/index.ts';
import type { Host } from './create-host.ts';
import { createHost } from './create-host.ts';
import { toExpress } from './express/index.ts';
import { toFastify } from './fastify/index.ts';
import type { HostOptions } from './host-options.ts';
import { staticPages, toNodeHandler } from './node/index.ts';
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
  return serveNode(createServer((request, response) => void handle(request, response)));
}

async function serveNode(server: Server): Promise<string> {
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

describe('the pages of a host below a path', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pages-'));
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'index.html'), '<script src="/assets/app.js?v=1"></script>');
  writeFileSync(join(folder, 'assets/app.js'), 'export {};');
  afterAll(() => rmSync(folder, { recursive: true }));

  /** Serves a host with pages below `/ai`. */
  const SERVERS: Readonly<Record<string, (host: Host) => Promise<string>>> = {
    Express: async (host) => {
      const app = express();
      app.use('/ai', toExpress(host));
      return serveNode(createServer(app));
    },
    Fastify: async (host) => {
      const app = fastify();
      await app.register(toFastify(host), { prefix: '/ai' });
      closers.push(() => app.close());
      return app.listen({ port: 0, host: '127.0.0.1' });
    },
    Hono: async (host) =>
      serveFetch({ fetch: async (request) => new Hono().route('/ai', host.app).fetch(request) }),
  };

  it.each([...Object.keys(SERVERS), 'basePath'])(
    'load their files and find their routes: %s',
    async (name) => {
      const pages = staticPages(folder);
      const { host } = setUp({ pages, ...(name === 'basePath' ? { basePath: '/ai' } : {}) });
      const url = await (SERVERS[name] ?? serveFetch)(host);
      for (const path of ['/ai', '/ai/', '/ai/inbox/t/i', '/ai/chat/t']) {
        const response = await fetch(url + path, { headers: { accept: 'text/html' } });
        expect([path, response.status]).toEqual([path, 200]);
        expect(await response.text()).toBe('<script src="/ai/assets/app.js?v=1"></script>');
      }
      expect(await (await fetch(`${url}/ai/assets/app.js?v=1`)).text()).toBe('export {};');
      expect((await fetch(`${url}/ai/agents/assistant`)).status).toBe(200);
      expect((await fetch(`${url}/assets/app.js`)).status).toBe(404);
    },
  );

  it('leave links alone below a path that could close an attribute', async () => {
    const { host } = setUp({ pages: staticPages(folder) });
    const request = new Request('http://localhost/', { headers: { accept: 'text/html' } });
    const page = await host.fetch(request, { mountPath: '/a"><script>' });
    expect(await page.text()).toBe('<script src="/assets/app.js?v=1"></script>');
  });
});

describe('toExpress', () => {
  it('leaves what is not its own to the next middleware, before authentication', async () => {
    const { host } = setUp({ authenticate: () => undefined });
    const app = express();
    app.use(toExpress(host));
    app.use(express.json());
    app.post('/orders', (request, response) => {
      response.json({ got: request.body as unknown });
    });
    app.get('/inbox', (_request, response) => {
      response.send('a page of the application');
    });
    const url = await serveNode(createServer(app));
    const order = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"amount":5}' };
    expect(await (await fetch(`${url}/orders`, order)).json()).toEqual({ got: { amount: 5 } });
    const page = await fetch(`${url}/inbox`, { headers: { accept: 'text/html' } });
    expect(await page.text()).toBe('a page of the application');
    expect((await fetch(`${url}/nothing`)).status).toBe(404);
    expect((await fetch(`${url}/agents`)).status).toBe(401);
  });
});

describe('signIn', () => {
  it('is in the body of a 401, and nowhere else', async () => {
    const { host } = setUp({ authenticate: () => undefined, signIn: '/login?next={path}' });
    const get = async (path: string) => (await host.fetch(new Request(`http://localhost${path}`))).json();
    expect(await get('/agents')).toMatchObject({
      error: { code: 'UNAUTHENTICATED', signIn: '/login?next={path}' },
    });
    expect(await get('/nothing')).toEqual({ error: { code: 'NOT_FOUND', message: expect.any(String) } });
  });
});
