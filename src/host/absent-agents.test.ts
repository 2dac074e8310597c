import { afterEach, describe, expect, it } from 'vitest';
import type { RunAgentInput } from '../protocol/index.ts';
import { defineAgent } from '../runs/index.ts';
import { memoryStore } from '../store/memory/index.ts';
import type { Host } from './create-host.ts';
import { createHost } from './create-host.ts';
import type { HostOptions } from './host-options.ts';
import { demoAgent } from './testing-support/demo-agent.ts';
import { createHostClient, eventually } from './testing-support/host-client.ts';

const hosts: Host[] = [];
afterEach(async () => {
  for (const host of hosts.splice(0)) await host.close({ withinMs: 100 });
});

let now = 1_700_000_000_000;
const clock = { now: () => now };

/** A store, and hosts on it with different agents. */
function setUp() {
  const store = memoryStore({ clock });
  const hostOf = (agents: HostOptions['agents'], options: Partial<HostOptions> = {}) => {
    const warned: string[] = [];
    const logger = {
      error: () => undefined,
      warn: (details: object, message: string) => warned.push(`${JSON.stringify(details)} ${message}`),
      info: () => undefined,
    };
    const host = createHost({ agents, store, sweepMs: 0, logger, ...options });
    hosts.push(host);
    warned.length = 0;
    return { host, warned, client: createHostClient(host.fetch) };
  };
  return { store, hostOf, outside: { done: [] as string[] } };
}

const yes = { status: 'resolved', payload: { approved: true } };
const no = { status: 'cancelled' };

/** Raises an interrupt, and gets a cancellation like any answer. */
const foreign = (seen: unknown[] = []) =>
  async function* ({ threadId, runId, resume }: RunAgentInput) {
    yield { type: 'RUN_STARTED', threadId, runId };
    if (resume !== undefined) seen.push(resume);
    const outcome = { type: 'interrupt', interrupts: [{ id: 'q', reason: 'confirmation' }] };
    yield { type: 'RUN_FINISHED', threadId, runId, ...(resume === undefined ? { outcome } : {}) };
  };
const code = defineAgent({
  id: 'assistant',
  async run(_input, context) {
    await context.say('Well.');
    return `It is ${String(await context.ask('name', { message: 'Who?' }))}.`;
  },
});

describe('an interrupt whose agent is missing', () => {
  it('rejects an answer that no host could deliver, and stays listed', async () => {
    const { hostOf, outside } = setUp();
    const { interrupts } = await hostOf([demoAgent(outside)]).client.run({ say: 'email' });
    const place = `/threads/t/interrupts/${interrupts[0]?.id}/answer`;
    const { client } = hostOf([demoAgent(outside, 'renamed')]);
    const refused = await client.post(place, yes);
    expect([refused.status, refused.body.error.code]).toEqual([404, 'AGENT_UNKNOWN']);
    expect((await client.get('/interrupts')).body.interrupts).toHaveLength(1);
    // A host with the agent accepts the answer; afterwards this host warns no more.
    const knowing = hostOf([demoAgent(outside)]);
    expect((await knowing.client.post(place, yes)).body.state).toBe('continued');
    await eventually(() => outside.done.length === 1);
    await eventually(async () => (await client.get('/threads/t')).body.status === 'idle');
    expect((await client.post(place, yes)).status).toBe(200);
  });

  it.each([
    ['a model', (outside: { done: string[] }) => [demoAgent(outside)], 'onboard'],
    ['plain code', () => [code], 'hello'],
    ['nobody here', () => ({ assistant: foreign() }), 'hello'],
  ] as const)(
    'of %s can be cancelled, and the thread continues with another agent',
    async (_by, agents, say) => {
      const { hostOf, outside } = setUp();
      const { interrupts } = await hostOf(agents(outside)).client.run({ say });
      const { client, warned } = hostOf([demoAgent(outside, 'renamed')]);
      const { body } = await client.post(`/threads/t/interrupts/${interrupts[0]?.id}/answer`, no);
      expect(body).toEqual({ state: 'continued', open: [] });
      await eventually(async () => (await client.get('/threads/t')).body.status === 'idle');
      expect((await client.get('/interrupts')).body.interrupts).toEqual([]);
      const item = (await client.get(`/threads/t/interrupts/${interrupts[0]?.id}`)).body;
      expect(item).toMatchObject({ status: 'cancelled', answer: { status: 'cancelled' } });
      const told = await client.run({ agent: 'renamed', say: 'hello again' });
      expect([told.outcome, told.messages.at(-1)?.content]).toEqual(['success', 'You said hello again.']);
      expect((await client.send('DELETE', '/threads/t')).status).toBe(204);
      expect(warned).toEqual([]);
    },
  );

  it('an interrupt whose agent is missing, with another staged answer, waits for its author to cancel it, and warns once', async () => {
    const { hostOf, outside } = setUp();
    const first = hostOf([demoAgent(outside)]);
    const { interrupts } = await first.client.run({ say: 'both' });
    const [email, choice] = interrupts.map(({ id }) => `/threads/t/interrupts/${id}/answer`);
    await first.client.post(`${email}`, yes);
    const { client, host, warned } = hostOf([demoAgent(outside, 'renamed')]);
    expect((await client.post(`${choice}`, no)).body).toEqual({ state: 'staged', open: [] });
    now += 1;
    await host.sweep();
    await host.sweep();
    expect(warned).toEqual([
      '{"thread":"t","agent":"assistant"} A thread cannot go on here: this host does not know its agent.',
    ]);
    expect((await client.post(`${email}`, no)).body.state).toBe('continued');
    await eventually(async () => (await client.get('/threads/t')).body.status === 'idle');
    expect(outside.done).toEqual([]);
  });
});

describe('a host with agentsElsewhere', () => {
  it('accepts answers and cancellations for other hosts, and leaves the rest to them', async () => {
    const { hostOf, outside } = setUp();
    const seen: unknown[] = [];
    const knowing = hostOf({ assistant: foreign(seen), ours: demoAgent(outside, 'ours') });
    const { interrupts } = await knowing.client.run({ say: 'hello' });
    const asked = await knowing.client.run({ say: 'email', agent: 'ours', thread: 'u' });
    const { client, host, warned } = hostOf([], { agentsElsewhere: true });
    const cancelled = await client.post(`/threads/t/interrupts/${interrupts[0]?.id}/answer`, no);
    const approved = await client.post(`/threads/u/interrupts/${asked.interrupts[0]?.id}/answer`, yes);
    expect([cancelled.body.state, approved.body.state]).toEqual(['continued', 'continued']);
    now += 1;
    await host.sweep();
    expect([seen, warned]).toEqual([[], []]);
    await knowing.host.sweep();
    await eventually(() => seen.length === 1 && outside.done.length === 1);
    expect(seen).toEqual([[{ interruptId: 'q', status: 'cancelled' }]]);
  });

  it('closes a cancelled batch after a minute', async () => {
    const { hostOf, outside } = setUp();
    const { interrupts } = await hostOf([demoAgent(outside)]).client.run({ say: 'email' });
    const { client, host } = hostOf([], { agentsElsewhere: true });
    await client.post(`/threads/t/interrupts/${interrupts[0]?.id}/answer`, no);
    now += 1;
    await host.sweep();
    expect((await client.get('/threads/t')).body.status).toBe('waiting');
    now += 60_000;
    await host.sweep();
    await eventually(async () => (await client.get('/threads/t')).body.status === 'idle');
  });
});
