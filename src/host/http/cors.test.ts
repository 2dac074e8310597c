import { afterEach, describe, expect, it } from 'vitest';
import { memoryStore } from '../../store/memory/index.ts';
import type { Host } from '../create-host.ts';
import { createHost } from '../create-host.ts';
import type { HostOptions } from '../host-options.ts';
import { demoAgent } from '../testing-support/demo-agent.ts';

const PAGE = 'https://app.example';

const hosts: Host[] = [];
afterEach(async () => {
  for (const host of hosts.splice(0)) await host.close({ withinMs: 100 });
});

function setUp(options: Partial<HostOptions> = {}): Host {
  const host = createHost({
    logger: false,
    agents: [demoAgent({ done: [] })],
    store: memoryStore(),
    sweepMs: 0,
    ...options,
  });
  hosts.push(host);
  return host;
}

const RUN = { threadId: 't', runId: 'r', messages: [{ id: 'm', role: 'user', content: 'hello' }] };

function preflight(host: Host, origin: string): Promise<Response> {
  return host.fetch(
    new Request('http://localhost/agents/assistant', {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type,authorization,ag-ui-dialect',
      },
    }),
  );
}

function post(host: Host, origin: string, path = '/agents/assistant'): Promise<Response> {
  return host.fetch(
    new Request(`http://localhost${path}`, {
      method: 'POST',
      headers: { origin, 'content-type': 'application/json' },
      body: JSON.stringify(RUN),
    }),
  );
}

/** The headers of a response that tell a browser who may read it. */
function corsHeaders({ headers }: Response): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-')));
}

describe('cors', () => {
  it('answers a preflight of a listed origin without authentication', async () => {
    const host = setUp({ cors: { origins: [PAGE] }, authenticate: () => null });
    const response = await preflight(host, PAGE);
    expect(response.status).toBe(204);
    expect(corsHeaders(response)).toMatchObject({
      'access-control-allow-origin': PAGE,
      'access-control-allow-headers': 'content-type,authorization,ag-ui-dialect',
      'access-control-max-age': '600',
    });
    expect(response.headers.get('access-control-allow-methods')).toContain('DELETE');
    expect(response.headers.get('access-control-allow-credentials')).toBeNull();
    expect(response.headers.get('vary')).toContain('Origin');
  });

  it('marks streams and errors for a listed origin, and allows cookies only with credentials', async () => {
    const principal = { id: 'ana', scope: 's' };
    const host = setUp({ cors: { origins: [PAGE], credentials: true }, authenticate: () => principal });
    const stream = await post(host, PAGE);
    expect(await stream.text()).toContain('RUN_FINISHED');
    const unknown = await post(host, PAGE, '/agents/nobody');
    const refused = await post(setUp({ cors: { origins: [PAGE] }, authenticate: () => null }), PAGE);
    expect([stream.status, unknown.status, refused.status]).toEqual([200, 404, 401]);
    for (const response of [stream, unknown, refused])
      expect(response.headers.get('access-control-allow-origin')).toBe(PAGE);
    expect(stream.headers.get('access-control-allow-credentials')).toBe('true');
    expect(refused.headers.get('access-control-allow-credentials')).toBeNull();
  });

  it('names no origin for a page that is not listed', async () => {
    const host = setUp({ cors: { origins: [PAGE] }, authenticate: () => ({ id: 'ana', scope: 's' }) });
    for (const response of [await preflight(host, 'https://evil.example'), await post(host, 'null')])
      expect(response.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('is off by default: a preflight is not answered and no header is set', async () => {
    const host = setUp({ authenticate: () => ({ id: 'ana', scope: 's' }) });
    expect((await preflight(host, PAGE)).status).toBe(404);
    expect(corsHeaders(await post(host, PAGE))).toEqual({});
  });

  it('lets listed pages call a host without authentication, and keeps other pages and hosts out', async () => {
    const host = setUp({ cors: { origins: [PAGE] } });
    expect((await post(host, PAGE)).status).toBe(200);
    expect((await post(host, 'https://evil.example')).status).toBe(403);
    const elsewhere = new Request('http://other.example/agents', { headers: { origin: PAGE } });
    expect((await host.fetch(elsewhere)).status).toBe(403);
  });

  it('lets listed pages upload files', async () => {
    const host = setUp({ cors: { origins: [PAGE] }, authenticate: () => ({ id: 'ana', scope: 's' }) });
    await (await post(host, PAGE)).text();
    const upload = (origin: string) =>
      host.fetch(
        new Request('http://localhost/threads/t/files?name=a.txt', {
          method: 'POST',
          headers: { origin, 'content-type': 'text/plain' },
          body: 'hi',
        }),
      );
    expect((await upload(PAGE)).status).toBe(201);
    expect((await upload('https://evil.example')).status).toBe(403);
  });

  it.each(['*', 'app.example', 'https://app.example/', 'null'])('rejects %j as an origin', (origin) => {
    expect(() => setUp({ cors: { origins: [origin] } })).toThrow('List whole origins');
  });
});
