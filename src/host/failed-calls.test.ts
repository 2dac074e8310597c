import { afterEach, expect, it } from 'vitest';
import { answer, approve } from '../content/index.ts';
import { defineTool } from '../engine/index.ts';
import { bound } from '../ledger/testing-support/bound-store.ts';
import { defineAgent } from '../runs/index.ts';
import type { Store } from '../store/index.ts';
import { memoryStore } from '../store/memory/index.ts';
import type { TestHost } from '../testing/index.ts';
import { createTestHost, scriptedModel } from '../testing/index.ts';
import type { AgentLike } from '../runs/index.ts';

const hosts: TestHost[] = [];
afterEach(async () => {
  await Promise.all(hosts.splice(0).map((host) => host.close()));
});

const threadId = 't';

/** A host with one agent, and the lines of its log. */
function hostOf(agent: AgentLike) {
  const lines: { readonly details: object; readonly message: string }[] = [];
  const note = (details: object, message: string) => lines.push({ details, message });
  const logger = { error: note, warn: note, info: () => undefined };
  const test = createTestHost({ agents: [agent], logger });
  hosts.push(test);
  return { lines, client: test.client('clerk') };
}

/** An agent that calls a tool which throws. */
function payer(thrown: unknown) {
  const pay = defineTool({
    name: 'pay',
    description: 'Pays.',
    input: { type: 'object' },
    approval: true,
    run: () => {
      throw thrown;
    },
  });
  const model = scriptedModel(({ messages }) =>
    messages.at(-1)?.role === 'user' ? { calls: [{ id: 'c1', name: 'pay' }] } : 'Done.',
  );
  return defineAgent({ id: 'clerk', model, tools: [pay] });
}

it('a tool that throws after its approval leaves one line in the log, with thread, call and error', async () => {
  const error = new Error('the bank is closed');
  const { lines, client } = hostOf(payer(error));
  const { interrupts } = await client.run({ threadId, messages: 'Pay.' }).finished;
  const { messages } = await client.resume({ threadId }, [approve(interrupts[0]!)]).finished;
  expect(messages.at(-1)?.content).toBe('Done.');
  expect(lines).toEqual([
    { message: 'The tool pay failed.', details: { thread: threadId, call: 'c1', tool: 'pay', err: error } },
  ]);
});

class Unreadable extends Error {
  override get message(): string {
    throw new Error('no message');
  }
}

it.each([
  ['an error whose message throws', new Unreadable()],
  ['an object without a text', Object.create(null)],
  ['an error whose message is no text', Object.assign(new Error('x'), { message: Symbol('m') })],
])('a tool that throws %s is a failed call', async (_what, thrown: unknown) => {
  const { lines, client } = hostOf(payer(thrown));
  const { interrupts } = await client.run({ threadId, messages: 'Pay.' }).finished;
  const { messages, outcome } = await client.resume({ threadId }, [approve(interrupts[0]!)]).finished;
  expect(outcome).toBe('success');
  expect(messages.findLast(({ role }) => role === 'tool')?.content).toContain('pay failed: ');
  expect(lines).toHaveLength(1);
});

it('an agent that returns no events is named in the log', async () => {
  const { lines, client } = hostOf({ id: 'clerk', run: () => undefined as never });
  await expect(client.run({ threadId, messages: 'Go.' }).finished).rejects.toMatchObject({
    code: 'INTERNAL',
  });
  const [line] = lines;
  expect(line?.details).toMatchObject({ err: { message: 'The agent clerk returned no events.' } });
});

it('a step that threw is asked about as failed, with its error, and not as perhaps done', async () => {
  let tries = 0;
  const agent = defineAgent({
    id: 'clerk',
    async run(_input, ctx) {
      return ctx.step('tell', () => {
        tries += 1;
        if (tries === 1) throw new Error('a new message must wait');
        return 'told';
      });
    },
  });
  const { client } = hostOf(agent);
  await expect(client.run({ threadId, messages: 'Go.' }).finished).rejects.toThrow('failed');
  const { interrupts } = await client.run({ threadId }).finished;
  expect(interrupts.map(({ message, metadata }) => [message, metadata?.['code']])).toEqual([
    ['The agent: its step tell failed: a new message must wait', 'TOOL_FAILED'],
  ]);
  const again = [answer(interrupts[0]!, { action: 'retry' })];
  const { messages } = await client.resume({ threadId }, again).finished;
  expect([messages.at(-1)?.content, tries]).toEqual(['told', 2]);
});

/** An agent whose run is stopped while the start of its second step is stored. */
async function stoppedBeforeSecond(second: () => unknown) {
  const time = { value: 0 };
  const stop = new AbortController();
  let isArmed = false;
  const store = memoryStore({ clock: { now: () => time.value } });
  const stopping: Store = {
    ...bound(store),
    async commit(batch) {
      const made = await store.commit(batch);
      if (isArmed) stop.abort();
      return made;
    },
  };
  const ran: string[] = [];
  const agent = defineAgent({
    id: 'clerk',
    async run(_input, ctx) {
      await ctx.step('first', () => ran.push('first'));
      isArmed = !stop.signal.aborted;
      return ctx.step('second', () => (ran.push('second'), second()));
    },
  });
  const given = { threadId, store: stopping, leaseMs: 60_000 };
  await expect(agent.generate({ ...given, prompt: 'Go.', signal: stop.signal })).rejects.toThrow('stopped');
  expect(ran).toEqual(['first']);
  return { ran, time, run: () => agent.generate(given) };
}

it('a step that was stopped before its code started runs when the run continues, without a question', async () => {
  const { ran, run } = await stoppedBeforeSecond(() => 'done');
  const { finishReason, interrupts } = await run();
  expect([finishReason, interrupts, ran]).toEqual(['stop', [], ['first', 'second']]);
});

it('a step that started after it was stopped once is asked about if its run is lost', async () => {
  let hasStarted: () => void = () => undefined;
  const started = new Promise<void>((resolve) => {
    hasStarted = resolve;
  });
  const { run, time } = await stoppedBeforeSecond(() => {
    hasStarted();
    return new Promise(() => undefined);
  });
  void run().catch(() => undefined);
  await started;
  time.value += 120_000;
  const { interrupts } = await run();
  expect(interrupts.map(({ interrupt }) => interrupt.message)).toEqual([
    expect.stringContaining('its step second was at work when its run ended. It may have been done, or not.'),
  ]);
});
