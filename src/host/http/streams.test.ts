import { execFile } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { IS_DEEP } from '../../../test/size.ts';
import { nextTurn } from '../../core/index.ts';
import { memoryStore } from '../../store/memory/index.ts';
import type { Store } from '../../store/index.ts';
import { createHost } from '../create-host.ts';
import { serve } from '../node/index.ts';
import { demoAgent } from '../testing-support/demo-agent.ts';
import { createHostClient } from '../testing-support/host-client.ts';

describe('the streams of a host', () => {
  if (IS_DEEP) {
    it('leave nothing in the heap when their readers leave', async () => {
      const script = join(import.meta.dirname, '../testing-support/measure-heap.ts');
      const options = ['--expose-gc', '--conditions=holdpoint-source', '--import', 'tsx'];
      const { stdout } = await promisify(execFile)(process.execPath, [...options, script]);
      // With AbortSignal.any on the signals of the host, each cycle of three streams would leave 200 bytes or more.
      const { perCycle } = JSON.parse(stdout) as { perCycle: readonly number[] };
      const later = perCycle.slice(3);
      expect(later.reduce((sum, bytes) => sum + bytes, 0) / later.length).toBeLessThan(110);
    }, 240_000);
  }

  it.each(['/threads/t/events', '/interrupts/events'])(
    'end when the reader of %s leaves while it waits',
    async (path) => {
      const store = memoryStore();
      const host = createHost({ agents: [demoAgent({ done: [] })], store, sweepMs: 0, logger: false });
      await createHostClient(host.fetch).run({ thread: 't', say: 'email' });
      const response = await host.fetch(new Request(`http://localhost${path}`));
      const reader = response.body!.getReader();
      await reader.read();
      const waiting = reader.read();
      // A stream pulls from its source one turn later.
      await nextTurn();
      await reader.cancel();
      expect((await waiting).done).toBe(true);
      await host.close();
    },
  );

  it('do not hold up the end of the host if nothing reads them', async () => {
    const host = createHost({
      agents: [demoAgent({ done: [] })],
      store: memoryStore(),
      sweepMs: 0,
      logger: false,
    });
    const body = JSON.stringify({
      threadId: 't',
      runId: 'r',
      messages: [{ id: 'm', role: 'user', content: 'email' }],
    });
    const headers = { 'content-type': 'application/json' };
    const url = 'http://localhost/agents/assistant';
    expect((await host.fetch(new Request(url, { method: 'POST', body, headers }))).status).toBe(200);
    // Waits for the run only; else it would wait these 10 minutes.
    await host.close({ withinMs: 600_000 });
  });

  it('the streams of a host are not counted if their reader left that had asked for several at once', async () => {
    const host = createHost({
      agents: [demoAgent({ done: [] })],
      store: memoryStore(),
      sweepMs: 0,
      logger: false,
      limits: { openStreams: 2 },
    });
    const { url, port, close } = await serve(host, { port: 0 });
    const statusNow = async () => {
      const { status, body } = await fetch(`${url}/interrupts/events`);
      await body?.cancel();
      return status;
    };
    const socket = connect(port, '127.0.0.1');
    socket.write('GET /interrupts/events HTTP/1.1\r\nhost: localhost\r\n\r\n'.repeat(2));
    await expect.poll(statusNow).toBe(429);
    socket.destroy();
    const both = async () => {
      const first = await fetch(`${url}/interrupts/events`);
      const statuses = [first.status, await statusNow()];
      await first.body?.cancel();
      return statuses;
    };
    await expect.poll(both).toEqual([200, 200]);
    await close({ withinMs: 0 });
  });

  it('the streams of a host are not counted if their reader left before they were open', async () => {
    let isAsked: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => {
      isAsked = resolve;
    });
    let goOn: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const host = createHost({
      agents: [demoAgent({ done: [] })],
      store: memoryStore(),
      sweepMs: 0,
      logger: false,
      limits: { openStreams: 1 },
      async authenticate({ headers }) {
        if (headers.has('x-slow')) {
          isAsked();
          await held;
        }
        return { id: 'ana', scope: 's' };
      },
    });
    const { url, server, close } = await serve(host, { port: 0 });
    const left = once(server, 'connection').then(async ([socket]) => once(socket as Socket, 'close'));
    const reader = new AbortController();
    const path = `${url}/interrupts/events`;
    const never = fetch(path, { headers: { 'x-slow': '1' }, signal: reader.signal });
    await asked;
    reader.abort();
    await expect(never).rejects.toMatchObject({ name: 'AbortError' });
    await left;
    goOn();
    await expect
      .poll(async () => {
        const { status, body } = await fetch(path);
        await body?.cancel();
        return status;
      })
      .toBe(200);
    await close({ withinMs: 0 });
  });

  it('the streams of a host are not counted if they could not be opened', async () => {
    const store: Store = memoryStore();
    const limits = { openStreams: 1 };
    const host = createHost({ agents: [demoAgent({ done: [] })], store, sweepMs: 0, logger: false, limits });
    const open = () => host.fetch(new Request('http://localhost/interrupts/events'));
    const first = await open();
    for (let n = 0; n < 3; n += 1) expect((await open()).status).toBe(429);
    await first.body?.cancel();
    const again = await open();
    expect(again.status).toBe(200);
    await again.body?.cancel();
    await host.close();
  });
});
