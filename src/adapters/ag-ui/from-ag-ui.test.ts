import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { HttpAgent } from '@ag-ui/client';
import { afterEach, expect, it } from 'vitest';
import { answer } from '../../content/index.ts';
import { runOnThread } from '../testing-support/run-on-thread.ts';
import type { FromAgUiOptions } from './from-ag-ui.ts';
import { fromAgUi } from './from-ag-ui.ts';

const servers: ReturnType<typeof createServer>[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

/** A server that asks once; without `/connect` unless `shows` is set. */
async function serveAsker(shows = false) {
  const inputs: {
    path: string | undefined;
    threadId?: string;
    resume?: unknown;
    state?: unknown;
    forwardedProps?: unknown;
  }[] = [];
  let open = [{ id: 'i', reason: 'confirmation', message: 'Go on?' }];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (piece: Buffer) => (body += piece.toString()));
    request.on('end', () => {
      const { threadId, runId, resume, state, forwardedProps } = JSON.parse(body) as Record<string, string>;
      const isConnect = request.url?.split('?')[0] === '/agent/connect';
      inputs.push({ path: request.url, threadId: threadId ?? '', resume, state, forwardedProps });
      if (isConnect && !shows) return response.writeHead(404).end();
      if (resume !== undefined) open = [];
      const outcome = open.length > 0 ? { type: 'interrupt', interrupts: open } : { type: 'success' };
      const events = [
        { type: 'RUN_STARTED', threadId, runId },
        { type: 'RUN_FINISHED', threadId, runId, outcome },
      ];
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      return response.end(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));
    });
  });
  servers.push(server);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return { inputs, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const place = { scope: 'a', thread: 't' };

it('sends messages and answers to the address, on a thread of the tenant', async () => {
  const { inputs, url } = await serveAsker();
  const thread = runOnThread(fromAgUi(`${url}/agent`));
  const { interrupts } = await thread.say('go');
  const ended = await thread.run([answer(interrupts[0]!, true)]);
  expect(ended.outcome).toBe('success');
  expect(inputs).toMatchObject([
    { path: '/agent', threadId: 'a:t' },
    { path: '/agent', threadId: 'a:t', resume: [{ interruptId: 'i', status: 'resolved', payload: true }] },
  ]);
});

it("sends only the named members of a client's state and forwardedProps, and never an answer in them", async () => {
  const { inputs, url } = await serveAsker();
  const run = async (options: FromAgUiOptions) => {
    const command = { goto: 'pay', resume: { approved: true }, interruptEvent: { interruptId: 'i' } };
    const input = {
      threadId: 't',
      runId: 'r',
      messages: [],
      tools: [],
      context: [],
      state: { approved: true, theme: 'dark' },
      forwardedProps: { command, webhook: 'https://client.example/', locale: 'de' },
    };
    for await (const _event of fromAgUi(`${url}/agent`, options).run(input, {}));
    const { state, forwardedProps } = inputs.at(-1) ?? {};
    return { state, forwardedProps };
  };
  expect(await run({})).toEqual({ state: {}, forwardedProps: {} });
  expect(await run({ clientState: ['theme'], clientProps: ['locale', 'command'] })).toEqual({
    state: { theme: 'dark' },
    forwardedProps: { locale: 'de', command: { goto: 'pay' } },
  });
});

it.each(['/agent', '/agent/', '/agent?key=1'])(
  'reads open interrupts from the route connect of %s',
  async (path) => {
    const { inputs, url } = await serveAsker(true);
    const agent = fromAgUi(url + path);
    const [interrupt] = (await agent.pending?.(place)) ?? [];
    expect(interrupt).toMatchObject({ id: 'i' });
    expect(await agent.reconcile?.(interrupt!, place)).toBe('waiting');
    expect(await agent.reconcile?.({ ...interrupt!, id: 'other' }, place)).toBe('taken');
    expect(inputs[0]?.path).toBe(path.endsWith('1') ? '/agent/connect?key=1' : '/agent/connect');
  },
);

it('reads open interrupts of an HttpAgent from the route connect of its server', async () => {
  const { inputs, url } = await serveAsker(true);
  const agent = fromAgUi(new HttpAgent({ url: `${url}/agent` }));
  expect(await agent.pending?.(place)).toMatchObject([{ id: 'i' }]);
  expect(await agent.reconcile?.({ id: 'other', reason: 'confirmation' }, place)).toBe('taken');
  const { threadId } = inputs[0] ?? {};
  await runOnThread(agent).say('go');
  expect(inputs.at(-1)).toMatchObject({ path: '/agent', threadId });
});

it('reports unknown for a server without the route connect, and UNAVAILABLE for an unreachable one', async () => {
  const { url } = await serveAsker();
  const agent = fromAgUi(`${url}/agent`);
  expect(await agent.pending?.(place)).toEqual([]);
  const interrupt = { id: 'i', reason: 'confirmation' };
  expect(await agent.reconcile?.(interrupt, place)).toBe('unknown');
  const gone = await serveAsker();
  await new Promise((closed) => servers.pop()?.close(closed));
  await expect(runOnThread(fromAgUi(gone.url)).say('go')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
});

it('stops reading an error response that does not end', async () => {
  let isClosed = false;
  const server = createServer((_request, response) => {
    response.writeHead(500).on('close', () => (isClosed = true));
    const write = () => {
      while (response.write('x'.repeat(1000)));
    };
    response.on('drain', write);
    write();
  });
  servers.push(server);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const failed = await runOnThread(fromAgUi(url))
    .say('go')
    .catch((error: unknown) => String(error));
  expect(failed).toContain(`responded with 500: ${'x'.repeat(2000)}`);
  await expect.poll(() => isClosed).toBe(true);
});

it('follows no redirect to another origin, because headers may have credentials', async () => {
  const paths: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    paths.push(request.url);
    const { port } = server.address() as AddressInfo;
    const location = request.url === '/agent' ? '/agent/' : `http://localhost:${port}/internal`;
    response.writeHead(307, { location }).end();
  });
  servers.push(server);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/agent`;
  const run = runOnThread(fromAgUi(url, { headers: { 'x-api-key': 'secret' } })).say('go');
  await expect(run).rejects.toThrow('redirects to another origin');
  expect(paths).toEqual(['/agent', '/agent/']);
});
