import type { BaseEvent, RunAgentInput as OfficialInput } from '@ag-ui/client';
import { AbstractAgent } from '@ag-ui/client';
import { Observable } from 'rxjs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { defined, HoldpointError } from '../core/index.ts';
import type { AgentContext } from '../engine/index.ts';
import { cancellationOf } from '../engine/index.ts';
import { defineAgent } from '../runs/index.ts';
import type { AgentStreamEvent, Interrupt, RunAgentInput } from '../protocol/index.ts';
import { approvalResponseSchema, cancelledText } from '../content/interrupts/index.ts';
import { EventType } from '../protocol/index.ts';
import { memoryStore } from '../store/memory/index.ts';
import { sqliteStore } from '../store/sqlite/index.ts';
import type { Store } from '../store/index.ts';
import { createHost } from './create-host.ts';
import type { AgentLike } from './index.ts';
import type { Host } from './create-host.ts';
import type { HostOptions } from './host-options.ts';
import {
  answer,
  approve,
  cancel,
  createGate,
  createHostClient,
  eventually,
} from './testing-support/host-client.ts';

const hosts: Host[] = [];
afterEach(async () => {
  for (const host of hosts.splice(0)) await host.close({ withinMs: 100 });
});

function setUp(agent: AgentLike, options: Partial<HostOptions> = {}) {
  const errors: unknown[] = [];
  const logger = { error: (details: object) => errors.push(details), warn: () => {}, info: () => {} };
  const store = options.store ?? memoryStore();
  const host = createHost({ agents: { assistant: agent }, store, sweepMs: 0, logger, ...options });
  hosts.push(host);
  return { host, store, errors, client: createHostClient(host.fetch) };
}

type Step = AgentStreamEvent | Record<string, unknown>;

const started = ({ threadId, runId }: RunAgentInput): Step => ({ type: 'RUN_STARTED', threadId, runId });
const finished = ({ threadId, runId }: RunAgentInput, interrupts?: readonly Partial<Interrupt>[]): Step => ({
  type: 'RUN_FINISHED',
  threadId,
  runId,
  ...(interrupts === undefined ? {} : { outcome: { type: 'interrupt', interrupts } }),
});
const text = (id: string, delta: string): Step[] => [
  { type: 'TEXT_MESSAGE_START', messageId: id, role: 'assistant' },
  { type: 'TEXT_MESSAGE_CONTENT', messageId: id, delta },
  { type: 'TEXT_MESSAGE_END', messageId: id },
];
const call = (id: string, name: string, args: string): Step[] => [
  { type: 'TOOL_CALL_START', toolCallId: id, toolCallName: name, parentMessageId: `of-${id}` },
  { type: 'TOOL_CALL_ARGS', toolCallId: id, delta: args },
  { type: 'TOOL_CALL_END', toolCallId: id },
];
const schema = { type: 'object', properties: { approved: { type: 'boolean' } }, required: ['approved'] };

/** An agent that asks whether to send, and repeats the answer; records its inputs. */
function asker(inputs: RunAgentInput[] = [], id: (turn: number) => string = (n) => `q${n}`) {
  return async function* (input: RunAgentInput): AsyncGenerator<Step> {
    inputs.push(structuredClone(input));
    yield started(input);
    if (input.resume === undefined) {
      const interrupt = {
        id: id(inputs.length),
        reason: 'tool_call',
        message: 'Send?',
        toolCallId: `call-${inputs.length}`,
        responseSchema: schema,
      };
      yield* text(`m${inputs.length}`, 'May I?');
      yield* call(interrupt.toolCallId, 'send', '{"to":"a"}');
      yield { type: 'STATE_SNAPSHOT', snapshot: { asked: inputs.length, list: [1, 2] } };
      yield finished(input, [interrupt]);
      return;
    }
    yield { type: 'STATE_DELTA', delta: [{ op: 'add', path: '/list/-', value: 3 }] };
    yield* text(`m${inputs.length}`, `Told ${JSON.stringify(input.resume[0]?.payload)}.`);
    yield finished(input);
  };
}

class OfficialAgent extends AbstractAgent {
  readonly inputs: RunAgentInput[] = [];
  override run(input: OfficialInput): Observable<BaseEvent> {
    return new Observable<BaseEvent>((subscriber) => {
      const events = asker(this.inputs)(input);
      const pump = async () => {
        for await (const event of events) subscriber.next(event as unknown as BaseEvent);
        subscriber.complete();
      };
      pump().catch((error: unknown) => subscriber.error(error));
    });
  }
}

/** The same agent in every form that a host accepts. */
const FORMS: Readonly<Record<string, (inputs: RunAgentInput[]) => AgentLike>> = {
  'an async generator function': (inputs) => asker(inputs),
  'an object with run()': (inputs) => ({ id: 'x', run: asker(inputs) }),
  'an object whose run() gives a promise': (inputs) => ({ run: async (input) => asker(inputs)(input) }),
  'an AbstractAgent of @ag-ui/client': (inputs) => officialAgent(inputs),
  'a function that makes an AbstractAgent for each run': (inputs) => () => officialAgent(inputs),
};

function officialAgent(inputs: RunAgentInput[]): OfficialAgent {
  const agent = new OfficialAgent({ agentId: 'official' });
  Object.defineProperty(agent, 'inputs', { value: inputs });
  return agent;
}

const STORES: Readonly<Record<string, () => Store>> = {
  memory: () => memoryStore(),
  sqlite: () => sqliteStore(':memory:'),
};

describe.each(Object.entries(FORMS))('%s', (_name, make) => {
  it('raises an interrupt, is listed, and gets the answer once as resume', async () => {
    const inputs: RunAgentInput[] = [];
    const { client } = setUp(make(inputs));
    const asked = await client.run({ say: 'go', rest: { context: [{ description: 'd', value: 'v' }] } });
    expect(asked.types).toEqual([
      'RUN_STARTED',
      'TEXT_MESSAGE_START',
      'TEXT_MESSAGE_CONTENT',
      'TEXT_MESSAGE_END',
      'TOOL_CALL_START',
      'TOOL_CALL_ARGS',
      'TOOL_CALL_END',
      'STATE_SNAPSHOT',
      'MESSAGES_SNAPSHOT',
      'RUN_FINISHED',
    ]);
    expect(asked.interrupts).toMatchObject([{ id: 'q1', reason: 'tool_call', responseSchema: schema }]);
    expect((await client.get('/interrupts')).body.interrupts).toMatchObject([
      { threadId: 't', status: 'pending', agent: 'assistant', interrupt: { id: 'q1' } },
    ]);
    const wrong = await client.run({ resume: [answer(asked.interrupts[0], { approved: 'yes' })] });
    expect(wrong.error?.code).toBe('ANSWER_INVALID');
    const told = await client.run({ resume: [approve(asked.interrupts[0])] });
    expect(told.outcome).toBe('success');
    const again = await client.run({ resume: [approve(asked.interrupts[0])] });
    expect(again.outcome).toBe('success');
    const other = await client.run({ resume: [answer(asked.interrupts[0], { approved: false })] });
    expect(other.error?.code).toBe('INTERRUPT_CONFLICT');
    expect(inputs.map(({ resume }) => resume)).toEqual([
      undefined,
      [{ interruptId: 'q1', status: 'resolved', payload: { approved: true } }],
    ]);
    expect(inputs[1]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'assistant']);
    expect(inputs[0]?.context).toEqual([{ description: 'd', value: 'v' }]);
    const { body } = await client.get('/threads/t/interrupts/q1/history');
    expect(body.history.map(({ what }: { what: string }) => what)).toEqual([
      'raised',
      'staged',
      'claimed',
      'settled',
    ]);
  });
});

it('an AbstractAgent gets no state and no forwardedProps of a client', async () => {
  const inputs: RunAgentInput[] = [];
  const { client } = setUp(officialAgent(inputs));
  const rest = {
    state: { approved: true },
    forwardedProps: { command: { goto: 'pay' }, webhook: 'https://client.example/' },
  };
  await client.run({ say: 'go', rest });
  expect(inputs).toMatchObject([{ state: {}, forwardedProps: {} }]);
  expect(JSON.stringify(inputs)).not.toMatch(/approved|goto|webhook/);
});

it.each([
  ['a list', [{ interruptId: 'q1', status: 'cancelled' }]],
  ['an empty list', []],
])('rejects answers in resume, as %s, beside an answer in a command', async (_name, resume) => {
  const inputs: RunAgentInput[] = [];
  const { client } = setUp(officialAgent(inputs));
  await client.run({ say: 'go' });
  const forwardedProps = { command: { resume: { approved: true } } };
  const { error } = await client.run({ rest: { resume, forwardedProps } });
  expect(error?.code).toBe('INPUT_INVALID');
  expect(inputs).toHaveLength(1);
  expect((await client.get('/interrupts')).body.interrupts).toHaveLength(1);
});

describe('the patterns in a response schema of a foreign agent', () => {
  const asking = (pattern: string) =>
    async function* (input: RunAgentInput): AsyncGenerator<Step> {
      yield started(input);
      const responseSchema = { type: 'string', pattern };
      if (input.resume === undefined)
        yield finished(input, [{ id: 'q', reason: 'input_required', responseSchema }]);
      else yield finished(input);
    };

  it('run in linear time: an answer that would hang a native expression is rejected', async () => {
    const { client } = setUp(asking('^(a+)+$'));
    const { interrupts } = await client.run({ say: 'go' });
    const wrong = await client.run({ resume: [answer(interrupts[0], `${'a'.repeat(5000)}!`)] });
    expect(wrong.error?.code).toBe('ANSWER_INVALID');
    expect((await client.run({ resume: [answer(interrupts[0], 'aaa')] })).outcome).toBe('success');
  });

  it('the patterns in a response schema of a foreign agent end the run with an error if they have look-around', async () => {
    const { client } = setUp(asking('^(?!a).*$'));
    const { error } = await client.run({ say: 'go' });
    expect(error).toMatchObject({
      code: 'PROTOCOL_UNSUPPORTED',
      message: expect.stringContaining('expected a pattern without look-around') as string,
    });
    expect((await client.get('/interrupts')).body.interrupts).toEqual([]);
  });
});

describe.each(Object.entries(STORES))('state and messages of a foreign agent, over %s', (_name, create) => {
  it('state and messages of a foreign agent are the same before and after each pause, in process and after a restart', async () => {
    const store = create();
    const inputs: RunAgentInput[] = [];
    const first = setUp(asker(inputs), { store });
    const asked = await first.client.run({ say: 'go' });
    const paused = { messages: asked.messages, state: asked.state };
    expect(paused.state).toEqual({ asked: 1, list: [1, 2] });
    const shown = await first.client.run({ path: '/connect' });
    expect({ messages: shown.messages, state: shown.state }).toEqual(paused);
    const second = setUp(asker(inputs), { store });
    const elsewhere = await second.client.run({ path: '/connect' });
    expect({ messages: elsewhere.messages, state: elsewhere.state }).toEqual(paused);
    const told = await second.client.run({
      resume: [approve(elsewhere.interrupts[0])],
      messages: asked.messages,
      rest: { state: { forged: true } },
    });
    expect(inputs[1]).toMatchObject({ messages: paused.messages, state: paused.state });
    expect(told.messages.at(-1)?.content).toBe('Told {"approved":true}.');
    const after = await first.client.run({ path: '/connect' });
    expect(after.messages).toEqual(told.messages);
    expect(after.state).toEqual({ asked: 1, list: [1, 2, 3] });
    await first.client.run({ say: 'once more', rest: { state: { fresh: 1 } } });
    expect(inputs[2]?.state).toEqual({ fresh: 1 });
    expect(inputs[2]?.messages.slice(0, -1)).toEqual(after.messages);
  });

  it('state and messages of a foreign agent are kept as sent, in any order of snapshots and messages', async () => {
    const { client } = setUp(
      async function* (input) {
        yield started(input);
        yield {
          type: EventType.MESSAGES_SNAPSHOT,
          messages: [...input.messages, { id: 'a', role: 'assistant', content: 'first' }],
        };
        yield* text('b', 'second');
        yield finished(input);
      },
      { store: create() },
    );
    const told = await client.run({ say: 'go' });
    expect(told.messages.map(({ content }) => content)).toEqual(['go', 'first', 'second']);
    expect((await client.run({ path: '/connect' })).messages).toEqual(told.messages);
    const watched = await client.watch('t', 0);
    const frames = await watched.until('RUN_FINISHED');
    expect(frames.map(({ event }) => event)).toEqual(told.frames.map(({ event }) => event));
    await watched.close();
  });

  it('follow the agent when it drops messages', async () => {
    const { client } = setUp(
      async function* (input) {
        yield started(input);
        yield {
          type: EventType.MESSAGES_SNAPSHOT,
          messages: [{ id: 's', role: 'system', content: `summary of ${input.messages.length}` }],
        };
        yield finished(input, [{ id: `q-${input.runId}`, reason: 'confirmation' }]);
      },
      { store: create() },
    );
    const told = await client.run({ say: 'one', messageId: 'm1' });
    expect(told.messages.map(({ content }) => content)).toEqual(['summary of 1']);
    expect((await client.run({ path: '/connect' })).messages).toEqual(told.messages);
    const next = await client.run({ resume: [cancel(told.interrupts[0])] });
    expect(next.messages.map(({ content }) => content)).toEqual(['summary of 1']);
  });
});

describe('a host without a logger', () => {
  it('prints a failed run to the console, and prints nothing with logger false', async () => {
    const printed = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const agent: AgentLike = async function* (input) {
      yield started(input);
      throw new Error('no connection');
    };
    try {
      for (const logger of [undefined, false] as const) {
        const host = createHost({
          agents: { assistant: agent },
          store: memoryStore(),
          sweepMs: 0,
          ...defined({ logger }),
        });
        hosts.push(host);
        expect((await createHostClient(host.fetch).run({ say: 'go' })).error?.code).toBe('INTERNAL');
        expect(printed).toHaveBeenCalledTimes(1);
        expect(printed.mock.calls[0]).toEqual([
          'A run failed.',
          expect.objectContaining({ err: expect.any(Error) }),
        ]);
      }
    } finally {
      printed.mockRestore();
    }
  });
});

describe('a foreign agent that reports a failed call', () => {
  it.each([
    ['ends the run with its error', true],
    ['goes on', false],
  ])(
    'leaves nothing in doubt when it %s: the card says failed, and the next message is answered',
    async (_name, throws) => {
      const said = asker();
      const { client } = setUp(async function* (input: RunAgentInput, context: AgentContext) {
        if (input.resume === undefined && input.messages.length > 1) {
          yield started(input);
          yield* text('next', 'Hello again.');
          yield finished(input);
          return;
        }
        if (input.resume !== undefined) {
          context.onDelivery?.({ status: 'taken', failed: ['q1'] });
          if (throws) throw new HoldpointError('TOOL_FAILED', 'The workflow failed: Bank offline');
        }
        yield* said(input);
      });
      const { interrupts } = await client.run({ say: 'go' });
      const ended = await client.run({ resume: [approve(interrupts[0])] });
      const error = { code: 'TOOL_FAILED', message: 'The workflow failed: Bank offline' };
      expect(ended.error).toEqual(throws ? expect.objectContaining(error) : undefined);
      const { body } = await client.get('/threads/t/interrupts/q1');
      expect(body).toMatchObject({ failed: true });
      expect(body.uncertain).toBeUndefined();
      const next = await client.run({ say: 'hello' });
      expect([next.outcome, next.interrupts]).toEqual(['success', []]);
    },
  );
});

describe('a host with policies', () => {
  it('warns once about the agents whose calls its policies do not see', () => {
    const warnings: unknown[] = [];
    const notes: unknown[] = [];
    const logger = {
      error: () => {},
      warn: (...given: unknown[]) => warnings.push(given),
      info: (...given: unknown[]) => notes.push(given),
    };
    const foreign: AgentLike = async function* (input) {
      yield started(input);
    };
    const ours = defineAgent({ id: 'ours', run: async () => undefined });
    const agents = { ours, graph: foreign, travel: foreign, open: { run: foreign, showsCalls: true } };
    setUp(foreign, { agents, logger });
    setUp(ours, { logger, policies: [() => 'ask'] });
    expect(warnings).toEqual([]);
    notes.length = 0;
    setUp(foreign, { agents, logger, policies: [() => 'ask'] });
    expect(notes).toContainEqual([
      { agents: ['open'] },
      'Policies see only the calls that these agents ask approval for.',
    ]);
    expect(warnings).toEqual([
      [
        { agents: ['graph', 'travel'] },
        'Policies do not see the calls of these agents, because they make them without showing them first. Set approvals in their own framework.',
      ],
    ]);
  });
});

describe('interrupts of a foreign agent', () => {
  it('fail the run when the agent shows its thread and then rejects the answer', async () => {
    const { client } = setUp(async function* (input) {
      yield started(input);
      const isAnswered = input.resume !== undefined;
      if (isAnswered) yield { ...finished(input), metadata: { errorFollows: true } };
      else yield finished(input, [{ id: 'q', reason: 'input_required' }]);
      if (isAnswered) yield { type: 'RUN_ERROR', message: 'Ann was first.', code: 'INTERRUPT_CONFLICT' };
    });
    const { interrupts } = await client.run({ say: 'go' });
    const told = await client.run({ resume: [answer(interrupts[0], 'yes')] });
    expect(told.error).toMatchObject({ message: 'Ann was first.', code: 'INTERRUPT_CONFLICT' });
  });

  it('come without messages when the run was resumed and wrote no message of the assistant', async () => {
    const { client } = setUp(async function* (input) {
      yield started(input);
      if (input.resume === undefined) yield* text('m', 'Two questions.');
      yield finished(input, [{ id: `q-${input.runId}`, reason: 'input_required' }]);
    });
    const asked = await client.run({ say: 'go' });
    expect(asked.types.slice(-2)).toEqual(['MESSAGES_SNAPSHOT', 'RUN_FINISHED']);
    const next = await client.run({ resume: [answer(asked.interrupts[0], 'Ada')] });
    expect(next.types).toEqual(['RUN_STARTED', 'STATE_SNAPSHOT', 'RUN_FINISHED']);
    expect(next.interrupts).toHaveLength(1);
  });

  it.each([
    ['empty', ''],
    ['a dot', '.'],
    ['two dots', '..'],
    ['a slash', 'a/b'],
    ['a backslash', 'a\\b'],
    ['a control character', 'a\u0000b\u001B'],
    ['half a character', 'a\uD800'],
    ['too long', 'x'.repeat(300)],
  ])('with an id that is %s get a usable id, and the answer has the id of the agent', async (_name, id) => {
    const inputs: RunAgentInput[] = [];
    const { client } = setUp(asker(inputs, () => id));
    const [asked] = (await client.run({ say: 'go' })).interrupts;
    expect(asked?.id).toMatch(/^[\w-]{1,256}$/);
    const place = `/threads/t/interrupts/${encodeURIComponent(asked?.id ?? '')}`;
    expect((await client.get(place)).body.interrupt.id).toBe(asked?.id);
    const answered = await client.post(`${place}/answer`, {
      status: 'resolved',
      payload: { approved: true },
    });
    expect([answered.status, answered.body.state]).toEqual([200, 'continued']);
    await eventually(() => inputs.length === 2);
    expect(inputs[1]?.resume).toEqual([{ interruptId: id, status: 'resolved', payload: { approved: true } }]);
  });

  it('interrupts that a foreign agent holds open get a usable id, once', async () => {
    const inputs: RunAgentInput[] = [];
    const interrupt = { id: '..', reason: 'tool_call', message: 'Send?', responseSchema: schema };
    const agent = { run: asker(inputs), pending: async () => [interrupt] };
    const { client } = setUp(agent);
    const [asked] = (await client.run({ path: '/connect' })).interrupts;
    expect(asked?.id).toMatch(/^[\w-]{1,256}$/);
    expect((await client.run({ path: '/connect' })).interrupts.map(({ id }) => id)).toEqual([asked?.id]);
    await client.run({ resume: [approve(asked)] });
    expect(inputs[0]?.resume).toMatchObject([{ interruptId: '..', payload: { approved: true } }]);
    // After the answer the agent’s own id is known, and the interrupt does not come back.
    expect((await client.run({ path: '/connect' })).interrupts).toEqual([]);
  });

  it('interrupts of a foreign agent get new ids when the agent reuses one, and each answer reaches its own interrupt', async () => {
    const inputs: RunAgentInput[] = [];
    const { client } = setUp(asker(inputs, () => 'same'));
    const first = await client.run({ say: 'one' });
    await client.run({ resume: [approve(first.interrupts[0])] });
    const second = await client.run({ say: 'two' });
    const [interrupt] = second.interrupts;
    expect([first.interrupts[0]?.id, interrupt?.id === 'same']).toEqual(['same', false]);
    // The earlier answer does not count for the later interrupt.
    await client.run({ resume: [approve(first.interrupts[0])] });
    expect(inputs).toHaveLength(3);
    await client.run({ resume: [answer(interrupt, { approved: false })] });
    expect(inputs[3]?.resume).toEqual([
      { interruptId: 'same', status: 'resolved', payload: { approved: false } },
    ]);
  });

  it('a foreign agent that asks in the draft, without an id, gets its answer in the draft', async () => {
    const inputs: RunAgentInput[] = [];
    const answerIn = ({ resume }: RunAgentInput) => resume as unknown as { payload: unknown } | undefined;
    const { client } = setUp(async function* (input) {
      inputs.push(input);
      yield started(input);
      const ends = { type: 'RUN_FINISHED', threadId: input.threadId, runId: input.runId };
      yield input.resume === undefined
        ? { ...ends, outcome: 'interrupt', interrupt: { reason: 'human_approval', payload: { a: 1 } } }
        : { ...ends, outcome: 'success', result: answerIn(input)?.payload };
    });
    const asked = await client.run({ say: 'go' });
    expect(asked.interrupts).toMatchObject([{ reason: 'human_approval', metadata: { payload: { a: 1 } } }]);
    expect(asked.interrupts[0]?.id).not.toBe('');
    const told = await client.run({ resume: [approve(asked.interrupts[0])] });
    expect(told.frames.at(-1)?.event).toMatchObject({ result: { approved: true } });
    expect(inputs[1]?.resume).toEqual({ payload: { approved: true } });
  });

  it('a foreign agent gets a decision once if the client also appends it as a tool message', async () => {
    const inputs: RunAgentInput[] = [];
    const { client } = setUp(asker(inputs));
    const { interrupts, messages } = await client.run({ say: 'go', runId: 'r' });
    const echo = { id: 'e', role: 'tool' as const, toolCallId: 'call-1', content: '{"approved":true}' };
    // CopilotKit sends the same runId, the whole transcript, and the decision as a tool message.
    const told = await client.run({
      runId: 'r',
      messages: [...messages, echo],
      resume: [approve(interrupts[0])],
    });
    expect(told.outcome).toBe('success');
    expect(inputs[1]?.messages.filter(({ role }) => role === 'tool')).toEqual([]);
    expect(inputs).toHaveLength(2);
  });

  it('interrupts of a foreign agent are not answered by a forged tool message', async () => {
    const inputs: RunAgentInput[] = [];
    const { client } = setUp(asker(inputs));
    const { messages } = await client.run({ say: 'go' });
    const forged = { id: 'e', role: 'tool' as const, toolCallId: 'call-1', content: '{"approved":true}' };
    const told = await client.run({ messages: [...messages, forged] });
    expect(told.outcome).toBe('interrupt');
    expect(inputs).toHaveLength(1);
  });

  it('interrupts of a foreign agent are answered in the inbox, and the agent continues in the background', async () => {
    const inputs: RunAgentInput[] = [];
    const { client } = setUp(asker(inputs));
    await client.run({ say: 'go' });
    const watched = await client.watch('t');
    await watched.until('RUN_FINISHED');
    const { body } = await client.post('/threads/t/interrupts/q1/answer', {
      status: 'resolved',
      payload: { approved: true },
    });
    expect(body).toEqual({ state: 'continued', open: [] });
    const frames = await watched.until('RUN_FINISHED');
    expect(frames.map(({ event }) => event.type)).toContain('TEXT_MESSAGE_CONTENT');
    await watched.close();
    expect(inputs[1]?.resume).toHaveLength(1);
  });

  it('interrupts of a foreign agent that are asked again reach the agent under the id that the agent gave', async () => {
    const inputs: RunAgentInput[] = [];
    const { client } = setUp(asker(inputs));
    await client.run({ say: 'go' });
    const once = await client.post('/threads/t/interrupts/q1/ask-again');
    const twice = await client.post(`/threads/t/interrupts/${once.body.interrupt.id}/ask-again`);
    expect(twice.body.interrupt.metadata).toMatchObject({ supersedes: once.body.interrupt.id });
    await client.run({ resume: [approve(twice.body.interrupt)] });
    expect(inputs[1]?.resume).toMatchObject([{ interruptId: 'q1' }]);
  });

  it('interrupts of a foreign agent that ask for a secret are rejected without a key, with one error', async () => {
    const { client, errors } = setUp(async function* (input) {
      yield started(input);
      yield* text('a', 'Log in');
      yield finished(input, [
        { id: 'q', reason: 'input_required', responseSchema: { type: 'string', format: 'password' } },
      ]);
    });
    const told = await client.run({ say: 'go' });
    expect(told.types.filter((type) => type.startsWith('RUN_'))).toEqual(['RUN_STARTED', 'RUN_ERROR']);
    expect(errors).toHaveLength(1);
    expect((await client.run({ path: '/connect' })).messages.map(({ content }) => content)).toEqual([
      'go',
      'Log in',
    ]);
  });
});

describe('a foreign agent that misbehaves', () => {
  const WAYS: Readonly<Record<string, (input: RunAgentInput) => AsyncGenerator>> = {
    'closes what it never opened': async function* (input) {
      yield started(input);
      yield { type: 'TEXT_MESSAGE_END', messageId: 'x' };
    },
    'ends with a message open': async function* (input) {
      yield started(input);
      yield { type: 'TEXT_MESSAGE_START', messageId: 'x', role: 'assistant' };
      yield finished(input);
    },
    'asks two interrupts under one id': async function* (input) {
      yield started(input);
      yield finished(input, [
        { id: 'a', reason: 'x' },
        { id: 'a', reason: 'x' },
      ]);
    },
    'gives what is no event': async function* (input) {
      yield started(input);
      yield 42;
    },
    'gives an event without its members': async function* (input) {
      yield started(input);
      yield { type: 'TEXT_MESSAGE_CONTENT' };
    },
    'gives what cannot be kept': async function* (input) {
      yield started(input);
      yield { type: 'CUSTOM', name: 'big', value: 10n };
      yield finished(input);
    },
    'throws in the middle of a message': async function* (input) {
      yield started(input);
      yield { type: 'TEXT_MESSAGE_START', messageId: 'x', role: 'assistant' };
      yield { type: 'TEXT_MESSAGE_CONTENT', messageId: 'x', delta: 'half' };
      throw new Error('secret detail');
    },
    'ends without an end': async function* (input) {
      yield started(input);
      yield* text('x', 'so');
    },
    'says nothing at all': async function* () {},
  };

  it.each(Object.entries(WAYS))(
    'a foreign agent that misbehaves and %s gives one error, and the thread can go on',
    async (_name, agent) => {
      let tame = false;
      const { client } = setUp(async function* (input) {
        if (!tame) {
          yield* agent(input);
          return;
        }
        yield* [started(input), ...text('ok', 'fine'), finished(input)];
      });
      const told = await client.run({ say: 'go' });
      expect(told.types.filter((type) => type.startsWith('RUN_'))).toEqual(['RUN_STARTED', 'RUN_ERROR']);
      expect(JSON.stringify(told.frames)).not.toContain('secret detail');
      tame = true;
      const next = await client.run({ say: 'again' });
      expect([next.outcome, next.messages.at(-1)?.content]).toEqual(['success', 'fine']);
    },
  );

  it('gives one error if it is not an agent', async () => {
    const { client } = setUp((() => 'nothing') as unknown as AgentLike);
    expect((await client.run({ say: 'go' })).error).toMatchObject({ code: 'INTERNAL' });
    const thrower = setUp(() => {
      throw new Error('at once');
    });
    expect((await thrower.client.run({ say: 'go' })).error).toMatchObject({ code: 'INTERNAL' });
  });

  it('a foreign agent may send RUN_ERROR itself, and its open spans are closed', async () => {
    const { client } = setUp(async function* (input) {
      yield started(input);
      yield { type: 'TEXT_MESSAGE_START', messageId: 'x', role: 'assistant' };
      yield { type: 'RUN_ERROR', message: 'out of luck', code: 'LUCK' };
      yield* text('later', 'nobody hears this');
    });
    const told = await client.run({ say: 'go' });
    expect(told.error).toMatchObject({ message: 'out of luck', code: 'LUCK' });
    expect(told.types).toEqual(['RUN_STARTED', 'TEXT_MESSAGE_START', 'TEXT_MESSAGE_END', 'RUN_ERROR']);
  });

  it('a foreign agent may send the same object repeatedly with other content', async () => {
    const { client } = setUp(async function* (input: RunAgentInput) {
      const content = { type: 'TEXT_MESSAGE_CONTENT', messageId: 'm', delta: '', metadata: { n: 0 } };
      yield { type: 'TEXT_MESSAGE_START', messageId: 'm', role: 'assistant' };
      for (const [n, delta] of ['a', 'b', 'c'].entries()) {
        content.delta = delta;
        content.metadata.n = n;
        yield content;
      }
      yield { type: 'TEXT_MESSAGE_END', messageId: 'm' };
      yield finished(input);
    });
    const { frames } = await client.run({ say: 'go' });
    const said = frames.flatMap(({ event }) =>
      event.type === EventType.TEXT_MESSAGE_CONTENT ? [[event.delta, event.metadata]] : [],
    );
    expect(said).toEqual([
      ['a', { n: 0 }],
      ['b', { n: 1 }],
      ['c', { n: 2 }],
    ]);
  });

  it('events of a foreign agent after its end are ignored', async () => {
    const { client } = setUp(async function* (input) {
      yield* [started(input), finished(input), ...text('late', 'late')];
    });
    expect((await client.run({ say: 'go' })).types).toEqual(['RUN_STARTED', 'RUN_FINISHED']);
  });
});

describe('a stopped foreign agent', () => {
  const WAYS: Readonly<Record<string, (signal: AbortSignal) => Promise<void>>> = {
    throws: (signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('aborted')));
      }),
    returns: (signal) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve());
      }),
    'does not listen': () => new Promise(() => {}),
  };

  it.each(Object.entries(WAYS))('a stopped foreign agent that %s is cancelled', async (_name, wait) => {
    const { client } = setUp({
      async *run(input, { signal } = {}) {
        yield started(input);
        yield { type: 'STEP_STARTED', stepName: 'long' };
        await wait(signal!);
      },
    });
    const stream = await client.open({ say: 'go', runId: 'r' });
    const begin = await stream.until('STEP_STARTED');
    expect((await client.post('/threads/t/runs/r/cancel')).status).toBe(202);
    const frames = [...begin, ...(await stream.rest())];
    expect(frames.slice(-2).map(({ event }) => event)).toMatchObject([
      { type: 'STEP_FINISHED', stepName: 'long' },
      { type: 'RUN_FINISHED', outcome: { type: 'cancelled' } },
    ]);
  });
});

describe('the answer of a lost foreign run', () => {
  /** A first host whose run takes the answer and never ends; then the clock passes its lease. */
  async function lose(
    reconcile: ((interrupt: Interrupt) => Promise<'waiting' | 'taken' | 'consumed' | 'unknown'>) | undefined,
    toEntry = (interrupt: Interrupt | undefined) => answer(interrupt, 'yes'),
    about: object = {},
  ) {
    let now = 1_700_000_000_000;
    const store = memoryStore({ clock: { now: () => now } });
    const taken = createGate();
    const resumes: unknown[] = [];
    const recovers: unknown[] = [];
    const cancellations: string[] = [];
    const run = async function* (input: RunAgentInput, context?: AgentContext): AsyncGenerator<Step> {
      yield started(input);
      if (input.resume === undefined) {
        yield finished(input, [{ id: 'q', reason: 'confirmation' }]);
        return;
      }
      resumes.push(input.resume);
      recovers.push(context?.recovers);
      for (const entry of input.resume)
        cancellations.push(cancelledText(cancellationOf(entry, context ?? {})));
      if (resumes.length === 1) {
        taken.open();
        await new Promise(() => {});
      }
      yield* text('after', 'Done.');
      yield finished(input);
    };
    const agent = { id: 'a', run, ...about, ...(reconcile === undefined ? {} : { reconcile }) };
    const first = setUp(agent, { store, leaseMs: 1000 });
    const asked = await first.client.run({ say: 'go' });
    const lost = await first.client.open({ resume: [toEntry(asked.interrupts[0])] });
    await taken.opened;
    await lost.until('RUN_STARTED');
    // The host stalls: it writes nothing more, and its lease ends.
    await first.host.close({ withinMs: 0 });
    now += 60_000;
    const second = setUp(agent, { store });
    return { ...second, store, resumes, recovers, cancellations };
  }

  it.each(['waiting', 'taken'] as const)(
    'the answer of a lost foreign run is sent again if the agent says %s',
    async (says) => {
      const seen: Interrupt[] = [];
      const { host, client, resumes, recovers } = await lose(async (interrupt) => {
        seen.push(interrupt);
        return says;
      });
      await host.sweep();
      await eventually(async () => (await client.get('/threads/t')).body.status === 'idle');
      expect(resumes).toEqual([resumes[0], resumes[0]]);
      expect(recovers).toEqual([false, true]);
      expect(seen).toMatchObject([{ id: 'q' }]);
      expect((await client.run({ path: '/connect' })).messages.at(-1)?.content).toBe('Done.');
    },
  );

  it('the answer of a lost foreign run is released, not sent, if the agent says waiting and a new message came', async () => {
    const { client, resumes } = await lose(async () => 'waiting');
    const told = await client.run({ say: 'No, stop!' });
    expect(told.error?.code).toBe('INTERRUPTS_PENDING');
    expect(resumes).toHaveLength(1);
    expect((await client.get('/interrupts')).body.interrupts).toMatchObject([
      { interrupt: { id: 'q', metadata: { notDelivered: expect.any(String) } } },
    ]);
    expect((await client.run({ resume: [answer({ id: 'q', reason: '' }, 'no')] })).outcome).toBe('success');
    expect(resumes.at(-1)).toMatchObject([{ payload: 'no' }]);
  });

  it.each(['consumed', 'unknown', 'not offered', 'throws'] as const)(
    'goes to a person if the agent says %s',
    async (says) => {
      const reconcile = async () => {
        if (says === 'throws') throw new Error('no idea');
        return says as 'consumed' | 'unknown';
      };
      const { host, client, resumes } = await lose(says === 'not offered' ? undefined : reconcile);
      const watched = await client.watch('t', 0);
      await host.sweep();
      const frames: string[] = [];
      for (;;) {
        const frame = await watched.next();
        if (frame?.event.type === 'RUN_ERROR') frames.push(String(frame.event.code));
        if (frame?.event.type !== 'RUN_FINISHED' || frames.length === 0) continue;
        expect(frame.event.outcome).toMatchObject({
          interrupts: [{ reason: 'error_recovery', metadata: { code: 'RUN_LOST', interruptIds: ['q'] } }],
        });
        break;
      }
      await watched.close();
      expect(frames).toEqual(['RUN_LOST']);
      expect(resumes).toHaveLength(1);
      const shown = await client.run({ path: '/connect' });
      const retry = await client.run({ resume: [answer(shown.interrupts[0], { action: 'retry' })] });
      expect([retry.outcome, resumes.length]).toEqual(['success', 2]);
      expect(resumes[1]).toEqual(resumes[0]);
    },
  );

  it.each([
    ['can take it', true, ['finished', 'retry', 'abort']],
    ['cannot take it', false, ['finished', 'abort']],
  ])('is offered to be sent again only if the agent %s', async (_name, canRetry, actions) => {
    const { host, client, resumes } = await lose(undefined, undefined, { canRetry: () => canRetry });
    await host.sweep();
    await eventually(async () => (await client.get('/threads/t')).body.status === 'waiting');
    const { interrupts } = await client.run({ path: '/connect' });
    expect(interrupts[0]?.responseSchema).toMatchObject({ properties: { action: { enum: actions } } });
    const again = await client.run({ resume: [answer(interrupts[0], { action: 'retry' })] });
    expect(again.error?.code).toBe(canRetry ? undefined : 'ANSWER_INVALID');
    expect(resumes).toHaveLength(canRetry ? 2 : 1);
  });

  it('a cancellation that a person sends again after a crash still says who cancelled', async () => {
    const { host, client, cancellations } = await lose(undefined, (interrupt) => cancel(interrupt));
    await host.sweep();
    await eventually(async () => (await client.get('/threads/t')).body.status === 'waiting');
    const { interrupts } = await client.run({ path: '/connect' });
    await client.run({ resume: [answer(interrupts[0], { action: 'retry' })] });
    expect(cancellations).toEqual(['Cancelled by anonymous.', 'Cancelled by anonymous.']);
  });

  it('the answer of a lost foreign run is not sent again if a person says that it was taken', async () => {
    const { host, client, resumes } = await lose(undefined);
    await host.sweep();
    await eventually(async () => (await client.get('/threads/t')).body.status === 'waiting');
    const { interrupts } = await client.run({ path: '/connect' });
    const told = await client.run({ resume: [answer(interrupts[0], { action: 'finished' })] });
    expect([told.outcome, resumes.length]).toEqual(['success', 1]);
    const again = await client.run({ resume: [answer(interrupts[0], { action: 'retry' })] });
    expect([again.error?.code, resumes.length]).toEqual(['INTERRUPT_CONFLICT', 1]);
  });

  it('does not exist if the run was lost before any answer; the run is closed and continues on request', async () => {
    let now = 1_700_000_000_000;
    const store = memoryStore({ clock: { now: () => now } });
    const inputs: RunAgentInput[] = [];
    const agent = async function* (input: RunAgentInput): AsyncGenerator<Step> {
      inputs.push(input);
      yield started(input);
      if (inputs.length === 1) await new Promise(() => {});
      yield* [...text('b', 'Hello.'), finished(input)];
    };
    const first = setUp(agent, { store, leaseMs: 1000 });
    await (await first.client.open({ say: 'go' })).until('RUN_STARTED');
    await first.host.close({ withinMs: 0 });
    now += 60_000;
    const second = setUp(agent, { store });
    await second.host.sweep();
    const watched = await second.client.watch('t', 0);
    expect((await watched.until('RUN_ERROR')).at(-1)?.event).toMatchObject({ code: 'RUN_LOST' });
    await watched.close();
    expect(inputs).toHaveLength(1);
    const told = await second.client.run({});
    expect([told.outcome, told.messages.at(-1)?.content]).toEqual(['success', 'Hello.']);
    expect(inputs[1]?.messages).toMatchObject([{ content: 'go' }]);
  });
});

describe('a foreign agent that holds interrupts open', () => {
  it('interrupts that a foreign agent holds open are in the inbox after a read of the thread, and the agent gets the answer', async () => {
    const inputs: RunAgentInput[] = [];
    const interrupt = { id: 'held', reason: 'confirmation', message: 'Still there?' };
    const agent = { run: asker(inputs), pending: async () => [interrupt] };
    const told: string[] = [];
    const { host, client } = setUp(agent, {
      onInterrupt: (record, { thread }) => void told.push(`${thread} ${record.interrupt.id}`),
    });
    const body = JSON.stringify({
      threadId: 't',
      runId: 'look',
      messages: [],
      tools: [],
      context: [],
      state: {},
    });
    const headers = { 'content-type': 'application/json' };
    const look = () =>
      host.fetch(new Request('http://localhost/agents/assistant/connect', { method: 'POST', headers, body }));
    expect(await (await look()).text()).toContain('"id":"held"');
    expect(await (await look()).text()).toContain('"id":"held"');
    const listed = await host.fetch(new Request('http://localhost/interrupts'));
    expect(await listed.json()).toMatchObject({ interrupts: [{ interrupt, status: 'pending' }] });
    await client.run({ thread: 't', resume: [answer(interrupt, 'yes')] });
    expect(inputs.map(({ resume }) => resume)).toEqual([
      [{ interruptId: 'held', status: 'resolved', payload: 'yes' }],
    ]);
    expect(await (await look()).text()).not.toContain('"type":"interrupt"');
    // Once, for any number of reads.
    expect(told).toEqual(['t held']);
  });

  it('a foreign agent that holds an interrupt open without an id gets its answer without an id', async () => {
    const inputs: RunAgentInput[] = [];
    const interrupt = { id: '', reason: 'confirmation', message: 'Still there?' };
    const { client } = setUp({ run: asker(inputs), pending: async () => [interrupt] });
    const { interrupts } = await client.run({ path: '/connect' });
    expect(interrupts).toMatchObject([{ message: 'Still there?', id: expect.stringMatching(/^.{10,}$/) }]);
    expect((await client.run({ path: '/connect' })).interrupts).toEqual(interrupts);
    await client.run({ resume: [answer(interrupts[0], 'yes')] });
    expect(inputs.map(({ resume }) => resume)).toEqual([
      [{ interruptId: '', status: 'resolved', payload: 'yes' }],
    ]);
    expect((await client.run({ path: '/connect' })).outcome).toBe('success');
  });
});

it('an interrupt of a foreign agent does not offer to remember the answer', async () => {
  const responseSchema = approvalResponseSchema({ remember: true });
  const { client } = setUp(async function* ({ threadId, runId }: RunAgentInput) {
    const interrupts = [{ id: 'q', reason: 'tool_call', responseSchema }];
    yield { type: 'RUN_STARTED', threadId, runId };
    yield { type: 'RUN_FINISHED', threadId, runId, outcome: { type: 'interrupt', interrupts } };
  });
  const asked = await client.run({ say: 'go' });
  expect(asked.interrupts[0]?.responseSchema).toEqual(approvalResponseSchema());
  const { body } = await client.get('/threads/t/interrupts/q');
  expect(body.interrupt.responseSchema).toEqual(approvalResponseSchema());
});

it('an agent that never stops fails its run after `limits.agentCharacters`', async () => {
  let sent = 0;
  const endless: AgentLike = {
    async *run() {
      yield { type: EventType.TEXT_MESSAGE_START, messageId: 'm', role: 'assistant' };
      for (; sent < 100; sent += 1)
        yield { type: EventType.TEXT_MESSAGE_CONTENT, messageId: 'm', delta: 'x'.repeat(1000) };
    },
  };
  const { client } = setUp(endless, { limits: { agentCharacters: 10_000 } });
  const { frames } = await client.run({ say: 'go' });
  expect(frames.at(-1)?.event).toMatchObject({
    type: 'RUN_ERROR',
    message: 'The agent broke the protocol: The run has more than 10000 characters.',
  });
  expect(sent).toBeLessThan(10);
});
