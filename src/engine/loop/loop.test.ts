import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { answer, approve, cancel, reject } from '../../content/interrupts/index.ts';
import type { Message, Metadata } from '../../protocol/index.ts';
import { scriptedModel } from '../../testing/index.ts';
import { defineAgent, defineExit, defineInterrupt, defineTool } from '../index.ts';

const noInput = z.object({});

/** A tool that records its runs and their input. */
function counting<Output>(name: string, give: (input: { n?: number | undefined }) => Output) {
  const runs: unknown[] = [];
  const tool = defineTool({
    name,
    description: name,
    input: z.object({ n: z.number().optional() }),
    run(input) {
      runs.push(input);
      return give(input);
    },
  });
  return { tool, runs };
}

const askUser = defineInterrupt({
  name: 'askUser',
  description: 'Asks the user.',
  input: z.object({ interrupt: z.string() }),
  response: z.object({ answer: z.string() }),
  message: ({ interrupt }) => interrupt,
  requestMetadata: async ({ interrupt }) => ({ length: interrupt.length }),
});

const transferMoney = (transfers: unknown[]) =>
  defineTool({
    name: 'transferMoney',
    description: 'Transfers money between accounts.',
    input: z.object({ toAccountId: z.string(), amount: z.number().int() }),
    resume: z.object({ status: z.enum(['APPROVED', 'REJECTED', 'MAYBE']) }),
    run(input, ctx) {
      if (ctx.resumed?.status === 'REJECTED') {
        return { status: 'REJECTED', message: 'The user rejected the transaction.' };
      }
      if (input.amount > 10_000 && ctx.resumed?.status !== 'APPROVED') {
        return ctx.interrupt({ message: 'Please confirm sending an amount > $100.' });
      }
      transfers.push({ ...input, key: ctx.idempotencyKey, original: ctx.originalInput });
      return { status: 'SENT' };
    },
  });

const transferCall = {
  calls: [{ id: 'c1', name: 'transferMoney', input: { toAccountId: 'ABC123', amount: 100_000 } }],
};
const contents = (messages: readonly Message[], role: string) =>
  messages.filter((message) => message.role === role).map(({ content }) => content);

describe('the loop without a pause', () => {
  it('keeps the texts of `display` with the result of a call, and no output for an error', async () => {
    const balance = defineTool({
      name: 'balance',
      description: 'The balance.',
      input: z.object({ n: z.number() }),
      run({ n }) {
        if (n < 0) throw new Error('There is no such account.');
        return { balance: n };
      },
      display: {
        input: ({ n }) => ({ n: `$${n}` }),
        output: ({ balance: amount }) => {
          if (amount === 0) throw new Error('No text for nothing.');
          return { balance: `$${amount}` };
        },
      },
    });
    const calls = [5, 0, -1].map((n) => ({ name: 'balance', input: { n } }));
    const model = scriptedModel([{ calls }, 'Done.']);
    const { messages } = await defineAgent({ id: 'a', model, tools: [balance] }).generate({ prompt: 'x' });
    const shown = messages.flatMap(({ role, metadata }) => (role === 'tool' ? [metadata?.['display']] : []));
    expect(shown).toEqual([
      { input: { n: '$5' }, output: { balance: '$5' } },
      { input: { n: '$0' } },
      { input: { n: '$-1' } },
    ]);
  });

  it.each<[string, () => unknown, { m: string } | undefined]>([
    ['a rejected Promise', () => Promise.reject(new Error('late')), undefined],
    ['a Promise of texts', () => Promise.resolve({ n: 'one' }), undefined],
    ['a number', () => 1, undefined],
    ['a list', () => ['one'], undefined],
    ['a function', () => () => 'one', undefined],
    ['null', () => null, undefined],
    [
      'an object whose members throw',
      () => ({
        get n(): string {
          throw new Error('no');
        },
      }),
      undefined,
    ],
    ['members that are not texts', () => ({ n: 1n, m: 'one' }), { m: 'one' }],
  ])('runs a call whose `display` gives %s, and shows only texts', async (_name, write, texts) => {
    const tool = defineTool({
      name: 'count',
      description: 'Counts.',
      input: z.object({ n: z.number() }),
      run: ({ n }) => ({ n }),
      // Authors without types may write anything.
      display: { input: write as never, output: write as never },
    });
    const model = scriptedModel([{ calls: [{ name: 'count', input: { n: 1 } }] }, 'Done.']);
    const { messages, text } = await defineAgent({ id: 'a', model, tools: [tool] }).generate({ prompt: 'x' });
    const results = messages.filter(({ role }) => role === 'tool');
    expect(text).toBe('Done.');
    expect(results).toMatchObject([{ content: '{"n":1}' }]);
    const shown = texts === undefined ? undefined : { input: texts, output: texts };
    expect(results.map(({ metadata }) => metadata?.['display'])).toEqual([shown]);
  });

  it('shows the texts of `display` for the arguments of an approval, unless its metadata has some', async () => {
    const tool = (name: string, metadata: Metadata) =>
      defineTool({
        name,
        description: 'Pays.',
        input: z.object({ cents: z.number() }),
        approval: { editable: true, metadata },
        run: () => 'paid',
        display: { input: ({ cents }) => ({ cents: `$${cents / 100}` }) },
      });
    const tools = [tool('pay', {}), tool('own', { display: { cents: 'a lot' } })];
    const model = scriptedModel([
      { calls: tools.map(({ name }) => ({ name, input: { cents: 500 } })) },
      'Done.',
    ]);
    const agent = defineAgent({ id: 'a', model, tools });
    const { interrupts, messages } = await agent.generate({ prompt: 'x' });
    expect(interrupts.map(({ interrupt }) => interrupt.metadata?.['display'])).toEqual([
      { cents: '$5' },
      { cents: 'a lot' },
    ]);
    const resume = interrupts.map((part) => approve(part, { editedArgs: { cents: 700 } }));
    const ended = await agent.generate({ messages, resume });
    // The conversation shows the arguments that ran.
    const shown = ended.messages.flatMap(({ role, metadata }) => (role === 'tool' ? [metadata] : []));
    expect(shown).toMatchObject([
      { display: { input: { cents: '$7' } } },
      { display: { input: { cents: '$7' } } },
    ]);
  });

  it('takes the metadata of an approval from a function when the call asks', async () => {
    const pay = defineTool({
      name: 'pay',
      description: 'Pays.',
      input: z.object({ n: z.number() }),
      approval: { metadata: async ({ n }) => ({ balanceWhenAsked: await Promise.resolve(10 - n) }) },
      run: () => 'paid',
    });
    const model = scriptedModel([{ calls: [{ name: 'pay', input: { n: 4 } }] }]);
    const { interrupts } = await defineAgent({ id: 'a', model, tools: [pay] }).generate({ prompt: 'x' });
    expect(interrupts.map(({ interrupt }) => interrupt.metadata)).toMatchObject([
      { functionName: 'pay', balanceWhenAsked: 6 },
    ]);
  });

  it('does not make a call whose metadata of the approval cannot be read', async () => {
    const runs: string[] = [];
    const pay = defineTool({
      name: 'pay',
      description: 'Pays.',
      input: noInput,
      approval: { metadata: () => Promise.reject(new Error('The bank is closed.')) },
      run: () => runs.push('paid'),
    });
    const model = scriptedModel([{ calls: [{ name: 'pay' }] }, 'Done.']);
    const { messages, interrupts } = await defineAgent({ id: 'a', model, tools: [pay] }).generate({
      prompt: 'x',
    });
    expect([runs, interrupts]).toEqual([[], []]);
    expect(contents(messages, 'tool')).toEqual([expect.stringContaining('pay was not made')]);
  });

  it('calls tools until the model is done, and sums usage by model', async () => {
    const weather = counting('weather', () => ({ degrees: 12 }));
    const model = scriptedModel([
      {
        text: 'One moment. ',
        calls: [{ id: 'c', name: 'weather' }],
        usage: { inputTokens: 1, outputTokens: 2 },
      },
      { text: 'It is 12 degrees.', usage: { inputTokens: 3, outputTokens: 4 } },
    ]);
    const response = await defineAgent({
      id: 'a',
      model,
      instructions: 'Be kind.',
      tools: [weather.tool],
    }).generate({
      prompt: 'weather?',
    });
    expect(response).toMatchObject({ finishReason: 'stop', text: 'It is 12 degrees.', interrupts: [] });
    expect(response.usage).toEqual([
      { provider: 'holdpoint', model: 'scripted', inputTokens: 4, outputTokens: 6 },
    ]);
    expect(contents(response.messages, 'tool')).toEqual(['{"degrees":12}']);
    expect(model.requests[0]).toMatchObject({ instructions: 'Be kind.', tools: [{ name: 'weather' }] });
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({ role: 'tool', toolCallId: 'c' });
    expect(weather.runs).toHaveLength(1);
  });

  it.each(['length', 'content-filter', 'stop'] as const)(
    'ends with the finish reason %s of the model',
    async (finish) => {
      const agent = defineAgent({ id: 'a', model: scriptedModel([{ text: 'x', finish }]) });
      expect((await agent.generate({ prompt: 'x' })).finishReason).toBe(finish);
    },
  );

  it('gives new ids to calls without an id and to calls that reuse one', async () => {
    const echo = counting('echo', ({ n }) => n);
    const model = scriptedModel([
      {
        calls: [
          { name: 'echo', input: { n: 1 } },
          { name: 'echo', input: { n: 2 } },
        ],
      },
      {
        calls: [
          { id: 'same', name: 'echo', input: { n: 3 } },
          { id: 'same', name: 'echo', input: { n: 4 } },
        ],
      },
      { calls: [{ id: 'same', name: 'echo', input: { n: 5 } }] },
      'done',
    ]);
    const { messages } = await defineAgent({ id: 'a', model, tools: [echo.tool] }).generate({ prompt: 'x' });
    const ids = messages
      .flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []))
      .map(({ id }) => id);
    expect(new Set(ids).size).toBe(5);
    expect(contents(messages, 'tool')).toEqual(['1', '2', '3', '4', '5']);
  });

  it('gives the model an error as result for an invalid call', async () => {
    const strict = counting('strict', () => 'ok');
    const broken = defineTool({
      name: 'broken',
      description: '',
      input: noInput,
      run: () => {
        throw new Error('disk full');
      },
    });
    const liar = defineTool({
      name: 'liar',
      description: '',
      input: noInput,
      output: z.number() as never,
      run: () => 'no number',
    });
    const model = scriptedModel([
      {
        calls: [
          { name: 'missing' },
          { name: 'strict', input: { n: 'x' } },
          { name: 'strict', input: '{oops' },
          { name: 'broken' },
          { name: 'liar' },
        ],
      },
      'sorry',
    ]);
    const response = await defineAgent({ id: 'a', model, tools: [strict.tool, broken, liar] }).generate({
      prompt: 'x',
    });
    expect(response.text).toBe('sorry');
    const results = contents(response.messages, 'tool').map(String);
    expect(results[0]).toBe('There is no tool missing. Tools: strict, broken, liar.');
    expect(results[1]).toMatch(/^The arguments of strict are not valid: \/n /);
    expect(results[2]).toBe('The arguments of strict are not JSON.');
    expect(results[3]).toBe('broken failed: disk full');
    expect(results[4]).toMatch(/^liar gave something else than it says/);
    expect(strict.runs).toEqual([]);
  });

  it('fails a call that ends at its time limit', async () => {
    let aborted = false;
    const slow = defineTool({
      name: 'slow',
      description: '',
      input: noInput,
      timeoutMs: 5,
      run: (_input, ctx) =>
        new Promise((_resolve, reject) => {
          ctx.signal.addEventListener('abort', () => {
            aborted = true;
            reject(new Error('stopped'));
          });
        }),
    });
    const agent = defineAgent({
      id: 'a',
      model: scriptedModel([{ calls: [{ name: 'slow' }] }, 'ok']),
      tools: [slow],
    });
    const { messages } = await agent.generate({ prompt: 'x' });
    expect(contents(messages, 'tool')).toEqual(['slow failed: it did not finish within 5 ms.']);
    expect(aborted).toBe(true);
  });

  it('ends with MAX_TURNS if the model only calls tools', async () => {
    const echo = counting('echo', () => 1);
    const agent = defineAgent({
      id: 'a',
      model: scriptedModel(() => ({ calls: [{ name: 'echo' }] })),
      tools: [echo.tool],
      maxTurns: 3,
    });
    await expect(agent.generate({ prompt: 'x' })).rejects.toMatchObject({ code: 'MAX_TURNS' });
    expect(echo.runs).toHaveLength(3);
  });

  it('counts turns across the pauses of one chain', async () => {
    const agent = defineAgent({
      id: 'a',
      model: scriptedModel(() => ({ calls: [{ name: 'askUser', input: { interrupt: '?' } }] })),
      tools: [askUser],
      maxTurns: 2,
    });
    let response = await agent.generate({ prompt: 'x' });
    const respond = () => ({
      messages: response.messages,
      resume: [askUser.respond(response.interrupts[0]!, { answer: 'a' })],
    });
    response = await agent.generate(respond());
    await expect(agent.generate(respond())).rejects.toMatchObject({ code: 'MAX_TURNS' });
  });

  it('fails with MODEL_FAILED and the cause, also in the middle of a stream', async () => {
    const error = new Error('overloaded');
    const agent = defineAgent({ id: 'a', model: scriptedModel([{ text: 'Half a', error }]) });
    await expect(agent.generate({ prompt: 'x' })).rejects.toMatchObject({
      code: 'MODEL_FAILED',
      cause: error,
    });
  });

  it('fails with MODEL_FAILED if the model throws at once', async () => {
    const cause = new Error('no key');
    const model = {
      stream() {
        throw cause;
      },
    };
    const agent = defineAgent({ id: 'a', model });
    await expect(agent.generate({ prompt: 'x' })).rejects.toMatchObject({ code: 'MODEL_FAILED', cause });
  });

  it('ends with the result of an exit', async () => {
    const finish = defineExit({ name: 'finish', description: '', input: z.object({ summary: z.string() }) });
    const other = counting('other', () => 1);
    const model = scriptedModel([
      { calls: [{ name: 'finish', input: {} }] },
      { calls: [{ name: 'other' }, { name: 'finish', input: { summary: 'all done' } }] },
    ]);
    const response = await defineAgent({ id: 'a', model, tools: [finish, other.tool] }).generate({
      prompt: 'x',
    });
    expect(response).toMatchObject({ finishReason: 'exit', result: { summary: 'all done' }, interrupts: [] });
    expect(other.runs).toEqual([]);
  });

  it('rejects two tools of one name, and an invalid tool name', () => {
    const one = counting('same', () => 1).tool;
    expect(() => defineAgent({ id: 'a', model: scriptedModel([]), tools: [one, one] })).toThrow(
      'Two tools have the name same',
    );
    expect(() => counting('a b', () => 1)).toThrow('not a name for a tool');
  });

  it('never changes the arrays of the caller', async () => {
    const messages: Message[] = Object.freeze([{ id: '1', role: 'user', content: 'hi' }]) as never;
    await defineAgent({ id: 'a', model: scriptedModel(['ok']) }).generate({ messages });
    expect(messages).toHaveLength(1);
  });
});

describe('an interrupt of defineInterrupt', () => {
  const model = () =>
    scriptedModel([{ calls: [{ id: 'c', name: 'askUser', input: { interrupt: 'Which?' } }] }, 'Thanks.']);

  it('pauses the loop and continues with the answer as output of the call', async () => {
    const script = model();
    const agent = defineAgent({ id: 'a', model: script, tools: [askUser] });
    const paused = await agent.generate({ prompt: 'plan' });
    expect(paused.finishReason).toBe('interrupted');
    expect(script.requests).toHaveLength(1);
    const [part] = paused.interrupts;
    expect(part).toMatchObject({
      kind: 'respond',
      toolName: 'askUser',
      toolCallId: 'c',
      input: { interrupt: 'Which?' },
      metadata: { length: 6 },
      interrupt: {
        reason: 'input_required',
        message: 'Which?',
        toolCallId: 'c',
        responseSchema: { type: 'object' },
      },
    });
    expect(paused.toolRequests.map(({ id }) => id)).toEqual(['c']);
    const done = await agent.generate({
      messages: paused.messages,
      resume: { respond: [askUser.respond(part!, { answer: 'red' })] },
    });
    expect(done).toMatchObject({ finishReason: 'stop', text: 'Thanks.' });
    expect(contents(done.messages, 'tool')).toEqual(['{"answer":"red"}']);
  });

  it('an interrupt of defineInterrupt can be stored as JSON and resumed in another process', async () => {
    const agent = defineAgent({ id: 'a', model: model(), tools: [askUser] });
    const paused = await agent.generate({ prompt: 'plan' });
    const stored = JSON.parse(JSON.stringify({ messages: paused.messages, part: paused.interrupts[0] }));
    const other = defineAgent({ id: 'a', model: scriptedModel(['Thanks.']), tools: [askUser] });
    const done = await other.generate({
      messages: stored.messages,
      resume: [answer(stored.part, { answer: 'red' })],
    });
    expect(done.text).toBe('Thanks.');
  });

  it('an interrupt of defineInterrupt stays open after an invalid answer', async () => {
    const agent = defineAgent({ id: 'a', model: model(), tools: [askUser] });
    const { messages, interrupts } = await agent.generate({ prompt: 'plan' });
    const [part] = interrupts;
    const wrong = askUser.respond(part!, { answer: 7 } as never);
    await expect(agent.generate({ messages, resume: [wrong] })).rejects.toMatchObject({
      code: 'ANSWER_INVALID',
      issues: [{ pointer: '/answer' }],
    });
    expect((await agent.generate({ messages, resume: [askUser.respond(part!, { answer: 'x' })] })).text).toBe(
      'Thanks.',
    );
  });

  it('an interrupt of defineInterrupt can be raised repeatedly in a loop', async () => {
    const interrupts = ['Indoors?', 'How many?', 'Vegetarian?'];
    const agent = defineAgent({
      id: 'bbq',
      model: scriptedModel((_request, turn) =>
        turn < 3
          ? { calls: [{ name: 'askUser', input: { interrupt: interrupts[turn] } }] }
          : 'Here is your plan.',
      ),
      tools: [askUser],
    });
    let response = await agent.generate({ prompt: 'Help me plan a backyard BBQ.' });
    let asked = 0;
    while (response.finishReason === 'interrupted') {
      asked += response.interrupts.length;
      const respond = response.interrupts.map((part) => askUser.respond(part, { answer: 'yes' }));
      response = await agent.generate({ messages: response.messages, resume: { respond } });
    }
    expect(asked).toBe(3);
    expect(response.text).toBe('Here is your plan.');
  });
});

describe('a restartable tool', () => {
  const setUp = () => {
    const transfers: unknown[] = [];
    const tool = transferMoney(transfers);
    const model = scriptedModel([transferCall, 'Done.']);
    return { transfers, tool, model, agent: defineAgent({ id: 'a', model, tools: [tool] }) };
  };

  it('runs once after the confirmation, with the same key', async () => {
    const { agent, tool, transfers } = setUp();
    const paused = await agent.generate({ prompt: 'Transfer $1000 to account ABC123', threadId: 't' });
    expect(transfers).toEqual([]);
    expect(paused.interrupts[0]?.interrupt).toMatchObject({
      reason: 'confirmation',
      message: 'Please confirm sending an amount > $100.',
      metadata: { toolName: 'transferMoney', toolInput: { toAccountId: 'ABC123', amount: 100_000 } },
    });
    const restart = paused.interrupts.map((part) => tool.restart(part, { resumed: { status: 'APPROVED' } }));
    const done = await agent.generate({ messages: paused.messages, resume: { restart }, threadId: 't' });
    expect(done.text).toBe('Done.');
    expect(transfers).toEqual([
      expect.objectContaining({ toAccountId: 'ABC123', amount: 100_000, key: 't:c1' }),
    ]);
  });

  it('returns a normal output after a rejection', async () => {
    const { agent, tool, transfers } = setUp();
    const { messages, interrupts } = await agent.generate({ prompt: 'x' });
    const done = await agent.generate({
      messages,
      resume: [tool.restart(interrupts[0]!, { resumed: { status: 'REJECTED' } })],
    });
    expect(contents(done.messages, 'tool')).toEqual([
      '{"status":"REJECTED","message":"The user rejected the transaction."}',
    ]);
    expect(transfers).toEqual([]);
  });

  it('a restartable tool may interrupt again, any number of times', async () => {
    const { agent, tool } = setUp();
    let response = await agent.generate({ prompt: 'x' });
    for (let round = 0; round < 3; round += 1) {
      const [part] = response.interrupts;
      response = await agent.generate({
        messages: response.messages,
        resume: [tool.restart(part!, { resumed: { status: 'MAYBE' } })],
      });
      expect(response.finishReason).toBe('interrupted');
      expect(response.interrupts[0]?.interrupt.id).not.toBe(part!.interrupt.id);
    }
  });

  it('runs with replaced arguments and sees the original ones', async () => {
    const { agent, tool, transfers } = setUp();
    const { messages, interrupts } = await agent.generate({ prompt: 'x' });
    const options = {
      resumed: { status: 'APPROVED' as const },
      replaceInput: { toAccountId: 'XYZ', amount: 20_000 },
    };
    const done = await agent.generate({ messages, resume: [tool.restart(interrupts[0]!, options)] });
    const [call] = done.messages.flatMap((message) =>
      message.role === 'assistant' ? (message.toolCalls ?? []) : [],
    );
    expect(call).toEqual({
      id: 'c1',
      type: 'function',
      function: { name: 'transferMoney', arguments: '{"toAccountId":"XYZ","amount":20000}' },
      metadata: { originalArguments: '{"toAccountId":"ABC123","amount":100000}' },
    });
    expect(transfers).toEqual([
      expect.objectContaining({
        toAccountId: 'XYZ',
        amount: 20_000,
        original: { toAccountId: 'ABC123', amount: 100_000 },
      }),
    ]);
  });

  it('rejects invalid replaced arguments and answers, and stays open', async () => {
    const { agent, tool, transfers } = setUp();
    const { messages, interrupts } = await agent.generate({ prompt: 'x' });
    const [part] = interrupts;
    const bad = [
      tool.restart(part!, { resumed: { status: 'NEVER' } as never }),
      tool.restart(part!, { resumed: { status: 'APPROVED' }, replaceInput: { amount: 1.5 } as never }),
    ];
    for (const reply of bad) {
      await expect(agent.generate({ messages, resume: [reply] })).rejects.toMatchObject({
        code: 'ANSWER_INVALID',
      });
    }
    expect(transfers).toEqual([]);
  });

  it('distinguishes falsy answers from the first run', async () => {
    const seen: unknown[] = [];
    const tool = defineTool({
      name: 'once',
      description: '',
      input: noInput,
      run(_input, ctx) {
        seen.push(ctx.resumed);
        return ctx.resumed === undefined ? ctx.interrupt() : { got: ctx.resumed };
      },
    });
    for (const value of [false, 0, '', null]) {
      const agent = defineAgent({
        id: 'a',
        model: scriptedModel([{ calls: [{ name: 'once' }] }, 'ok']),
        tools: [tool],
      });
      const { messages, interrupts } = await agent.generate({ prompt: 'x' });
      const done = await agent.generate({
        messages,
        resume: [tool.restart(interrupts[0]!, { resumed: value })],
      });
      expect(done.finishReason).toBe('stop');
    }
    expect(seen).toEqual([undefined, false, undefined, 0, undefined, '', undefined, null]);
  });
});

describe('several calls in one turn', () => {
  it('run concurrently; those without an interrupt run once and are kept, falsy outputs too', async () => {
    const siblings = [false, 0, '', null].map((value, index) => counting(`s${index}`, () => value));
    const throwing = defineTool({
      name: 'throwing',
      description: '',
      input: noInput,
      run: () => {
        throw new Error('no');
      },
    });
    const model = scriptedModel([
      {
        calls: [
          { id: '0', name: 's0' },
          { id: 'q', name: 'askUser', input: { interrupt: '?' } },
          { id: '1', name: 's1' },
          { id: 't', name: 'throwing' },
          { id: '2', name: 's2' },
          { id: '3', name: 's3' },
        ],
      },
      'ok',
    ]);
    const agent = defineAgent({
      id: 'a',
      model,
      tools: [askUser, throwing, ...siblings.map(({ tool }) => tool)],
    });
    const paused = await agent.generate({ prompt: 'x' });
    expect(paused.interrupts).toHaveLength(1);
    const done = await agent.generate({
      messages: JSON.parse(JSON.stringify(paused.messages)),
      resume: [askUser.respond(paused.interrupts[0]!, { answer: 'a' })],
    });
    expect(siblings.map(({ runs }) => runs.length)).toEqual([1, 1, 1, 1]);
    expect(contents(done.messages, 'tool')).toEqual([
      'false',
      '{"answer":"a"}',
      '0',
      'throwing failed: no',
      '',
      'null',
    ]);
    expect(model.requests[1]?.messages.filter(({ role }) => role === 'tool')).toHaveLength(6);
  });

  it('several calls in one turn are all answered before the model continues, and a rejection keeps the other approvals', async () => {
    const first = counting('first', () => 'first ran');
    const second = counting('second', () => 'second ran');
    const model = scriptedModel([{ calls: [{ name: 'first' }, { name: 'second' }] }, 'ok']);
    const agent = defineAgent({ id: 'a', model, approval: 'require', tools: [first.tool, second.tool] });
    const { messages, interrupts } = await agent.generate({ prompt: 'x' });
    await expect(agent.generate({ messages, resume: [approve(interrupts[0]!)] })).rejects.toMatchObject({
      code: 'INTERRUPTS_UNANSWERED',
    });
    expect(first.runs).toEqual([]);
    const done = await agent.generate({
      messages,
      resume: [reject(interrupts[0]!, 'too soon'), approve(interrupts[1]!)],
    });
    expect(contents(done.messages, 'tool')).toEqual([
      'Tool call invocation rejected. too soon',
      'second ran',
    ]);
    expect(first.runs).toEqual([]);
  });

  it('several calls in one turn may be answered by different methods at once', async () => {
    const transfers: unknown[] = [];
    const transfer = transferMoney(transfers);
    const model = scriptedModel([
      { calls: [...transferCall.calls, { id: 'q', name: 'askUser', input: { interrupt: '?' } }] },
      'ok',
    ]);
    const agent = defineAgent({ id: 'a', model, tools: [transfer, askUser] });
    const { messages, interrupts } = await agent.generate({ prompt: 'x' });
    const done = await agent.generate({
      messages,
      resume: {
        respond: [askUser.respond(interrupts[1]!, { answer: 'a' })],
        restart: [transfer.restart(interrupts[0]!, { resumed: { status: 'APPROVED' } })],
      },
    });
    expect(contents(done.messages, 'tool')).toEqual(['{"status":"SENT"}', '{"answer":"a"}']);
  });
});

describe('invalid answers', () => {
  const paused = async () => {
    const transfers: unknown[] = [];
    const transfer = transferMoney(transfers);
    const agent = defineAgent({
      id: 'a',
      model: scriptedModel([transferCall, 'ok']),
      tools: [transfer, askUser],
    });
    const { messages, interrupts } = await agent.generate({ prompt: 'x' });
    return { agent, transfer, transfers, messages, part: interrupts[0]! };
  };

  it.each<[string, string]>([
    ['INTERRUPT_UNKNOWN', 'of another interrupt'],
    ['INPUT_INVALID', 'given twice'],
    ['ANSWER_INVALID', 'of another method'],
    ['ANSWER_INVALID', 'of another tool'],
  ])('are rejected with %s: %s', async (code, which) => {
    const { agent, transfer, transfers, messages, part } = await paused();
    const good = transfer.restart(part, { resumed: { status: 'APPROVED' } });
    const other = transferMoney([]);
    const replies = {
      'of another interrupt': [{ ...good, interruptId: 'other' }],
      'given twice': [good, good],
      'of another method': [askUser.respond(part, { answer: 'x' })],
      'of another tool': [
        { ...other.restart(part, { resumed: { status: 'APPROVED' } }), toolName: 'elsewhere' },
      ],
    }[which]!;
    await expect(agent.generate({ messages, resume: replies })).rejects.toMatchObject({ code });
    expect(transfers).toEqual([]);
  });

  it('answers are rejected if no interrupt waits', async () => {
    const agent = defineAgent({ id: 'a', model: scriptedModel(['ok', 'ok']) });
    const { messages } = await agent.generate({ prompt: 'x' });
    await expect(agent.generate({ messages, resume: [] })).rejects.toMatchObject({ code: 'INPUT_INVALID' });
    await expect(agent.generate({})).rejects.toMatchObject({ code: 'INPUT_INVALID' });
  });

  it('a message or a continuation without an answer is rejected while an interrupt is open', async () => {
    const { agent, messages } = await paused();
    await expect(agent.generate({ messages, prompt: 'hello?' })).rejects.toMatchObject({
      code: 'INTERRUPTS_PENDING',
    });
    await expect(agent.generate({ messages })).rejects.toMatchObject({ code: 'INTERRUPTS_UNANSWERED' });
  });

  it('an answer to a missing tool fails with TOOL_UNKNOWN, and its call can be cancelled', async () => {
    const { messages, part } = await paused();
    const without = defineAgent({ id: 'a', model: scriptedModel(['ok']), tools: [askUser] });
    await expect(
      without.generate({ messages, resume: [answer(part, { status: 'APPROVED' })] }),
    ).rejects.toMatchObject({ code: 'TOOL_UNKNOWN' });
    const done = await without.generate({ messages, resume: [cancel(part)], prompt: 'never mind' });
    expect(contents(done.messages, 'tool')).toEqual(['Cancelled: nobody answered.']);
  });
});

describe('a cancellation', () => {
  it('gives the call a result, and calls the model only for new messages', async () => {
    const model = scriptedModel([transferCall, 'Fine.']);
    const agent = defineAgent({ id: 'a', model, tools: [transferMoney([])] });
    const { messages, interrupts } = await agent.generate({ prompt: 'x' });
    const quiet = await agent.generate({ messages, resume: [cancel(interrupts[0]!)] });
    expect(quiet.finishReason).toBe('stop');
    expect(contents(quiet.messages, 'tool')).toEqual(['Cancelled: nobody answered.']);
    expect(model.requests).toHaveLength(1);
    const steered = await agent.generate({
      messages,
      resume: [cancel(interrupts[0]!)],
      prompt: 'What is the time?',
    });
    expect(steered.text).toBe('Fine.');
    expect(contents(steered.messages, 'user')).toEqual(['x', 'What is the time?']);
  });

  it('a cancellation of one interrupt keeps the answers of the others', async () => {
    const first = counting('first', () => 1);
    const second = counting('second', () => 2);
    const model = scriptedModel([{ calls: [{ name: 'first' }, { name: 'second' }] }, 'ok']);
    const agent = defineAgent({ id: 'a', model, approval: 'require', tools: [first.tool, second.tool] });
    const { messages, interrupts } = await agent.generate({ prompt: 'x' });
    const done = await agent.generate({
      messages,
      resume: [cancel(interrupts[0]!), approve(interrupts[1]!)],
    });
    expect(contents(done.messages, 'tool')).toEqual(['Cancelled: nobody answered.', '2']);
    expect(done.text).toBe('ok');
  });
});

describe('a stopped run', () => {
  it('ends as cancelled for readers and rejects its response', async () => {
    const controller = new AbortController();
    const hang = defineTool({
      name: 'hang',
      description: '',
      input: noInput,
      run: () => {
        controller.abort();
        return new Promise(() => undefined);
      },
    });
    const agent = defineAgent({
      id: 'a',
      model: scriptedModel([{ calls: [{ name: 'hang' }] }]),
      tools: [hang],
    });
    const stream = agent.stream({ prompt: 'x', signal: controller.signal });
    const types: string[] = [];
    for await (const event of stream)
      types.push(event.type === 'RUN_FINISHED' ? `end ${event.outcome?.type}` : event.type);
    expect(types.at(-1)).toBe('end cancelled');
    await expect(stream.response).rejects.toThrow('was stopped');
  });
});
