import type { Message, Task } from '@a2a-js/sdk';
import { TaskState } from '@a2a-js/sdk';
import type { Client } from '@a2a-js/sdk/client';
import { ClientFactory, JsonRpcTransportFactory, RestTransportFactory } from '@a2a-js/sdk/client';
import type { AgentExecutionEvent } from '@a2a-js/sdk/server';
import { DefaultExecutionEventBus, DefaultRequestHandler, ServerCallContext } from '@a2a-js/sdk/server';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { HoldpointError } from '../../core/index.ts';
import { contentAgent, defineTool } from '../../engine/index.ts';
import { openInterrupts } from '../../ledger/testing-support/as-operator.ts';
import { defineAgent } from '../../runs/index.ts';
import type { Store } from '../../store/index.ts';
import { memoryStore } from '../../store/memory/index.ts';
import { scriptedModel } from '../../testing/index.ts';
import { stateName } from '../agent/task-view.ts';
import type { ToA2aOptions } from '../index.ts';
import { readInput, requestInput, storeTaskStore, toA2a } from '../index.ts';
import { a2aMessage, dataPart, filePart, requestsIn, responsePart, textOf, textPart } from '../parts.ts';
import type { ServedFetch } from '../testing-support/serve-fetch.ts';
import { serveFetch } from '../testing-support/serve-fetch.ts';
import { readAnswers } from './read-answers.ts';

const closing: ServedFetch[] = [];

afterEach(async () => {
  await Promise.all(closing.splice(0).map((served) => served.close()));
});

/** A bank with tools that need an approval, an e-mail address, a secret, or time. */
function bank(sent: unknown[], held: Promise<void>) {
  const transfer = defineTool({
    name: 'transfer',
    description: 'Moves money.',
    input: z.object({ amount: z.number() }),
    approval: { editable: true },
    run(input) {
      sent.push(input);
      return { ok: true };
    },
  });
  const contact = defineTool({
    name: 'contact',
    description: 'Asks for an address.',
    input: z.object({}),
    async run(_input, { ask }) {
      const email = await ask('email', { message: 'Your e-mail?', schema: z.email() });
      sent.push(email);
      return { email };
    },
  });
  const login = defineTool({
    name: 'login',
    description: 'Asks for a secret.',
    input: z.object({}),
    async run(_input, { ask }) {
      const schema = {
        type: 'object',
        properties: { pin: { type: 'string', writeOnly: true } },
        required: ['pin'],
      };
      sent.push(await ask('pin', { message: 'Your PIN?', schema }));
      return 'in';
    },
  });
  const slow = defineTool({
    name: 'slow',
    description: 'Takes its time.',
    input: z.object({}),
    async run() {
      await held;
      return 'done';
    },
  });
  const both = defineTool({
    name: 'both',
    description: 'Is approved, and takes its time.',
    input: z.object({}),
    approval: true,
    async run() {
      sent.push({ amount: 5 });
      await held;
      return 'done';
    },
  });
  return defineAgent({
    id: 'bank',
    model: scriptedModel(({ messages }) => {
      const last = messages.at(-1);
      if (last?.role === 'tool') return 'All done.';
      const said = JSON.stringify(last?.content);
      const name = ['contact', 'login', 'slow', 'both'].find((one) => said.includes(one)) ?? 'transfer';
      return {
        text: 'Let me see.',
        calls: [{ id: `call-${messages.length}`, name, input: name === 'transfer' ? { amount: 5 } : {} }],
      };
    }),
    tools: [transfer, contact, login, slow, both],
  });
}

interface Setup {
  readonly client: Client;
  /** Sends a message. */
  deliver(message: Message): Promise<Task>;
  readonly served: ServedFetch;
  readonly release: () => void;
  readonly sent: unknown[];
  readonly store: Store;
  send(text: string, task?: Task): Promise<Task>;
  answer(task: Task, values: Record<string, unknown>, metadata?: Record<string, boolean>): Promise<Task>;
}

async function clientFor(
  url: string,
  transport: 'JSONRPC' | 'HTTP+JSON',
  authorization?: string,
): Promise<Client> {
  const fetchImpl: typeof fetch = (input, init) => {
    const headers = new Headers(init?.headers);
    if (authorization !== undefined) headers.set('authorization', authorization);
    return fetch(input, { ...init, headers });
  };
  const factory = new ClientFactory({
    transports: [new JsonRpcTransportFactory({ fetchImpl }), new RestTransportFactory({ fetchImpl })],
    preferredTransports: [transport],
  });
  return factory.createFromUrl(url);
}

async function setUp(
  transport: 'JSONRPC' | 'HTTP+JSON' = 'JSONRPC',
  store = memoryStore(),
  options: Partial<ToA2aOptions> = {},
  authorization?: string,
  holds = false,
): Promise<Setup> {
  const sent: unknown[] = [];
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const service = toA2a(bank(sent, holds ? held : Promise.resolve()), { store, ...options });
  const served = await serveFetch(service.fetch);
  closing.push(served);
  const client = await clientFor(served.url, transport, authorization);
  const deliver = async (message: Message): Promise<Task> => {
    const result = await client.sendMessage({
      tenant: '',
      message,
      configuration: undefined,
      metadata: undefined,
    });
    if (!('status' in result)) throw new Error('A message, not a task.');
    return result;
  };
  const place = (task?: Task) => ({
    messageId: crypto.randomUUID(),
    taskId: task?.id,
    contextId: task?.contextId,
    role: 'user' as const,
  });
  return {
    client,
    deliver,
    served,
    release,
    sent,
    store,
    send: (text, task) => deliver(a2aMessage(place(task), [textPart(text)])),
    answer: (task, values, metadata) => {
      const requestId = String(requestsIn(task.status?.message?.parts ?? [])[0]?.['requestId']);
      const part = responsePart({
        requestId,
        values: values as never,
        ...(metadata === undefined ? {} : { metadata }),
      });
      return deliver(a2aMessage(place(task), [part]));
    },
  };
}

const stateOf = (task: Task) => stateName(task.status?.state);
const saidBy = (task: Task) => textOf(task.status?.message?.parts ?? []);

describe.each(['JSONRPC', 'HTTP+JSON'] as const)('toA2a over %s', (transport) => {
  it('calls onInterrupt once for each stored interrupt of an agent of any kind', async () => {
    const notified: string[] = [];
    const onInterrupt = ({ interrupt }: { interrupt: { reason: string } }) =>
      void notified.push(interrupt.reason);
    const { send, answer } = await setUp(transport, memoryStore(), { onInterrupt });
    await answer(await send('transfer'), { approved: true });
    expect(notified).toEqual(['tool_call']);
    const asks = contentAgent({
      id: 'asks',
      async *run() {
        yield { type: 'userInputRequest', id: 'q1', message: 'Which city?' };
      },
    });
    const served = await serveFetch(toA2a(asks, { store: memoryStore(), onInterrupt }).fetch);
    closing.push(served);
    const client = await clientFor(served.url, transport);
    const message = a2aMessage({ messageId: 'm1', role: 'user' }, [textPart('Hello')]);
    await client.sendMessage({ tenant: '', message, configuration: undefined, metadata: undefined });
    await expect.poll(() => notified).toEqual(['tool_call', 'input_required']);
  });

  it('publishes an approval as input-required and runs the call after the approval', async () => {
    const { send, answer, sent } = await setUp(transport);
    const paused = await send('transfer 5');
    expect(stateOf(paused)).toBe('input-required');
    expect(requestsIn(paused.status?.message?.parts ?? [])).toMatchObject([
      {
        type: 'a2a.input.request',
        fields: [
          { name: 'approved', type: 'boolean', required: true },
          { name: 'reason' },
          { name: 'editedArgs' },
        ],
      },
    ]);
    const end = await answer(paused, { approved: true, editedArgs: { amount: 7 } });
    expect(stateOf(end)).toBe('completed');
    expect(sent).toEqual([{ amount: 7 }]);
    expect(end.artifacts.map(({ parts }) => textOf(parts))).toEqual(['Let me see.', 'All done.']);
  });

  it('streams task, artifact and status, and returns the stored task', async () => {
    const { client } = await setUp(transport);
    const message = a2aMessage({ messageId: 'm', role: 'user' }, [textPart('transfer 5')]);
    const kinds: unknown[] = [];
    let task: Task | undefined;
    for await (const { payload } of client.sendMessageStream({
      tenant: '',
      message,
      configuration: undefined,
      metadata: undefined,
    })) {
      kinds.push(payload?.$case);
      if (payload?.$case === 'task') task = payload.value;
    }
    expect(kinds).toEqual(['task', 'artifactUpdate', 'statusUpdate']);
    const stored = await client.getTask({ tenant: '', id: task!.id });
    expect(stateOf(stored)).toBe('input-required');
    const { tasks } = await client.listTasks({
      tenant: '',
      contextId: task!.contextId,
      status: TaskState.TASK_STATE_UNSPECIFIED,
      pageToken: '',
      statusTimestampAfter: undefined,
    });
    expect(tasks.map(({ id }) => id)).toEqual([task!.id]);
  });
});

describe('toA2a', () => {
  it('keeps the task input-required with a reason after an invalid answer, and accepts the next one', async () => {
    const { send, answer, sent } = await setUp();
    const paused = await send('transfer 5');
    const again = await answer(paused, { approved: 'yes' });
    expect(stateOf(again)).toBe('input-required');
    expect(saidBy(again)).toContain('/approved');
    expect(sent).toEqual([]);
    expect(stateOf(await answer(again, { approved: true }))).toBe('completed');
    expect(sent).toEqual([{ amount: 5 }]);
  });

  it('approves by text only with the JSON of an approval', async () => {
    const { send, sent } = await setUp();
    const paused = await send('transfer 5');
    for (const text of ['yes, please', 'true', '{"approved":"true"}', '{"approved":true,"approved":false}'])
      expect(stateOf(await send(text, paused))).toBe('input-required');
    expect(sent).toEqual([]);
    expect(stateOf(await send('{"approved":true}', paused))).toBe('completed');
    expect(sent).toEqual([{ amount: 5 }]);
  });

  it('accepts text as the answer to an interrupt that asks for a string', async () => {
    const { send, sent } = await setUp();
    const paused = await send('contact me');
    expect(stateOf(await send('nonsense', paused))).toBe('input-required');
    expect(stateOf(await send('a@b.co', paused))).toBe('completed');
    expect(sent).toEqual(['a@b.co']);
  });

  it('completes the task without the call after a denial', async () => {
    const { send, answer, sent } = await setUp();
    const end = await answer(await send('transfer 5'), { approved: false, reason: 'too much' });
    expect(stateOf(end)).toBe('completed');
    expect(sent).toEqual([]);
  });

  it('cancels the interrupts of a task that another process paused', async () => {
    const store = memoryStore();
    const first = await setUp('JSONRPC', store);
    const paused = await first.send('transfer 5');
    const second = await setUp('JSONRPC', store);
    const cancelled = await second.client.cancelTask({ tenant: '', id: paused.id, metadata: undefined });
    expect(stateOf(cancelled)).toBe('canceled');
    expect(await openInterrupts(store, { scope: 'default', thread: paused.contextId })).toEqual([]);
    await expect(second.answer(paused, { approved: true })).rejects.toThrow('terminal state');
    expect([...first.sent, ...second.sent]).toEqual([]);
  });

  it('accepts the answer to an interrupt of another process', async () => {
    const store = memoryStore();
    const paused = await (await setUp('JSONRPC', store)).send('transfer 5');
    const second = await setUp('JSONRPC', store);
    expect(stateOf(await second.answer(paused, { approved: true }))).toBe('completed');
    expect(second.sent).toEqual([{ amount: 5 }]);
  });

  it('rejects a new task in a context with an open interrupt', async () => {
    const { send, client } = await setUp();
    const paused = await send('transfer 5');
    const message = a2aMessage({ messageId: 'other', contextId: paused.contextId, role: 'user' }, [
      textPart('transfer 6'),
    ]);
    const other = await client.sendMessage({
      tenant: '',
      message,
      configuration: undefined,
      metadata: undefined,
    });
    expect(stateOf(other as Task)).toBe('rejected');
    expect(stateOf(await client.getTask({ tenant: '', id: paused.id }))).toBe('input-required');
  });

  it('shows the call of an approval and no interrupt id', async () => {
    const { send, served, store } = await setUp();
    const paused = await send('transfer 5');
    const [request] = requestsIn(paused.status?.message?.parts ?? []);
    expect(request?.['metadata']).toMatchObject({
      functionName: 'transfer',
      functionArguments: { amount: 5 },
    });
    const [open] = await openInterrupts(store, { scope: 'default', thread: paused.contextId });
    expect(JSON.stringify(paused)).not.toContain(open!.interrupt.id);
    expect(served.requests.length).toBeGreaterThan(0);
  });

  it('stores an entered secret neither in the task nor in a row', async () => {
    const secretKey = btoa('0123456789abcdef0123456789abcdef');
    const { send, answer, client, sent, store } = await setUp('JSONRPC', memoryStore(), { secretKey });
    const end = await answer(await send('login'), { pin: 'the pin of Ada' });
    expect(stateOf(end)).toBe('completed');
    expect(sent).toEqual([{ pin: 'the pin of Ada' }]);
    const { rows } = await store.list({ table: 'files' });
    expect(JSON.stringify([rows, end, await client.getTask({ tenant: '', id: end.id })])).not.toContain(
      'the pin of Ada',
    );
  });

  it.each([
    ['an input response without a request id', responsePart({ values: { pin: 'the pin of Ada' } })],
    ['a data part', dataPart({ pin: 'the pin of Ada' })],
    ['a text', textPart('the pin of Ada')],
    ['a JSON text', textPart('{"pin":"the pin of Ada"}')],
    ['a JSON text with a member twice', textPart('{"pin":"x","pin":"the pin of Ada"}')],
  ])('stores a secret in %s neither in the task nor in a row', async (_name, part) => {
    const secretKey = btoa('0123456789abcdef0123456789abcdef');
    const { send, deliver, store } = await setUp('JSONRPC', memoryStore(), { secretKey });
    const { id: taskId, contextId } = await send('login');
    const end = await deliver(a2aMessage({ messageId: 'secret', taskId, contextId, role: 'user' }, [part]));
    const { rows } = await store.list({ table: 'files' });
    expect(JSON.stringify([rows, end])).not.toContain('the pin of Ada');
    expect(end.history.map(({ messageId }) => messageId)).toContain('secret');
  });

  it('passes files to the agent as parts of the message, and rejects types that the card does not list', async () => {
    const seen: unknown[] = [];
    const model = scriptedModel(({ messages }) => {
      seen.push(messages.at(-1)?.content);
      return 'Seen.';
    });
    const card = { defaultInputModes: ['text/plain', 'image/*'] };
    const service = toA2a(defineAgent({ id: 'viewer', model }), { store: memoryStore(), card });
    const served = await serveFetch(service.fetch);
    closing.push(served);
    const client = await clientFor(served.url, 'JSONRPC');
    const send = (...parts: Message['parts']) => {
      const message = a2aMessage({ messageId: crypto.randomUUID(), role: 'user' }, parts);
      return client.sendMessage({ tenant: '', message, configuration: undefined, metadata: undefined });
    };
    const names = { filename: 'cat.png', mediaType: 'image/png' };
    await send(
      textPart('Look:'),
      filePart({ bytes: btoa('cat'), ...names }),
      filePart({ url: 'https://example.com/cat.png', ...names }),
      dataPart({ size: 2 }),
    );
    const metadata = { filename: 'cat.png' };
    expect(seen).toEqual([
      [
        { type: 'text', text: 'Look:' },
        { type: 'image', source: { type: 'data', value: btoa('cat'), mimeType: 'image/png' }, metadata },
        {
          type: 'image',
          source: { type: 'url', value: 'https://example.com/cat.png', mimeType: 'image/png' },
          metadata,
        },
        { type: 'text', text: '{"size":2}' },
      ],
    ]);
    for (const mediaType of ['application/pdf', ''])
      await expect(send(filePart({ bytes: btoa('x'), filename: '', mediaType }))).rejects.toThrow('accept');
    expect(seen).toHaveLength(1);
  });

  it('replies with a task, despite replies: message, when the agent raises an interrupt', async () => {
    const { send, answer, sent } = await setUp('JSONRPC', memoryStore(), { replies: 'message' });
    const paused = await send('transfer 5');
    expect(stateOf(paused)).toBe('input-required');
    expect(stateOf(await answer(paused, { approved: true }))).toBe('completed');
    expect(sent).toEqual([{ amount: 5 }]);
  });

  it('replies to each request as the function `replies` says, and with a task where it throws', async () => {
    const agent = defineAgent({ id: 'echo', model: scriptedModel(() => 'Hello.') });
    const errors: unknown[] = [];
    const service = toA2a(agent, {
      store: memoryStore(),
      context: { onError: (error) => errors.push(error) },
      replies({ userMessage: { metadata } }) {
        if (metadata?.['form'] === 'unknown') throw new Error('No such form.');
        return metadata?.['form'] === 'message' ? 'message' : 'task';
      },
    });
    const replyTo = async (form: string) => {
      const message = {
        messageId: form,
        role: 'ROLE_USER',
        parts: [{ text: 'Hi.' }],
        metadata: { form },
      };
      const response = await service.fetch(
        new Request('http://localhost/message:send', {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
          body: JSON.stringify({ message }),
        }),
      );
      return Object.keys((await response.json()) as object);
    };
    expect(await replyTo('message')).toEqual(['message']);
    expect(await replyTo('task')).toEqual(['task']);
    expect(await replyTo('unknown')).toEqual(['task']);
    expect(errors).toMatchObject([{ message: 'No such form.' }]);
  });

  it('shows the answer of a person in an inbox to the next reader of the task', async () => {
    const store = memoryStore();
    const { send, client, sent } = await setUp('JSONRPC', store);
    const paused = await send('transfer 5');
    const key = { scope: 'default', thread: paused.contextId };
    const [open] = await openInterrupts(store, key);
    const agent = bank(sent, Promise.resolve());
    const resume = [
      { interruptId: open!.interrupt.id, status: 'resolved' as const, payload: { approved: true } },
    ];
    await agent.generate({ store, threadId: key.thread, resume });
    await expect
      .poll(async () => stateOf(await client.getTask({ tenant: '', id: paused.id })))
      .toBe('completed');
    const end = await client.getTask({ tenant: '', id: paused.id });
    expect(end.artifacts.map(({ parts }) => textOf(parts))).toEqual(['Let me see.', 'All done.']);
    expect(sent).toEqual([{ amount: 5 }]);
  });

  it('rejects unauthenticated callers with 401 and hides tasks of other scopes', async () => {
    const authenticate = (request: Request) => {
      const scope = request.headers.get('authorization');
      return scope === null ? null : { id: 'ana', scope };
    };
    const { served, sent } = await setUp('JSONRPC', memoryStore(), { authenticate }, 'acme');
    const clientOf = (scope: string) => clientFor(served.url, 'JSONRPC', scope);
    const message = a2aMessage({ messageId: 'm', role: 'user' }, [textPart('transfer 5')]);
    const given = { tenant: '', message, configuration: undefined, metadata: undefined };
    const task = (await (await clientOf('acme')).sendMessage(given)) as Task;
    const other = await clientOf('evil');
    await expect(other.getTask({ tenant: '', id: task.id })).rejects.toThrow('not found');
    const answer = a2aMessage({ messageId: 'n', taskId: task.id, contextId: task.contextId, role: 'user' }, [
      responsePart({ values: { approved: true } }),
    ]);
    await expect(other.sendMessage({ ...given, message: answer })).rejects.toThrow('not found');
    const anonymous = await fetch(served.url, { method: 'POST', body: '{}' });
    expect([anonymous.status, sent]).toEqual([401, []]);
  });

  it.each([
    ['a body that is not JSON', 'POST', '/', '{', 200, '"code":-32'],
    [
      'an unknown method',
      'POST',
      '/',
      '{"jsonrpc":"2.0","id":1,"method":"Dance","params":{}}',
      200,
      '-32601',
    ],
    [
      'a member twice',
      'POST',
      '/',
      '{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"a","id":"b"}}',
      200,
      '/params/id',
    ],
    [
      'a message with a member twice',
      'POST',
      '/message:send',
      '{"message":{"messageId":"a","messageId":"b","parts":[]}}',
      400,
      '/message/messageId',
    ],
    ['a message without an id', 'POST', '/message:send', '{"message":{"parts":[]}}', 400, 'messageId'],
    ['an invalid number', 'GET', '/tasks?pageSize=many', undefined, 400, 'pageSize'],
    ['an unknown task', 'GET', '/tasks/none', undefined, 404, 'TASK_NOT_FOUND'],
    ['an unknown path', 'GET', '/elsewhere', undefined, 404, 'error'],
    ['a body over the limit', 'POST', '/message:send', 'x'.repeat(2_000_000), 400, 'bytes'],
  ])('answers %s with an A2A error', async (...[, method, path, body, status, part]) => {
    const { served } = await setUp();
    const headers = { 'a2a-version': '1.0', 'content-type': 'application/json' };
    const response = await fetch(`${served.url}${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
    });
    expect(response.status).toBe(status);
    expect(await response.text()).toContain(part);
  });

  it('rejects a text answer that is JSON with a member twice', async () => {
    const responseSchema = { type: 'object', properties: { low: {}, high: {} } };
    const open = [{ id: 'q', reason: 'input_required', responseSchema }];
    const read = (text: string) =>
      readAnswers(a2aMessage({ messageId: 'm', role: 'user' }, [textPart(text)]), open);
    expect(await read('{"low":1,"high":2}')).toMatchObject({ entries: [{ payload: { low: 1, high: 2 } }] });
    expect(await read('{"low":1,"low":2}')).toEqual({
      type: 'rejected',
      problems: [expect.stringContaining('/low')],
    });
  });

  it('rejects a second message to a working task', async () => {
    const { send, client, release } = await setUp('JSONRPC', memoryStore(), {}, undefined, true);
    const working = send('slow');
    await expect
      .poll(
        async () =>
          (
            await client.listTasks({
              tenant: '',
              contextId: '',
              status: TaskState.TASK_STATE_WORKING,
              pageToken: '',
              statusTimestampAfter: undefined,
            })
          ).tasks,
      )
      .toHaveLength(1);
    const [task] = (
      await client.listTasks({
        tenant: '',
        contextId: '',
        status: TaskState.TASK_STATE_WORKING,
        pageToken: '',
        statusTimestampAfter: undefined,
      })
    ).tasks;
    await expect(send('more', task)).rejects.toThrow('at work');
    release();
    expect(stateOf(await working)).toBe('completed');
  });

  it('continues the task of a dead process and raises an interrupt about its started call', async () => {
    const time = { value: 1_000_000 };
    const store = memoryStore({ clock: { now: () => time.value } });
    const lost = await setUp('JSONRPC', store, {}, undefined, true);
    void lost.send('slow').catch(() => undefined);
    const list = {
      tenant: '',
      contextId: '',
      status: TaskState.TASK_STATE_WORKING,
      pageToken: '',
      statusTimestampAfter: undefined,
    };
    const started = () => store.list({ table: 'executions', status: ['started'] });
    await expect.poll(async () => (await started()).rows.length).toBe(1);
    const [task] = (await lost.client.listTasks(list)).tasks;
    const next = await setUp('JSONRPC', store);
    const look = async () => stateOf(await next.client.getTask({ tenant: '', id: task!.id }));
    expect(await look()).toBe('working');
    expect(await look()).toBe('working');
    time.value += 120_000;
    await expect.poll(look).toBe('input-required');
    const asked = await next.client.getTask({ tenant: '', id: task!.id });
    expect(saidBy(asked)).toContain('slow');
    const end = await next.answer(asked, { action: 'finished', result: 'done' });
    expect(stateOf(end)).toBe('completed');
    lost.release();
  });

  it('starts a task that was stored but never started', async () => {
    const store = memoryStore();
    const { client, sent, send } = await setUp('JSONRPC', store);
    const done = await send('hello, transfer 5');
    const taskStore = storeTaskStore(store, 'bank');
    const context = new ServerCallContext();
    const message = a2aMessage({ messageId: 'lost', taskId: 'lost-task', contextId: 'fresh', role: 'user' }, [
      textPart('contact'),
    ]);
    const status = {
      state: TaskState.TASK_STATE_WORKING,
      message: undefined,
      timestamp: new Date().toISOString(),
    };
    await taskStore.save(
      { ...done, id: 'lost-task', contextId: 'fresh', status, artifacts: [], history: [message] },
      context,
    );
    const look = async () => stateOf(await client.getTask({ tenant: '', id: 'lost-task' }));
    await expect.poll(look).toBe('input-required');
    expect(sent).toEqual([]);
  });

  it('leaves the task to the first of two answers in different processes', async () => {
    const store = memoryStore();
    const [first, second] = [
      await setUp('JSONRPC', store, {}, undefined, true),
      await setUp('JSONRPC', store),
    ];
    const paused = await first.send('both');
    const yes = first.answer(paused, { approved: true });
    await expect.poll(() => first.sent.length).toBe(1);
    await expect(second.answer(paused, { approved: false })).rejects.toThrow('at work');
    first.release();
    expect(stateOf(await yes)).toBe('completed');
    expect(stateOf(await second.client.getTask({ tenant: '', id: paused.id }))).toBe('completed');
    expect([first.sent, second.sent]).toEqual([[{ amount: 5 }], []]);
  });
});

describe('toA2a with an agent that only has run', () => {
  const shop = contentAgent({
    id: 'shop',
    async *run(messages) {
      const said = messages.at(-1)?.contents ?? [];
      const response = said.find((part) => part.type === 'userInputResponse');
      if (response === undefined) {
        yield { type: 'text', text: 'Hello.' };
        yield {
          type: 'userInputRequest',
          id: 'size',
          message: 'Which size?',
          responseSchema: { type: 'integer' },
        };
        return;
      }
      yield { type: 'text', text: `You said ${JSON.stringify(response)}.` };
    },
  });

  async function serveShop(store = memoryStore()) {
    const served = await serveFetch(toA2a(shop, { store }).fetch);
    closing.push(served);
    const client = await clientFor(served.url, 'JSONRPC');
    const send = async (parts: Message['parts'], task?: Task) => {
      const message = a2aMessage(
        { messageId: crypto.randomUUID(), taskId: task?.id, contextId: task?.contextId, role: 'user' },
        parts,
      );
      return (await client.sendMessage({
        tenant: '',
        message,
        configuration: undefined,
        metadata: undefined,
      })) as Task;
    };
    return { client, send };
  }

  it('pauses, rejects an invalid answer, and continues in another process', async () => {
    const store = memoryStore();
    const { send } = await serveShop(store);
    const paused = await send([textPart('hi')]);
    expect([stateOf(paused), saidBy(paused)]).toEqual(['input-required', 'Which size?']);
    const next = await serveShop(store);
    const again = await next.send([responsePart({ values: { value: 'large' } })], paused);
    expect(stateOf(again)).toBe('input-required');
    const end = await next.send([responsePart({ values: { value: 5 } })], paused);
    expect(stateOf(end)).toBe('completed');
    expect(textOf(end.artifacts.at(-1)?.parts ?? [])).toContain('5');
    const other = await next.send([textPart('hi again')], { ...end, id: '' });
    expect(stateOf(other)).toBe('input-required');
    expect(stateOf(await next.send([responsePart({ values: { value: 6 } })], other))).toBe('completed');
  });

  it('closes the interrupt of a cancelled task', async () => {
    const store = memoryStore();
    const { send, client } = await serveShop(store);
    const paused = await send([textPart('hi')]);
    expect(stateOf(await client.cancelTask({ tenant: '', id: paused.id, metadata: undefined }))).toBe(
      'canceled',
    );
    expect(await openInterrupts(store, { scope: 'default', thread: paused.contextId })).toEqual([]);
  });

  it('closes the interrupt of a task that a server of the SDK cancels', async () => {
    const store = memoryStore();
    const { executor, taskStore, card } = toA2a(shop, { store });
    const server = new DefaultRequestHandler(card('http://localhost'), taskStore, executor);
    const context = new ServerCallContext({ requestedVersion: '1.0' });
    const message = a2aMessage({ messageId: 'm', role: 'user' }, [textPart('hi')]);
    const params = { tenant: '', message, configuration: undefined, metadata: undefined };
    const paused = (await server.sendMessage(params, context)) as Task;
    const ended = await server.cancelTask({ tenant: '', id: paused.id, metadata: undefined }, context);
    expect([stateOf(paused), stateOf(ended)]).toEqual(['input-required', 'canceled']);
    expect(await openInterrupts(store, { scope: 'default', thread: paused.contextId })).toEqual([]);
  });
});

describe('requestInput and readInput', () => {
  const schema = z.object({ size: z.number().int(), note: z.string().optional() });

  it('readInput reads and checks the answer to requestInput', () => {
    const bus = new DefaultExecutionEventBus();
    const events: AgentExecutionEvent[] = [];
    bus.on('event', (event) => events.push(event));
    requestInput(bus, { taskId: 't', contextId: 'c' }, { text: 'Which size?', requestId: 'size', schema });
    const [event] = events;
    const message = event?.kind === 'statusUpdate' ? event.data.status?.message : undefined;
    expect(textOf(message?.parts ?? [])).toBe('Which size?');
    expect(requestsIn(message?.parts ?? [])).toMatchObject([
      {
        requestId: 'size',
        fields: [
          { name: 'size', type: 'integer', required: true },
          { name: 'note', required: false },
        ],
      },
    ]);
    const read = (values: Record<string, unknown>, metadata?: { cancelled: boolean }) =>
      readInput(
        a2aMessage({ messageId: 'm', role: 'user' }, [
          textPart('here'),
          responsePart({
            requestId: 'size',
            values: values as never,
            ...(metadata === undefined ? {} : { metadata }),
          }),
        ]),
      );
    expect(read({ size: 5 }).value('size')).toEqual({ size: 5 });
    expect(read({ size: 5 }).text).toBe('here');
    expect(read({ size: 5 }).check(schema)).toEqual([]);
    expect(read({ size: 'five' }).check(schema, 'size')).toMatchObject([{ pointer: '/size' }]);
    expect(read({ size: 5 }).value('other')).toBeUndefined();
    expect(read({}, { cancelled: true }).isCancelled()).toBe(true);
    expect(read({}, { cancelled: true }).value()).toBeUndefined();
  });
});

describe('toA2a with a failing store', () => {
  it.each(['JSONRPC', 'HTTP+JSON'] as const)(
    'sends no path over %s and passes the error to onError',
    async (transport) => {
      const path = '/srv/private/holdpoint.db';
      const store = memoryStore();
      let isBroken = false;
      const fail = () =>
        Promise.reject(new HoldpointError('STORE_FAILED', `The SQLite file ${path} is locked.`));
      const failing: Store = {
        ...store,
        get: (table, keys) => (isBroken ? fail() : store.get(table, keys)),
        snapshot: (reads) => (isBroken ? fail() : store.snapshot(reads)),
        list: (query) => (isBroken ? fail() : store.list(query)),
        count: (query) => (isBroken ? fail() : store.count(query)),
        commit: (batch) => (isBroken ? fail() : store.commit(batch)),
      };
      const errors: unknown[] = [];
      const { client, send } = await setUp(transport, failing, {
        context: { onError: (error) => errors.push(error) },
      });
      const task = await send('transfer');
      isBroken = true;
      const failures = await Promise.all([
        client.getTask({ tenant: '', id: task.id }).catch(String),
        client.cancelTask({ tenant: '', id: task.id, metadata: undefined }).catch(String),
      ]);
      expect(JSON.stringify(failures)).not.toContain(path);
      expect(failures[0]).toContain('STORE_FAILED');
      expect(errors.map(String).join()).toContain(path);
    },
  );
});
