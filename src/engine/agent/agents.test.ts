import { HttpAgent } from '@ag-ui/client';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { answer, approve, cancel, reject } from '../../content/interrupts/index.ts';
import type { Message, RunAgentInput } from '../../protocol/index.ts';
import { createSseEncoder } from '../../protocol/index.ts';
import { scriptedModel } from '../../testing/index.ts';
import type { Agent, GenerateResponse, ToolMiddleware } from '../index.ts';
import { agentTool, contentResult, defineAgent, defineTool } from '../index.ts';
import { collectEvents } from '../testing-support/collect-events.ts';

const weather = defineTool({
  name: 'weather',
  description: '',
  input: z.object({ city: z.string() }),
  run: ({ city }) => `sunny in ${city}`,
});
const pay = (paid: unknown[]) =>
  defineTool({
    name: 'pay',
    description: '',
    input: z.object({ amount: z.number() }),
    approval: true,
    run(input) {
      paid.push(input);
      return { paid: input.amount };
    },
  });
const input = (messages: Message[], rest: Partial<RunAgentInput> = {}): RunAgentInput => ({
  threadId: 't',
  runId: 'r',
  messages,
  tools: [],
  context: [],
  ...rest,
});
const user = (content: string): Message => ({ id: `u-${content}`, role: 'user', content });

const stored = (response: GenerateResponse): Message[] => JSON.parse(JSON.stringify(response.messages));
const tools = (response: GenerateResponse) =>
  response.messages.filter(({ role }) => role === 'tool').map(({ content }) => content);

describe('an agent as AG-UI events', () => {
  it('begins its run when the events are read, and only once', async () => {
    const model = scriptedModel(['One.', 'Two.']);
    const events = defineAgent({ id: 'a', model }).run(input([user('hi')]));
    expect(model.requests).toHaveLength(0);
    for await (const { type } of events) expect(type).not.toBe('RUN_ERROR');
    for await (const { type } of events) expect.fail(`${type} came twice`);
    expect(model.requests).toHaveLength(1);
  });

  it('emits text, reasoning, calls with arguments, and results in a valid order', async () => {
    const model = scriptedModel([
      {
        reasoning: 'Let me look.',
        text: 'One moment.',
        calls: [{ id: 'c', name: 'weather', input: { city: 'Oslo' } }],
      },
      { text: 'Sunny.', usage: { inputTokens: 5 } },
    ]);
    const events = await collectEvents(
      defineAgent({ id: 'a', model, tools: [weather] }),
      input([user('hi')]),
    );
    expect(events.map(({ type }) => type)).toMatchInlineSnapshot(`
      [
        "RUN_STARTED",
        "REASONING_START",
        "REASONING_MESSAGE_START",
        "REASONING_MESSAGE_CONTENT",
        "REASONING_MESSAGE_END",
        "REASONING_END",
        "TEXT_MESSAGE_START",
        "TEXT_MESSAGE_CONTENT",
        "TEXT_MESSAGE_CONTENT",
        "TEXT_MESSAGE_END",
        "TOOL_CALL_START",
        "TOOL_CALL_ARGS",
        "TOOL_CALL_ARGS",
        "TOOL_CALL_END",
        "TOOL_CALL_RESULT",
        "TEXT_MESSAGE_START",
        "TEXT_MESSAGE_CONTENT",
        "TEXT_MESSAGE_END",
        "RUN_FINISHED",
      ]
    `);
    expect(events.at(-1)).toMatchObject({
      outcome: { type: 'success' },
      usage: [{ provider: 'holdpoint', model: 'scripted', inputTokens: 5 }],
    });
  });

  it('emits snapshots before an interrupt, with finished results and without internal state', async () => {
    const model = scriptedModel([
      {
        calls: [
          { id: 'c1', name: 'pay', input: { amount: 5 } },
          { id: 'c2', name: 'weather', input: { city: 'Oslo' } },
        ],
      },
    ]);
    const events = await collectEvents(
      defineAgent({ id: 'a', model, tools: [pay([]), weather] }),
      input([user('hi')]),
    );
    const [state, snapshot, end] = events.slice(-3);
    expect(state).toEqual({ type: 'STATE_SNAPSHOT', snapshot: {} });
    expect(end).toMatchObject({
      outcome: { type: 'interrupt', interrupts: [{ reason: 'tool_call', toolCallId: 'c1' }] },
    });
    expect(snapshot).toMatchObject({
      messages: [
        { role: 'user' },
        { role: 'assistant' },
        { role: 'tool', toolCallId: 'c2', content: 'sunny in Oslo' },
      ],
    });
    expect(JSON.stringify(snapshot)).not.toContain('holdpoint');
  });

  it('emits only the result of the original call on resume, never the call again', async () => {
    const paid: unknown[] = [];
    const model = scriptedModel([{ calls: [{ id: 'c1', name: 'pay', input: { amount: 5 } }] }, 'Paid.']);
    const agent = defineAgent({ id: 'a', model, tools: [pay(paid)] });
    const paused = await agent.generate({ prompt: 'x' });
    const resume = [approve(paused.interrupts[0]!)];
    const events = await collectEvents(agent, input([], { resume, runId: 'r2' }), {
      history: paused.messages,
    });
    expect(events.map(({ type }) => type)).toEqual([
      'RUN_STARTED',
      'TOOL_CALL_RESULT',
      'TEXT_MESSAGE_START',
      'TEXT_MESSAGE_CONTENT',
      'TEXT_MESSAGE_END',
      'RUN_FINISHED',
    ]);
    expect(events[1]).toMatchObject({ toolCallId: 'c1', content: '{"paid":5}' });
    expect(paid).toEqual([{ amount: 5 }]);
  });

  it('emits no messages when a resumed run asks again and wrote no message of the assistant', async () => {
    const model = scriptedModel([
      {
        calls: [
          { id: 'c1', name: 'pay', input: { amount: 5 } },
          { id: 'c2', name: 'onboard' },
        ],
      },
    ]);
    const onboard = defineTool({
      name: 'onboard',
      description: '',
      input: z.object({}),
      async run(_input, { ask }) {
        await ask('name', { message: 'Your name?', schema: z.string() });
        return ask('city', { message: 'Your city?', schema: z.string() });
      },
    });
    const agent = defineAgent({ id: 'a', model, tools: [pay([]), onboard] });
    const paused = await agent.generate({ prompt: 'x' });
    const resume = [approve(paused.interrupts[0]!), answer(paused.interrupts[1]!, 'Ada')];
    const events = await collectEvents(agent, input([], { resume, runId: 'r2' }), {
      history: paused.messages,
    });
    expect(events.map(({ type }) => type)).toEqual([
      'RUN_STARTED',
      'TOOL_CALL_RESULT',
      'STATE_SNAPSHOT',
      'RUN_FINISHED',
    ]);
    expect(events.at(-1)).toMatchObject({ outcome: { interrupts: [{ message: 'Your city?' }] } });
  });

  it('runs no call from a transcript in the input', async () => {
    const paid: unknown[] = [];
    const model = scriptedModel([{ calls: [{ id: 'c1', name: 'pay', input: { amount: 5 } }] }, 'Paid.']);
    const agent = defineAgent({ id: 'a', model, tools: [pay(paid)] });
    const paused = await agent.generate({ prompt: 'x' });
    const resume = [approve(paused.interrupts[0]!)];
    const events = await collectEvents(agent, input(paused.messages, { resume }));
    expect(events.at(-1)).toMatchObject({ type: 'RUN_ERROR', code: 'INPUT_INVALID' });
    expect(paid).toEqual([]);
  });

  it('works with the unmodified official client, interrupts included', async () => {
    const model = scriptedModel([
      { text: 'May I?', calls: [{ id: 'c1', name: 'pay', input: { amount: 5 } }] },
    ]);
    const agent = defineAgent({ id: 'a', model, tools: [pay([])] });
    const encoder = createSseEncoder();
    const events = await collectEvents(agent, input([user('hi')]));
    const body = events.map((event) => encoder.encode({ ...event })).join('');
    const headers = { 'content-type': 'text/event-stream' };
    const client = new HttpAgent({ url: 'http://x', fetch: async () => new Response(body, { headers }) });
    await client.runAgent();
    expect(client.pendingInterrupts).toMatchObject([{ toolCallId: 'c1', reason: 'tool_call' }]);
    expect(client.messages).toContainEqual(expect.objectContaining({ role: 'assistant', content: 'May I?' }));
  });

  it('ends with an error without internal details', async () => {
    const errors: unknown[] = [];
    const secret = new Error('password=hunter2');
    const failing = defineAgent({ id: 'a', model: scriptedModel([{ text: 'Half', error: secret }]) });
    const events = await collectEvents(failing, input([user('x')]), {
      onError: (error) => errors.push(error),
    });
    expect(events.slice(-2)).toMatchObject([
      { type: 'TEXT_MESSAGE_END' },
      { type: 'RUN_ERROR', code: 'MODEL_FAILED', message: 'The model failed.' },
    ]);
    expect(errors).toMatchObject([{ code: 'MODEL_FAILED', cause: secret }]);
    const broken = defineAgent({
      id: 'a',
      model: scriptedModel(['x']),
      contextProviders: [() => Promise.reject(secret)],
    });
    expect((await collectEvents(broken, input([user('x')]))).at(-1)).toEqual({
      type: 'RUN_ERROR',
      code: 'INTERNAL',
      message: 'The run failed.',
    });
  });

  it('stops when the reader leaves', async () => {
    let stopped = false;
    const hang = defineTool({
      name: 'hang',
      description: '',
      input: z.object({}),
      run: (_input, ctx) =>
        new Promise(() => {
          ctx.signal.addEventListener('abort', () => (stopped = true));
          ctx.emit.custom('begun', true);
        }),
    });
    const agent = defineAgent({
      id: 'a',
      model: scriptedModel([{ calls: [{ name: 'hang' }] }]),
      tools: [hang],
    });
    for await (const event of agent.run(input([user('x')]))) if (event.type === 'CUSTOM') break;
    expect(stopped).toBe(true);
  });

  it('lets tools show activity, patch the shared state and send custom events', async () => {
    const tool = defineTool({
      name: 'show',
      description: '',
      input: z.object({}),
      run(_input, { emit, ...ctx }) {
        emit.state([{ op: 'add', path: '/count', value: 1 }]);
        emit.activity('plan', 'PLAN', { step: 1 });
        emit.custom('note', 'hello');
        emit.step('work').end();
        return ctx.threadId;
      },
    });
    const agent = defineAgent({
      id: 'a',
      model: scriptedModel([{ calls: [{ name: 'show' }] }, 'ok']),
      tools: [tool],
    });
    const events = await collectEvents(agent, input([user('x')], { state: { kept: true } }));
    expect(events.filter(({ type }) => /STATE|ACTIVITY|CUSTOM|STEP/.test(type))).toMatchObject([
      { type: 'STATE_DELTA', delta: [{ op: 'add', path: '/count', value: 1 }] },
      { type: 'ACTIVITY_SNAPSHOT', messageId: 'plan', activityType: 'PLAN', content: { step: 1 } },
      { type: 'CUSTOM', name: 'note', value: 'hello' },
      { type: 'STEP_STARTED', stepName: 'work' },
      { type: 'STEP_FINISHED', stepName: 'work' },
    ]);
    const again = defineAgent({
      id: 'a',
      model: scriptedModel([{ calls: [{ name: 'show' }] }, 'ok']),
      tools: [tool],
    });
    expect((await again.generate({ prompt: 'x', state: { kept: true } })).state).toEqual({
      kept: true,
      count: 1,
    });
  });

  it('keeps outputs of several parts', async () => {
    const parts = [
      { type: 'text' as const, text: 'a map' },
      { type: 'image' as const, source: { type: 'url' as const, value: 'http://x/map.png' } },
    ];
    const map = defineTool({
      name: 'map',
      description: '',
      input: z.object({}),
      run: () => contentResult(parts),
    });
    const model = scriptedModel([
      {
        calls: [
          { id: 'm', name: 'map' },
          { id: 'p', name: 'pay', input: { amount: 1 } },
        ],
      },
      'ok',
    ]);
    const agent = defineAgent({ id: 'a', model, tools: [map, pay([])] });
    const paused = await agent.generate({ prompt: 'x' });
    const done = await agent.generate({ messages: stored(paused), resume: [approve(paused.interrupts[0]!)] });
    expect(tools(done)[0]).toEqual(parts);
  });
});

describe('tools that the client runs', () => {
  const declared = [{ name: 'locate', description: 'Where is the user?', parameters: { type: 'object' } }];
  const turn = {
    calls: [
      { id: 'local', name: 'locate' },
      { id: 'server', name: 'weather', input: { city: 'Oslo' } },
      { id: 'money', name: 'pay', input: { amount: 5 } },
    ],
  };

  it('tools that the client runs end the run with their calls, and the next messages have their results', async () => {
    const model = scriptedModel([{ calls: turn.calls.slice(0, 2) }, 'There you are.']);
    const agent = defineAgent({ id: 'a', model, tools: [weather] });
    const first = await agent.generate({ prompt: 'x', clientTools: declared });
    expect(first).toMatchObject({ finishReason: 'tool-calls', interrupts: [] });
    expect(first.toolRequests.map(({ id }) => id)).toEqual(['local']);
    expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual(['weather', 'locate']);
    await expect(agent.generate({ messages: first.messages })).rejects.toThrow('has no result');
    const result: Message = { id: 'x', role: 'tool', toolCallId: 'local', content: 'Oslo' };
    const done = await agent.generate({ messages: [...first.messages, result] });
    expect(done.text).toBe('There you are.');
  });

  it('never weaken an approval in the same turn', async () => {
    const paid: unknown[] = [];
    const model = scriptedModel([turn, 'ok']);
    const agent = defineAgent({ id: 'a', model, tools: [weather, pay(paid)] });
    const clientTools = [...declared, { name: 'pay', description: 'mine now' }];
    const paused = await agent.generate({ prompt: 'x', clientTools });
    expect(paused.finishReason).toBe('interrupted');
    expect(paused.interrupts.map(({ toolName }) => toolName)).toEqual(['pay']);
    expect(paid).toEqual([]);
    const then = await agent.generate({
      messages: stored(paused),
      clientTools,
      resume: [approve(paused.interrupts[0]!)],
    });
    expect(then).toMatchObject({ finishReason: 'tool-calls' });
    expect(paid).toHaveLength(1);
    const result: Message = { id: 'x', role: 'tool', toolCallId: 'local', content: 'Oslo' };
    expect((await agent.generate({ messages: [...then.messages, result], clientTools })).text).toBe('ok');
    expect(paid).toHaveLength(1);
  });

  it('the results of client tools may come together with answers to interrupts', async () => {
    const model = scriptedModel([turn, 'ok']);
    const agent = defineAgent({ id: 'a', model, tools: [weather, pay([])] });
    const paused = await agent.generate({ prompt: 'x', clientTools: declared });
    const local: Message = { id: 'x', role: 'tool', toolCallId: 'local', content: 'Oslo' };
    const done = await agent.generate({
      messages: [...stored(paused), local],
      clientTools: declared,
      resume: [reject(paused.interrupts[0]!)],
    });
    expect(done.text).toBe('ok');
    expect(tools(done)).toEqual(['Oslo', 'sunny in Oslo', 'Tool call invocation rejected.']);
  });

  it('calls of client tools that a later message abandoned get a placeholder result for the model', async () => {
    const model = scriptedModel([{ calls: [{ id: 'local', name: 'locate' }] }, 'ok']);
    const agent = defineAgent({ id: 'a', model });
    const first = await agent.generate({ prompt: 'x', clientTools: declared });
    const done = await agent.generate({ messages: first.messages, prompt: 'never mind' });
    expect(tools(done)).toEqual([]);
    expect(model.requests[1]?.messages.map(({ role, content }) => [role, content])).toEqual([
      ['user', 'x'],
      ['assistant', undefined],
      ['tool', 'Result unavailable (conversation was restored).'],
      ['user', 'never mind'],
    ]);
  });
});

describe('an agent as a tool of another', () => {
  const setUp = () => {
    const paid: unknown[] = [];
    const cashier = defineAgent({
      id: 'cashier',
      description: 'Pays.',
      model: scriptedModel((request) =>
        request.messages.at(-1)?.role === 'tool'
          ? 'It is paid.'
          : { calls: [{ id: 'c', name: 'pay', input: { amount: 9 } }] },
      ),
      tools: [pay(paid)],
    });
    const boss = () =>
      defineAgent({
        id: 'boss',
        model: scriptedModel((request) =>
          request.messages.at(-1)?.role === 'tool'
            ? 'All done.'
            : {
                calls: [
                  { id: 'b', name: 'cashier', input: { prompt: 'Pay 9.' } },
                  { id: 'w', name: 'weather', input: { city: 'Oslo' } },
                ],
              },
        ),
        tools: [agentTool(cashier), weather],
      });
    return { paid, boss };
  };

  it('raises interrupts through its parent, and gets the answers', async () => {
    const { paid, boss } = setUp();
    const paused = await boss().generate({ prompt: 'x' });
    const [part] = paused.interrupts;
    expect(part).toMatchObject({
      kind: 'approval',
      toolName: 'pay',
      interrupt: { subagentRunId: expect.any(String) },
    });
    expect(paid).toEqual([]);
    const done = await boss().generate({ messages: stored(paused), resume: [approve(part!)] });
    expect(done.text).toBe('All done.');
    expect(tools(done)).toEqual(['It is paid.', 'sunny in Oslo']);
    expect(paid).toEqual([{ amount: 9 }]);
  });

  it('emits its events as a subagent and waits as suspended', async () => {
    const events = await collectEvents(setUp().boss(), input([user('x')]));
    const started = events.find(({ type }) => type === 'SUBAGENT_STARTED');
    expect(started).toMatchObject({ name: 'cashier', parentToolCallId: 'b' });
    const finished = events.find(({ type }) => type === 'SUBAGENT_FINISHED');
    const end = events.at(-1);
    expect(finished).toMatchObject({ outcome: { type: 'suspended', interruptIds: [expect.any(String)] } });
    expect(end).toMatchObject({
      outcome: { interrupts: [{ subagentRunId: (started as { subagentRunId: string }).subagentRunId }] },
    });
  });

  it('an agent as a tool gives its parent an error as the result if it fails', async () => {
    const failing = defineAgent({ id: 'failing', model: scriptedModel([]) });
    const boss = defineAgent({
      id: 'boss',
      model: scriptedModel([{ calls: [{ name: 'failing', input: { prompt: 'x' } }] }, 'ok']),
      tools: [agentTool(failing)],
    });
    const done = await boss.generate({ prompt: 'x' });
    expect(tools(done)).toEqual([
      'failing failed: The scripted model has no turn 1. Add a turn to the script.',
    ]);
  });

  it('must be an agent of ours', () => {
    const foreign: Agent = { id: 'foreign', run: () => (async function* none() {})() };
    expect(() => agentTool(foreign)).toThrow('was not made by defineAgent');
  });
});

describe('an agent in plain code', () => {
  const script = (log: string[]) =>
    defineAgent({
      id: 'script',
      async run({ text }, ctx) {
        log.push(`run ${text}`);
        await ctx.say('Welcome!');
        const name = await ctx.ask('name', { message: 'Your name?', schema: z.string() });
        const greeting = await ctx.step('greet', () => {
          log.push('greet');
          return `Hello ${name}`;
        });
        const colour = await ctx.ask('colour', { message: 'Your colour?', schema: z.enum(['red', 'blue']) });
        return `${greeting}, you like ${colour}.`;
      },
    });

  it('asks, continues and sends each message once, in a new process each time', async () => {
    const log: string[] = [];
    let response = await script(log).generate({ prompt: 'hi' });
    expect(response.interrupts[0]).toMatchObject({ kind: 'ask', interrupt: { message: 'Your name?' } });
    expect(response.interrupts[0]?.interrupt.toolCallId).toBeUndefined();
    response = await script(log).generate({
      messages: stored(response),
      resume: [answer(response.interrupts[0]!, 'Ana')],
    });
    response = await script(log).generate({
      messages: stored(response),
      resume: [answer(response.interrupts[0]!, 'red')],
    });
    expect(response.text).toBe('Hello Ana, you like red.');
    expect(
      response.messages.filter(({ role }) => role === 'assistant').map(({ content }) => content),
    ).toEqual(['Welcome!', 'Hello Ana, you like red.']);
    expect(log).toEqual(['run hi', 'run hi', 'greet', 'run hi']);
  });

  it('emits no hidden call', async () => {
    const events = await collectEvents(script([]), input([user('hi')]));
    expect(events.map(({ type }) => type)).toEqual([
      'RUN_STARTED',
      'TEXT_MESSAGE_START',
      'TEXT_MESSAGE_CONTENT',
      'TEXT_MESSAGE_END',
      'STATE_SNAPSHOT',
      'MESSAGES_SNAPSHOT',
      'RUN_FINISHED',
    ]);
    const snapshot = events.find((event) => event.type === 'MESSAGES_SNAPSHOT');
    expect(snapshot).toMatchObject({
      messages: [{ role: 'user' }, { role: 'assistant', content: 'Welcome!' }],
    });
  });

  it('runs a model whose interrupts become its own and whose work runs once', async () => {
    const paid: unknown[] = [];
    const model = scriptedModel((request) =>
      request.messages.at(-1)?.role === 'tool' ? 'Paid.' : { calls: [{ name: 'pay', input: { amount: 3 } }] },
    );
    const agent = () =>
      defineAgent({
        id: 'script',
        async run(_input, ctx) {
          const { text } = await ctx.generate({ model, prompt: 'Pay 3.', tools: [pay(paid)] });
          const sure = await ctx.ask('sure', { schema: z.boolean() });
          return { text, sure };
        },
      });
    let response = await agent().generate({ prompt: 'x' });
    expect(response.interrupts[0]).toMatchObject({ kind: 'approval', toolName: 'pay' });
    response = await agent().generate({
      messages: stored(response),
      resume: [approve(response.interrupts[0]!)],
    });
    expect(paid).toHaveLength(1);
    response = await agent().generate({
      messages: stored(response),
      resume: [answer(response.interrupts[0]!, true)],
    });
    expect(response.result).toEqual({ text: 'Paid.', sure: true });
    expect(paid).toHaveLength(1);
    expect(model.requests).toHaveLength(2);
  });

  it('fails with its own error, and can be cancelled', async () => {
    const failing = defineAgent({ id: 'x', run: () => Promise.reject(new Error('no')) });
    await expect(failing.generate({ prompt: 'x' })).rejects.toMatchObject({
      code: 'INTERNAL',
      cause: { message: 'no' },
    });
    const paused = await script([]).generate({ prompt: 'x' });
    const done = await script([]).generate({
      messages: paused.messages,
      resume: [cancel(paused.interrupts[0]!)],
    });
    expect(done.text).toBe('Cancelled: nobody answered.');
    const steered = await script([]).generate({
      messages: paused.messages,
      resume: [cancel(paused.interrupts[0]!)],
      prompt: 'never mind',
    });
    expect(steered.messages.map(({ content }) => content)).toContain('never mind');
  });
});

describe('providers and middleware', () => {
  it('context providers add instructions, messages and tools for the model only', async () => {
    const model = scriptedModel([{ calls: [{ name: 'weather', input: { city: 'Oslo' } }] }, 'ok']);
    const note: Message = { id: 'n', role: 'system', content: 'From the archive.' };
    const agent = defineAgent({
      id: 'a',
      model,
      instructions: 'Be kind.',
      contextProviders: [
        () => ({ instructions: 'Be brief.', messages: [note], tools: [weather] }),
        () => undefined,
      ],
    });
    const done = await agent.generate({ prompt: 'x' });
    expect(model.requests[0]).toMatchObject({
      instructions: 'Be kind.\n\nBe brief.',
      messages: [note, { role: 'user' }],
    });
    expect(done.messages).not.toContainEqual(note);
    expect(tools(done)).toEqual(['sunny in Oslo']);
  });

  it('model middleware may ask before the model call and continues in another process', async () => {
    const asked: number[] = [];
    const build = (turns: readonly string[]) => {
      const model = scriptedModel(turns);
      const agent = defineAgent({
        id: 'a',
        model,
        maxTurns: 1,
        middleware: {
          model: [
            async function* budget(request, next, ctx) {
              asked.push(request.messages.length);
              const cents = await ctx.ask('budget', { message: 'How much may it cost?', schema: z.number() });
              await ctx.step('book', () => cents);
              for await (const part of next()) {
                yield part.type === 'text' ? { ...part, delta: `${part.delta}(${cents} cents)` } : part;
              }
            },
          ],
        },
      });
      return { model, agent };
    };
    const first = build([]);
    const paused = await first.agent.generate({ prompt: 'x' });
    expect(first.model.requests).toEqual([]);
    expect(paused.interrupts).toMatchObject([
      { kind: 'ask', interrupt: { message: 'How much may it cost?' } },
    ]);
    const second = build(['Hello. ']);
    const done = await second.agent.generate({
      messages: stored(paused),
      resume: [answer(paused.interrupts[0]!, 5)],
    });
    expect(done.text).toBe('Hello. (5 cents)');
    expect(done.messages.map(({ role, content }) => [role, content])).toEqual([
      ['user', 'x'],
      ['assistant', 'Hello. (5 cents)'],
    ]);
    expect(asked).toEqual([1, 1]);
    const events = await collectEvents(build([]).agent, input([user('x')]));
    expect(events.map(({ type }) => type)).toEqual([
      'RUN_STARTED',
      'STATE_SNAPSHOT',
      'MESSAGES_SNAPSHOT',
      'RUN_FINISHED',
    ]);
    expect(events[2]).toMatchObject({ messages: [{ role: 'user' }] });
    await expect(
      second.agent.generate({ messages: paused.messages, resume: [cancel(paused.interrupts[0]!)] }),
    ).rejects.toMatchObject({ code: 'ANSWER_CANCELLED' });
  });

  it('middleware changes input and output, and may interrupt', async () => {
    const log: string[] = [];
    const guard: ToolMiddleware = async ({ tool, input: given, context }, next) => {
      log.push(`before ${tool.name}`);
      if (context.resumed === undefined) context.interrupt({ message: 'Guard wants a look.' });
      return `${String(await next({ ...(given as object), city: 'Bergen' }))}!`;
    };
    const model = scriptedModel([{ calls: [{ name: 'weather', input: { city: 'Oslo' } }] }, 'ok']);
    const agent = defineAgent({
      id: 'a',
      model,
      tools: [weather],
      middleware: {
        tool: [guard],
        model: [
          async function* shout(request, next) {
            log.push(`model ${request.messages.length}`);
            for await (const part of next()) {
              yield part.type === 'text' ? { ...part, delta: part.delta.toUpperCase() } : part;
            }
          },
        ],
      },
    });
    const paused = await agent.generate({ prompt: 'x' });
    expect(paused.interrupts[0]?.interrupt.message).toBe('Guard wants a look.');
    const done = await agent.generate({
      messages: paused.messages,
      resume: [answer(paused.interrupts[0]!, 'ok')],
    });
    expect(done.text).toBe('OK');
    expect(tools(done)).toEqual(['sunny in Bergen!']);
    expect(log).toEqual(['model 1', 'before weather', 'before weather', 'model 3']);
  });
});
