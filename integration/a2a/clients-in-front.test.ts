/**
 * `toA2a` with the clients of others, as they were published: `@a2a-js/sdk` 1.3, 0.3 and 0.2, `RemoteA2AAgent` of Google's ADK and
 * `A2AAgent` of Mastra. Each begins a task, gets its request and answers it.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';

import type { Message as MessageV1, Part as PartV1, Task as TaskV1 } from '@a2a-js/sdk';
import { Role } from '@a2a-js/sdk';
import { ClientFactory as FactoryV1 } from '@a2a-js/sdk/client';
import type { Event } from '@google/adk';
import { InMemoryRunner, RemoteA2AAgent } from '@google/adk';
import { A2AAgent } from '@mastra/core/a2a';
import { A2AClient as ClientV02 } from 'a2a-v02/client';
import type { Part as PartV03, Task as TaskV03 } from 'a2a-v03';
import { ClientFactory as FactoryV03 } from 'a2a-v03/client';
import { z } from 'zod';

import { toA2a } from '../../src/a2a/index.ts';
import { serveFetch } from '../../src/a2a/testing-support/serve-fetch.ts';
import { defineAgent, defineTool } from '../../src/index.ts';
import { memoryStore } from '../../src/store/memory/index.ts';
import { scriptedModel } from '../../src/testing/index.ts';

/** The members of an event of version 0.3 that this test reads. */
interface Update {
  readonly kind: string;
  readonly id: string;
  readonly contextId: string;
  readonly status: TaskV03['status'];
  readonly artifact?: { readonly parts: PartV03[] };
  readonly final?: boolean;
}

/** An agent that pays after an approval, and asks for a name and for an address. */
function bank(done: unknown[]) {
  const pay = defineTool({
    name: 'pay',
    description: 'Pays.',
    input: z.object({ amount: z.number() }),
    approval: true,
    run: ({ amount }) => done.push({ paid: amount }),
  });
  const name = defineTool({
    name: 'name',
    description: 'Asks for a name.',
    input: z.object({}),
    run: async (_input, { ask }) =>
      done.push(await ask('name', { message: 'Your name?', schema: z.object({ name: z.string() }) })),
  });
  const mail = defineTool({
    name: 'mail',
    description: 'Asks for an address.',
    input: z.object({}),
    run: async (_input, { ask }) =>
      done.push(await ask('mail', { message: 'Your e-mail?', schema: z.email() })),
  });
  const model = scriptedModel(({ messages }) => {
    const last = messages.at(-1);
    if (last?.role === 'tool') return 'All done.';
    const said = JSON.stringify(last?.content ?? '');
    const tool = ['mail', 'name', 'pay'].find((one) => said.includes(one));
    if (tool === undefined) return 'Hello.';
    return {
      calls: [{ id: `call-${messages.length}`, name: tool, input: tool === 'pay' ? { amount: 5 } : {} }],
    };
  });
  return defineAgent({ id: 'bank', model, tools: [pay, name, mail] });
}

/** What a client shows of a task: its state, and its texts. */
interface Shown {
  readonly state: string;
  readonly text: string;
}

/** A conversation of one client. */
interface Conversation {
  say(text: string): Promise<Shown>;
  /** Answers the request of the task in the form that the client has for it. */
  answer(payload: unknown): Promise<Shown>;
}

const NAMES: Readonly<Record<string, string>> = {
  TASK_STATE_INPUT_REQUIRED: 'input-required',
  TASK_STATE_COMPLETED: 'completed',
};

async function v1(url: string): Promise<Conversation> {
  const client = await new FactoryV1().createFromUrl(url);
  let task: TaskV1 | undefined;
  const send = async (content: NonNullable<PartV1['content']>): Promise<Shown> => {
    const message: MessageV1 = {
      messageId: randomUUID(),
      contextId: task?.contextId ?? '',
      taskId: task?.id ?? '',
      role: Role.ROLE_USER,
      parts: [{ content, mediaType: '', filename: '', metadata: undefined }],
      metadata: undefined,
      extensions: [],
      referenceTaskIds: [],
    };
    task = (await client.sendMessage({
      tenant: '',
      message,
      configuration: undefined,
      metadata: undefined,
    })) as TaskV1;
    const texts = [...task.artifacts.flatMap(({ parts }) => parts), ...(task.status?.message?.parts ?? [])];
    return {
      state: task.status?.state === 6 ? 'input-required' : task.status?.state === 3 ? 'completed' : 'other',
      text: texts.map((part) => (part.content?.$case === 'text' ? part.content.value : '')).join('\n'),
    };
  };
  return {
    say: (text) => send({ $case: 'text', value: text }),
    answer: (payload) =>
      send(
        typeof payload === 'string' ? { $case: 'text', value: payload } : { $case: 'data', value: payload },
      ),
  };
}

const textsOf = (parts: readonly { readonly kind: string; readonly text?: string }[]) =>
  parts.flatMap((part) => (part.kind === 'text' ? [part.text ?? ''] : []));

/** The clients of 0.3 and 0.2 have the same messages. */
type LegacySend = (params: {
  message: {
    kind: 'message';
    messageId: string;
    role: 'user';
    parts: PartV03[];
    taskId?: string;
    contextId?: string;
  };
}) => AsyncIterable<unknown>;

function legacy(stream: LegacySend): Conversation {
  let task: { id: string; contextId: string } | undefined;
  const send = async (part: PartV03): Promise<Shown> => {
    const ids = task === undefined ? {} : { taskId: task.id, contextId: task.contextId };
    let state = '';
    const texts: string[] = [];
    const message = {
      kind: 'message' as const,
      messageId: randomUUID(),
      role: 'user' as const,
      parts: [part],
      ...ids,
    };
    for await (const event of stream({ message })) {
      const { kind, status, artifact, id, contextId, final } = event as Update;
      if (kind === ('task' as string)) task = { id, contextId };
      if (artifact !== undefined) texts.push(...textsOf(artifact.parts));
      if (kind === ('status-update' as string)) {
        state = status.state;
        texts.push(...textsOf(status.message?.parts ?? []));
        assert.equal(final, state === 'input-required' || state === 'completed');
      }
    }
    return { state, text: texts.join('\n') };
  };
  return {
    say: (text) => send({ kind: 'text', text }),
    answer: (payload) =>
      send(
        typeof payload === 'string'
          ? { kind: 'text', text: payload }
          : { kind: 'data', data: payload as Record<string, unknown> },
      ),
  };
}

async function v03(url: string): Promise<Conversation> {
  const client = await new FactoryV03().createFromUrl(url);
  return legacy((params) => client.sendMessageStream(params));
}

async function v02(url: string): Promise<Conversation> {
  const client = new ClientV02(url);
  return legacy((params) => client.sendMessageStream(params));
}

/** Events in the place of the task that a client without streams gets. */
function* eventsOf(task: TaskV03): Generator<unknown, void, undefined> {
  yield task;
  for (const artifact of task.artifacts ?? []) yield { kind: 'artifact-update', artifact };
  yield { kind: 'status-update', status: task.status, final: true };
}

async function v03Blocking(url: string): Promise<Conversation> {
  const client = await new FactoryV03().createFromUrl(url);
  return legacy(async function* (params) {
    yield* eventsOf((await client.sendMessage(params)) as TaskV03);
  });
}

async function v02Blocking(url: string): Promise<Conversation> {
  const client = new ClientV02(url);
  return legacy(async function* (params) {
    const response = await client.sendMessage(params);
    assert.ok('result' in response);
    yield* eventsOf(response.result as TaskV03);
  });
}

/** ADK answers with a function response to the call in the event. */
async function adk(url: string): Promise<Conversation> {
  const agent = new RemoteA2AAgent({ name: 'remote', agentCard: url });
  const runner = new InMemoryRunner({ agent, appName: 'shop' });
  const session = await runner.sessionService.createSession({ appName: 'shop', userId: 'ana' });
  let call: { id?: string; name?: string } | undefined;
  const run = async (parts: object[]): Promise<Shown> => {
    call = undefined;
    const events: Event[] = [];
    const newMessage = { role: 'user', parts };
    for await (const event of runner.runAsync({ userId: 'ana', sessionId: session.id, newMessage }))
      events.push(event);
    assert.deepEqual(
      events.map(({ errorMessage }) => errorMessage).filter((text) => text !== undefined),
      [],
    );
    const all = events.flatMap(({ content }) => content?.parts ?? []);
    call = all.findLast(({ functionCall }) => functionCall !== undefined)?.functionCall;
    const text = all.map((part) => part.text ?? '').join('\n');
    return { state: call === undefined ? 'completed' : 'input-required', text };
  };
  return {
    say: (text) => run([{ text }]),
    answer(payload) {
      const { id, name } = call ?? {};
      const value = (typeof payload === 'string' ? { result: payload } : payload) as Record<string, unknown>;
      const response = name === 'adk_request_confirmation' ? { confirmed: value['approved'] } : value;
      return run([{ functionResponse: { id, name, response } }]);
    },
  };
}

/** Mastra answers with the data as JSON text, in newer versions also as a data part. */
async function mastra(url: string, protocolVersion?: '1.0'): Promise<Conversation> {
  const agent = new A2AAgent({ url, ...(protocolVersion === undefined ? {} : { protocolVersion }) });
  const runId = randomUUID();
  const show = ({
    text,
    task,
  }: {
    text: string;
    task?: { status: { state: string } } | undefined;
  }): Shown => ({
    state: NAMES[task?.status.state ?? ''] ?? task?.status.state ?? '',
    text,
  });
  return {
    say: async (text) => show(await agent.generate(text, { runId })),
    answer: async (payload) => show(await agent.resumeGenerate(payload, { runId })),
  };
}

/** The stream of Mastra has no text of a status; the task that it collects has. */
async function mastraStream(url: string): Promise<Conversation> {
  const agent = new A2AAgent({ url });
  const runId = randomUUID();
  const show = async (stream: Awaited<ReturnType<A2AAgent['stream']>>): Promise<Shown> => {
    for await (const _chunk of stream.fullStream as AsyncIterable<unknown>);
    const { status } = await (stream as unknown as { task: Promise<TaskV03> }).task;
    const asked = textsOf(status.message?.parts ?? []);
    return { state: status.state, text: [await stream.text, ...asked].join('\n') };
  };
  return {
    say: async (text) => show(await agent.stream(text, { runId })),
    answer: async (payload) => show(await agent.resumeStream(payload, { runId })),
  };
}

const CLIENTS: Readonly<Record<string, (url: string) => Promise<Conversation>>> = {
  'the client of SDK 1.3': v1,
  'the client of SDK 0.3': v03,
  'the client of SDK 0.3 without streams': v03Blocking,
  'the client of SDK 0.2': v02,
  'the client of SDK 0.2 without streams': v02Blocking,
  'RemoteA2AAgent of ADK': adk,
  'A2AAgent of Mastra': (url) => mastra(url),
  'A2AAgent of Mastra with streams': mastraStream,
  'A2AAgent of Mastra with A2A 1.0': (url) => mastra(url, '1.0'),
};

for (const [name, connect] of Object.entries(CLIENTS)) {
  void describe(name, { timeout: 60_000 }, () => {
    const open = async (context: { after(close: () => Promise<void>): void }) => {
      const done: unknown[] = [];
      const service = toA2a(bank(done), { store: memoryStore() });
      const served = await serveFetch((request) => service.fetch(request));
      context.after(() => served.close());
      return { done, conversation: await connect(served.url) };
    };

    void test(`${name} approves a call`, async (context) => {
      const { done, conversation } = await open(context);
      const paused = await conversation.say('pay 5');
      assert.equal(paused.state, 'input-required');
      assert.deepEqual(done, []);
      const end = await conversation.answer({ approved: true });
      assert.deepEqual(done, [{ paid: 5 }]);
      assert.equal(end.state, 'completed');
      assert.match(end.text, /All done\./);
    });

    void test(`${name} denies a call`, async (context) => {
      const { done, conversation } = await open(context);
      await conversation.say('pay 5');
      const end = await conversation.answer({ approved: false });
      assert.deepEqual(done, []);
      assert.equal(end.state, 'completed');
    });

    void test(`${name} answers a request for an object`, async (context) => {
      const { done, conversation } = await open(context);
      const paused = await conversation.say('what is my name');
      assert.match(paused.text, /Your name\?/);
      const end = await conversation.answer({ name: 'x' });
      assert.deepEqual(done, [{ name: 'x' }]);
      assert.equal(end.state, 'completed');
    });

    void test(`${name} answers a request for a string after a wrong answer`, async (context) => {
      const { done, conversation } = await open(context);
      await conversation.say('send me mail');
      const again = await conversation.answer('nonsense');
      assert.equal(again.state, 'input-required');
      assert.deepEqual(done, []);
      const end = await conversation.answer('a@b.co');
      assert.deepEqual(done, ['a@b.co']);
      assert.equal(end.state, 'completed');
    });
  });
}

void describe('the client of SDK 0.3 and a task that waits', { timeout: 60_000 }, () => {
  void test('the client of SDK 0.3 reads, follows and cancels a task', async (context) => {
    const service = toA2a(bank([]), { store: memoryStore() });
    const served = await serveFetch((request) => service.fetch(request));
    context.after(() => served.close());
    const client = await new FactoryV03().createFromUrl(served.url);
    const message = {
      kind: 'message' as const,
      messageId: randomUUID(),
      role: 'user' as const,
      parts: [{ kind: 'text' as const, text: 'pay 5' }],
    };
    const { id } = (await client.sendMessage({ message })) as TaskV03;
    assert.equal((await client.getTask({ id })).status.state, 'input-required');
    const states: string[] = [];
    for await (const event of client.resubscribeTask({ id })) {
      assert.ok('status' in event);
      states.push(event.status.state);
      if (states.length === 1) assert.equal((await client.cancelTask({ id })).status.state, 'canceled');
    }
    assert.deepEqual(states, ['input-required', 'canceled']);
    await assert.rejects(client.cancelTask({ id: 'nobody' }), /not found/i);
  });
});
