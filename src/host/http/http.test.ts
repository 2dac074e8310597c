import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { AgentCapabilities } from '@ag-ui/core';
import { decode } from '@ag-ui/proto';
import { afterEach, describe, expect, it } from 'vitest';
import { digestJson, HoldpointError } from '../../core/index.ts';
import type { Approval } from '../../engine/index.ts';
import { defineTool } from '../../engine/index.ts';
import { storeGrants } from '../../ledger/index.ts';
import { defineAgent } from '../../runs/index.ts';
import type { Store } from '../../store/index.ts';
import { memoryStore } from '../../store/memory/index.ts';
import { scriptedModel } from '../../testing/index.ts';
import type { Host } from '../create-host.ts';
import { createHost } from '../create-host.ts';
import type { HostOptions } from '../host-options.ts';
import { staticPages } from '../node/index.ts';
import { demoAgent } from '../testing-support/demo-agent.ts';
import type { HostClient } from '../testing-support/host-client.ts';
import { approve, createGate, createHostClient } from '../testing-support/host-client.ts';

const hosts: Host[] = [];
afterEach(async () => {
  for (const host of hosts.splice(0)) await host.close({ withinMs: 100 });
});

function setUp(options: Partial<HostOptions> = {}) {
  const outside = { done: [] as string[] };
  const logged: { readonly err?: unknown }[] = [];
  const host = createHost({
    agents: [demoAgent(outside)],
    store: memoryStore(),
    sweepMs: 0,
    logger: { error: (details) => logged.push(details), warn: () => {}, info: () => {} },
    ...options,
  });
  hosts.push(host);
  return { host, outside, logged, client: createHostClient(host.fetch) };
}

const INPUT = { threadId: 't', runId: 'r', messages: [], tools: [], context: [], state: {} };

/** Sends a raw run request; returns status and code. */
async function post(
  host: Host,
  body: unknown,
  headers: Record<string, string> = {},
  path = '/agents/assistant',
) {
  const response = await host.fetch(
    new Request(`http://localhost${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    }),
  );
  const text = await response.text();
  const code = text.startsWith('{"error"')
    ? (JSON.parse(text) as { error: { code: string } }).error.code
    : '';
  return { status: response.status, code, text, headers: response.headers };
}

describe('a request', () => {
  it.each([
    [undefined, 'text/event-stream'],
    ['', 'text/event-stream'],
    ['*/*', 'text/event-stream'],
    ['text/event-stream', 'text/event-stream'],
    ['application/json', 'text/event-stream'],
    ['text/html, text/event-stream;q=0.5', 'text/event-stream'],
    ['application/vnd.ag-ui.event+proto', 'application/vnd.ag-ui.event+proto'],
    ['text/event-stream;q=0.1, application/vnd.ag-ui.event+proto', 'application/vnd.ag-ui.event+proto'],
    ['application/vnd.ag-ui.event+proto;q=0, */*', 'text/event-stream'],
  ])('with Accept: %s gets %s', async (accept, type) => {
    const { host } = setUp();
    const { status, headers } = await post(host, INPUT, accept === undefined ? {} : { accept });
    expect([status, headers.get('content-type')]).toEqual([200, type]);
  });

  it('a request in binary is read by the official decoder, event by event', async () => {
    const { host, client, outside } = setUp();
    const binary = async (input: object) => {
      const response = await host.fetch(
        new Request('http://localhost/agents/assistant', {
          method: 'POST',
          headers: { 'content-type': 'application/json', accept: 'application/vnd.ag-ui.event+proto' },
          body: JSON.stringify({ protocolVersion: '1.0', ...input }),
        }),
      );
      const bytes = new Uint8Array(await response.arrayBuffer());
      const view = new DataView(bytes.buffer);
      const events: { type: string; outcome?: { interrupts?: { id: string; reason: string }[] } }[] = [];
      for (let at = 0; at < bytes.length;) {
        const size = view.getUint32(at);
        events.push(decode(bytes.subarray(at + 4, at + 4 + size)));
        at += 4 + size;
      }
      return events;
    };
    const messages = [{ id: 'm', role: 'user', content: 'email' }];
    const asked = await binary({ ...INPUT, messages });
    expect(asked.map(({ type }) => type)).toEqual([
      'RUN_STARTED',
      'TOOL_CALL_START',
      'TOOL_CALL_ARGS',
      'TOOL_CALL_ARGS',
      'TOOL_CALL_END',
      'STATE_SNAPSHOT',
      'MESSAGES_SNAPSHOT',
      'RUN_FINISHED',
    ]);
    const interrupts = (await client.run({ path: '/connect' })).interrupts;
    expect(asked.at(-1)?.outcome?.interrupts?.map(({ id }) => id)).toEqual(interrupts.map(({ id }) => id));
    const told = await binary({ ...INPUT, runId: 'r2', resume: [approve(interrupts[0])] });
    expect(told.map(({ type }) => type)).toContain('TOOL_CALL_RESULT');
    expect(outside.done).toHaveLength(1);
    // The binary form before 1.0 has no event for a result; the snapshot at the end brings it.
    const weather = [{ id: 'n', role: 'user', content: 'weather' }];
    const earlier = await binary({ ...INPUT, runId: 'r3', protocolVersion: undefined, messages: weather });
    expect(earlier.map(({ type }) => type)).not.toContain('TOOL_CALL_RESULT');
    expect(JSON.stringify(earlier.at(-2))).toContain('"content":"sunny in Oslo"');
  });

  it('an invalid request is rejected with status and code, and nothing runs', async () => {
    const { host, outside } = setUp({ limits: { messages: 2, bodyBytes: 2000, json: { maxDepth: 20 } } });
    const user = (id: string) => ({ id, role: 'user', content: 'email' });
    const deep = JSON.stringify({ ...INPUT, state: {} }).replace(
      '"state":{}',
      `"state":${'['.repeat(50)}${']'.repeat(50)}`,
    );
    const cases: readonly [string, unknown, Record<string, string>, number, string][] = [
      ['no JSON', 'hello', {}, 400, 'INPUT_INVALID'],
      ['no object', '[]', {}, 400, 'INPUT_INVALID'],
      ['null', 'null', {}, 400, 'INPUT_INVALID'],
      ['no thread', { ...INPUT, threadId: undefined }, {}, 400, 'INPUT_INVALID'],
      ['an empty thread', { ...INPUT, threadId: '' }, {}, 400, 'INPUT_INVALID'],
      ['a long thread', { ...INPUT, threadId: 'x'.repeat(257) }, {}, 400, 'INPUT_INVALID'],
      ['a thread with a line break', { ...INPUT, threadId: 'a\nb' }, {}, 400, 'INPUT_INVALID'],
      ['a thread with half a character', { ...INPUT, threadId: '\ud800' }, {}, 400, 'INPUT_INVALID'],
      ['messages that are none', { ...INPUT, messages: 'x' }, {}, 400, 'INPUT_INVALID'],
      [
        'a message without an id',
        { ...INPUT, messages: [{ role: 'user', content: 'x' }] },
        {},
        400,
        'INPUT_INVALID',
      ],
      ['too deep', deep, {}, 400, 'INPUT_INVALID'],
      ['an unknown dialect', INPUT, { 'ag-ui-dialect': 'klingon' }, 400, 'PROTOCOL_UNSUPPORTED'],
      ['no form of ours', INPUT, { accept: 'image/png' }, 406, 'NOT_ACCEPTABLE'],
      ['too many messages', { ...INPUT, messages: [user('a'), user('b'), user('c')] }, {}, 413, 'TOO_LARGE'],
      ['too many bytes', { ...INPUT, state: { a: 'x'.repeat(3000) } }, {}, 413, 'TOO_LARGE'],
      ['a lie about its length', INPUT, { 'content-length': '999999' }, 413, 'TOO_LARGE'],
      ['a form', 'a=b', { 'content-type': 'application/x-www-form-urlencoded' }, 415, 'UNSUPPORTED_MEDIA'],
      ['no type', INPUT, { 'content-type': '' }, 415, 'UNSUPPORTED_MEDIA'],
    ];
    for (const [name, body, headers, status, code] of cases) {
      const refused = await post(host, body, headers);
      expect([name, refused.status, refused.code]).toEqual([name, status, code]);
      expect(JSON.parse(refused.text).error.message).toMatch(/^[A-Z].*[.]$/);
    }
    const invalid = new Request('http://localhost/agents/assistant', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: new Uint8Array([0x7b, 0xff, 0xfe, 0x7d]),
    });
    expect((await host.fetch(invalid)).status).toBe(400);
    expect(outside.done).toEqual([]);
  });

  it('a request is rejected with INPUT_INVALID if its answer has a member twice, in a run and in the inbox', async () => {
    const { host, client, outside } = setUp();
    const { interrupts } = await client.run({ say: 'email' });
    const id = interrupts[0]?.id ?? '';
    const both = '{"approved":false,"approved":true}';
    const resume = [{ interruptId: id, status: 'resolved', payload: {} }];
    const run = await post(
      host,
      JSON.stringify({ ...INPUT, resume }).replace('"payload":{}', `"payload":${both}`),
      {},
    );
    expect([run.status, JSON.parse(run.text).error.issues]).toMatchObject([
      400,
      [{ pointer: '/resume/0/payload/approved' }],
    ]);
    const staged = await host.fetch(
      new Request(`http://localhost/threads/t/interrupts/${id}/answer`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: `{"status":"resolved","payload":${both}}`,
      }),
    );
    expect([staged.status, await staged.json()]).toMatchObject([
      400,
      { error: { code: 'INPUT_INVALID', issues: [{ pointer: '/payload/approved' }] } },
    ]);
    expect((await client.run({ path: '/connect' })).interrupts).toHaveLength(1);
    expect(outside.done).toEqual([]);
  });

  it('requests are limited per principal, and buckets refill', async () => {
    const { host } = setUp({
      limits: { requestsPerMinute: 3 },
      authenticate: (request) => ({ id: request.headers.get('x-who') ?? '', scope: 's' }),
    });
    const ask = async (who: string) =>
      (await host.fetch(new Request('http://localhost/agents', { headers: { 'x-who': who } }))).status;
    expect([await ask('a'), await ask('a'), await ask('a'), await ask('a')]).toEqual([200, 200, 200, 429]);
    expect(await ask('b')).toBe(200);
  });

  it('the number of open streams is limited', async () => {
    const { client } = setUp({ limits: { openStreams: 2 } });
    const open = [await client.watch('a'), await client.watch('b')];
    const refused = await client.watch('c');
    expect(refused.response.status).toBe(429);
    const run = await client.run({ say: 'hello' });
    expect([run.status, run.error?.code]).toEqual([429, 'RATE_LIMITED']);
    expect((await client.get('/threads')).body.threads).toEqual([]);
    for (const stream of open) await stream.close();
    for (let n = 0; n < 5; n += 1) expect((await client.send('HEAD', '/threads/t/events')).status).toBe(200);
    for (let n = 0; n < 5; n += 1) {
      expect((await client.run({ say: 'hello' })).outcome).toBe('success');
      expect((await client.run({ say: 'x', agent: 'nobody' })).status).toBe(404);
      await (await client.watch('a')).close();
    }
  });
});

describe('authentication', () => {
  const bearer: NonNullable<HostOptions['authenticate']> = (request) => {
    const token = request.headers.get('authorization')?.replace(/^Bearer /, '');
    return token === 'ana-token' ? { id: 'ana', scope: 'acme' } : null;
  };

  it('authentication is required for everything except healthz', async () => {
    const { host } = setUp({ authenticate: bearer });
    const paths = [
      ['GET', '/agents'],
      ['GET', '/agents/assistant'],
      ['POST', '/agents/assistant'],
      ['POST', '/agents/assistant/connect'],
      ['POST', '/agents/assistant/chat/stream'],
      ['GET', '/threads'],
      ['GET', '/threads/t'],
      ['DELETE', '/threads/t'],
      ['GET', '/threads/t/events'],
      ['POST', '/threads/t/continue'],
      ['POST', '/threads/t/runs/r/cancel'],
      ['GET', '/interrupts'],
      ['GET', '/interrupts/events'],
      ['GET', '/threads/t/interrupts/i'],
      ['GET', '/threads/t/interrupts/i/history'],
      ['POST', '/threads/t/interrupts/i/answer'],
      ['POST', '/threads/t/interrupts/i/ask-again'],
      ['GET', '/grants'],
      ['DELETE', '/grants/g'],
      ['GET', '/threads/t/files'],
      ['POST', '/threads/t/files'],
      ['GET', '/threads/t/files/f'],
    ] as const;
    for (const [method, path] of paths) {
      const response = await host.fetch(
        new Request(`http://localhost${path}`, { method, headers: { authorization: 'Bearer wrong' } }),
      );
      const { error } = (await response.json()) as { error: { code: string } };
      expect([path, response.status, error.code]).toEqual([path, 401, 'UNAUTHENTICATED']);
    }
    const mine = await host.fetch(
      new Request('http://localhost/agents', { headers: { authorization: 'Bearer ana-token' } }),
    );
    expect(mine.status).toBe(200);
    expect((await host.fetch(new Request('http://localhost/healthz'))).status).toBe(200);
  });

  it('authentication is not required on loopback, and pages of other origins are rejected', async () => {
    const { host } = setUp();
    const ask = async (url: string, headers: Record<string, string> = {}) => {
      const response = await host.fetch(new Request(`${url}/agents`, { headers }));
      const body = (await response.json()) as { error?: { code: string } };
      return [response.status, body.error?.code];
    };
    for (const url of ['http://localhost', 'http://127.0.0.1:4680', 'http://[::1]:1', 'http://127.1.2.3'])
      expect(await ask(url)).toEqual([200, undefined]);
    for (const url of [
      'http://example.com',
      'http://localhost.evil.com',
      'http://127.0.0.1.evil.com',
      'http://10.0.0.1',
    ])
      expect(await ask(url)).toEqual([403, 'FORBIDDEN']);
    expect(await ask('http://localhost', { origin: 'http://localhost:5173' })).toEqual([200, undefined]);
    for (const origin of ['http://evil.com', 'null', 'nonsense', 'http://localhost.evil.com'])
      expect(await ask('http://localhost', { origin })).toEqual([403, 'FORBIDDEN']);
    expect(await ask('http://localhost', { host: 'evil.com' })).toEqual([403, 'FORBIDDEN']);
  });

  it('a host with allowUnauthenticated and without authenticate logs a warning', async () => {
    const warned = (options: Partial<HostOptions>) => {
      const said: string[] = [];
      const warn = (_details: object, message: string) => said.push(message);
      setUp({ ...options, logger: { error: () => undefined, warn, info: () => undefined } });
      return said;
    };
    expect(warned({})).toEqual([]);
    expect(warned({ allowUnauthenticated: true })).toEqual([expect.stringContaining('from any address')]);
    expect(warned({ authenticate: () => null, allowUnauthenticated: true })).toEqual([]);
  });

  it('a host with allowUnauthenticated accepts requests from any address', async () => {
    const { host } = setUp({ allowUnauthenticated: true });
    expect((await host.fetch(new Request('http://example.com/agents'))).status).toBe(200);
  });
});

describe('a response', () => {
  it('a response that needs authentication is never stored: JSON, errors, files and streams', async () => {
    const { host, client } = setUp();
    await client.run({ say: 'hello' });
    const headers = { 'content-type': 'text/plain' };
    const upload = new Request('http://localhost/threads/t/files', { method: 'POST', body: 'x', headers });
    const { file } = (await (await host.fetch(upload)).json()) as { file: { id: string } };
    const paths = [
      '/agents',
      '/interrupts',
      '/threads/t',
      '/threads/none',
      `/threads/t/files/${file.id}`,
      '/threads/t/events',
      '/interrupts/events',
    ];
    for (const path of paths) {
      const response = await host.fetch(new Request(`http://localhost${path}`));
      expect([path, response.headers.get('cache-control')?.split(', ')]).toEqual([
        path,
        expect.arrayContaining(['no-store']),
      ]);
      await response.body?.cancel();
    }
    const run = await client.open({ say: 'hello' });
    expect(run.response.headers.get('cache-control')).toBe('no-cache, no-transform, no-store');
    await run.rest();
  });

  it('a response with 429 or 503 says when to try again', async () => {
    const { host } = setUp({ limits: { requestsPerMinute: 2 } });
    const ask = async () => (await host.fetch(new Request('http://localhost/agents'))).headers;
    await ask();
    expect((await ask()).get('retry-after')).toBeNull();
    // One of two tokens comes back after half a minute.
    expect((await ask()).get('retry-after')).toBe('30');
    await host.close();
    const closed = await host.fetch(new Request('http://localhost/agents'));
    expect([closed.status, closed.headers.get('retry-after')]).toEqual([503, '1']);
  });

  it.each(['draft', 'snake'])(
    'a response in binary for a client without a version is 406 in the dialect %s, and nothing runs',
    async (dialect) => {
      const { host, client } = setUp();
      const input = { ...INPUT, messages: [{ id: 'm', role: 'user', content: 'email' }] };
      const binary = 'application/vnd.ag-ui.event+proto';
      const headers = { 'ag-ui-dialect': dialect };
      const refused = await post(host, input, { ...headers, accept: binary });
      expect([refused.status, refused.code]).toEqual([406, 'NOT_ACCEPTABLE']);
      expect((await client.get('/threads')).body.threads).toEqual([]);
      const either = await post(host, input, { ...headers, accept: `${binary}, text/event-stream` });
      expect([either.status, either.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
      const versioned = { ...input, runId: 'r2', protocolVersion: '1.0' };
      expect((await post(host, versioned, { ...headers, accept: binary })).status).toBe(200);
    },
  );

  it('a response has secure headers, on errors and streams too', async () => {
    const { host } = setUp();
    const answers = [
      await host.fetch(new Request('http://localhost/agents')),
      await host.fetch(new Request('http://localhost/nothing')),
      await host.fetch(new Request('http://evil.com/agents')),
      await host.fetch(new Request('http://localhost/threads/t/events')),
    ];
    for (const { headers } of answers) {
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('access-control-allow-origin')).toBeNull();
    }
    await answers[3]?.body?.cancel();
  });

  it('lets pages use their own scripts and styles only', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'holdpoint-pages-'));
    mkdirSync(join(folder, 'assets'));
    writeFileSync(join(folder, 'index.html'), '<!doctype html><title>Chat</title>');
    writeFileSync(join(folder, 'assets/app.js'), 'export {};');
    const { host } = setUp({ pages: staticPages(folder) });
    for (const path of ['/', '/chat/t', '/inbox', '/inbox/t/q', '/assets/app.js']) {
      const { status, headers } = await host.fetch(new Request(`http://localhost${path}`));
      const rules = new Map(
        (headers.get('content-security-policy') ?? '').split('; ').map((rule): [string, string] => {
          const [name = '', ...values] = rule.split(' ');
          return [name, values.join(' ')];
        }),
      );
      expect([path, status, Object.fromEntries(rules)]).toEqual([
        path,
        200,
        {
          'default-src': "'none'",
          'script-src': "'self'",
          'style-src': "'self'",
          'img-src': "'self' data:",
          'connect-src': "'self'",
          'font-src': "'self'",
          'form-action': "'none'",
          'base-uri': "'none'",
          'frame-ancestors': "'none'",
        },
      ]);
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      const head = await host.fetch(new Request(`http://localhost${path}`, { method: 'HEAD' }));
      expect([path, head.status, head.headers.get('content-type'), await head.text()]).toEqual([
        path,
        200,
        headers.get('content-type'),
        '',
      ]);
    }
    expect((await host.fetch(new Request('http://localhost/assets/%2e%2e/index.html'))).status).toBe(404);
    rmSync(folder, { recursive: true });
  });

  it('serves no hidden file, and no file outside the folder that a link leads to', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'holdpoint-pages-'));
    const pages = join(folder, 'pages');
    mkdirSync(join(pages, 'assets/.git'), { recursive: true });
    writeFileSync(join(pages, 'index.html'), '<!doctype html>');
    writeFileSync(join(pages, 'assets/app.js'), 'export {};');
    for (const name of ['assets/.env', 'assets/.git/config', '../secret.txt'])
      writeFileSync(join(pages, name), 'secret');
    symlinkSync(join(folder, 'secret.txt'), join(pages, 'assets/link.txt'));
    symlinkSync(folder, join(pages, 'assets/up'));
    symlinkSync(join(pages, 'assets/app.js'), join(pages, 'assets/same.js'));
    const { host } = setUp({ pages: staticPages(pages) });
    const statusOf = async (path: string) =>
      (await host.fetch(new Request(`http://localhost/assets/${path}`))).status;
    const hidden = ['.env', '.git/config', '%2eenv', 'link.txt', 'up/secret.txt', 'up/pages/assets/.env'];
    for (const path of hidden) expect([path, await statusOf(path)]).toEqual([path, 404]);
    for (const path of ['app.js', 'same.js']) expect([path, await statusOf(path)]).toEqual([path, 200]);
    rmSync(folder, { recursive: true });
  });

  it('compresses files and caches them by version, and serves a page for an unknown path', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'holdpoint-pages-'));
    mkdirSync(join(folder, 'assets'));
    writeFileSync(join(folder, 'index.html'), '<!doctype html><title>Chat</title>');
    writeFileSync(join(folder, 'assets/app.js'), 'export {};'.repeat(100));
    const { host } = setUp({ pages: staticPages(folder) });
    const get = (path: string, headers = {}) =>
      host.fetch(new Request(`http://localhost${path}`, { headers }));
    const packed = await get('/assets/app.js?v=1', { 'accept-encoding': 'br, gzip' });
    expect(packed.headers.get('content-encoding')).toBe('gzip');
    expect(packed.headers.get('cache-control')).toContain('immutable');
    expect(gunzipSync(await packed.arrayBuffer()).toString()).toContain('export {};');
    const plain = await get('/assets/app.js');
    expect([plain.headers.get('content-encoding'), plain.headers.get('cache-control')]).toEqual([
      null,
      'public, max-age=3600',
    ]);
    writeFileSync(join(folder, 'assets/app.js'), 'changed');
    utimesSync(join(folder, 'assets/app.js'), 1, 1);
    expect(await (await get('/assets/app.js')).text()).toBe('changed');
    const unknown = await get('/nowhere', { accept: 'text/html,*/*' });
    expect([unknown.status, await unknown.text()]).toEqual([404, '<!doctype html><title>Chat</title>']);
    const asked = { method: 'HEAD', headers: { accept: 'text/html' } };
    const head = await host.fetch(new Request('http://localhost/nowhere', asked));
    expect([head.status, head.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    const data = await get('/nowhere');
    expect([data.status, (await data.json()).error.code]).toEqual([404, 'NOT_FOUND']);
    rmSync(folder, { recursive: true });
  });

  it('serves the index page at the paths that staticPages is given, and below them', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'holdpoint-pages-'));
    writeFileSync(join(folder, 'index.html'), '<!doctype html><title>Orders</title>');
    const { host } = setUp({ pages: staticPages(folder, { paths: ['/orders', '/help/'] }) });
    const statuses: Record<string, number> = {};
    for (const path of ['/', '/inbox', '/orders', '/orders/17', '/help', '/help/keys', '/ordersheet'])
      statuses[path] = (await host.fetch(new Request(`http://localhost${path}`))).status;
    expect(statuses).toEqual({
      '/': 200,
      '/inbox': 200,
      '/orders': 200,
      '/orders/17': 200,
      '/help': 200,
      '/help/keys': 200,
      '/ordersheet': 404,
    });
    rmSync(folder, { recursive: true });
  });

  it('contains no internal errors', async () => {
    const store = memoryStore();
    let mode: 'plain' | 'store' = 'plain';
    const failing: Store = {
      ...store,
      list: async () => {
        if (mode === 'store') throw new HoldpointError('STORE_FAILED', 'The store could not be read.');
        throw new Error('secret at /etc/passwd');
      },
    };
    const { client, logged } = setUp({ store: failing });
    const plain = await client.get('/threads');
    expect([plain.status, plain.body]).toEqual([
      500,
      { error: { code: 'INTERNAL', message: 'Something went wrong.' } },
    ]);
    mode = 'store';
    expect((await client.get('/interrupts')).status).toBe(503);
    expect(logged.map(({ err }) => (err as Error).message)).toEqual([
      'secret at /etc/passwd',
      'The store could not be read.',
    ]);
    const { client: other } = setUp({ authorize: () => Promise.reject(new Error('secret')) });
    expect(JSON.stringify(await other.get('/threads'))).not.toContain('secret');
  });

  it('lists the capabilities of an agent', async () => {
    const { client } = setUp();
    const { body } = await client.get('/agents/ASSISTANT');
    expect(body).toMatchObject({
      id: 'assistant',
      description: 'Helps.',
      capabilities: {
        transport: { streaming: true, httpBinary: true, resumable: true },
        tools: { supported: true, clientProvided: true },
        humanInTheLoop: { supported: true, interrupts: true, approveWithEdits: true },
      },
    });
    expect(body.capabilities.tools.items.map(({ name }: { name: string }) => name)).toEqual([
      'weather',
      'email',
      'choose',
      'onboard',
    ]);
    expect((await client.get('/agents/nobody')).status).toBe(404);
  });

  it('lists the approvals of an agent of ours, by its tools, options and the mode of the host', async () => {
    const model = scriptedModel(['Hello.']);
    const tool = (approval?: boolean | { editable: boolean }) =>
      defineTool({
        name: 'pay',
        description: 'Pays.',
        input: { type: 'object' },
        ...(approval === undefined ? {} : { approval }),
        run: () => 'paid',
      });
    const agents = {
      bare: defineAgent({ id: 'bare', model }),
      free: defineAgent({ id: 'free', model, tools: [tool(false)] }),
      asks: defineAgent({ id: 'asks', model, tools: [tool(true)] }),
      edits: defineAgent({ id: 'edits', model, tools: [tool({ editable: true })] }),
      strict: defineAgent({ id: 'strict', model, tools: [tool()], approval: 'require' }),
      ruled: defineAgent({ id: 'ruled', model, tools: [tool()], policies: [() => undefined] }),
      code: defineAgent({ id: 'code', run: () => 'done' }),
    };
    const capabilitiesOf = async (client: HostClient, id: string) =>
      (await client.get(`/agents/${id}`)).body.capabilities as AgentCapabilities;
    const asked = async (options: Partial<HostOptions> = {}) => {
      const { client } = setUp({ agents, ...options });
      const all = Object.keys(agents).map(async (id) => {
        const { humanInTheLoop = {} } = await capabilitiesOf(client, id);
        expect(humanInTheLoop).toMatchObject({ supported: true, interrupts: true });
        return [id, humanInTheLoop.approvals, humanInTheLoop.approveWithEdits];
      });
      return Promise.all(all);
    };
    expect(await asked()).toEqual([
      ['bare', false, false],
      ['free', false, false],
      ['asks', true, false],
      ['edits', true, true],
      ['strict', true, false],
      ['ruled', undefined, undefined],
      ['code', undefined, undefined],
    ]);
    expect((await asked({ mode: 'allowAll' })).every(([, approvals]) => approvals === false)).toBe(true);
    expect((await asked({ policies: [() => undefined] }))[0]).toEqual(['bare', undefined, undefined]);
    const { client } = setUp({ agents });
    expect((await capabilitiesOf(client, 'bare')).state?.deltas).toBe(false);
    expect((await capabilitiesOf(client, 'free')).state?.deltas).toBe(true);
    expect((await capabilitiesOf(client, 'code')).tools).toBeUndefined();
  });

  it('lists for a foreign agent only what it has or reports', async () => {
    const run = async function* () {};
    const said = {
      identity: { provider: 'them' },
      humanInTheLoop: { supported: true, approvals: true },
      state: { deltas: true },
    };
    const { client } = setUp({
      agents: {
        plain: run,
        holding: { run, pending: async () => [] },
        saying: { run, description: 'Says.', getCapabilities: async () => said },
        broken: { run, getCapabilities: () => Promise.reject(new Error('no')) },
      },
    });
    const ours = {
      transport: { streaming: true, httpBinary: true, resumable: true },
      state: { snapshots: true, persistentState: true },
    };
    const all = ['plain', 'holding', 'saying', 'broken'].map(
      async (id) => (await client.get(`/agents/${id}`)).body.capabilities as unknown,
    );
    expect(await Promise.all(all)).toEqual([
      { identity: { name: 'plain' }, ...ours },
      { identity: { name: 'holding' }, humanInTheLoop: { supported: true, interrupts: true }, ...ours },
      {
        ...said,
        identity: { provider: 'them', name: 'saying', description: 'Says.' },
        ...ours,
        state: { ...said.state, ...ours.state },
      },
      { identity: { name: 'broken' }, ...ours },
    ]);
  });

  it('a response is UNAVAILABLE while the host closes', async () => {
    const { host, client } = setUp();
    await host.close();
    expect((await client.get('/healthz')).body).toEqual({ status: 'closing' });
    expect((await client.get('/agents')).status).toBe(503);
  });

  it('reports a failing store in healthz', async () => {
    const store = memoryStore();
    const { client } = setUp({ store });
    await store.close();
    const { status, body } = await client.get('/healthz');
    expect([status, body.error.code]).toEqual([503, 'STORE_FAILED']);
  });
});

describe('the list of threads', () => {
  it('the list of threads has the newest first with order newest, finds threads by their title, and pages', async () => {
    const { client } = setUp();
    for (const thread of ['one', 'two', 'three']) await client.run({ thread, say: `About ${thread}` });
    const titles = async (query: string) => {
      const { body } = await client.get(`/threads?${query}`);
      return { titles: body.threads.map(({ title }: { title: string }) => title), next: body.next };
    };
    const { titles: newest, next } = await titles('order=newest&limit=2');
    expect(newest).toEqual(['About three', 'About two']);
    expect((await titles(`order=newest&limit=2&cursor=${next}`)).titles).toEqual(['About one']);
    expect((await titles('text=TWO')).titles).toEqual(['About two']);
    expect((await client.get('/threads?order=loudest')).status).toBe(400);
  });

  it('the list of threads shows a title that was set, and an empty title is refused', async () => {
    const { client } = setUp();
    await client.run({ say: 'hello' });
    expect((await client.send('PATCH', '/threads/t', { title: '  Rent  ' })).body.title).toBe('Rent');
    expect((await client.get('/threads?text=rent')).body.threads).toMatchObject([{ title: 'Rent' }]);
    await client.run({ say: 'hello again' });
    expect((await client.get('/threads/t')).body.title).toBe('Rent');
    expect((await client.send('PATCH', '/threads/t', { title: ' ' })).body.error.code).toBe('INPUT_INVALID');
    expect((await client.send('PATCH', '/threads/none', { title: 'x' })).body.error.code).toBe(
      'THREAD_UNKNOWN',
    );
  });
});

describe('an answer by HTTP', () => {
  it('an answer by HTTP is rejected with status and code, and changes nothing', async () => {
    const { client } = setUp();
    const { interrupts } = await client.run({ say: 'email' });
    const place = `/threads/t/interrupts/${interrupts[0]?.id}/answer`;
    const cases: readonly [unknown, number, string][] = [
      [{}, 400, 'INPUT_INVALID'],
      [[], 400, 'INPUT_INVALID'],
      [null, 400, 'INPUT_INVALID'],
      [{ status: 'approved' }, 400, 'INPUT_INVALID'],
      [{ status: 'resolved' }, 422, 'ANSWER_INVALID'],
      [{ status: 'resolved', payload: 'yes' }, 422, 'ANSWER_INVALID'],
      [{ status: 'resolved', payload: { approved: 1 } }, 422, 'ANSWER_INVALID'],
      [{ status: 'resolved', payload: { approved: true, editedArgs: { to: 5 } } }, 422, 'ANSWER_INVALID'],
      [{ status: 'resolved', payload: { approved: true, text: 'x'.repeat(300_000) } }, 413, 'TOO_LARGE'],
    ];
    for (const [body, status, code] of cases) {
      const refused = await client.post(place, body);
      expect([body, refused.status, refused.body.error.code]).toEqual([body, status, code]);
    }
    const wrong = await client.post(place, { status: 'resolved', payload: { approved: 1 } });
    expect(wrong.body.error.issues).toMatchObject([{ pointer: '/approved' }]);
    expect((await client.post('/threads/t/interrupts/none/answer', {})).status).toBe(404);
    expect((await client.get(`/threads/t/interrupts/${interrupts[0]?.id}`)).body.status).toBe('pending');
  });
});

describe('grants', () => {
  const always = { what: 'tool', where: 'principal' };
  const cfo = { roles: ['cfo'] };

  /** Agents that pay, each with its own approvers rule. */
  function payers(rules: Readonly<Record<string, Approval<unknown>>>, store: Store = memoryStore()) {
    const paid: string[] = [];
    const agents = Object.entries(rules).map(([id, approval]) => {
      const pay = defineTool({
        name: 'pay',
        description: 'Pays.',
        input: { type: 'object' },
        approval,
        run: () => paid.push(id),
      });
      const model = scriptedModel(({ messages }) =>
        messages.at(-1)?.role === 'user' ? { calls: [{ name: 'pay' }] } : 'Done.',
      );
      return defineAgent({ id, model, tools: [pay] });
    });
    const authenticate = ({ headers }: Request) => ({
      id: headers.get('x-who') ?? 'ana',
      scope: 's',
      roles: ['cfo'],
    });
    const { client } = setUp({ agents, store, authenticate, visibility: 'scope' });
    const ask = (agent: string, thread: string) => client.run({ agent, thread, say: 'pay' });
    /** Raises an interrupt and approves it with `remember`. */
    const allow = async (agent: string, who = 'ana', remember: object = always) => {
      const { interrupts } = await ask(agent, `${agent} first`);
      await client.run({
        agent,
        thread: `${agent} first`,
        headers: { 'x-who': who },
        resume: [approve(interrupts[0], { remember })],
      });
      return interrupts[0]?.responseSchema?.['properties'];
    };
    return { client, paid, ask, allow };
  }

  it('grants of one agent do not allow the call of another agent', async () => {
    const { paid, ask, allow } = payers({ clerk: true, treasury: { approvers: cfo }, teller: true });
    expect(await allow('clerk')).toHaveProperty('remember');
    expect((await ask('clerk', 'second')).outcome).toBe('success');
    expect((await ask('treasury', 'third')).outcome).toBe('interrupt');
    expect((await ask('teller', 'fourth')).outcome).toBe('interrupt');
    expect(paid).toEqual(['clerk', 'clerk']);
  });

  it('apply only under the same approvers, in any order', async () => {
    const store = memoryStore();
    const rule = { roles: ['cfo', 'boss'], principals: ['ana'] };
    await payers({ clerk: { approvers: rule } }, store).allow('clerk');
    const asked = async (approval: Approval<unknown>, thread: string) =>
      (await payers({ clerk: approval }, store).ask('clerk', thread)).outcome;
    expect(await asked({ approvers: { principals: ['ana'], roles: ['boss', 'cfo', 'boss'] } }, 'a')).toBe(
      'success',
    );
    expect(await asked({ approvers: cfo }, 'b')).toBe('interrupt');
    expect(await asked(true, 'c')).toBe('interrupt');
  });

  it('grants are neither offered nor stored with notAsker', async () => {
    const { client, paid, ask, allow } = payers({ clerk: { approvers: { ...cfo, notAsker: true } } });
    expect(await allow('clerk', 'bob', { what: 'tool', where: 'thread' })).not.toHaveProperty('remember');
    expect((await ask('clerk', 'clerk first')).outcome).toBe('interrupt');
    expect(paid).toEqual(['clerk']);
    expect((await client.get('/grants')).body).toEqual({ grants: [] });
  });

  it('grants of an older version, without agent and approvers, do not apply', async () => {
    const store = memoryStore();
    for (const doc of [{ toolName: 'pay' }, { toolName: 'pay', principalId: 'ana' }]) {
      const key = { scope: 's', thread: '', id: digestJson(doc) };
      await store.commit({ puts: [{ table: 'grants', key, doc, index: { tool: 'pay' }, expect: 0 }] });
    }
    const { client, ask } = payers({ clerk: true }, store);
    expect((await ask('clerk', 't')).outcome).toBe('interrupt');
    expect((await client.get('/grants')).body.grants).toHaveLength(2);
  });

  it('grants are listed in pages, without revoked ones and those of others', async () => {
    const store = memoryStore();
    const { client } = setUp({ store, authenticate: () => ({ id: 'ana', scope: 's' }) });
    const grants = storeGrants(store, 's');
    const add = (toolName: string, principalId: string) =>
      grants.add({ agent: 'assistant', toolName, principalId, approvers: {} });
    for (let n = 0; n < 7; n += 1) await add(`tool-${n}`, n === 3 ? 'bob' : 'ana');
    const [first] = await grants.list();
    await grants.revoke(first?.id ?? '');
    const seen: string[] = [];
    let query = '?limit=2';
    for (let pages = 0; query !== '' && pages < 9; pages += 1) {
      const { body } = await client.get(`/grants${query}`);
      expect(body.grants.length).toBeLessThanOrEqual(2);
      seen.push(...body.grants.map(({ toolName }: { toolName: string }) => toolName));
      query = body.next === undefined ? '' : `?limit=2&cursor=${encodeURIComponent(body.next)}`;
    }
    expect(seen).toEqual(['tool-1', 'tool-2', 'tool-4', 'tool-5', 'tool-6']);
    expect((await client.get('/grants?cursor=nonsense')).status).toBe(400);
    expect((await client.get('/grants?limit=0')).status).toBe(400);
  });

  it('grants are listed and revoked within their scope', async () => {
    const { client } = setUp();
    expect((await client.get('/grants')).body).toEqual({ grants: [] });
    expect((await client.send('DELETE', '/grants/none')).status).toBe(204);
    expect((await client.send('DELETE', '/grants')).status).toBe(400);
  });
});

describe('a run that begins slowly', () => {
  it('a run that begins slowly is not cut off by an abort of its request before it has begun', async () => {
    const gate = createGate();
    const { host } = setUp({
      authenticate: async () => {
        await gate.opened;
        return { id: 'a', scope: 's' };
      },
    });
    const stop = new AbortController();
    const request = new Request('http://localhost/agents/assistant', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(INPUT),
      signal: stop.signal,
    });
    const response = host.fetch(request);
    stop.abort();
    gate.open();
    expect((await response).status).toBeLessThan(500);
  });
});
