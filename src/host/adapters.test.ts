import type { AddressInfo } from 'node:net';
import { createServer } from 'node:http';
import express from 'express';
import fastify from 'fastify';
import { getRequestListener } from '@hono/node-server';
import { HttpAgent } from '@ag-ui/client';
import { Hono } from 'hono';
import { afterEach, describe, expect, it } from 'vitest';
import { memoryStore } from '../store/memory/index.ts';
import { createHost } from './create-host.ts';
import type { Host } from './create-host.ts';
import { toExpress } from './express/index.ts';
import { toFastify } from './fastify/index.ts';
import type { HostOptions } from './host-options.ts';
import { serve, toNodeHandler } from './node/index.ts';
import { demoAgent } from './testing-support/demo-agent.ts';
import type { HostClient } from './testing-support/host-client.ts';
import {
  approve,
  createGate,
  createHostClient,
  eventually,
  openStream,
} from './testing-support/host-client.ts';

/** A host behind one of its adapters. */
interface Reached {
  readonly fetch: (request: Request) => Promise<Response>;
  readonly url: string;
  close(): Promise<void>;
}

async function listen(server: ReturnType<typeof createServer>, prefix: string): Promise<Reached> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    fetch: (request) => fetch(request),
    url: `http://127.0.0.1:${port}${prefix}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

const ADAPTERS: Readonly<Record<string, (host: Host) => Promise<Reached>>> = {
  'plain fetch': async (host) => ({ fetch: host.fetch, url: 'http://localhost', close: async () => {} }),
  'serve of holdpoint/node': async (host) => {
    const { url, close } = await serve(host, { port: 0 });
    return { fetch: (request) => fetch(request), url, close: () => close({ withinMs: 100 }) };
  },
  'a handler in a server of node:http': async (host) => {
    const handle = toNodeHandler(host);
    return listen(
      createServer((request, response) => void handle(request, response)),
      '',
    );
  },
  'Express 5, under a prefix': async (host) => {
    const app = express();
    app.use('/deep/agent', toExpress(host));
    app.use(express.json());
    app.get('/else', (_request, response) => void response.send('else'));
    return listen(createServer(app), '/deep/agent');
  },
  'Fastify 5, under a prefix': async (host) => {
    const app = fastify();
    await app.register(toFastify(host), { prefix: '/deep/agent' });
    await app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = app.server.address() as AddressInfo;
    return {
      fetch: (request) => fetch(request),
      url: `http://127.0.0.1:${port}/deep/agent`,
      async close() {
        app.server.closeAllConnections();
        await app.close();
      },
    };
  },
  'Fastify 5, without one': async (host) => {
    const app = fastify();
    await app.register(toFastify(host));
    await app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = app.server.address() as AddressInfo;
    return {
      fetch: (request) => fetch(request),
      url: `http://127.0.0.1:${port}`,
      async close() {
        app.server.closeAllConnections();
        await app.close();
      },
    };
  },
  'Hono, routed': async (host) => {
    const app = new Hono();
    app.route('/deep/agent', host.app);
    const handle = getRequestListener(app.fetch);
    return listen(
      createServer((request, response) => void handle(request, response)),
      '/deep/agent',
    );
  },
  'Hono, mounted': async (host) => {
    const app = new Hono();
    app.mount('/deep/agent', host.fetch);
    return {
      fetch: async (request) => app.fetch(request),
      url: 'http://localhost/deep/agent',
      close: async () => {},
    };
  },
};

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

describe.each(Object.entries(ADAPTERS))('a host behind %s', (_name, reach) => {
  async function setUp(options: Partial<HostOptions> = {}) {
    const outside = { done: [] as string[] };
    const host = createHost({
      logger: false,
      agents: [demoAgent(outside)],
      store: memoryStore(),
      sweepMs: 0,
      ...options,
    });
    const reached = await reach(host);
    closers.push(async () => {
      await host.close({ withinMs: 100 });
      await reached.close();
    });
    const client: HostClient = createHostClient(reached.fetch, { url: reached.url });
    return { host, outside, client, ...reached };
  }

  it('runs, interrupts, takes the answer, and shows the thread', async () => {
    const { client, outside } = await setUp();
    const { interrupts } = await client.run({ say: 'email' });
    expect((await client.get('/interrupts')).body.interrupts).toHaveLength(1);
    const told = await client.run({ path: '/chat/stream', resume: [approve(interrupts[0])] });
    expect([told.outcome, outside.done]).toEqual(['success', ['a@b.c: hello']]);
    expect((await client.get('/threads/t')).body).toMatchObject({ threadId: 't', status: 'idle' });
    expect((await client.get('/agents')).body.agents).toMatchObject([{ id: 'assistant' }]);
    expect((await client.get('/healthz')).body).toEqual({ status: 'ok' });
    expect((await client.send('DELETE', '/threads/t')).status).toBe(204);
  });

  it('sends each event at once', async () => {
    const gate = createGate();
    const { client } = await setUp({
      agents: {
        assistant: async function* ({ threadId, runId }) {
          yield { type: 'RUN_STARTED', threadId, runId };
          yield { type: 'STEP_STARTED', stepName: 'wait' };
          await gate.opened;
          yield { type: 'STEP_FINISHED', stepName: 'wait' };
          yield { type: 'RUN_FINISHED', threadId, runId };
        },
      },
    });
    const stream = await client.open({ say: 'go' });
    expect(stream.response.headers.get('content-type')).toBe('text/event-stream');
    await stream.until('STEP_STARTED');
    const watched = await client.watch('t', 0);
    await watched.until('STEP_STARTED');
    gate.open();
    expect((await stream.rest()).map(({ event }) => event.type)).toEqual(['STEP_FINISHED', 'RUN_FINISHED']);
    await watched.until('RUN_FINISHED');
    await watched.close();
  });

  it('rejects a request with status and code before any stream', async () => {
    const { client, fetch, url } = await setUp();
    const post = async (headers: Record<string, string>, body: string) => {
      const response = await fetch(new Request(`${url}/agents/assistant`, { method: 'POST', headers, body }));
      const { error } = (await response.json()) as { error: { code: string } };
      return [response.status, error.code];
    };
    const json = { 'content-type': 'application/json' };
    expect(await post(json, '{')).toEqual([400, 'INPUT_INVALID']);
    expect(await post(json, '')).toEqual([400, 'INPUT_INVALID']);
    expect(await post({ 'content-type': 'text/plain' }, '{}')).toEqual([415, 'UNSUPPORTED_MEDIA']);
    expect(await post({ ...json, accept: 'image/png' }, '{}')).toEqual([406, 'NOT_ACCEPTABLE']);
    expect(await post(json, JSON.stringify({ a: 'x'.repeat(2 ** 20) }))).toEqual([413, 'TOO_LARGE']);
    const unknown = await client.run({ agent: 'nobody', say: 'x' });
    expect([unknown.status, unknown.error?.code]).toEqual([404, 'AGENT_UNKNOWN']);
    expect((await client.get('/threads/none')).body.error.code).toBe('THREAD_UNKNOWN');
    expect((await client.get('/nothing/here')).status).toBe(404);
  });

  it('notices that a client disconnects', async () => {
    const gate = createGate();
    let stopped = false;
    const { client } = await setUp({
      onDisconnect: 'cancel',
      agents: {
        assistant: async function* ({ threadId, runId }, { signal }) {
          signal?.addEventListener('abort', () => {
            stopped = true;
          });
          yield { type: 'RUN_STARTED', threadId, runId };
          await gate.opened;
          yield { type: 'RUN_FINISHED', threadId, runId };
        },
      },
    });
    const stream = await client.open({ say: 'go' });
    await stream.until('RUN_STARTED');
    await stream.close();
    await eventually(() => stopped);
    gate.open();
  });

  it('stores and returns files of any content', async () => {
    const { client, fetch, url } = await setUp({ files: { maxBytes: 1000, types: ['image/*'] } });
    await client.run({ say: 'hello' });
    const upload = (body: Uint8Array<ArrayBuffer>, type: string) =>
      fetch(
        new Request(`${url}/threads/t/files?name=..%2F..%2Fa%20b.png`, {
          method: 'POST',
          headers: { 'content-type': type },
          body,
        }),
      );
    const bytes = Uint8Array.from({ length: 1000 }, (_, index) => index % 256);
    const taken = await upload(bytes, 'image/png');
    expect(taken.status).toBe(201);
    const { file } = (await taken.json()) as { file: { id: string } };
    expect(file).toMatchObject({ name: 'a b.png', type: 'image/png', size: 1000 });
    expect((await client.get('/threads/t/files')).body.files).toEqual([file]);
    const given = await fetch(new Request(`${url}/threads/t/files/${file.id}`));
    expect(new Uint8Array(await given.arrayBuffer())).toEqual(bytes);
    expect(given.headers.get('content-disposition')).toBe(`attachment; filename*=UTF-8''a%20b.png`);
    expect((await upload(new Uint8Array(1001), 'image/png')).status).toBe(413);
    expect((await upload(bytes, 'text/html')).status).toBe(415);
  });

  it('sets no header that affects the whole domain', async () => {
    const { client } = await setUp();
    for (const path of ['/healthz', '/agents', '/nothing']) {
      const { headers } = await client.get(path);
      expect(headers.get('strict-transport-security')).toBeNull();
      expect(headers.get('origin-agent-cluster')).toBeNull();
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    }
  });

  it('rejects a client after too many failed logins', async () => {
    const { fetch, url } = await setUp({
      authenticate: (request) =>
        request.headers.get('authorization') === 'right' ? { id: 'ana', scope: 's' } : null,
      limits: { failedLoginsPerMinute: 3 },
    });
    const statusOf = async (authorization: string) =>
      (await fetch(new Request(`${url}/agents`, { headers: { authorization } }))).status;
    expect(await statusOf('right')).toBe(200);
    for (let n = 0; n < 3; n += 1) expect(await statusOf('wrong')).toBe(401);
    expect(await statusOf('wrong')).toBe(429);
    // Counts by address where it is known, otherwise by credentials.
    expect(await statusOf('right')).toBe(url.startsWith('http://127.0.0.1') ? 429 : 200);
  });

  it('serves the official client', async () => {
    const { url, outside, fetch } = await setUp();
    const agent = new HttpAgent({
      url: `${url}/agents/assistant`,
      threadId: 't',
      fetch: (target, request) => fetch(new Request(target, request)),
    });
    agent.addMessage({ id: 'm', role: 'user', content: 'email' });
    await agent.runAgent({});
    const [pending] = agent.pendingInterrupts;
    await agent.runAgent({ resume: [approve(pending)] });
    expect(agent.messages.at(-1)?.content).toBe('Result: {"sent":true}');
    expect(outside.done).toHaveLength(1);
  });
});

describe('failed logins', () => {
  function setUp(options: Partial<HostOptions> = {}) {
    const host = createHost({
      logger: false,
      agents: [demoAgent({ done: [] })],
      store: memoryStore(),
      sweepMs: 0,
      authenticate: (request) =>
        request.headers.get('authorization') === 'right' ? { id: 'ana', scope: 's' } : null,
      limits: { failedLoginsPerMinute: 2 },
      ...options,
    });
    closers.push(() => host.close({ withinMs: 100 }));
    const statusOf = async (given: {
      readonly address?: string;
      readonly peer?: string;
      readonly headers?: Record<string, string>;
      readonly authorization?: string;
    }) => {
      const headers = { authorization: given.authorization ?? 'wrong', ...given.headers };
      const request = new Request('http://localhost/agents', { headers });
      const { address, peer } = given;
      const incoming = peer === undefined ? {} : { incoming: { socket: { remoteAddress: peer } } };
      return (await host.fetch(request, { clientAddress: address, ...incoming })).status;
    };
    return { host, statusOf };
  }

  it('failed logins are counted per address, and per 64-bit network for IPv6', async () => {
    const { statusOf } = setUp();
    const same = ['2001:db8:0:1::1', '2001:db8::1:ffff:0:0:2', '2001:DB8:0:1:1:2:3:4'];
    const statuses: number[] = [];
    for (const address of same) statuses.push(await statusOf({ address }));
    expect(statuses).toEqual([401, 401, 429]);
    expect(await statusOf({ address: '2001:db8:0:2::1' })).toBe(401);
    for (const address of ['10.0.0.1', '::ffff:10.0.0.1']) expect(await statusOf({ address })).toBe(401);
    expect(await statusOf({ address: '10.0.0.1' })).toBe(429);
    expect(await statusOf({ address: '10.0.0.1', authorization: 'right' })).toBe(429);
    expect(await statusOf({ address: '10.0.0.2', authorization: 'right' })).toBe(200);
  });

  it('failed logins are counted by the proxy header only if the host trusts it, by its last address', async () => {
    const address = '10.0.0.1';
    const trusting = setUp({ clientAddressHeader: 'x-forwarded-for' });
    const forwarded = (text: string) => ({ address, headers: { 'x-forwarded-for': text } });
    for (const spoofed of ['1.1.1.1', '2.2.2.2'])
      expect(await trusting.statusOf(forwarded(`${spoofed}, 10.9.9.9`))).toBe(401);
    expect(await trusting.statusOf(forwarded('3.3.3.3, 10.9.9.9'))).toBe(429);
    expect(await trusting.statusOf(forwarded('10.8.8.8'))).toBe(401);
    const wary = setUp();
    const direct = (text: string) => ({ peer: '203.0.113.7', headers: { 'x-forwarded-for': text } });
    for (const spoofed of ['1.1.1.1', '2.2.2.2']) expect(await wary.statusOf(direct(spoofed))).toBe(401);
    expect(await wary.statusOf(direct('3.3.3.3'))).toBe(429);
  });

  it('behind an unknown proxy are counted by credentials, with a warning', async () => {
    const warnings: string[] = [];
    const warn = (_details: object, message: string) => void warnings.push(message);
    const { statusOf } = setUp({ logger: { error: () => undefined, warn, info: () => undefined } });
    const from = (authorization: string) =>
      statusOf({ peer: '127.0.0.1', headers: { 'x-forwarded-for': '1.2.3.4' }, authorization });
    for (let n = 0; n < 5; n += 1) expect(await from(`guess ${n}`)).toBe(401);
    expect(await from('right')).toBe(200);
    expect(warnings).toEqual([expect.stringContaining('clientAddressHeader')]);
  });

  it('failed logins do not lock out others if no address is known', async () => {
    const { statusOf } = setUp();
    for (let n = 0; n < 50; n += 1) expect(await statusOf({ authorization: `guess ${n}` })).toBe(401);
    expect(await statusOf({ authorization: 'right' })).toBe(200);
    for (const status of [401, 401, 429]) expect(await statusOf({ authorization: 'the same' })).toBe(status);
  });

  it('failed logins are counted by the address that Express and Fastify take from their trusted proxy', async () => {
    const app = express();
    app.set('trust proxy', true);
    app.use(toExpress(setUp().host));
    const behindExpress = await listen(createServer(app), '');
    const other = fastify({ trustProxy: true });
    await other.register(toFastify(setUp().host));
    await other.listen({ port: 0, host: '127.0.0.1' });
    closers.push(
      () => behindExpress.close(),
      () => other.close(),
    );
    const { port } = other.server.address() as AddressInfo;
    for (const url of [behindExpress.url, `http://127.0.0.1:${port}`]) {
      const statusOf = async (address: string) =>
        (await fetch(`${url}/agents`, { headers: { 'x-forwarded-for': address } })).status;
      for (const status of [401, 401, 429]) expect(await statusOf('10.1.1.1')).toBe(status);
      expect(await statusOf('10.1.1.2')).toBe(401);
    }
  });
});

describe('Express', () => {
  it('rejects a body that a parser has read, with a hint to mount the host first', async () => {
    const host = createHost({
      logger: false,
      agents: [demoAgent({ done: [] })],
      store: memoryStore(),
      sweepMs: 0,
    });
    const app = express();
    app.use(express.json());
    app.use(toExpress(host));
    let said = '';
    app.use(
      (error: Error, _request: express.Request, response: express.Response, _next: express.NextFunction) => {
        said = error.message;
        response.status(500).end();
      },
    );
    const reached = await listen(createServer(app), '');
    closers.push(() => reached.close());
    const response = await fetch(`${reached.url}/agents/assistant`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    expect(response.status).toBe(500);
    expect(said).toMatch(/before body parsers/);
    await host.close();
  });
});

describe('closing serve', () => {
  async function setUp(store = memoryStore()) {
    const gate = createGate();
    const host = createHost({
      logger: false,
      agents: {
        assistant: async function* ({ threadId, runId }) {
          yield { type: 'RUN_STARTED', threadId, runId };
          await gate.opened;
          yield { type: 'RUN_FINISHED', threadId, runId };
        },
      },
      store,
      sweepMs: 0,
      leaseMs: 60_000,
    });
    const served = await serve(host, { port: 0 });
    const client = createHostClient((request) => fetch(request), { url: served.url });
    return { gate, host, served, client, store };
  }

  it('lets a run finish and rejects new ones', async () => {
    const { gate, served, client } = await setUp();
    const stream = await client.open({ say: 'go' });
    await stream.until('RUN_STARTED');
    // Uses an open connection, because the server rejects new ones.
    const closing = served.close({ withinMs: 5000 });
    const refused = await client.run({ say: 'go', thread: 'other' }).catch(() => ({ status: 503 }));
    expect(refused.status).toBe(503);
    gate.open();
    expect((await stream.rest()).at(-1)?.event).toMatchObject({ type: 'RUN_FINISHED' });
    await closing;
    await expect(fetch(`${served.url}/healthz`)).rejects.toBeInstanceOf(Error);
  });

  it('hands over a run that does not finish in time', async () => {
    const { served, client, store } = await setUp();
    const stream = await client.open({ say: 'go' });
    await stream.until('RUN_STARTED');
    const watched = await client.watch('t', 0);
    await watched.until('RUN_STARTED');
    await served.close({ withinMs: 50 });
    // The client sees a broken stream, not a success.
    const rest = await stream.rest().catch(() => []);
    expect(rest.map(({ event }) => event.type)).not.toContain('RUN_FINISHED');
    const next = await setUp(store);
    next.gate.open();
    closers.push(() => next.served.close({ withinMs: 100 }));
    // At once, without waiting for the end of the lease.
    await next.host.sweep();
    await eventually(async () => (await next.client.get('/threads/t')).body.status !== 'active');
    const told = await next.client.run({});
    expect(told.outcome).toBe('success');
  });

  it('keeps an idle connection longer than the 60 seconds of a proxy', async () => {
    const { served } = await setUp();
    closers.push(() => served.close({ withinMs: 100 }));
    const { headers } = await fetch(`${served.url}/healthz`);
    expect(headers.get('keep-alive')).toBe('timeout=65');
  });

  it('rejects a host without authenticate on a public address', async () => {
    const host = createHost({
      logger: false,
      agents: [demoAgent({ done: [] })],
      store: memoryStore(),
      sweepMs: 0,
    });
    await expect(serve(host, { port: 0, hostname: '0.0.0.0' })).rejects.toMatchObject({
      code: 'INPUT_INVALID',
    });
    const open = createHost({
      logger: false,
      agents: [demoAgent({ done: [] })],
      store: memoryStore(),
      sweepMs: 0,
      allowUnauthenticated: true,
    });
    const served = await serve(open, { port: 0, hostname: '0.0.0.0' });
    expect((await fetch(`http://127.0.0.1:${served.port}/agents`)).status).toBe(200);
    await served.close();
    await host.close();
  });

  it('takes the next free port with nextFreePort', async () => {
    const { served } = await setUp();
    closers.push(() => served.close({ withinMs: 0 }));
    const host = createHost({
      logger: false,
      agents: [demoAgent({ done: [] })],
      store: memoryStore(),
      sweepMs: 0,
    });
    await expect(serve(host, { port: served.port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
    const next = await serve(host, { port: served.port, nextFreePort: true });
    expect(next.port).toBeGreaterThan(served.port);
    await next.close();
  });
});

describe('a stream during close', () => {
  it('still gets its last events', async () => {
    const frames = await openStream(
      new Response('id: 1\ndata: {"type":"CUSTOM"}\n\n: keep-alive\n\n'),
    ).rest();
    expect(frames).toEqual([{ id: 1, event: { type: 'CUSTOM' } }]);
  });
});
