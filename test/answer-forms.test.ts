/** The two answers to `ctx.interrupt`: the output of the call, and the value that its body runs again with. */
import { defineAgent, defineTool } from 'holdpoint';
import type { Interrupt } from 'holdpoint/client';
import { answer, createClient, respond, restart } from 'holdpoint/client';
import { createHost } from 'holdpoint/host';
import { serve } from 'holdpoint/node';
import { memoryStore } from 'holdpoint/store/memory';
import { scriptedModel } from 'holdpoint/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { run as command } from '../src/cli/testing-support/run-command.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const OUTPUT = z.object({ job: z.string() });
const RESUME = z.object({ again: z.boolean() });

/** A tool whose body starts a job and asks, until it is told to stop. */
function jobTool(declares: 'output' | 'resume' | 'both' | 'neither') {
  const runs: unknown[] = [];
  const tool = defineTool({
    name: 'job',
    description: 'Starts a job.',
    input: z.object({ name: z.string() }),
    ...(declares === 'output' || declares === 'both' ? { output: OUTPUT } : {}),
    ...(declares === 'resume' || declares === 'both' ? { resume: RESUME } : {}),
    run(_input, ctx): { job: string } {
      runs.push(ctx.resumed ?? null);
      if (ctx.resumed !== undefined) return { job: 'from the body' };
      return ctx.interrupt({ message: 'How did it end?' });
    },
  });
  const model = scriptedModel(({ messages }) => {
    const last = messages.at(-1);
    return last?.role === 'tool'
      ? String(last.content)
      : { calls: [{ id: 'c1', name: 'job', input: { name: 'night' } }] };
  });
  return { tool, runs, agent: { id: 'worker', model, tools: [tool] } };
}

async function asked(declares: Parameters<typeof jobTool>[0], dialect: '1.0' | 'draft' = '1.0') {
  const { agent, runs } = jobTool(declares);
  const warnings: string[] = [];
  const logger = {
    info: () => undefined,
    warn: (_about: unknown, text: string) => void warnings.push(text),
    error: () => undefined,
  };
  const host = createHost({ logger, sweepMs: 50, store: memoryStore(), agents: [defineAgent(agent)] });
  const { url, close } = await serve(host, { port: 0 });
  closers.push(close);
  const client = createClient({ url: `${url}/agents/worker`, dialect });
  const { interrupts } = await client.run({ threadId: 't', messages: 'Go.' }).finished;
  const [interrupt] = interrupts;
  if (interrupt === undefined) throw new Error('no interrupt');
  const resume = (entry: object) =>
    fetch(`${url}/agents/worker`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ threadId: 't', runId: crypto.randomUUID(), messages: [], resume: [entry] }),
    }).then((response) => response.text());
  const lastText = async () => String((await client.connect('t').finished).messages.at(-1)?.content);
  return { url, client, interrupt, resume, runs, warnings, lastText };
}

const GIVEN = { job: 'given' };
const named = (interrupt: Interrupt, payload: unknown, as?: string) => ({
  interruptId: interrupt.id,
  status: 'resolved',
  payload,
  ...(as === undefined ? {} : { metadata: { as } }),
});

describe('an interrupt of ctx.interrupt names the answers that it takes', () => {
  it.each([
    ['output', ['output'], 'input_required'],
    ['resume', ['resume'], 'confirmation'],
    ['both', ['resume', 'output'], 'confirmation'],
    ['neither', ['resume', 'output'], 'confirmation'],
  ] as const)('for a tool that declares %s', async (declares, answerAs, reason) => {
    const { interrupt } = await asked(declares);
    expect(interrupt.reason).toBe(reason);
    expect(interrupt.metadata?.['answerAs']).toEqual(answerAs);
    const property = declares === 'output' ? 'job' : 'again';
    if (declares === 'neither') expect(interrupt.responseSchema).toBeUndefined();
    else expect(interrupt.responseSchema?.['properties']).toHaveProperty(property);
    const { outputSchema } = interrupt.metadata ?? {};
    if (declares === 'both') expect(outputSchema).toMatchObject({ properties: { job: { type: 'string' } } });
    else expect(outputSchema).toBeUndefined();
  });
});

describe('an answer on the wire', () => {
  it.each([
    ['output', undefined, GIVEN, 'given', 1],
    ['output', 'output', GIVEN, 'given', 1],
    ['resume', undefined, { again: true }, 'from the body', 2],
    ['resume', 'resume', { again: true }, 'from the body', 2],
    ['both', undefined, { again: true }, 'from the body', 2],
    ['both', 'resume', { again: true }, 'from the body', 2],
    ['both', 'output', GIVEN, 'given', 1],
    ['neither', undefined, { anything: 1 }, 'from the body', 2],
    ['neither', 'output', GIVEN, 'given', 1],
  ] as const)('for %s with as %s does what it says', async (declares, as, payload, job, bodyRuns) => {
    const { interrupt, resume, runs, lastText } = await asked(declares);
    await resume(named(interrupt, payload, as));
    expect(await lastText()).toBe(JSON.stringify({ job }));
    expect(runs).toHaveLength(bodyRuns);
  });

  it.each([
    ['output', undefined, { again: true }],
    ['output', 'resume', { again: true }],
    ['resume', 'output', GIVEN],
    ['both', 'output', { again: true }],
    ['both', 'resume', GIVEN],
    ['both', 'elsewhere', { again: true }],
  ] as const)(
    'for %s with as %s that does not fit is ANSWER_INVALID, and it stays open',
    async (declares, as, payload) => {
      const { interrupt, resume, runs, client } = await asked(declares);
      expect(await resume(named(interrupt, payload, as))).toContain('"ANSWER_INVALID"');
      expect(runs).toHaveLength(1);
      expect((await client.connect('t').finished).interrupts).toHaveLength(1);
    },
  );

  it('with another form of the same payload is another answer', async () => {
    const { interrupt, resume, runs } = await asked('neither');
    const [first, second] = await Promise.all([
      resume(named(interrupt, 'x', 'output')),
      resume(named(interrupt, 'x', 'resume')),
    ]);
    expect([first, second].filter((text) => text.includes('"INTERRUPT_CONFLICT"'))).toHaveLength(1);
    expect(runs.length).toBeLessThan(3);
  });
});

it.each(['1.0', 'draft'] as const)('the helpers of a client in %s send both answers', async (dialect) => {
  const first = await asked('both', dialect);
  await first.client.resume({ threadId: 't' }, [respond(first.interrupt, GIVEN)]).finished;
  expect([await first.lastText(), first.runs.length]).toEqual([JSON.stringify(GIVEN), 1]);
  const second = await asked('both', dialect);
  await second.client.resume({ threadId: 't' }, [restart(second.interrupt, { again: true })]).finished;
  expect(second.runs).toEqual([null, { again: true }]);
});

it('respond and restart reject an interrupt that takes no such answer, before any request', async () => {
  const output = await asked('output');
  expect(() => restart(output.interrupt, {})).toThrow(/does not run again with its answer/);
  expect(() => respond({ id: 'i', reason: 'human_approval' }, 1)).toThrow(/approve\(\) or reject\(\)/);
  const resumed = await asked('resume');
  expect(() => respond(resumed.interrupt, GIVEN)).toThrow(/takes no output of its call. Use restart\(\)/);
  const both = await asked('both');
  const wrong = both.client.resume({ threadId: 't' }, [respond(both.interrupt, 7)]).finished;
  await expect(wrong).rejects.toMatchObject({ code: 'ANSWER_INVALID' });
  expect(both.runs).toHaveLength(1);
});

it.each([
  ['respond', GIVEN, JSON.stringify(GIVEN), 1],
  ['restart', { again: true }, '{"job":"from the body"}', 2],
])('the command sends %s', async (verb, payload, text, bodyRuns) => {
  const { url, interrupt, runs, lastText } = await asked('both');
  const done = await command('inbox', verb, interrupt.id, JSON.stringify(payload), '--url', url);
  expect(done).toMatchObject({ code: 0 });
  await expect.poll(lastText).toBe(text);
  expect(runs).toHaveLength(bodyRuns);
});

it.each(['output', 'resume', 'both', 'neither'] as const)(
  'with a store, the replies of a tool that declares %s give the output and run the body again',
  async (declares) => {
    for (const method of ['respond', 'restart'] as const) {
      const { tool, runs, agent } = jobTool(declares);
      const defined = defineAgent(agent);
      const on = { store: memoryStore(), threadId: 't' };
      const { interrupts } = await defined.generate({ ...on, prompt: 'Go.' });
      const [part] = interrupts;
      if (part === undefined) throw new Error('no interrupt');
      const reply =
        method === 'respond' ? tool.respond(part, GIVEN) : tool.restart(part, { resumed: { again: true } });
      const { text } = await defined.generate({ ...on, resume: reply });
      expect(text).toBe(method === 'respond' ? JSON.stringify(GIVEN) : '{"job":"from the body"}');
      expect(runs).toHaveLength(method === 'respond' ? 1 : 2);
    }
  },
);

it('with a store, an output that does not fit the tool is ANSWER_INVALID', async () => {
  const { tool, runs, agent } = jobTool('output');
  const defined = defineAgent(agent);
  const on = { store: memoryStore(), threadId: 't' };
  const { interrupts } = await defined.generate({ ...on, prompt: 'Go.' });
  const [part] = interrupts;
  if (part === undefined) throw new Error('no interrupt');
  const wrong = defined.generate({ ...on, resume: tool.respond(part, { job: 7 } as never) });
  await expect(wrong).rejects.toMatchObject({ code: 'ANSWER_INVALID' });
  expect(runs).toHaveLength(1);
});

it('a schema of ctx.interrupt is the schema of the output, for this call', async () => {
  const ask = defineTool({
    name: 'ask',
    description: 'Asks.',
    input: z.object({ choices: z.array(z.string()) }),
    run: ({ choices }, ctx): string => ctx.interrupt({ schema: z.enum(choices as [string]) }),
  });
  const model = scriptedModel([{ calls: [{ name: 'ask', input: { choices: ['a', 'b'] } }] }, 'Done.']);
  const agent = defineAgent({ id: 'asker', model, tools: [ask] });
  const on = { store: memoryStore(), threadId: 't' };
  const { interrupts } = await agent.generate({ ...on, prompt: 'Go.' });
  const [part] = interrupts;
  if (part === undefined) throw new Error('no interrupt');
  expect(part.interrupt.responseSchema).toMatchObject({ enum: ['a', 'b'] });
  await expect(agent.generate({ ...on, resume: ask.respond(part, 'c') })).rejects.toMatchObject({
    code: 'ANSWER_INVALID',
  });
  expect((await agent.generate({ ...on, resume: ask.respond(part, 'b') })).text).toBe('Done.');
});

describe('a tool that does not say what its answer is', () => {
  it('is named in the log when its body asks again', async () => {
    const { interrupt, client, warnings } = await asked('neither');
    await client.resume({ threadId: 't' }, [answer(interrupt, 1)]).finished;
    expect(warnings.filter((text) => text.includes('asks again'))).toEqual([]);
    const again = defineTool({
      name: 'again',
      description: 'Asks.',
      input: z.object({}),
      run: (_input, ctx): string => ctx.interrupt({ message: 'What?' }),
    });
    const said: string[] = [];
    const model = scriptedModel([{ calls: [{ name: 'again', input: {} }] }]);
    const agent = defineAgent({ id: 'asker', model, tools: [again] });
    const on = { store: memoryStore(), threadId: 't', onWarning: (text: string) => said.push(text) };
    const first = await agent.generate({ ...on, prompt: 'Go.' });
    const second = await agent.generate({
      ...on,
      resume: first.interrupts.map(({ interrupt: { id } }) => ({
        interruptId: id,
        status: 'resolved' as const,
        payload: 'x',
      })),
    });
    expect(second.finishReason).toBe('interrupted');
    expect(said.join()).toContain('again asks again after its answer');
  });

  it('is named in the log when it reads ctx.resumed and declares only output', async () => {
    const { warnings } = await asked('output');
    expect(warnings.join()).toContain('job reads `ctx.resumed` and declares no `resume`');
    expect((await asked('both')).warnings).toEqual([]);
  });
});
