/** ADR 0012, "Input Interrupts via A2A `input_required` + AG-UI Activity/State", with an agent of the A2A SDK over HTTP. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Message, Part, Task } from '@a2a-js/sdk';
import { Role, TaskState } from '@a2a-js/sdk';
import { ClientFactory } from '@a2a-js/sdk/client';
import { HttpAgent } from '@ag-ui/client';
import { contentAgent } from 'holdpoint';
import type { Store } from 'holdpoint';
import { readInput, requestInput, toA2a } from 'holdpoint/a2a';
import { answer, approve, cancel, createClient, reject } from 'holdpoint/client';
import type { Client, Interrupt, ResumeEntry } from 'holdpoint/client';
import { createHost } from 'holdpoint/host';
import { serve } from 'holdpoint/node';
import { patchJson } from 'holdpoint/protocol';
import type { JsonPatch } from 'holdpoint/protocol';
import { memoryStore } from 'holdpoint/store/memory';
import { sqliteStore } from 'holdpoint/store/sqlite';
import type { TemplateResult } from 'lit';
import { html } from 'lit';
import { afterEach, expect, vi } from 'vitest';
import { dataPart, textPart } from '../../src/a2a/parts.ts';
import type { A2aServer } from '../../src/a2a/testing-support/a2a-server.ts';
import { ASKS, DONE, executor, signUp, WORKING } from '../../src/a2a/testing-support/executors.ts';
import { serveFetch } from '../../src/a2a/testing-support/serve-fetch.ts';
import { useBridge } from '../../src/a2a/testing-support/use-bridge.ts';
import { showActivity } from '../../src/elements/conversation/show-activity.ts';
import { createGate } from '../../src/host/testing-support/host-client.ts';
import { walkSeed } from './walk.ts';

const { serve: serveA2a, bridge, forbid } = useBridge();
const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

/** The request of an agent that names its fields as HTML does. */
const FIELDS = [
  { name: 'from', type: 'text', label: 'From', required: true },
  { name: 'mail', type: 'email' },
  { name: 'when', type: 'date' },
  { name: 'note', type: 'textarea' },
  { name: 'insured', type: 'checkbox' },
  {
    name: 'speed',
    type: 'select',
    options: [
      { value: 'std', label: 'Standard' },
      { value: 'exp', label: 'Express' },
    ],
  },
  { name: 'pin', type: 'password', label: 'PIN' },
];
const REQUEST = [
  textPart('Where does it go?'),
  dataPart({ type: 'a2a.input.request', requestId: 'trip', title: 'A trip', fields: FIELDS }),
];
const VALUES = {
  from: 'Rome',
  mail: 'ana@example.com',
  when: '2026-12-01',
  note: 'By night.',
  insured: true,
  speed: 'exp',
  pin: 'SECRET1',
};
const SHOWN_VALUES = { ...VALUES, pin: '••••••' };
/** A request that a person approves or rejects. */
const APPROVAL = [
  textPart('Book it?'),
  dataPart({
    type: 'a2a.input.request',
    requestId: 'book',
    fields: [{ name: 'approved', type: 'boolean', required: true }],
  }),
];

type Json = Readonly<Record<string, unknown>>;

/** A host in front of an A2A server, and a client of it; every id of AG-UI starts with `agui-`. */
async function hostFor(server: A2aServer, store: Store = memoryStore()) {
  forbid('agui-', 'input-');
  const host = createHost({
    logger: false,
    sweepMs: 0,
    store,
    secretKey: btoa('0123456789abcdef0123456789abcdef'),
    agents: { helper: bridge(server, { store }) },
  });
  const { url, close } = await serve(host, { port: 0 });
  const stop = () => close({ withinMs: 0 });
  closing.push(stop);
  const newId = () => `agui-${crypto.randomUUID()}`;
  return { host, url, stop, client: createClient({ url: `${url}/agents/helper`, newId }) };
}

const threadId = 'agui-t';

/** Runs with a message, and gives the interrupt that ends the run. */
async function pause(client: Client): Promise<Interrupt> {
  const { interrupts } = await client.run({ threadId, messages: 'A trip, please.' }).finished;
  const [interrupt] = interrupts;
  if (interrupt === undefined) throw new Error('no interrupt');
  return interrupt;
}

/** An agent that asks once, a host in front of it, and its interrupt; the agent keeps in `taken` what it gets. */
async function ask(request: readonly Part[] = REQUEST) {
  const taken: unknown[] = [];
  const server = await serveA2a(signUp(taken, request));
  const { client, url } = await hostFor(server);
  return { client, url, server, taken, interrupt: await pause(client) };
}

/** Posts a run as any AG-UI client does, and reads its events as they come over the wire. */
async function post(url: string, given: Json, dialect = '1.0'): Promise<Json[]> {
  const ids = { threadId, runId: `agui-${crypto.randomUUID()}`, protocolVersion: '1.0' };
  const nothing = { messages: [], tools: [], context: [], state: {}, forwardedProps: {} };
  const response = await fetch(`${url}/agents/helper`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'ag-ui-dialect': dialect },
    body: JSON.stringify({ ...ids, ...nothing, ...given }),
  });
  const frames = [...(await response.text()).matchAll(/^data: (.*)$/gm)];
  return frames.map(([, json = '']) => JSON.parse(json) as Json);
}

const GO = { messages: [{ id: 'agui-m', role: 'user', content: 'A trip, please.' }] };
const typesOf = (events: readonly Json[]) => events.map(({ type }) => type);
const ofType = (events: readonly Json[], type: string) => events.filter((event) => event['type'] === type);
/** The interrupt at the end of a run. */
function raisedBy(events: readonly Json[]): Interrupt {
  const outcome = events.at(-1)?.['outcome'] as { readonly interrupts?: readonly Interrupt[] } | undefined;
  const [interrupt] = outcome?.interrupts ?? [];
  if (interrupt === undefined) throw new Error('no interrupt');
  return interrupt;
}

const taskIn = (interrupt: Interrupt) => String(interrupt.metadata?.['taskId']);
const stateIn = (state: unknown) =>
  (state as { view: { tasks: Record<string, Json>; pendingInterrupts: Record<string, Json> } }).view;

/** Answers with raw events. */
const resume = (url: string, interrupt: Interrupt, rest: Json = { status: 'resolved', payload: VALUES }) =>
  post(url, { resume: [{ interruptId: interrupt.id, ...rest }] });

/** The activity of an interrupt, as the client has it. */
async function activityOf(client: Client, { id }: Interrupt) {
  const { messages } = await client.connect(threadId).finished;
  const activity = messages.find((message) => message.id === id);
  if (activity?.role !== 'activity') throw new Error('no activity');
  return activity;
}

/** The official A2A client of an agent that `toA2a` serves, and what it sends. */
async function official() {
  const agent = contentAgent({
    id: 'shop',
    async *run(messages) {
      const said = messages.at(-1)?.contents ?? [];
      const given = said.find((part) => part.type === 'userInputResponse');
      if (given !== undefined) return void (yield { type: 'text', text: 'Thank you.' });
      const responseSchema = {
        type: 'object',
        properties: { size: { type: 'integer', title: 'Size' } },
        required: ['size'],
      };
      yield { type: 'userInputRequest', id: 'size', message: 'Which size?', responseSchema };
    },
  });
  const served = await serveFetch(toA2a(agent, { store: memoryStore() }).fetch);
  closing.push(() => served.close());
  const client = await new ClientFactory().createFromUrl(served.url);
  /** The events of a message, and the task after them. */
  const send = async (part: Part, task?: Task) => {
    const message: Message = {
      messageId: crypto.randomUUID(),
      taskId: task?.id ?? '',
      contextId: task?.contextId ?? '',
      role: Role.ROLE_USER,
      parts: [part],
      metadata: undefined,
      extensions: [],
      referenceTaskIds: [],
    };
    const request = { tenant: '', message, configuration: undefined, metadata: undefined };
    const states: TaskState[] = [];
    let id = task?.id ?? '';
    for await (const { payload } of client.sendMessageStream(request)) {
      if (payload?.$case === 'task') id = payload.value.id;
      if (payload?.$case === 'task' || payload?.$case === 'statusUpdate')
        states.push(payload.value.status?.state ?? TaskState.TASK_STATE_UNSPECIFIED);
    }
    return { states, task: await client.getTask({ tenant: '', id }) };
  };
  return { client, send };
}

const contentsOf = (message: Message | undefined) => message?.parts.map(({ content }) => content);

/** The words of a template, without its markup. */
function wordsOf(shown: unknown): string {
  if (Array.isArray(shown)) return shown.map(wordsOf).join(' ');
  if (typeof shown === 'string') return shown;
  if (typeof shown !== 'object' || shown === null || !('values' in shown)) return '';
  const { strings, values } = shown as TemplateResult;
  return strings.map((text, index) => `${text} ${wordsOf(values[index])}`).join('');
}

walkSeed('002', 'A2A ADR: input interrupts via `input_required`', ({ line }) => {
  line(
    '1',
    'On a pause: `input_required`, a TextPart and a DataPart `a2a.input.request`',
    async () => {
      const { send } = await official();
      const { task } = await send(textPart('A shirt, please.'));
      expect(task.status?.state).toBe(ASKS);
      expect(contentsOf(task.status?.message)).toMatchObject([
        { $case: 'text', value: 'Which size?' },
        {
          $case: 'data',
          value: {
            type: 'a2a.input.request',
            requestId: expect.any(String),
            fields: [{ name: 'size', type: 'integer', label: 'Size', required: true }],
            metadata: { schema: { required: ['size'] } },
          },
        },
      ]);
    },
    '`toA2a`',
  );
  line('2', 'The answer: DataPart `a2a.input.response`, validated before `working`', async () => {
    const { send } = await official();
    const { task } = await send(textPart('A shirt, please.'));
    const response = (size: unknown) => dataPart({ type: 'a2a.input.response', values: { size } });
    const refused = await send(response('large'), task);
    expect(refused.states).not.toContain(WORKING);
    expect(refused.task.status?.state).toBe(ASKS);
    expect(JSON.stringify(contentsOf(refused.task.status?.message))).toContain('/size');
    const taken = await send(response(5), task);
    expect(taken.task.id).toBe(task.id);
    expect(taken.states.at(-1)).toBe(DONE);
    expect(taken.states).toContain(WORKING);
  });
  line('3', '`{threadId, runId}` → `taskId`, also after a restart', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'seed-002-'));
    closing.push(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'host.db');
    const taken: unknown[] = [];
    const server = await serveA2a(signUp(taken, REQUEST));
    const first = await hostFor(server, sqliteStore(file));
    const interrupt = await pause(first.client);
    await first.stop();
    const second = await hostFor(server, sqliteStore(file));
    const { interrupts } = await second.client.connect(threadId).finished;
    expect(interrupts).toMatchObject([{ id: interrupt.id }]);
    await second.client.resume({ threadId }, answer(interrupt, VALUES)).finished;
    expect(server.sent().at(-1)).toContain(`"taskId":"${taskIn(interrupt)}"`);
    expect(taken).toHaveLength(1);
  });
  line(
    '4',
    'The final message, then `RUN_FINISHED` with the interrupt',
    async () => {
      const { url } = await hostFor(await serveA2a(signUp([], REQUEST)));
      const events = await post(url, GO);
      const types = typesOf(events);
      expect(ofType(events, 'TEXT_MESSAGE_CONTENT').map(({ delta }) => delta)).toEqual([
        'One moment.',
        'Notes so far.',
        'Where does it go?',
      ]);
      const end = types.lastIndexOf('TEXT_MESSAGE_END');
      expect(types.indexOf('ACTIVITY_SNAPSHOT')).toBeGreaterThan(end);
      expect(types.at(-1)).toBe('RUN_FINISHED');
      expect(events.at(-1)?.['outcome']).toMatchObject({
        type: 'interrupt',
        interrupts: [{ id: expect.stringMatching(/^input-/), message: 'Where does it go?' }],
      });
    },
    '`MESSAGE_CREATED` is `TEXT_MESSAGE_*` in AG-UI 1.0',
  );
  line(
    '5',
    'Payload `{taskId, contextId, interruptId, request}`',
    async () => {
      const { url } = await hostFor(await serveA2a(signUp([], REQUEST)));
      const end = (await post(url, GO, 'draft')).at(-1);
      expect(end).toMatchObject({
        type: 'RUN_FINISHED',
        outcome: 'interrupt',
        interrupt: {
          id: expect.stringMatching(/^input-/),
          payload: {
            taskId: expect.any(String),
            contextId: expect.any(String),
            interruptId: (end?.['interrupt'] as Json | undefined)?.['id'],
            request: { type: 'a2a.input.request', requestId: 'trip', title: 'A trip' },
          },
        },
      });
    },
    'and `prompt`, `responseSchema`',
  );
  line('6', '`interruptId = "input-<taskId>-<n>"`, monotonic', async () => {
    const schema = { type: 'integer', minimum: 3 };
    const store = memoryStore();
    const server = await serveA2a(
      executor((speaker) => {
        speaker.task(WORKING);
        const { request, bus } = speaker;
        const size = readInput(request.userMessage, schema).value();
        if (size === 7) return speaker.status(DONE);
        return requestInput(bus, request, { text: `Which size, not ${String(size)}?`, schema });
      }),
    );
    const first = await hostFor(server, store);
    const one = await pause(first.client);
    const { interrupts } = await first.client.resume({ threadId }, answer(one, 5)).finished;
    const second = await hostFor(server, store);
    await second.client.connect(threadId).finished;
    const three = await second.client.resume({ threadId }, answer(interrupts[0]!, 6)).finished;
    const ids = [one, ...interrupts, ...three.interrupts].map(({ id }) => id);
    expect(ids).toEqual([1, 2, 3].map((n) => `input-${taskIn(one)}-${n}`));
  });
  line('7', 'Resume in a new run, to the original task', async () => {
    const taken: unknown[] = [];
    const server = await serveA2a(signUp(taken, REQUEST));
    const { url } = await hostFor(server);
    const first = await post(url, GO);
    const interrupt = raisedBy(first);
    const events = await resume(url, interrupt);
    const runsOf = (one: readonly Json[]) => [...new Set(one.flatMap(({ runId }) => runId ?? []))];
    expect([runsOf(first).length, runsOf(events).length]).toEqual([1, 1]);
    expect(runsOf(events)).not.toEqual(runsOf(first));
    expect(typesOf(events).filter((type) => String(type).startsWith('RUN_'))).toEqual([
      'RUN_STARTED',
      'RUN_FINISHED',
    ]);
    expect(server.sent()).toHaveLength(2);
    expect(server.sent().at(-1)).toContain(`"taskId":"${taskIn(interrupt)}"`);
    expect(taken).toEqual([{ type: 'a2a.input.response', requestId: 'trip', values: VALUES }]);
  });
  line('8', 'The remainder streams in the resumed run', async () => {
    const seen = createGate();
    const server = await serveA2a(
      executor(async (speaker) => {
        speaker.task(WORKING);
        if (speaker.request.task === undefined) {
          speaker.artifact({ artifactId: 'a', parts: [textPart('The first half, ')] }, { lastChunk: false });
          return speaker.status(ASKS, REQUEST);
        }
        speaker.artifact(
          { artifactId: 'a', parts: [textPart('the second')] },
          { append: true, lastChunk: false },
        );
        await seen.opened;
        speaker.artifact({ artifactId: 'a', parts: [textPart(' half.')] }, { append: true });
        return speaker.status(DONE);
      }),
    );
    const { client } = await hostFor(server);
    const interrupt = await pause(client);
    const run = client.resume({ threadId }, answer(interrupt, VALUES));
    const said: string[] = [];
    for await (const { event } of run) {
      if (event.type !== 'TEXT_MESSAGE_CONTENT') continue;
      said.push(event.delta);
      // The agent goes on only after its words have arrived here.
      seen.open();
    }
    expect(said).toEqual(['the second', ' half.']);
    expect((await run.finished).outcome).toBe('success');
  });
  line(
    '9',
    '`ACTIVITY_SNAPSHOT`: `INPUT_REQUEST`, `messageId`, `stage`, `taskId`, the request and the text',
    async () => {
      const { url } = await hostFor(await serveA2a(signUp([], REQUEST)));
      const events = await post(url, GO);
      const interrupt = raisedBy(events);
      expect(ofType(events, 'ACTIVITY_SNAPSHOT')).toMatchObject([
        {
          messageId: interrupt.id,
          activityType: 'INPUT_REQUEST',
          content: {
            stage: 'awaiting_input',
            taskId: taskIn(interrupt),
            text: 'Where does it go?',
            request: { type: 'a2a.input.request', requestId: 'trip', title: 'A trip', fields: FIELDS },
          },
        },
      ]);
    },
  );
  line(
    '10',
    '`ACTIVITY_DELTA`: `stage`, `decision`',
    async () => {
      const decide = async (request: readonly Part[], rest: Json) => {
        const { interrupt, url } = await ask(request);
        const deltas = ofType(await resume(url, interrupt, rest), 'ACTIVITY_DELTA');
        expect(deltas.map(({ messageId }) => messageId)).toEqual(deltas.map(() => interrupt.id));
        const patches = deltas.flatMap(({ patch }) => patch as { path: string; value: unknown }[]);
        return patches.flatMap(({ path, value }) => (path === '/values' ? [] : [value]));
      };
      const resolved = (payload: unknown) => ({ status: 'resolved', payload });
      const decisions = await Promise.all([
        decide(REQUEST, resolved(VALUES)),
        decide(APPROVAL, resolved({ approved: true })),
        decide(APPROVAL, resolved({ approved: false })),
        decide(REQUEST, { status: 'cancelled' }),
      ]);
      expect(decisions).toEqual([
        ['working', 'provided', 'completed'],
        ['working', 'approved', 'completed'],
        ['working', 'rejected', 'completed'],
        ['completed', 'rejected'],
      ]);
    },
    'a cancelled one is `rejected`',
  );
  line(
    '11',
    'Summarized input values',
    async () => {
      const { client, interrupt, taken, url } = await ask();
      const events = await resume(url, interrupt);
      expect((await activityOf(client, interrupt)).content).toMatchObject({ values: SHOWN_VALUES });
      const { messages } = await client.connect(threadId).finished;
      const history = await client.inbox.history(threadId, interrupt.id);
      const thread = await fetch(`${url}/threads/${threadId}`).then((response) => response.text());
      for (const text of [events, messages, history, thread])
        expect(JSON.stringify(text)).not.toContain('SECRET1');
      expect(taken).toMatchObject([{ values: VALUES }]);
    },
    'secrets are masked, also of the field type `password`',
  );
  line('12', 'State: `/view/tasks/<taskId>`', async () => {
    const { client, interrupt } = await ask();
    const tasks = async () => stateIn((await client.connect(threadId).finished).state).tasks;
    const lastRunId = expect.stringMatching(/^agui-/);
    expect(await tasks()).toEqual({
      [taskIn(interrupt)]: {
        status: 'input-required',
        lastRunId,
        lastInterruptId: interrupt.id,
        summaries: ['Where does it go?'],
      },
    });
    const before = (await tasks())[taskIn(interrupt)];
    await client.resume({ threadId }, answer(interrupt, VALUES)).finished;
    const after = (await tasks())[taskIn(interrupt)];
    expect(after).toMatchObject({ status: 'completed', summaries: ['Where does it go?', 'Done.'] });
    expect(after?.['lastRunId']).not.toBe(before?.['lastRunId']);
  });
  line(
    '13',
    'State: `/view/pendingInterrupts`',
    async () => {
      const { client, interrupt } = await ask();
      const { state } = await client.connect(threadId).finished;
      const taskId = taskIn(interrupt);
      expect(stateIn(state).pendingInterrupts).toEqual({
        [interrupt.id]: { interruptId: interrupt.id, taskId, requestId: 'trip', reason: 'input_required' },
      });
    },
    'a map',
  );
  line(
    '14',
    'One `STATE_SNAPSHOT` on init, then `STATE_DELTA`',
    async () => {
      const { url } = await hostFor(await serveA2a(signUp([], REQUEST)));
      const events = await post(url, GO);
      const states = events.filter(({ type }) => String(type).startsWith('STATE_'));
      expect(typesOf(events).indexOf('STATE_SNAPSHOT')).toBe(1);
      expect(typesOf(states)).toEqual(['STATE_SNAPSHOT', 'STATE_DELTA', 'STATE_DELTA', 'STATE_SNAPSHOT']);
      // The patches alone lead to the state of the last snapshot.
      const patched = states.slice(0, -1).reduce<unknown>((state, { snapshot, delta }) => {
        return snapshot ?? patchJson(state, delta as JsonPatch);
      }, {});
      expect(patched).toEqual(states.at(-1)?.['snapshot']);
      const interrupt = raisedBy(events);
      const resumed = await resume(url, interrupt);
      expect(ofType(resumed, 'STATE_SNAPSHOT')).toHaveLength(1);
      expect(ofType(resumed, 'STATE_DELTA').length).toBeGreaterThan(0);
    },
    'AG-UI 1.0 asks for one more before each interrupt, and each run begins with one',
  );
  line('15', 'Removed on resume and cancel', async () => {
    const pendingAfter = async (reply: (interrupt: Interrupt) => ResumeEntry) => {
      const { client, interrupt } = await ask();
      const before = await client.connect(threadId).finished;
      expect(Object.keys(stateIn(before.state).pendingInterrupts)).toEqual([interrupt.id]);
      await client.resume({ threadId }, reply(interrupt)).finished;
      const { state } = await client.connect(threadId).finished;
      return stateIn(state).pendingInterrupts;
    };
    const replies = [(one: Interrupt) => answer(one, VALUES), (one: Interrupt) => cancel(one)];
    expect(await Promise.all(replies.map(pendingAfter))).toEqual([{}, {}]);
  });
  line(
    '16',
    'No AG-UI id in an A2A payload',
    async () => {
      const { client, interrupt, server } = await ask();
      await client.resume({ threadId }, answer(interrupt, VALUES)).finished;
      // The thread, the runs and the messages of this client all have such ids.
      const { messages } = await client.connect(threadId).finished;
      expect(messages.find(({ role }) => role === 'user')?.id).toMatch(/^agui-/);
      expect(server.sent()).toHaveLength(2);
      for (const request of server.requests)
        for (const id of ['agui-', interrupt.id]) expect(request).not.toContain(id);
    },
    'every test of the bridge searches all requests',
  );
  line('17', 'The audit stays in the A2A messages', async () => {
    const { client, interrupt, server } = await ask();
    await client.resume({ threadId }, answer(interrupt, VALUES)).finished;
    const a2a = await new ClientFactory().createFromUrl(server.url);
    const task = await a2a.getTask({ tenant: '', id: taskIn(interrupt) });
    const said = task.history
      .flatMap((message) => contentsOf(message) ?? [])
      .map((content) => content?.value);
    expect(said).toMatchObject([
      'A trip, please.',
      'One moment.',
      'Where does it go?',
      { type: 'a2a.input.request', requestId: 'trip', title: 'A trip', fields: FIELDS },
      { type: 'a2a.input.response', requestId: 'trip', values: VALUES },
      'Done.',
    ]);
    expect(JSON.stringify(task)).not.toMatch(/INPUT_REQUEST|awaiting_input/);
  });
  line('18', 'The UI shows the chat bubble and a timeline: answered, approved, rejected', async () => {
    const shownFor = async (request: readonly Part[], reply: (interrupt: Interrupt) => ResumeEntry) => {
      const { client, interrupt } = await ask(request);
      const shown = async () => {
        const { messages } = await client.connect(threadId).finished;
        const bubbles = messages.flatMap(({ role, content }) => (role === 'assistant' ? [content] : []));
        expect(bubbles).toContain(interrupt.message);
        const activity = messages.find(({ id }) => id === interrupt.id);
        const none = { showCall: () => html``, isDone: () => false };
        return activity?.role === 'activity' ? wordsOf(showActivity(activity, none)) : '';
      };
      expect(await shown()).toMatch(/Input request.*Waiting for an answer/s);
      await client.resume({ threadId }, reply(interrupt)).finished;
      return shown();
    };
    const words = await Promise.all([
      shownFor(REQUEST, (one) => answer(one, VALUES)),
      shownFor(APPROVAL, (one) => approve(one)),
      shownFor(APPROVAL, (one) => reject(one)),
    ]);
    const badges = ['Answered', 'Approved', 'Rejected'];
    expect(words).toEqual(badges.map((badge) => expect.stringMatching(`Input request[^]*${badge}`)));
  });
  line(
    '19',
    'A person fills in `fields`',
    async () => {
      const { client, interrupt, taken } = await ask();
      expect(interrupt.responseSchema?.['properties']).toMatchObject({
        from: { type: 'string', title: 'From' },
        mail: { type: 'string', format: 'email' },
        when: { type: 'string', format: 'date' },
        note: { type: 'string', format: 'textarea' },
        insured: { type: 'boolean' },
        speed: { enum: ['std', 'exp'], enumNames: ['Standard', 'Express'] },
        pin: { type: 'string', format: 'password', writeOnly: true, title: 'PIN' },
      });
      const [item] = (await client.inbox.list()).interrupts;
      await client.inbox.answer(threadId, answer(item!, VALUES));
      await expect.poll(() => taken).toMatchObject([{ values: VALUES }]);
    },
    'text, textarea, email, date, password, checkbox, select, and JSON Schema types',
  );
  line('20', 'An unknown or invalid answer', async () => {
    const { interrupt, url, server, taken } = await ask();
    const codeOf = (events: readonly Json[]) => events.at(-1)?.['code'];
    const resolved = (payload: unknown) => ({ status: 'resolved', payload });
    expect(codeOf(await resume(url, interrupt, resolved({ from: 5 })))).toBe('ANSWER_INVALID');
    expect(codeOf(await resume(url, interrupt, resolved({})))).toBe('ANSWER_INVALID');
    const unknown = { ...interrupt, id: 'input-other-1' };
    expect(codeOf(await resume(url, unknown, resolved(VALUES)))).toBe('INTERRUPT_UNKNOWN');
    expect(server.sent()).toHaveLength(1);
    expect((await resume(url, interrupt)).at(-1)).toMatchObject({ outcome: { type: 'success' } });
    const second = await resume(url, interrupt, resolved({ ...VALUES, from: 'Oslo' }));
    expect(codeOf(second)).toBe('INTERRUPT_CONFLICT');
    const entry = { interruptId: interrupt.id, ...resolved(VALUES) };
    expect(codeOf(await post(url, { threadId: 'agui-other', resume: [entry] }))).toBe('INTERRUPT_UNKNOWN');
    expect(server.sent()).toHaveLength(2);
    expect(taken).toMatchObject([{ values: VALUES }]);
  });
  line('21', 'An answer that was not delivered', async () => {
    const taken: unknown[] = [];
    const agent = signUp(taken, REQUEST);
    const server = await serveA2a(agent);
    const { client } = await hostFor(server);
    const interrupt = await pause(client);
    await server.close();
    const sent = client.resume({ threadId }, answer(interrupt, VALUES)).finished;
    await expect(sent).rejects.toMatchObject({ code: 'AGENT_UNKNOWN' });
    const { interrupts } = await client.inbox.list();
    expect(interrupts).toMatchObject([
      {
        interrupt: {
          id: interrupt.id,
          metadata: { notDelivered: expect.stringContaining('cannot be reached') },
        },
      },
    ]);
    await serveA2a(agent, { port: Number(new URL(server.url).port), tasks: server.tasks });
    await client.connect(threadId).finished;
    const again = client.resume({ threadId }, answer(interrupts[0]!, { ...VALUES, from: 'Oslo' }));
    expect((await again.finished).outcome).toBe('success');
    expect(taken).toMatchObject([{ values: { from: 'Oslo' } }]);
  });
  line('22', 'A crash', async () => {
    const now = { value: Date.parse('2026-01-01T00:00:00Z') };
    const store = memoryStore({ clock: { now: () => now.value } });
    const gate = createGate();
    const server = await serveA2a(
      executor(async (speaker) => {
        speaker.task(WORKING);
        if (speaker.request.task !== undefined) return speaker.status(DONE, [textPart('Done.')]);
        speaker.artifact({ artifactId: 'a', parts: [textPart('Notes so far.')] });
        await gate.opened;
        return speaker.status(ASKS, REQUEST);
      }),
    );
    const first = await hostFor(server, store);
    const reader = new AbortController();
    const run = first.client.run({ threadId, messages: 'A trip, please.', signal: reader.signal });
    for await (const { event } of run) if (event.type === 'TEXT_MESSAGE_END') break;
    await first.stop();
    reader.abort();
    now.value += 120_000;
    const second = await hostFor(server, store);
    await second.host.sweep();
    gate.open();
    await expect.poll(async () => (await second.client.inbox.list()).interrupts).toHaveLength(1);
    const { messages, interrupts } = await second.client.connect(threadId).finished;
    const said = messages.flatMap(({ role, content }) => (role === 'assistant' ? [content] : []));
    expect(said).toEqual(['Notes so far.', 'Where does it go?']);
    const end = await second.client.resume({ threadId }, answer(interrupts[0]!, VALUES)).finished;
    expect([end.outcome, server.sent().length]).toEqual(['success', 2]);
  });
  line('23', 'Stop', async () => {
    const gate = createGate();
    const server = await serveA2a(
      executor(
        async (speaker) => {
          speaker.task(WORKING);
          speaker.artifact({ artifactId: 'a', parts: [textPart('Notes so far.')] });
          await gate.opened;
          speaker.status(TaskState.TASK_STATE_CANCELED, [textPart('Stopped as you asked.')]);
        },
        async () => gate.open(),
      ),
    );
    const { client } = await hostFor(server);
    const run = client.run({ threadId, messages: 'A trip, please.' });
    for await (const { event } of run) if (event.type === 'TEXT_MESSAGE_END') break;
    await client.stop(run);
    const { outcome, messages } = await run.finished;
    expect(outcome).toBe('cancelled');
    expect(messages.map(({ content }) => content)).toContain('Stopped as you asked.');
    expect(server.requests.filter((request) => request.includes('"CancelTask"'))).toHaveLength(1);
  });
  line('24', 'Cancel', async () => {
    const { client, interrupt, server, taken } = await ask();
    const { outcome } = await client.resume({ threadId }, cancel(interrupt)).finished;
    expect(outcome).toBe('cancelled');
    expect((await activityOf(client, interrupt)).content).toMatchObject({
      stage: 'completed',
      decision: 'rejected',
    });
    const a2a = await new ClientFactory().createFromUrl(server.url);
    const task = await a2a.getTask({ tenant: '', id: taskIn(interrupt) });
    expect(task.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
    expect([server.sent().length, taken]).toEqual([1, []]);
  });
  line('25', 'The official client gets state and activities', async () => {
    // The client reports events that it cannot apply on the console.
    const complaints: unknown[] = [];
    for (const level of ['warn', 'error'] as const)
      vi.spyOn(console, level).mockImplementation((...said: unknown[]) => void complaints.push(said));
    closing.push(() => vi.restoreAllMocks());
    const { url } = await hostFor(await serveA2a(signUp([], REQUEST)));
    const agent = new HttpAgent({ url: `${url}/agents/helper`, threadId });
    agent.addMessage({ id: 'agui-m', role: 'user', content: 'A trip, please.' });
    await agent.runAgent({ runId: 'agui-r1' });
    const [id = ''] = Object.keys(stateIn(agent.state).pendingInterrupts);
    const activity = () => agent.messages.find((message) => message.id === id);
    expect(activity()).toMatchObject({ role: 'activity', content: { stage: 'awaiting_input' } });
    await agent.runAgent({
      runId: 'agui-r2',
      resume: [{ interruptId: id, status: 'resolved', payload: VALUES }],
    });
    expect(activity()).toMatchObject({
      content: { stage: 'completed', decision: 'provided', values: SHOWN_VALUES },
    });
    expect(stateIn(agent.state)).toMatchObject({ pendingInterrupts: {} });
    expect(complaints).toEqual([]);
  });
});
