import { HttpAgent } from '@ag-ui/client';
import { afterEach, describe, expect, it } from 'vitest';
import { holdpointAgent } from '../adapters/ag-ui/index.ts';
import type { Clock } from '../core/index.ts';
import { systemClock } from '../core/index.ts';
import type { Interrupt, Message, ResumeEntry } from '../protocol/index.ts';
import { memoryStore } from '../store/memory/index.ts';
import { sqliteStore } from '../store/sqlite/index.ts';
import type { Store } from '../store/index.ts';
import { createHost } from './create-host.ts';
import type { HostOptions } from './host-options.ts';
import { demoAgent } from './testing-support/demo-agent.ts';
import { serveHost } from './testing-support/serve-host.ts';

const STORES: Readonly<Record<string, (clock?: Clock) => Store>> = {
  memory: (clock = systemClock) => memoryStore({ clock }),
  sqlite: (clock = systemClock) => sqliteStore(':memory:', { clock }),
};

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function setUp(store: Store, options: Partial<HostOptions> = {}) {
  const outside = { done: [] as string[] };
  const host = createHost({ logger: false, agents: [demoAgent(outside)], store, sweepMs: 20, ...options });
  const served = await serveHost(host);
  closers.push(() => served.close());
  const agentFor = (threadId: string, path = '') =>
    new HttpAgent({ url: `${served.url}/agents/assistant${path}`, threadId });
  return { outside, host, url: served.url, agentFor };
}

let said = 0;

/** Runs the official client once and returns its result. */
async function run(agent: HttpAgent, input: { say?: string; resume?: ResumeEntry[] } = {}) {
  if (input.say !== undefined) agent.addMessage({ id: `m-${(said += 1)}`, role: 'user', content: input.say });
  let interrupts: readonly Interrupt[] = [];
  let error: { message: string; code?: string | undefined } | undefined;
  let outcome = '';
  await agent
    .runAgent(input.resume === undefined ? {} : { resume: input.resume }, {
      onRunFinishedEvent: ({ event }) => {
        outcome = event.outcome?.type ?? 'success';
        interrupts = event.outcome?.type === 'interrupt' ? event.outcome.interrupts : [];
      },
      onRunErrorEvent: ({ event }) => {
        error = event;
      },
    })
    .catch(() => undefined);
  return { interrupts, error, outcome, messages: agent.messages, state: agent.state as unknown };
}

const yes = (interrupt: Interrupt | undefined, payload: object = {}): ResumeEntry => ({
  interruptId: interrupt?.id ?? '',
  status: 'resolved',
  payload: { approved: true, ...payload },
});
const reply = (interrupt: Interrupt | undefined, payload: unknown): ResumeEntry => ({
  interruptId: interrupt?.id ?? '',
  status: 'resolved',
  payload,
});
const texts = (messages: readonly Message[]) => messages.map(({ role, content }) => [role, content]);

describe.each(Object.entries(STORES))('the official client over the store %s', (_name, create) => {
  it('talks and calls a plain tool', async () => {
    const { agentFor } = await setUp(create());
    const agent = agentFor('t');
    expect((await run(agent, { say: 'hello' })).outcome).toBe('success');
    const { messages } = await run(agent, { say: 'weather' });
    expect(texts(messages)).toEqual([
      ['user', 'hello'],
      ['assistant', 'You said hello.'],
      ['user', 'weather'],
      ['assistant', undefined],
      ['tool', 'sunny in Oslo'],
      ['assistant', 'Result: sunny in Oslo'],
    ]);
  });

  it('approves, and the tool runs once', async () => {
    const { agentFor, outside } = await setUp(create());
    const agent = agentFor('t');
    const asked = await run(agent, { say: 'email' });
    expect(asked.interrupts).toMatchObject([{ reason: 'tool_call', metadata: { functionName: 'email' } }]);
    expect(outside.done).toEqual([]);
    const done = await run(agent, { resume: [yes(asked.interrupts[0])] });
    expect(done.outcome).toBe('success');
    expect(outside.done).toEqual(['a@b.c: hello']);
    expect(texts(done.messages).at(-1)).toEqual(['assistant', 'Result: {"sent":true}']);
  });

  it('edits, rejects, cancels and answers several at once', async () => {
    const { agentFor, outside } = await setUp(create());
    const edited = agentFor('edited');
    const [interrupt] = (await run(edited, { say: 'email' })).interrupts;
    await run(edited, { resume: [yes(interrupt, { editedArgs: { to: 'x@y.z', body: 'hi' } })] });
    const rejected = agentFor('rejected');
    const [other] = (await run(rejected, { say: 'email' })).interrupts;
    const no = await run(rejected, { resume: [reply(other, { approved: false, reason: 'too late' })] });
    expect(texts(no.messages).at(-2)).toEqual(['tool', 'Tool call invocation rejected. too late']);
    const both = agentFor('both');
    const { interrupts } = await run(both, { say: 'both' });
    expect(interrupts).toHaveLength(2);
    await run(both, {
      resume: [yes(interrupts[0]), { interruptId: interrupts[1]?.id ?? '', status: 'cancelled' }],
    });
    const { messages } = await run(agentFor('both', '/connect'));
    expect(texts(messages).slice(2)).toEqual([
      ['tool', '{"sent":true}'],
      ['tool', 'Cancelled by anonymous.'],
      ['tool', 'sunny in Rome'],
      ['assistant', 'Result: sunny in Rome'],
    ]);
    expect(outside.done).toEqual(['x@y.z: hi', 'a@b.c: hello']);
  });

  it('finds its interrupts after a reload, in a new instance and on a new host', async () => {
    const store = create();
    const first = await setUp(store);
    await run(first.agentFor('t'), { say: 'onboard' });
    const second = await setUp(store);
    const seen = await run(second.agentFor('t', '/connect'));
    expect(seen.interrupts).toMatchObject([{ message: 'Who?' }]);
    expect(seen.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
    const agent = second.agentFor('t');
    const next = await run(agent, { resume: [reply(seen.interrupts[0], 'Ana')] });
    expect(next.interrupts).toMatchObject([{ message: 'Which?' }]);
    const done = await run(agent, { resume: [reply(next.interrupts[0], 'pro')] });
    expect(texts(done.messages).at(-1)).toEqual(['assistant', 'Result: Ana is pro']);
    expect(second.outside.done).toEqual(['created Ana']);
  });

  it('the official client gets the error of an invalid answer and keeps its interrupt', async () => {
    const { agentFor, outside } = await setUp(create());
    const agent = agentFor('t');
    const [interrupt] = (await run(agent, { say: 'email' })).interrupts;
    const codes = [
      await run(agent, { resume: [reply(interrupt, { approved: 'yes' })] }),
      await run(agentFor('t'), { resume: [reply({ id: 'nonsense', reason: 'x' }, {})] }),
      await run(agentFor('t'), { say: 'something else' }),
    ].map(({ error }) => error?.code);
    expect(codes).toEqual(['ANSWER_INVALID', 'INTERRUPT_UNKNOWN', 'INTERRUPTS_PENDING']);
    await run(agentFor('t'), { resume: [yes(interrupt)] });
    const otherwise = await run(agentFor('t'), { resume: [reply(interrupt, { approved: false })] });
    expect(otherwise.error?.code).toBe('INTERRUPT_CONFLICT');
    const same = await run(agentFor('t'), { resume: [yes(interrupt)] });
    expect([same.outcome, texts(same.messages).at(-1)?.[1]]).toEqual(['success', 'Result: {"sent":true}']);
    expect(outside.done).toHaveLength(1);
  });

  it('a late tab of the official client sees the thread and INTERRUPT_CONFLICT, and goes on', async () => {
    const { agentFor, outside } = await setUp(create());
    const [first, late] = [agentFor('t'), agentFor('t')];
    const { interrupts } = await run(first, { say: 'onboard' });
    late.messages = [...first.messages];
    late.pendingInterrupts = [...interrupts];
    const next = await run(first, { resume: [reply(interrupts[0], 'Ana')] });
    const refused = await run(late, { resume: [reply(interrupts[0], 'Bob')] });
    expect(refused.error?.code).toBe('INTERRUPT_CONFLICT');
    // The card of the answered interrupt is gone; that of the next one is there.
    expect(late.pendingInterrupts.map(({ id }) => id)).toEqual(next.interrupts.map(({ id }) => id));
    await run(first, { resume: [reply(next.interrupts[0], 'pro')] });
    const again = await run(late, { resume: [reply(next.interrupts[0], 'free')] });
    expect([again.error?.code, late.pendingInterrupts]).toEqual(['INTERRUPT_CONFLICT', []]);
    expect(texts(late.messages).at(-1)).toEqual(['assistant', 'Result: Ana is pro']);
    expect((await run(late, { say: 'hello' })).outcome).toBe('success');
    expect(outside.done).toEqual(['created Ana']);
  });

  it('the official client gets INTERRUPT_EXPIRED, keeps its interrupt, and can cancel it or ask again', async () => {
    let late = 0;
    const store = create({ now: () => Date.now() + late });
    const { agentFor, outside, host, url } = await setUp(store, {
      sweepMs: 0,
      interrupts: { ttlMs: 60_000 },
    });
    const [one, other] = [agentFor('one'), agentFor('other')];
    const [first] = (await run(one, { say: 'email' })).interrupts;
    const [second] = (await run(other, { say: 'email' })).interrupts;
    expect(first?.expiresAt).toBeDefined();
    late += 120_000;
    await host.sweep();
    expect((await run(one, { resume: [yes(first)] })).error?.code).toBe('INTERRUPT_EXPIRED');
    expect((await run(agentFor('one', '/connect'))).interrupts).toMatchObject([{ id: first?.id }]);
    const cancelled = await run(agentFor('one'), {
      resume: [{ interruptId: first?.id ?? '', status: 'cancelled' }],
    });
    expect([cancelled.error, cancelled.outcome]).toEqual([undefined, 'success']);
    const json = { 'content-type': 'application/json' };
    const place = `${url}/threads/other/interrupts/${second?.id}/ask-again`;
    await fetch(place, { method: 'POST', headers: json });
    const again = await run(agentFor('other', '/connect'));
    expect(again.interrupts[0]?.metadata).toMatchObject({ supersedes: second?.id });
    const done = await run(agentFor('other'), { resume: [yes(again.interrupts[0])] });
    expect([done.outcome, outside.done]).toEqual(['success', ['a@b.c: hello']]);
  });

  it('runs its own tools, and the conversation continues', async () => {
    const { url } = await setUp(create());
    const agent = new HttpAgent({ url: `${url}/agents/assistant`, threadId: 't' });
    agent.addMessage({ id: 'm1', role: 'user', content: 'local' });
    const tools = [{ name: 'locate', description: 'Where am I?', parameters: { type: 'object' } }];
    let pending: readonly string[] = [];
    await agent.runAgent(
      { tools },
      {
        onRunFinishedEvent: ({ event }) => {
          pending = event.outcome?.type === 'success' ? (event.outcome.pendingToolCallIds ?? []) : [];
        },
      },
    );
    expect(pending).toEqual(['local-1-0']);
    agent.addMessage({ id: 'r1', role: 'tool', toolCallId: 'local-1-0', content: 'Oslo' });
    await agent.runAgent({ tools });
    expect(agent.messages.at(-1)?.content).toBe('Result: Oslo');
  });

  it('the official client gets MODEL_FAILED and continues later without a new message', async () => {
    const { agentFor } = await setUp(create());
    const agent = agentFor('t');
    const failed = await run(agent, { say: 'fail' });
    expect(failed.error).toMatchObject({ code: 'MODEL_FAILED' });
    expect((await run(agentFor('t', '/connect'))).messages.map(({ role }) => role)).toEqual(['user']);
  });
});

describe('holdpointAgent', () => {
  const HoldpointAgent = holdpointAgent(HttpAgent);

  it('loads the messages and the open interrupts of a thread, as often as a page asks', async () => {
    const { agentFor, url } = await setUp(memoryStore());
    const { interrupts } = await run(agentFor('t'), { say: 'email' });
    const agent = new HoldpointAgent({ url: `${url}/agents/assistant?from=page`, threadId: 't' });
    await agent.connectAgent();
    await agent.connectAgent();
    expect(agent.pendingInterrupts).toEqual(interrupts);
    expect(agent.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
    // `fromAgUiMessages` of assistant-ui reads them there.
    expect(agent.messages[1]?.metadata).toEqual({ custom: { agui: { interrupts } } });
    expect((await run(agent, { resume: [yes(interrupts[0])] })).outcome).toBe('success');
  });

  it('shows an empty thread before its first run', async () => {
    const { url } = await setUp(memoryStore());
    const agent = new HoldpointAgent({ url: `${url}/agents/assistant`, threadId: 'new' });
    await agent.connectAgent();
    expect(agent.messages).toEqual([]);
    expect((await run(agent, { say: 'hello' })).outcome).toBe('success');
  });
});
