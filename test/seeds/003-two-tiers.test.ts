/** Walks "AG-UI Event Protocol Integration Plan" (two tiers) in its order, with its names and values. */
import { HttpAgent } from '@ag-ui/client';
import * as api from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { defineTool, useTelemetry } from 'holdpoint';
import { approve, createClient } from 'holdpoint/client';
import { cardFacts, createConversation } from 'holdpoint/elements';
import type { HostOptions, RegistryOptions } from 'holdpoint/host';
import { createHost, createRegistry } from 'holdpoint/host';
import { serve, toNodeHandler } from 'holdpoint/node';
import type { AgentStreamEvent, CoreStreamEvent, ReceivedEvent, SnakeStreamEvent } from 'holdpoint/protocol';
import {
  isApprovalDecided,
  isApprovalRequested,
  isMessagesSnapshot,
  isRunError,
  isRunFinished,
  isRunStarted,
  isStateDelta,
  isStateSnapshot,
  isTextMessageContent,
  isTextMessageEnd,
  isTextMessageStart,
  isToolCallArgs,
  readEvents,
} from 'holdpoint/protocol';
import { memoryStore } from 'holdpoint/store/memory';
import type { ResponseOptions, TextSource } from 'holdpoint/stream';
import { toAguiEvents, toAguiResponse } from 'holdpoint/stream';
import type { Script } from 'holdpoint/testing';
import { scriptedModel } from 'holdpoint/testing';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterEach, expect } from 'vitest';
import { z } from 'zod';
import * as theirs from './003-events.ts';
import { walkSeed } from './walk.ts';

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** Serves a plain Node server on a free port. */
async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  closers.push(
    () =>
      new Promise((closed) => {
        server.close(closed);
        server.closeAllConnections();
      }),
  );
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The `StreamChatController` of Core: answers a request with a stream of text, in the route that `docs/stream.md` shows. */
function core(source: TextSource, options: ResponseOptions = {}): Promise<string> {
  const handle = toNodeHandler({
    async fetch(request) {
      const { threadId, runId } = (await request.json()) as { threadId?: string; runId?: string };
      return toAguiResponse(source, { naming: 'snake', threadId, runId, ...options });
    },
  });
  return listen((request, response) => void handle(request, response));
}

/** A server that is not ours: it sends its frames, which may depend on the request. */
function foreign(frames: (input: Record<string, unknown>) => readonly string[]): Promise<string> {
  return listen((request, response) => {
    if (request.method !== 'POST' || request.url !== '/') return void response.writeHead(404).end();
    const answer = async () => {
      const input = (await json(request)) as Record<string, unknown>;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const frame of frames(input)) response.write(`data: ${frame}\n\n`);
      response.end();
    };
    return void answer();
  });
}

const request = (body: object) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

/** Posts a run and reads the events of its stream, as a frontend of the plan does. */
async function post(url: string, body: object = {}): Promise<SnakeStreamEvent[]> {
  const response = await fetch(url, request(body));
  const text = await response.text();
  expect([response.status, text.includes('[DONE]')]).toEqual([200, false]);
  return [...text.matchAll(/^data: (.*)$/gm)].map(([, frame = '']) => JSON.parse(frame) as SnakeStreamEvent);
}

const textOf = (events: readonly SnakeStreamEvent[]) =>
  events.flatMap((event) => (isTextMessageContent(event) ? [event.delta] : [])).join('');
const typesOf = (events: readonly { readonly type: string }[]) => events.map(({ type }) => type);

/** The tools of the plan. Updating and publishing require approval. */
function umbracoTools() {
  const published: number[] = [];
  const SearchContent = defineTool({
    name: 'SearchContent',
    description: 'Search for content in Umbraco',
    input: z.object({
      query: z.string().describe('Search query'),
      contentType: z.string().optional().describe('Content type alias to filter by'),
    }),
    run: ({ query }) => [{ name: `A page about ${query}` }],
  });
  const GetContent = defineTool({
    name: 'GetContent',
    description: 'Get content',
    input: z.object({ id: z.number() }),
    run({ id }, context) {
      context.emit.state([{ op: 'add', path: '/open', value: id }]);
      return { id, name: 'Home' };
    },
  });
  const page = { input: z.object({ id: z.number() }), approval: true };
  const UpdateContent = defineTool({
    ...page,
    name: 'UpdateContent',
    description: 'Update content',
    run: () => 'updated',
  });
  const PublishContent = defineTool({
    ...page,
    name: 'PublishContent',
    description: 'Publish content',
    title: () => 'Publish the page',
    run({ id }) {
      published.push(id);
      return 'published';
    },
  });
  return { tools: [SearchContent, GetContent, UpdateContent, PublishContent], published };
}

type Change = Partial<RegistryOptions> & { readonly host?: Partial<HostOptions> };

/** Umbraco.Ai.Agents: agents made of profiles and tools, behind a host that listens. */
async function umbraco(script: Script, { host: options, ...change }: Change = {}) {
  const model = scriptedModel(script);
  const { tools, published } = umbracoTools();
  const registry = createRegistry({
    models: { gpt: model },
    profiles: { careful: { model: 'gpt', temperature: 0.2, instructions: 'Be careful.' } },
    tools,
    agents: [
      {
        id: 'agent-1',
        alias: 'editor',
        name: 'Editor',
        description: 'Edits pages.',
        profile: 'careful',
        tools: tools.map(({ name }) => name),
      },
    ],
    ...change,
  });
  const host = createHost({
    logger: false,
    sweepMs: 0,
    dialect: 'snake',
    store: memoryStore(),
    agents: registry,
    ...options,
  });
  const { url, close } = await serve(host, { port: 0 });
  closers.push(close);
  return { url, chat: `${url}/agents/editor/chat/stream`, host, registry, model, published };
}

const call = (name: string, input: object) => ({ calls: [{ id: `call-${name}`, name, input }] });
const PUBLISH: Script = [call('PublishContent', { id: 7 }), 'It is live.'];
const begin = {
  thread_id: 't',
  run_id: 'r1',
  messages: [{ id: 'm', role: 'user', content: 'Publish page 7' }],
};
const goOn = (resume: unknown) => ({ thread_id: 't', run_id: 'r2', messages: [], resume });

const CORE_TYPES = [
  'run_started',
  'text_message_start',
  'text_message_content',
  'text_message_content',
  'text_message_end',
  'run_finished',
];
/** A model whose connection fails after its first words. */
async function* failing(): AsyncGenerator<string> {
  yield 'Hel';
  throw new Error('The model is overloaded.');
}

walkSeed('003', 'Two tiers: AG-UI Event Protocol Integration Plan', ({ line, held, not }) => {
  line('1', 'Two tiers, one vocabulary', async () => {
    const { chat } = await umbraco(['Hello world']);
    const [one, two] = [await post(await core(['Hello ', 'world'])), await post(chat, begin)];
    const isCore = ({ type }: SnakeStreamEvent) => CORE_TYPES.includes(type);
    expect(typesOf(one)).toEqual(CORE_TYPES);
    expect(typesOf(two.filter(isCore))).toEqual(CORE_TYPES);
    expect([textOf(one), textOf(two)]).toEqual(['Hello world', 'Hello world']);
    // Each event of Core has a counterpart in Agents, with the same members at least.
    for (const [index, event] of two.filter(isCore).entries())
      expect(Object.keys(event)).toEqual(expect.arrayContaining(Object.keys(one[index] ?? {})));
  });
  line('2', 'Six core events', async () => {
    const [worked, failed] = [await post(await core(['Hello ', 'world'])), await post(await core(failing))];
    expect(typesOf(worked)).toEqual(CORE_TYPES);
    expect(failed.at(-1)).toMatchObject({ type: 'run_error' });
    expect(new Set(typesOf([...worked, ...failed]))).toEqual(new Set([...CORE_TYPES, 'run_error']));
  });
  line('3', 'Events of agents: tools, state, messages', async () => {
    const { url, chat } = await umbraco([call('GetContent', { id: 7 }), 'It is the home page.']);
    const events = await post(chat, begin);
    const callId = 'call-GetContent';
    expect(events.filter(({ type }) => type.startsWith('tool_call_'))).toMatchObject([
      { type: 'tool_call_start', tool_call_id: callId, tool_call_name: 'GetContent' },
      { type: 'tool_call_args', tool_call_id: callId },
      { type: 'tool_call_args', tool_call_id: callId },
      { type: 'tool_call_end', tool_call_id: callId },
      { type: 'tool_call_result', tool_call_id: callId, content: '{"id":7,"name":"Home"}' },
    ]);
    expect(events.flatMap((event) => (isToolCallArgs(event) ? [event.delta] : [])).join('')).toBe('{"id":7}');
    expect(events.flatMap((event) => (isStateSnapshot(event) ? [event.snapshot] : []))).toEqual([{}]);
    const deltas = events.flatMap((event) => (isStateDelta(event) ? event.delta : []));
    expect(deltas).toEqual([{ op: 'add', path: '/open', value: 7 }]);
    // For syncing the history of the conversation, as a client does after a reload.
    const synced = await post(`${url}/agents/editor/connect`, { ...begin, messages: [] });
    const messages = synced.flatMap((event) => (isMessagesSnapshot(event) ? event.messages : []));
    expect(messages).toMatchObject([
      { role: 'user', content: 'Publish page 7' },
      { role: 'assistant', tool_calls: [{ id: callId, function: { name: 'GetContent' } }] },
      { role: 'tool', tool_call_id: callId },
      { role: 'assistant', content: 'It is the home page.' },
    ]);
  });
  line(
    '4',
    '`approval_*`',
    async () => {
      for (const [approved, decision] of [
        [true, 'approved'],
        [false, 'rejected'],
      ] as const) {
        const { chat, published } = await umbraco(PUBLISH);
        const events = await post(chat, begin);
        expect(typesOf(events).slice(-2)).toEqual(['approval_requested', 'run_finished']);
        const id = events.find(isApprovalRequested)?.approval_id;
        const next = await post(
          chat,
          goOn([{ interrupt_id: id, status: 'resolved', payload: { approved } }]),
        );
        expect(typesOf(next).slice(0, 2)).toEqual(['run_started', 'approval_decided']);
        expect(next.find(isApprovalDecided)).toMatchObject({ approval_id: id, decision });
        expect([published, textOf(next)]).toEqual([approved ? [7] : [], 'It is live.']);
      }
    },
    '`approval_requested`, `approval_decided`',
  );
  line('5', '`timestamp` on every event', async () => {
    const since = Date.now();
    const { chat } = await umbraco(PUBLISH);
    const events = [...(await post(await core(['Hello']))), ...(await post(chat, begin))];
    expect(events.length).toBeGreaterThan(10);
    for (const { type, timestamp } of events) {
      expect([type, Number.isInteger(timestamp)]).toEqual([type, true]);
      // Milliseconds, not seconds.
      expect([type, timestamp >= since - 1000]).toEqual([type, true]);
    }
  });
  not(
    '6',
    'Core has no AG-UI package',
    '`holdpoint/stream` imports none (3 kB), but there is one npm package, and it installs `@ag-ui/core`.',
  );
  line(
    '7',
    'The event types as records',
    async () => {
      // AiStreamEvent.cs: the type, the timestamp, and the members of each record with their names.
      const ids = { threadId: 't', runId: 'r', messageId: 'm', now: () => 1 };
      const events = await post(await core(['Hello'], ids));
      const records = [
        { type: 'run_started', timestamp: 1, run_id: 'r' },
        { type: 'text_message_start', timestamp: 1, message_id: 'm', role: 'assistant' },
        { type: 'text_message_content', timestamp: 1, message_id: 'm', delta: 'Hello' },
        { type: 'text_message_end', timestamp: 1, message_id: 'm' },
        { type: 'run_finished', timestamp: 1, run_id: 'r' },
      ] satisfies Partial<SnakeStreamEvent>[];
      expect(events).toMatchObject(records);
      const failed = await post(await core(failing, { ...ids, errorMessage: () => 'It failed.' }));
      expect(failed.at(-1)).toMatchObject({ type: 'run_error', timestamp: 1, message: 'It failed.' });
      // Guid.NewGuid() where no id is given.
      const [fresh] = await post(await core(['Hello']));
      expect(fresh).toMatchObject({
        run_id: expect.stringMatching(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/),
      });
    },
    '`SnakeStreamEvent`',
  );
  line(
    '8',
    'Controller: the sequence of events, and `run_error` with the message',
    async () => {
      const errorMessage = (error: unknown) => (error instanceof Error ? error.message : String(error));
      const worked = await post(await core([{ text: 'Hello' }, { text: undefined }, ' world']));
      expect([typesOf(worked), textOf(worked)]).toEqual([CORE_TYPES, 'Hello world']);
      const failed = await post(await core(failing, { errorMessage }));
      expect(typesOf(failed)).toEqual([...CORE_TYPES.slice(0, 3), 'text_message_end', 'run_error']);
      expect(failed.at(-1)).toMatchObject({ message: 'The model is overloaded.' });
      expect((await post(await core(failing))).at(-1)).toMatchObject({ message: 'The stream failed.' });
    },
    'with `errorMessage`; without it the text of an error stays on the server',
  );
  line('9', 'The headers of the stream', async () => {
    const { chat } = await umbraco(['Hello']);
    for (const url of [await core('Hello'), chat]) {
      const { headers, body } = await fetch(url, request(begin));
      expect(headers.get('content-type')).toMatch(/^text\/event-stream/);
      expect(headers.get('cache-control')).toContain('no-cache');
      expect(headers.get('connection')).toBe('keep-alive');
      await body?.cancel();
    }
  });
  line('10', 'The legacy form and `[DONE]` are read', async () => {
    const chunk = (content: string, isComplete = false) =>
      JSON.stringify({ content, finishReason: isComplete ? 'stop' : null, isComplete });
    for (const end of [['[DONE]'], [chunk('', true)], [chunk('', true), '[DONE]']]) {
      const url = await foreign(() => [chunk('Hello'), chunk(' world'), ...end]);
      const { outcome, messages } = await createClient({ url }).run({ messages: 'Hi' }).finished;
      expect([outcome, messages.at(-1)]).toMatchObject([
        'success',
        { role: 'assistant', content: 'Hello world' },
      ]);
    }
  });
  line('11', 'Cancellation', async () => {
    let cancelled = () => {};
    const token = new Promise<void>((resolve) => (cancelled = resolve));
    const url = await core(async function* source(signal: AbortSignal) {
      signal.addEventListener('abort', cancelled);
      yield 'Hel';
      await token;
      yield 'lo';
    });
    const reader = new AbortController();
    const { body } = await fetch(url, { ...request(begin), signal: reader.signal });
    let read = '';
    await expect(async () => {
      for await (const bytes of body ?? []) {
        read += Buffer.from(bytes).toString();
        if (read.includes('Hel')) reader.abort();
      }
    }).rejects.toThrow('abort');
    await token;
    expect(read).not.toContain('"lo"');
  });
  line('12', 'An unknown profile', async () => {
    // In Core, the profile is resolved inside the stream: its failure is the end of the run.
    const unknown = await core(
      () => {
        throw new Error('There is no profile "nobody".');
      },
      { errorMessage: (error) => (error as Error).message },
    );
    expect(await post(unknown)).toMatchObject([
      { type: 'run_started' },
      { type: 'run_error', message: 'There is no profile "nobody".' },
    ]);
    // In Agents, a definition with an unknown profile is refused, and what is there stays.
    const { registry, chat } = await umbraco(['Hello']);
    expect(() => registry.setAgent({ id: 'agent-1', profile: 'nobody' })).toThrow(
      'there is no profile "nobody"',
    );
    expect(textOf(await post(chat, begin))).toBe('Hello');
  });
  line(
    '13',
    'Factory: profile, `EnabledToolIds`, instructions or those of the profile',
    async () => {
      const { url, model } = await umbraco(['One.', 'Two.'], {
        agents: [
          { id: 'a', name: 'A', description: 'First.', profile: 'careful', tools: ['GetContent'] },
          { id: 'b', profile: 'careful', instructions: 'Be quick.' },
        ],
      });
      await post(`${url}/agents/a/chat/stream`, begin);
      await post(`${url}/agents/b/chat/stream`, { ...begin, thread_id: 'other' });
      expect(model.requests).toMatchObject([
        { instructions: 'Be careful.', settings: { temperature: 0.2 }, tools: [{ name: 'GetContent' }] },
        { instructions: 'Be quick.', settings: { temperature: 0.2 }, tools: [] },
      ]);
      const listed = await (await fetch(`${url}/agents`)).json();
      expect(listed).toMatchObject({ agents: [{ id: 'a', name: 'A', description: 'First.' }, { id: 'b' }] });
    },
    'named `profile`, `tools`, `instructions`',
  );
  line('14', 'Registry: by id or alias', async () => {
    const { url } = await umbraco(() => 'Hello');
    for (const name of ['agent-1', 'editor', 'Editor']) {
      const shown = await fetch(`${url}/agents/${name}`);
      expect(await shown.json()).toMatchObject({ id: 'agent-1', alias: 'editor' });
      const events = await post(`${url}/agents/${name}/chat/stream`, { ...begin, thread_id: name });
      expect(textOf(events)).toBe('Hello');
    }
    for (const name of ['edit', 'agent', '__proto__'])
      expect([name, (await fetch(`${url}/agents/${name}`)).status]).toEqual([name, 404]);
  });
  line('15', '`/agents/{agentIdOrAlias}/chat/stream`', async () => {
    const basePath = '/umbraco/ai/management/api/v1';
    const { url } = await umbraco(['Hello'], { host: { basePath } });
    const at = (name: string) => `${url}${basePath}/agents/${name}/chat/stream`;
    expect((await post(at('editor'), begin)).at(0)).toMatchObject({ type: 'run_started', run_id: 'r1' });
    const unknown = await fetch(at('nobody'), request(begin));
    expect([unknown.status, await unknown.json()]).toMatchObject([
      404,
      { error: { code: expect.any(String) } },
    ]);
  });
  line(
    '16',
    '`MapAGUI`',
    async () => {
      const { host, published } = await umbraco(PUBLISH, { host: { dialect: '1.0' } });
      const handle = toNodeHandler({ fetch: host.agentRoute('editor') });
      const path = '/umbraco/ai/api/v1/agents/chat';
      const url = await listen((request, response) => {
        if (request.url === path) void handle(request, response);
        else response.writeHead(404).end();
      });
      const agent = new HttpAgent({ url: url + path, threadId: 't' });
      agent.addMessage({ id: 'm', role: 'user', content: 'Publish page 7' });
      await agent.runAgent({});
      const [interrupt] = agent.pendingInterrupts;
      expect(interrupt).toMatchObject({ reason: 'tool_call', toolCallId: 'call-PublishContent' });
      await agent.runAgent({ resume: [approve(interrupt!)] });
      expect([published, agent.messages.at(-1)?.content]).toEqual([[7], 'It is live.']);
    },
    '`agentRoute`',
  );
  line('17', '`ApprovalRequestedEvent`', async () => {
    const { chat, url } = await umbraco(PUBLISH);
    const requested = (await post(chat, begin)).find(isApprovalRequested);
    expect(requested).toEqual({
      type: 'approval_requested',
      timestamp: expect.any(Number),
      approval_id: expect.stringMatching(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/),
      tool_id: 'PublishContent',
      tool_name: 'PublishContent',
      parameters: { id: 7 },
      parameters_summary: 'Publish the page?',
    });
    // Its id is that of the request in the inbox.
    const { interrupts } = await createClient({ url: `${url}/agents/editor` }).inbox.list();
    expect(interrupts.map(({ interrupt }) => interrupt.id)).toEqual([requested?.approval_id]);
  });
  line('18', 'The server of the seed, without `thread_id`, read by client and chat', async () => {
    let runs = 0;
    const answers: unknown[] = [];
    const url = await foreign(({ resume }) => {
      runs += 1;
      const ids = { run_id: `run-${runs}`, message_id: `message-${runs}` };
      const said = (delta: string) => [
        { type: 'text_message_start', message_id: ids.message_id, role: 'assistant' },
        { type: 'text_message_content', message_id: ids.message_id, delta },
        { type: 'text_message_end', message_id: ids.message_id },
      ];
      if (resume !== undefined) answers.push(resume);
      const request = {
        type: 'approval_requested',
        approval_id: 'approval',
        tool_id: 'tools.PublishContent',
        tool_name: 'PublishContent',
        parameters: { id: 7 },
        parameters_summary: 'Publish the page',
      };
      return [
        { type: 'run_started', run_id: ids.run_id },
        ...(resume === undefined ? [...said('One moment.'), request] : said('It is live.')),
        { type: 'run_finished', run_id: ids.run_id },
      ].map((event) => JSON.stringify({ ...event, timestamp: 1 }));
    });
    const client = createClient({ url, dialect: 'snake' });
    const run = client.run({ messages: 'Publish page 7' });
    const { outcome, interrupts } = await run.finished;
    expect([outcome, interrupts]).toMatchObject([
      'interrupt',
      [{ id: 'approval', message: 'Publish the page' }],
    ]);
    const ended = await client.resume(run, approve(interrupts[0]!)).finished;
    expect(ended).toMatchObject({ outcome: 'success', interrupts: [] });
    expect(ended.messages.at(-1)?.content).toBe('It is live.');

    // The conversation that <holdpoint-chat> shows.
    const chat = createConversation(client, 'other', { isNew: true });
    await chat.say('Publish page 7');
    const [card] = chat.getSnapshot().cards;
    expect(cardFacts(card!.interrupt)).toMatchObject({ isApproval: true, title: 'Publish content' });
    await chat.answer(approve(card!.interrupt));
    expect(chat.getSnapshot().messages.at(-1)?.content).toBe('It is live.');
    const answer = { interrupt_id: 'approval', status: 'resolved', payload: { approved: true } };
    expect(answers).toEqual([[answer], [answer]]);
  });
  line('19', '`events.ts` of the seed', async () => {
    // A frontend that knows nothing but events.ts.
    const seen: string[] = [];
    const show = (event: SnakeStreamEvent) => {
      if (theirs.isRunStarted(event)) seen.push(`run ${event.run_id}`);
      else if (theirs.isToolCallStart(event)) seen.push(`call ${event.tool_call_name}`);
      else if (theirs.isTextMessageContent(event)) seen.push(`text ${event.delta}`);
      else if (theirs.isApprovalRequested(event))
        seen.push(`approve ${event.tool_name} ${JSON.stringify(event.parameters)}`);
      else if (theirs.isRunError(event)) seen.push(`error ${event.message}`);
      else if (theirs.isRunFinished(event)) seen.push('end');
    };
    const { chat } = await umbraco(PUBLISH);
    for (const event of [...(await post(await core(failing, { runId: 'r' }))), ...(await post(chat, begin))])
      show(event);
    expect(seen).toEqual([
      'run r',
      'text Hel',
      'error The stream failed.',
      'run r1',
      'call PublishContent',
      'approve PublishContent {"id":7}',
      'end',
    ]);
  });
  line('20', 'Union types', async () => {
    // By type: what Core sends is the core union of the seed, which is a part of its agent union.
    const sent: theirs.CoreStreamEvent[] = [];
    for await (const event of toAguiEvents('Hello', { naming: 'snake' })) sent.push(event);
    const asAgents: theirs.AgentStreamEvent[] = sent;
    expect(typesOf(asAgents)).toEqual([...CORE_TYPES.slice(0, 3), 'text_message_end', 'run_finished']);
    // Our own unions, on a stream of Agents.
    const { chat } = await umbraco([call('GetContent', { id: 7 }), 'Home.']);
    const { body } = await fetch(chat, request(begin));
    const [inCore, all]: [CoreStreamEvent[], AgentStreamEvent[]] = [[], []];
    for await (const { event } of readEvents(body!)) {
      all.push(event);
      if (isRunStarted(event) || isRunFinished(event) || isRunError(event)) inCore.push(event);
      else if (isTextMessageStart(event) || isTextMessageContent(event) || isTextMessageEnd(event))
        inCore.push(event);
    }
    const types = [...CORE_TYPES.slice(0, 3), ...CORE_TYPES.slice(4)];
    expect(typesOf(inCore)).toEqual(types.map((type) => type.toUpperCase()));
    expect(typesOf(all)).toEqual(expect.arrayContaining(['TOOL_CALL_START', 'STATE_DELTA']));
  });
  line('21', 'Parsing of the stream', async () => {
    const { chat } = await umbraco(['Grüße 👋 from\r\n\r\ndata: Umbraco']);
    const bytes = Buffer.from(await (await fetch(chat, request(begin))).arrayBuffer());
    // Each byte alone: characters and frames are cut at every place.
    const pieces = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
        controller.close();
      },
    });
    const received: ReceivedEvent[] = [];
    for await (const one of readEvents(pieces)) received.push(one);
    const deltas = received.flatMap(({ event }) => (isTextMessageContent(event) ? [event.delta] : []));
    expect(deltas.join('')).toBe('Grüße 👋 from\r\n\r\ndata: Umbraco');
    expect(received.at(-1)).toMatchObject({
      event: { type: 'RUN_FINISHED', runId: 'r1' },
      raw: { type: 'run_finished', run_id: 'r1' },
      id: expect.any(String),
    });
    const cutOff = async () => {
      for await (const { event } of readEvents(new Blob([bytes.subarray(0, -5)]).stream())) void event;
    };
    await expect(cutOff()).rejects.toMatchObject({ code: 'RUN_LOST' });
  });
  held(
    '22',
    'Tool events in the UI',
    'test/browser/cards.deep.test.ts',
    'a tool call shows each of its states by word and icon',
  );
  held(
    '23',
    'An approval widget',
    'test/browser/cards.deep.test.ts',
    'approves, rejects and cancels by three buttons with three answers',
  );
  line(
    '24',
    'Session management',
    async () => {
      const { url, chat } = await umbraco(({ messages }) => `Turn ${messages.length}`);
      const { threads, run, connect } = createClient({ url: `${url}/agents/editor` });
      for (const threadId of ['one', 'two']) await post(chat, { ...begin, thread_id: threadId });
      await threads.rename('one', 'About the home page');
      const idsOf = async (filter = {}) =>
        (await threads.list(filter)).threads.map(({ threadId }) => threadId);
      expect(await idsOf()).toEqual(['one', 'two']);
      expect(await idsOf({ text: 'home page' })).toEqual(['one']);
      // Another client goes on where the session was.
      await connect('one').finished;
      const { messages } = await run({ threadId: 'one', messages: 'And now?' }).finished;
      const said = messages.map(({ content }) => content);
      expect(said).toEqual(['Publish page 7', 'Turn 1', 'And now?', 'Turn 3']);
      await threads.remove('one');
      expect(await idsOf()).toEqual(['two']);
      await expect(threads.get('one')).rejects.toMatchObject({ code: 'THREAD_UNKNOWN' });
    },
    'list, rename, delete, search',
  );
  line('25', 'The same client for both tiers', async () => {
    // In the naming of the plan, and in that of AG-UI.
    for (const naming of ['snake', 'screaming'] as const) {
      const dialect = naming === 'snake' ? 'snake' : '1.0';
      const { chat } = await umbraco(() => 'Hello world', { host: { dialect } });
      for (const url of [await core(['Hello ', 'world'], { naming }), chat]) {
        const { outcome, messages } = await createClient({ url }).run({ messages: 'Hi' }).finished;
        expect([outcome, messages.at(-1)?.content]).toEqual(['success', 'Hello world']);
        if (naming === 'snake') continue;
        const agent = new HttpAgent({ url });
        agent.addMessage({ id: 'm', role: 'user', content: 'Hi' });
        await agent.runAgent({});
        expect(agent.messages.map(({ content }) => content)).toEqual(['Hi', 'Hello world']);
      }
    }
  });
  line('26', 'Tools with approval and described parameters', async () => {
    const script = [call('SearchContent', { query: 'trees' }), call('UpdateContent', { id: 7 })];
    const { url, chat, model } = await umbraco(script);
    const parameters = {
      properties: {
        query: { type: 'string', description: 'Search query' },
        contentType: { description: 'Content type alias to filter by' },
      },
      required: ['query'],
    };
    const { capabilities } = (await (await fetch(`${url}/agents/editor`)).json()) as { capabilities: object };
    expect(capabilities).toMatchObject({
      humanInTheLoop: { approvals: true },
      tools: { items: [{ description: 'Search for content in Umbraco', parameters }, {}, {}, {}] },
    });
    const events = await post(chat, begin);
    expect(model.requests[0]?.tools[0]).toMatchObject({ name: 'SearchContent', inputSchema: parameters });
    // Searching needs nobody; updating waits.
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'tool_call_result', content: '[{"name":"A page about trees"}]' }),
    );
    expect(events.filter(isApprovalRequested)).toMatchObject([{ tool_name: 'UpdateContent' }]);
  });
  line('27', 'Context providers (RAG)', async () => {
    const pages: Record<string, string> = { 'Publish page 7': 'Page 7 is the home page.' };
    const { chat, model } = await umbraco(['It is live.'], {
      contextProviders: {
        UmbracoContent: ({ messages }) => ({ instructions: pages[String(messages.at(-1)?.content)] ?? '' }),
      },
      agents: [{ id: 'editor', profile: 'careful', contextProviders: ['UmbracoContent'] }],
    });
    expect(textOf(await post(chat, begin))).toBe('It is live.');
    expect(model.requests[0]?.instructions).toMatch(/^Be careful\.\s+Page 7 is the home page\.$/);
  });
  line('28', 'OpenTelemetry tracing', async () => {
    const exporter = new InMemorySpanExporter();
    const spanProcessors = [new SimpleSpanProcessor(exporter)];
    api.trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors }));
    api.context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    closers.push(async () => {
      api.trace.disable();
      api.context.disable();
    });
    const { chat } = await umbraco([call('GetContent', { id: 7 }), 'Home.'], {
      wrap: (agent) => useTelemetry(agent, { api }),
    });
    await post(chat, begin);
    const spans = exporter.getFinishedSpans();
    const names = ['chat scripted', 'execute_tool GetContent', 'chat scripted', 'invoke_agent agent-1'];
    expect(spans.map(({ name }) => name)).toEqual(names);
    const [root] = spans.slice(-1);
    for (const span of spans.slice(0, -1))
      expect(span.parentSpanContext?.spanId).toBe(root?.spanContext().spanId);
  });
  line('29', 'The upper-case naming of the community SDK', async () => {
    const { chat } = await umbraco(() => 'Hello', { host: { dialect: '1.0' } });
    const read = async (url: string, body: object) => (await fetch(url, request(body))).text();
    const input = { threadId: 'upper', runId: 'r', messages: begin.messages, tools: [], context: [] };
    for (const url of [await core('Hello', { naming: 'screaming' }), chat]) {
      const text = await read(url, input);
      expect(text).toMatch(/"type":"TEXT_MESSAGE_CONTENT".*"messageId":/);
      expect(text).not.toMatch(/"type":"(run|text)_|_id"/);
    }
    // A host answers a client of the plan in the naming of the plan.
    expect(await read(chat, begin)).toMatch(/"type":"text_message_content".*"message_id":/);
  });
});
