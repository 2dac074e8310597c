import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { answer, cancel } from '../../content/interrupts/index.ts';
import { HoldpointError } from '../../core/index.ts';
import type { Message } from '../../protocol/index.ts';
import { scriptedModel } from '../../testing/index.ts';
import type { GenerateResponse, ToolContext } from '../index.ts';
import { defineAgent, defineTool, isSuspension } from '../index.ts';

/** An agent with one tool and the given body, as in a new process. */
function agentWith(
  body: (ctx: ToolContext) => unknown,
  options: { version?: string; onError?: 'interrupt' } = {},
) {
  const tool = defineTool({
    name: 'work',
    description: '',
    input: z.object({}),
    ...options,
    run: (_input, ctx) => body(ctx),
  });
  const model = scriptedModel((request) =>
    request.messages.at(-1)?.role === 'tool' ? 'ok' : { calls: [{ id: 'c', name: 'work' }] },
  );
  return defineAgent({ id: 'a', model, tools: [tool] });
}

const stored = (response: GenerateResponse): Message[] => JSON.parse(JSON.stringify(response.messages));
const result = (response: GenerateResponse) =>
  response.messages.findLast(({ role }) => role === 'tool')?.content;
const names = (response: GenerateResponse) =>
  response.interrupts.map(({ metadata }) => metadata['ask'] as unknown);

describe('a body that asks', () => {
  const onboard = (log: string[]) => async (ctx: ToolContext) => {
    log.push('body');
    const email = await ctx.ask('email', { message: 'Your email?', schema: z.email() });
    const account = await ctx.step('create', () => {
      log.push(`create ${email}`);
      return { id: 7 };
    });
    const plan = await ctx.ask('plan', { message: 'Which plan?', schema: z.enum(['free', 'pro']) });
    return ctx.step('subscribe', () => {
      log.push(`subscribe ${account.id} ${plan}`);
      return { account: account.id, plan };
    });
  };

  it('a body that asks gets the answer in a new process each time, and runs each step once', async () => {
    const log: string[] = [];
    let response = await agentWith(onboard(log)).generate({ prompt: 'x' });
    expect(response.interrupts[0]?.interrupt).toMatchObject({
      reason: 'input_required',
      message: 'Your email?',
      toolCallId: 'c',
      responseSchema: { type: 'string', format: 'email' },
    });
    response = await agentWith(onboard(log)).generate({
      messages: stored(response),
      resume: [answer(response.interrupts[0]!, 'a@b.com')],
    });
    expect(names(response)).toEqual(['plan']);
    response = await agentWith(onboard(log)).generate({
      messages: stored(response),
      resume: [answer(response.interrupts[0]!, 'pro')],
    });
    expect(result(response)).toBe('{"account":7,"plan":"pro"}');
    expect(log).toEqual(['body', 'body', 'create a@b.com', 'body', 'subscribe 7 pro']);
  });

  it('rejects an invalid answer and stays open', async () => {
    const agent = agentWith(onboard([]));
    const response = await agent.generate({ prompt: 'x' });
    await expect(
      agent.generate({ messages: response.messages, resume: [answer(response.interrupts[0]!, 'nonsense')] }),
    ).rejects.toMatchObject({ code: 'ANSWER_INVALID' });
  });

  it('a body that asks gets ANSWER_CANCELLED after a cancellation, and may continue', async () => {
    const given = async (body: (ctx: ToolContext) => unknown) => {
      const agent = agentWith(body);
      const response = await agent.generate({ prompt: 'x' });
      return agent.generate({
        messages: response.messages,
        resume: [cancel(response.interrupts[0]!)],
        prompt: 'go on',
      });
    };
    expect(result(await given((ctx) => ctx.ask('name', {})))).toBe('Cancelled: nobody answered.');
    const brave = async (ctx: ToolContext) => {
      try {
        return await ctx.ask('name', {});
      } catch (error) {
        if (!HoldpointError.is(error, 'ANSWER_CANCELLED')) throw error;
        return 'anonymous';
      }
    };
    expect(result(await given(brave))).toBe('anonymous');
  });

  it('raises parallel asks together, also one after a step', async () => {
    const log: string[] = [];
    const body = async (ctx: ToolContext) => {
      const second = async () => {
        await ctx.step('slow', () => new Promise<void>((resolve) => setTimeout(resolve, 5)));
        log.push('slow done');
        return ctx.ask('second', { schema: z.number() });
      };
      const [one, two] = await Promise.all([ctx.ask('first', { schema: z.number() }), second()]);
      return one + two;
    };
    const agent = agentWith(body);
    const response = await agent.generate({ prompt: 'x' });
    expect(names(response)).toEqual(['first', 'second']);
    const done = await agent.generate({
      messages: stored(response),
      resume: response.interrupts.map((part, index) => answer(part, index + 1)),
    });
    expect(result(done)).toBe('3');
    expect(log).toEqual(['slow done', 'slow done']);
  });

  it('distinguishes asks and steps of one name by their order', async () => {
    const runs: number[] = [];
    const body = async (ctx: ToolContext) => {
      const answers: unknown[] = [];
      for (const round of [1, 2, 3]) {
        await ctx.step('note', () => runs.push(round));
        answers.push(await ctx.ask('again', { schema: z.number() }));
      }
      return answers;
    };
    const agent = agentWith(body);
    let response = await agent.generate({ prompt: 'x' });
    for (const value of [10, 20, 30]) {
      response = await agent.generate({
        messages: stored(response),
        resume: [answer(response.interrupts[0]!, value)],
      });
    }
    expect(result(response)).toBe('[10,20,30]');
    expect(runs).toEqual([1, 2, 3]);
  });

  it('an optional ask accepts null as its answer', async () => {
    const agent = agentWith((ctx) => ctx.ask('nickname', { schema: z.string(), optional: true }));
    const response = await agent.generate({ prompt: 'x' });
    const done = await agent.generate({
      messages: response.messages,
      resume: [answer(response.interrupts[0]!, null)],
    });
    expect(result(done)).toBe('null');
  });

  it('runs a failed step again, but not the finished ones', async () => {
    let attempts = 0;
    const log: string[] = [];
    const body = async (ctx: ToolContext) => {
      await ctx.step('first', () => log.push('first'));
      return ctx.step('flaky', () => {
        attempts += 1;
        if (attempts === 1) throw new Error('later');
        return 'fine';
      });
    };
    const agent = agentWith(body, { onError: 'interrupt' });
    const response = await agent.generate({ prompt: 'x' });
    const done = await agent.generate({
      messages: stored(response),
      resume: [answer(response.interrupts[0]!, { action: 'retry' })],
    });
    expect(result(done)).toBe('fine');
    expect(log).toEqual(['first']);
  });

  it('keeps the answer of its approval while it asks more', async () => {
    const seen: unknown[] = [];
    const tool = defineTool({
      name: 'work',
      description: '',
      input: z.object({}),
      approval: true,
      async run(_input, ctx) {
        seen.push(ctx.resumed);
        return ctx.ask('more', {});
      },
    });
    const agent = defineAgent({
      id: 'a',
      model: scriptedModel([{ calls: [{ name: 'work' }] }, 'ok']),
      tools: [tool],
    });
    let response = await agent.generate({ prompt: 'x' });
    response = await agent.generate({
      messages: stored(response),
      resume: [answer(response.interrupts[0]!, { approved: true })],
    });
    response = await agent.generate({
      messages: stored(response),
      resume: [answer(response.interrupts[0]!, 1)],
    });
    expect(seen).toEqual([{ approved: true }, { approved: true }]);
    expect(result(response)).toBe('1');
  });
});

describe('a suspension', () => {
  it('takes effect even if the body catches it, and the catch is reported', async () => {
    const warnings: string[] = [];
    const bodies = [
      async (ctx: ToolContext) => {
        try {
          return await ctx.ask('x', {});
        } catch {
          return 'swallowed';
        }
      },
      (ctx: ToolContext) => {
        try {
          return ctx.interrupt();
        } catch (error) {
          throw new Error('wrapped', { cause: error });
        }
      },
    ];
    for (const body of bodies) {
      const response = await agentWith(body).generate({
        prompt: 'x',
        onWarning: (text) => warnings.push(text),
      });
      expect(response.finishReason).toBe('interrupted');
    }
    expect(warnings).toEqual([
      'work caught the signal that it waits. It waits all the same; let the signal pass.',
      'work caught the signal that it waits. It waits all the same; let the signal pass.',
    ]);
  });

  it('a suspension can be told from an error and rethrown', async () => {
    const warnings: string[] = [];
    const body = async (ctx: ToolContext) => {
      try {
        return await ctx.ask('x', {});
      } catch (error) {
        if (isSuspension(error)) throw error;
        return 'failed';
      }
    };
    const response = await agentWith(body).generate({
      prompt: 'x',
      onWarning: (text) => warnings.push(text),
    });
    expect(response.finishReason).toBe('interrupted');
    expect(warnings).toEqual([]);
  });
});

describe('a body that changed while it waited', () => {
  const before = async (ctx: ToolContext) => {
    await ctx.step('prepare', () => 1);
    const email = await ctx.ask('email', {});
    const plan = await ctx.ask('plan', {});
    return { email, plan };
  };
  const after = async (ctx: ToolContext) => {
    await ctx.step('prepare better', () => 2);
    const email = await ctx.ask('email', {});
    return { email, by: 'the new body' };
  };

  it.each([
    ['its steps have other names', after, {}],
    ['its version is another', before, { version: '2' }],
  ])('makes a person decide if %s', async (_why, body, options) => {
    const first = await agentWith(before).generate({ prompt: 'x' });
    const changed = agentWith(body, options);
    const response = await changed.generate({
      messages: stored(first),
      resume: [answer(first.interrupts[0]!, 'a@b.com')],
    });
    expect(response.interrupts[0]?.interrupt).toMatchObject({
      reason: 'error_recovery',
      metadata: { code: 'JOURNAL_MISMATCH' },
      responseSchema: { properties: { action: { enum: ['restart', 'abort'] } } },
    });
    const restarted = await changed.generate({
      messages: stored(response),
      resume: [answer(response.interrupts[0]!, { action: 'restart' })],
    });
    if (body === after) expect(result(restarted)).toBe('{"email":"a@b.com","by":"the new body"}');
    else expect(names(restarted)).toEqual(['plan']);
    const aborted = await changed.generate({
      messages: stored(response),
      resume: [answer(response.interrupts[0]!, { action: 'abort' })],
    });
    expect(aborted.finishReason).toBe('cancelled');
    await expect(changed.generate({ messages: aborted.messages, prompt: 'again' })).resolves.toBeDefined();
  });
});

describe('a failed tool with onError: interrupt', () => {
  const setUp = async () => {
    let attempts = 0;
    const inputs: unknown[] = [];
    const tool = defineTool({
      name: 'work',
      description: '',
      input: z.object({ path: z.string() }),
      onError: 'interrupt',
      run(input) {
        inputs.push(input);
        attempts += 1;
        if (attempts === 1) throw new Error('no such file');
        return `read ${input.path}`;
      },
    });
    const model = scriptedModel((request) =>
      request.messages.at(-1)?.role === 'tool' ? 'ok' : { calls: [{ name: 'work', input: { path: '/a' } }] },
    );
    const agent = defineAgent({ id: 'a', model, tools: [tool] });
    const response = await agent.generate({ prompt: 'x' });
    const recover = (payload: object) =>
      agent.generate({ messages: stored(response), resume: [answer(response.interrupts[0]!, payload)] });
    return { response, recover, inputs };
  };

  it('raises an interrupt with the error and the actions', async () => {
    const { response } = await setUp();
    expect(response.interrupts[0]?.interrupt).toMatchObject({
      reason: 'error_recovery',
      message: 'work failed: no such file',
      responseSchema: {
        properties: { action: { enum: ['retry', 'skip', 'abort'] }, editedArgs: {}, result: {} },
      },
    });
  });

  it('runs again, with the same arguments or others', async () => {
    expect(result(await (await setUp()).recover({ action: 'retry' }))).toBe('read /a');
    const { recover, inputs } = await setUp();
    expect(result(await recover({ action: 'retry', editedArgs: { path: '/b' } }))).toBe('read /b');
    expect(inputs).toEqual([{ path: '/a' }, { path: '/b' }]);
  });

  it('a failed tool with onError: interrupt is skipped with a given result, or ends the run', async () => {
    const { recover, inputs } = await setUp();
    expect(result(await recover({ action: 'skip', result: 'by hand' }))).toBe('by hand');
    expect((await recover({ action: 'abort' })).finishReason).toBe('cancelled');
    await expect(recover({ action: 'dance' })).rejects.toMatchObject({ code: 'ANSWER_INVALID' });
    expect(inputs).toHaveLength(1);
  });
});
