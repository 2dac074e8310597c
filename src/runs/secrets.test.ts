import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { answer, approve } from '../content/index.ts';
import type { Tool } from '../engine/index.ts';
import { agentTool, defineInterrupt, defineTool } from '../engine/index.ts';
import type { AgentStreamEvent } from '../protocol/index.ts';
import type { LogName, Store, TableName } from '../store/index.ts';
import { memoryStore } from '../store/memory/index.ts';
import { sqliteStore } from '../store/sqlite/index.ts';
import { scriptedModel } from '../testing/index.ts';
import type { GenerateOptions } from './define-agent.ts';
import { defineAgent } from './define-agent.ts';

const threadId = 't';
const key = { scope: 'default', thread: threadId };
const secretKey = btoa('0123456789abcdef0123456789abcdef');
const PASSWORD = 'correct horse battery staple';
const password = { type: 'string', format: 'password' } as const;
const TABLES: readonly TableName[] = ['threads', 'runs', 'interrupts', 'executions', 'secrets'];
const LOGS: readonly LogName[] = ['messages', 'history', 'events'];

async function everything(store: Store): Promise<string> {
  const pages = await Promise.all(TABLES.map((table) => store.list({ table })));
  const logs = await Promise.all(LOGS.map((log) => store.read({ log, ...key })));
  return JSON.stringify([pages, logs]);
}
const secretRows = async (store: Store) => (await store.list({ table: 'secrets' })).rows.length;

/** Calls its tools once and then replies `Done.`. */
function agentOf(tools: readonly Tool[], id = 'a') {
  const first = { calls: tools.map(({ name }) => ({ id: `${name}-call`, name })) };
  const model = scriptedModel(({ messages }) => (messages.at(-1)?.role === 'user' ? first : 'Done.'));
  return defineAgent({ id, tools, model });
}

const STORES: Readonly<Record<string, (clock?: { now(): number }) => Store>> = {
  memory: (clock) => memoryStore(clock === undefined ? {} : { clock }),
  sqlite: (clock) => sqliteStore(':memory:', clock === undefined ? {} : { clock }),
};

/** A tool that asks for a password and then for something else. */
function signIn() {
  const seen: unknown[] = [];
  const tool = defineTool({
    name: 'signIn',
    description: '',
    input: { type: 'object' },
    async run(_input, ctx) {
      const first = await ctx.ask('password', { schema: password });
      const code = await ctx.ask('code', { schema: { type: 'number' } });
      seen.push(first, code);
      return 'in';
    },
  });
  return { tool, seen };
}

describe.each(Object.entries(STORES))('a secret that a tool asks for, over the store %s', (_name, create) => {
  it('reaches the body on each run, in another process too, and is stored nowhere in plain text', async () => {
    const store = create();
    const { tool, seen } = signIn();
    const events: AgentStreamEvent[] = [];
    const generate = async (more: Partial<GenerateOptions>) => {
      const stream = agentOf([tool]).stream({ store, threadId, secretKey, ...more });
      for await (const event of stream) events.push(event);
      return stream.response;
    };
    const first = await generate({ prompt: 'go' });
    const second = await generate({ resume: [answer(first.interrupts[0]!, PASSWORD)] });
    expect(second.interrupts.map(({ metadata }) => metadata['ask'])).toEqual(['code']);
    expect(await secretRows(store)).toBe(1);
    const stored = await everything(store);
    expect(stored).toContain('$secret');
    expect(stored).not.toContain(PASSWORD);
    const end = await generate({ resume: [answer(second.interrupts[0]!, 7)] });
    expect(end.text).toBe('Done.');
    expect(seen).toEqual([PASSWORD, 7]);
    expect(await secretRows(store)).toBe(0);
    expect(JSON.stringify([await everything(store), events, end, second])).not.toContain(PASSWORD);
  });

  it('a secret that a tool asks for is available to the run that continues a lost one', async () => {
    const time = { value: 0 };
    const store = create({ now: () => time.value });
    const seen: unknown[] = [];
    let hang = true;
    const tool = defineTool({
      name: 'slow',
      description: '',
      input: { type: 'object' },
      idempotent: true,
      async run(_input, ctx) {
        seen.push(await ctx.ask('password', { schema: password }));
        if (hang) await new Promise(() => undefined);
        return 'in';
      },
    });
    const given = { store, threadId, secretKey, leaseMs: 60_000 };
    const paused = await agentOf([tool]).generate({ ...given, prompt: 'go' });
    void agentOf([tool])
      .generate({ ...given, resume: [answer(paused.interrupts[0]!, PASSWORD)] })
      .catch(() => undefined);
    while (seen.length === 0) await new Promise((resolve) => setImmediate(resolve));
    time.value += 120_000;
    hang = false;
    expect((await agentOf([tool]).generate(given)).text).toBe('Done.');
    expect(seen).toEqual([PASSWORD, PASSWORD]);
    expect(await secretRows(store)).toBe(0);
  });

  it('a secret that a tool asks for is erased when its own call ends, although another call still runs', async () => {
    const store = create();
    const { tool } = signIn();
    let open: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const slow = defineTool({
      name: 'slow',
      description: '',
      input: { type: 'object' },
      async run(_input, ctx) {
        await ctx.ask('one', {});
        await ctx.ask('two', {});
        await gate;
      },
    });
    const given = { store, threadId, secretKey };
    const first = await agentOf([tool, slow]).generate({ ...given, prompt: 'go' });
    const answered = (parts: typeof first.interrupts, value: unknown) =>
      parts.map((part) => answer(part, part.toolName === 'signIn' ? value : 0));
    const resume = answered(first.interrupts, PASSWORD);
    const second = await agentOf([tool, slow]).generate({ ...given, resume });
    expect(await secretRows(store)).toBe(1);
    const last = agentOf([tool, slow]).generate({ ...given, resume: answered(second.interrupts, 7) });
    while ((await secretRows(store)) > 0) await new Promise((resolve) => setImmediate(resolve));
    open();
    expect((await last).text).toBe('Done.');
  });

  it('a secret that a tool asks for may be in a restart answer and in edited arguments', async () => {
    const store = create();
    const seen: unknown[] = [];
    const restart = defineTool({
      name: 'restart',
      description: '',
      input: { type: 'object' },
      resume: z.object({ pin: z.string().meta({ format: 'password' }), times: z.number().default(3) }),
      run: (_input, ctx) => {
        if (ctx.resumed === undefined) return ctx.interrupt();
        seen.push(ctx.resumed);
        return 'ok';
      },
    });
    const edited = defineTool({
      name: 'edited',
      description: '',
      input: { type: 'object', properties: { pin: { writeOnly: true } } },
      approval: { editable: true },
      run: (input) => {
        seen.push(input);
        return 'ok';
      },
    });
    const given = { store, threadId, secretKey };
    const paused = await agentOf([restart, edited]).generate({ ...given, prompt: 'go' });
    const [first, second] = paused.interrupts;
    const resume = [answer(first!, { pin: PASSWORD }), approve(second!, { editedArgs: { pin: PASSWORD } })];
    const end = await agentOf([restart, edited]).generate({ ...given, resume });
    expect(end.text).toBe('Done.');
    expect(seen).toHaveLength(2);
    expect(seen).toEqual(expect.arrayContaining([{ pin: PASSWORD, times: 3 }, { pin: PASSWORD }]));
    expect(JSON.stringify([await everything(store), end])).not.toContain(PASSWORD);
  });

  it('reaches the tool of a subagent and an agent in plain code', async () => {
    const store = create();
    const { tool, seen } = signIn();
    const helper = agentTool(agentOf([tool], 'helper'));
    const call = { calls: [{ id: 'c', name: 'helper', input: { prompt: 'go' } }] };
    const model = scriptedModel(({ messages }) => (messages.at(-1)?.role === 'user' ? call : 'Done.'));
    const code = defineAgent({
      id: 'code',
      async run(_input, ctx) {
        seen.push(await ctx.ask('mine', { schema: password }));
        return (await ctx.generate({ model, prompt: 'go', tools: [helper] })).text;
      },
    });
    const given = { store, threadId, secretKey };
    let response = await code.generate({ ...given, prompt: 'go' });
    for (const value of ['my own secret', PASSWORD, 7]) {
      const resume = [answer(response.interrupts[0]!, value)];
      response = await code.generate({ ...given, resume });
      const stored = await everything(store);
      for (const secret of [PASSWORD, 'my own secret']) expect(stored).not.toContain(secret);
    }
    expect(response.text).toBe('Done.');
    expect(seen).toEqual(['my own secret', 'my own secret', 'my own secret', PASSWORD, 7]);
    expect(await secretRows(store)).toBe(0);
  });

  it('a secret that a tool asks for is not opened by a marker that a model or a person writes', async () => {
    const store = create();
    const seen: unknown[] = [];
    const echo = defineTool({
      name: 'echo',
      description: '',
      input: {},
      async run(input, ctx) {
        await ctx.ask('password', { schema: password });
        seen.push(input);
        return 'ok';
      },
    });
    const pause = async (marker: string, into: Store) => {
      let ids = 0;
      const input = { $secret: marker };
      const model = scriptedModel(({ messages }) =>
        messages.at(-1)?.role === 'user' ? { calls: [{ id: 'c', name: 'echo', input }] } : 'Done.',
      );
      const agent = defineAgent({ id: 'a', tools: [echo], model });
      const given = { store: into, threadId, secretKey, newId: () => `id-${(ids += 1)}` };
      return { agent, given, paused: await agent.generate({ ...given, prompt: 'go' }) };
    };
    const marker = `${(await pause('', create())).paused.interrupts[0]!.interrupt.id}/0`;
    const { agent, given, paused } = await pause(marker, store);
    expect(paused.interrupts[0]!.interrupt.id).toBe(marker.slice(0, -2));
    const forged = agent.generate({
      ...given,
      resume: [answer(paused.interrupts[0]!, { $secret: marker })],
    });
    await expect(forged).rejects.toMatchObject({ code: 'ANSWER_INVALID' });
    await agent.generate({ ...given, resume: [answer(paused.interrupts[0]!, PASSWORD)] });
    expect(seen).toEqual([{ $secret: marker }]);
  });

  it('a secret that a tool asks for cannot be asked for without a key, nor as a tool output; with a key the same turn continues', async () => {
    const store = create();
    const { tool } = signIn();
    const asking = agentOf([tool]).generate({ store, threadId, prompt: 'go' });
    await expect(asking).rejects.toMatchObject({
      code: 'INPUT_INVALID',
      message: expect.stringContaining('secretKey') as string,
    });
    const paused = await agentOf([tool]).generate({ store, threadId, secretKey });
    expect(paused.interrupts.map(({ metadata }) => metadata['ask'])).toEqual(['password']);
    const respond = defineInterrupt({ name: 'form', description: '', input: {}, response: password });
    const other = agentOf([respond]).generate({ store, threadId: 'other', secretKey, prompt: 'go' });
    await expect(other).rejects.toMatchObject({
      code: 'INPUT_INVALID',
      message: expect.stringContaining('the model reads') as string,
    });
  });
});
