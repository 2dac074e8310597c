import { sign, verify } from 'hono/jwt';
import { describe, expect, it } from 'vitest';
import { memoryStore } from '../store/memory/index.ts';
import { createHost } from './create-host.ts';
import type { HostOptions } from './host-options.ts';
import { demoAgent } from './testing-support/demo-agent.ts';

const SECRET = 'only-for-this-test';

function hostWith(authenticate: NonNullable<HostOptions['authenticate']>) {
  return createHost({
    logger: false,
    agents: [demoAgent({ done: [] })],
    store: memoryStore(),
    sweepMs: 0,
    authenticate,
  });
}

async function say(
  { fetch }: { readonly fetch: (request: Request) => Promise<Response> },
  headers: Record<string, string>,
): Promise<Response> {
  const body = {
    threadId: 't',
    runId: crypto.randomUUID(),
    messages: [{ id: crypto.randomUUID(), role: 'user', content: 'email' }],
    tools: [],
    context: [],
    state: {},
  };
  const response = await fetch(
    new Request('https://app.example/agents/assistant', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    }),
  );
  if (response.ok) await response.text();
  return response;
}

describe('callers with a JWT', () => {
  const host = hostWith(async (request) => {
    const token = request.headers.get('authorization')?.replace(/^Bearer /, '') ?? '';
    const claims = await verify(token, SECRET, 'HS256').catch(() => undefined);
    const { sub, tenant } = claims ?? {};
    if (typeof sub !== 'string' || typeof tenant !== 'string') return null;
    return { id: sub, scope: tenant };
  });
  const tokenOf = (claims: object, secret = SECRET) => sign({ ...claims }, secret, 'HS256');

  it('callers with a JWT get the principal of their token and see nothing of another scope', async () => {
    const ana = await tokenOf({ sub: 'ana', tenant: 'north' });
    const rex = await tokenOf({ sub: 'rex', tenant: 'south' });
    expect((await say(host, { authorization: `Bearer ${ana}` })).status).toBe(200);
    const listed = async (token: string) => {
      const request = new Request('https://app.example/interrupts', {
        headers: { authorization: `Bearer ${token}` },
      });
      return ((await (await host.fetch(request)).json()) as { interrupts: unknown[] }).interrupts.length;
    };
    expect([await listed(ana), await listed(rex)]).toEqual([1, 0]);
  });

  it('callers with a JWT are rejected with a forged, expired or missing token', async () => {
    const nameless = await Promise.all([tokenOf({ tenant: 'north' }), tokenOf({ sub: 'ana' })]);
    for (const token of nameless)
      expect((await say(host, { authorization: `Bearer ${token}` })).status).toBe(401);
    const forged = await tokenOf({ sub: 'ana', tenant: 'north' }, 'another-secret');
    const over = await tokenOf({ sub: 'ana', tenant: 'north', exp: 1 });
    for (const authorization of [`Bearer ${forged}`, `Bearer ${over}`, 'Bearer none', '']) {
      expect((await say(host, { authorization })).status).toBe(401);
    }
  });
});

describe('callers with a session cookie', () => {
  const sessions = new Map([['s1', { id: 'ana', scope: 'north' }]]);
  const host = hostWith((request) => {
    const origin = request.headers.get('origin');
    // A page of another origin can send the cookie, but not our origin.
    if (request.method !== 'GET' && origin !== 'https://app.example') return null;
    const id = /(?:^|; )session=([^;]+)/.exec(request.headers.get('cookie') ?? '')?.[1];
    return sessions.get(id ?? '') ?? null;
  });

  it('act only from pages of the application', async () => {
    const cookie = 'theme=dark; session=s1';
    expect((await say(host, { cookie, origin: 'https://app.example' })).status).toBe(200);
    expect((await say(host, { cookie, origin: 'https://evil.example' })).status).toBe(401);
    expect((await say(host, { cookie })).status).toBe(401);
    expect((await say(host, { cookie: 'session=s2', origin: 'https://app.example' })).status).toBe(401);
  });

  it('callers with a session cookie cannot be made to act by a form of another page: only JSON is accepted', async () => {
    const cookie = 'session=s1';
    const origin = 'https://app.example';
    expect((await say(host, { cookie, origin, 'content-type': 'text/plain' })).status).toBe(415);
  });

  it('callers with a session cookie cannot continue, cancel or ask again with a form or without a content type', async () => {
    const headers = { cookie: 'session=s1', origin: 'https://app.example' };
    await say(host, headers);
    const list = await host.fetch(new Request('https://app.example/interrupts', { headers }));
    const { interrupts } = (await list.json()) as { interrupts: { interrupt: { id: string } }[] };
    const paths = [
      '/threads/t/continue',
      '/threads/t/runs/r/cancel',
      `/threads/t/interrupts/${interrupts[0]?.interrupt.id}/ask-again`,
    ];
    const post = async (path: string, more: Record<string, string>, body: string) => {
      const request = { method: 'POST', headers: { ...headers, ...more }, body };
      return (await host.fetch(new Request(`https://app.example${path}`, request))).status;
    };
    for (const path of paths) {
      for (const type of [
        'text/plain',
        'application/x-www-form-urlencoded',
        'multipart/form-data; boundary=x',
      ])
        expect([path, type, await post(path, { 'content-type': type }, '{}')]).toEqual([path, type, 415]);
      const bare = new Request(`https://app.example${path}`, { method: 'POST', headers });
      expect([path, (await host.fetch(bare)).status]).toEqual([path, 415]);
      expect([path, await post(path, { 'content-type': 'application/json' }, '[1')]).toEqual([path, 400]);
    }
    const json = { 'content-type': 'application/json' };
    expect(await post(paths[0]!, json, '')).toBe(200);
    expect(await post(paths[1]!, json, '{}')).toBe(409);
    expect(await post(paths[2]!, json, '{}')).toBe(201);
  });
});
