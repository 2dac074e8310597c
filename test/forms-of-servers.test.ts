/** Servers of other makers: each speaks one form of AG-UI, and a host answers it in that form, found from what it sent. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fromAgUi } from 'holdpoint/ag-ui';
import { approve, createClient } from 'holdpoint/client';
import { createHost } from 'holdpoint/host';
import { serve } from 'holdpoint/node';
import { memoryStore } from 'holdpoint/store/memory';
import { afterEach, expect, it } from 'vitest';

type Json = Readonly<Record<string, unknown>>;

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

/** A server that sends these events until an input has an answer; it keeps the inputs. */
async function serveForm(asks: (ids: Json) => readonly Json[], ends: (ids: Json) => readonly Json[]) {
  const inputs: Json[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (piece: Buffer) => (body += piece.toString()));
    request.on('end', () => {
      if (request.url?.endsWith('/connect') === true) return response.writeHead(404).end();
      const input = JSON.parse(body) as Json;
      inputs.push(input);
      const props = input['forwardedProps'] as { command?: unknown } | undefined;
      const isAnswered = input['resume'] !== undefined || props?.command !== undefined;
      const ids = {
        threadId: input['threadId'] ?? input['thread_id'],
        runId: input['runId'] ?? input['run_id'],
      };
      const events = isAnswered ? ends(ids) : asks(ids);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      return response.end(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  closers.push(() => new Promise((closed) => server.close(closed)));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, inputs };
}

const asked = { reason: 'human_approval', payload: { proposal: { tool: 'sendEmail' } } };
const schema = { type: 'object', properties: { approved: { type: 'boolean' } }, required: ['approved'] };
const begin = (ids: Json) => ({ type: 'RUN_STARTED', ...ids });
const snaked = ({ threadId, runId }: Json) => ({ thread_id: threadId, run_id: runId });
const success = (ids: Json) => [begin(ids), { type: 'RUN_FINISHED', ...ids }];
const snakeSuccess = (ids: Json) => [
  { type: 'run_started', ...snaked(ids) },
  { type: 'run_finished', ...snaked(ids) },
];
const payload = { approved: true };

/** What a server of each form sends, and the answer that it then reads. */
const FORMS: readonly [string, (ids: Json) => readonly Json[], (ids: Json) => readonly Json[], Json][] = [
  [
    'the draft',
    (ids) => [
      begin(ids),
      { type: 'RUN_FINISHED', ...ids, outcome: 'interrupt', interrupt: { id: 'i', ...asked } },
    ],
    success,
    { resume: { interruptId: 'i', payload } },
  ],
  [
    'the draft without an id',
    (ids) => [begin(ids), { type: 'RUN_FINISHED', ...ids, interrupt: asked }],
    success,
    { resume: { payload } },
  ],
  [
    'AG-UI 1.0',
    (ids) => [
      begin(ids),
      {
        type: 'RUN_FINISHED',
        ...ids,
        outcome: {
          type: 'interrupt',
          interrupts: [{ id: 'i', reason: 'human_approval', responseSchema: schema }],
        },
      },
    ],
    success,
    { resume: [{ interruptId: 'i', status: 'resolved', payload }] },
  ],
  [
    'snake_case',
    (ids) => [
      { type: 'run_started', ...snaked(ids) },
      {
        type: 'run_finished',
        ...snaked(ids),
        outcome: { type: 'interrupt', interrupts: [{ id: 'i', reason: 'human_approval' }] },
      },
    ],
    snakeSuccess,
    { resume: [{ interrupt_id: 'i', status: 'resolved', payload }] },
  ],
  [
    'snake_case of the draft',
    (ids) => [
      { type: 'run_started', ...snaked(ids) },
      { type: 'run_finished', ...snaked(ids), outcome: 'interrupt', interrupt: { id: 'i', ...asked } },
    ],
    snakeSuccess,
    { resume: { interrupt_id: 'i', payload } },
  ],
  [
    'the custom event on_interrupt',
    (ids) => [
      begin(ids),
      { type: 'CUSTOM', name: 'on_interrupt', value: { functionName: 'f', interruptId: 'i' } },
      { type: 'RUN_FINISHED', ...ids },
    ],
    success,
    { forwardedProps: { command: { resume: payload } } },
  ],
];

it.each(FORMS)(
  'fromAgUi answers a server of %s in its form, also after a restart',
  async (_form, asks, ends, answer) => {
    const server = await serveForm(asks, ends);
    const store = memoryStore();
    const start = async () => {
      const agents = { remote: fromAgUi(server.url) };
      const host = createHost({ logger: false, sweepMs: 0, store, agents });
      const { url, close } = await serve(host, { port: 0 });
      closers.push(close);
      return { close, client: createClient({ url: `${url}/agents/remote` }) };
    };
    const first = await start();
    const { interrupts } = await first.client.run({ threadId: 't', messages: 'Go.' }).finished;
    expect(interrupts).toHaveLength(1);
    await first.close();
    const { client } = await start();
    const ended = client.resume(
      { threadId: 't' },
      interrupts.map((interrupt) => approve(interrupt)),
    );
    expect((await ended.finished).outcome).toBe('success');
    expect(server.inputs.at(-1)).toMatchObject(answer);
    if ('resume' in answer) expect(server.inputs.at(-1)?.['resume']).toEqual(answer['resume']);
  },
);

it('fromAgUi follows a server that changes its form', async () => {
  const [draft, , current] = FORMS;
  let form = draft;
  const server = await serveForm(
    (ids) => form?.[1](ids) ?? [],
    (ids) => form?.[2](ids) ?? [],
  );
  const agents = { remote: fromAgUi(server.url) };
  const host = createHost({ logger: false, sweepMs: 0, store: memoryStore(), agents });
  const { url, close } = await serve(host, { port: 0 });
  closers.push(close);
  const client = createClient({ url: `${url}/agents/remote` });
  for (const next of [draft, current]) {
    form = next;
    const { interrupts } = await client.run({ threadId: 't', messages: 'Go.' }).finished;
    await client.resume(
      { threadId: 't' },
      interrupts.map((interrupt) => approve(interrupt)),
    ).finished;
    expect(server.inputs.at(-1)?.['resume']).toEqual(next?.[3]['resume']);
  }
});

it.each([undefined, 'draft'] as const)(
  'a client in the dialect %s takes the answer of the draft as the draft writes it',
  async (dialect) => {
    const [draft] = FORMS;
    const server = await serveForm(draft?.[1] ?? (() => []), success);
    const client = createClient({ url: server.url, ...(dialect === undefined ? {} : { dialect }) });
    const { interrupts } = await client.run({ threadId: 't', messages: 'Go.' }).finished;
    const interruptId = interrupts[0]?.id ?? '';
    expect(interruptId).toBe('i');
    const { outcome } = await client.run({ threadId: 't', resume: { interruptId, payload } }).finished;
    expect(outcome).toBe('success');
    const entry = { interruptId: 'i', payload };
    expect(server.inputs.at(-1)?.['resume']).toEqual(
      dialect === 'draft' ? entry : [{ ...entry, status: 'resolved' }],
    );
  },
);

it.each([
  [{ payload }, '/resume/interruptId'],
  [{ interruptId: 'i', threadId: 'other' }, '/resume/threadId'],
])('a client rejects the answer %j and names %s', async (resume, pointer) => {
  const [draft] = FORMS;
  const server = await serveForm(draft?.[1] ?? (() => []), success);
  const client = createClient({ url: server.url });
  await client.run({ threadId: 't', messages: 'Go.' }).finished;
  const wrong = client.run({ threadId: 't', resume: resume as never }).finished;
  await expect(wrong).rejects.toMatchObject({ code: 'INPUT_INVALID', issues: [{ pointer }] });
  expect(server.inputs).toHaveLength(1);
});

it('the reader of a client has the event as it came over the wire, and the event in AG-UI 1.0', async () => {
  const [draft, , current] = FORMS;
  for (const [asks, outcome] of [
    [draft?.[1], 'interrupt'],
    [current?.[1], { type: 'interrupt' }],
  ] as const) {
    const server = await serveForm(asks ?? (() => []), success);
    const run = createClient({ url: server.url }).run({ threadId: 't', messages: 'Go.' });
    const updates = [];
    for await (const update of run) updates.push(update);
    const last = updates.at(-1);
    expect(last?.rawRepresentation).toMatchObject({ type: 'RUN_FINISHED', outcome });
    expect(last?.event).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'interrupt' } });
  }
});
