/** The client with a real host, over connections that break. */
import { answer, approve, createClient, reject } from 'holdpoint/client';
import type { ClientOptions, Run } from 'holdpoint/client';
import { createHost } from 'holdpoint/host';
import { serve } from 'holdpoint/node';
import { sqliteStore } from 'holdpoint/store/sqlite';
import { afterEach, describe, expect, it } from 'vitest';
import type { Outside } from '../../src/host/testing-support/demo-agent.ts';
import { demoAgent } from '../../src/host/testing-support/demo-agent.ts';
import { startWire } from './start-wire.ts';

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

/** A proxy that breaks each connection after a number of bytes. */
async function startBreakingWire(port: number) {
  const limits = { breakAfter: Number.POSITIVE_INFINITY, breaks: 0 };
  const wire = await startWire(port, ({ client, end }) => {
    let said = 0;
    return {
      asked() {
        said = 0;
      },
      carry(bytes) {
        const rest = Math.max(0, limits.breakAfter - said);
        said += bytes.length;
        if (bytes.length <= rest) return void client.write(bytes);
        limits.breaks += 1;
        // The limit grows, so that the longest frame arrives in the end.
        limits.breakAfter += 100;
        client.end(bytes.subarray(0, rest), end);
      },
    };
  });
  closers.push(async () => wire.close());
  return Object.assign(wire, { limits });
}

async function startHost(outside: Outside): Promise<number> {
  const store = sqliteStore(':memory:');
  const host = createHost({ logger: false, agents: [demoAgent(outside)], store, sweepMs: 0 });
  const { port, close } = await serve(host, { port: 0 });
  closers.push(() => store.close());
  closers.push(() => close({ withinMs: 100 }));
  return port;
}

async function setUp() {
  const outside = { done: [] as string[] };
  const wire = await startBreakingWire(await startHost(outside));
  const retry = { attempts: 50, baseDelayMs: 1, maxDelayMs: 5 };
  const client = (options: Partial<ClientOptions> = {}) =>
    createClient({ url: `${wire.url}/agents/assistant`, retry, ...options });
  return { outside, wire, client };
}

/** The event types of a run, without repeats in a row. */
async function eventsOf(run: Run): Promise<string[]> {
  const types: string[] = [];
  for await (const { event } of run) types.push(event.type);
  return types;
}

describe('a client of a real host', () => {
  it.each(['1.0', 'draft', 'snake', 'command'] as const)(
    'approves, rejects and answers in the form %s',
    async (dialect) => {
      const { outside, client } = await setUp();
      const one = client({ dialect });
      const asked = await one.run({ threadId: 'a', messages: 'email' }).finished;
      expect(asked.outcome).toBe('interrupt');
      const [interrupt] = asked.interrupts;
      const sent = await one.resume({ threadId: 'a' }, [approve(interrupt!)]).finished;
      expect([sent.outcome, outside.done]).toEqual(['success', ['a@b.c: hello']]);
      const again = await one.run({ threadId: 'b', messages: 'email' }).finished;
      const no = await one.resume({ threadId: 'b' }, [reject(again.interrupts[0]!, 'late')]).finished;
      expect(no.messages.at(-1)?.content).toBe('Result: Tool call invocation rejected. late');
      const first = await one.run({ threadId: 'c', messages: 'onboard' }).finished;
      const second = await one.resume({ threadId: 'c' }, [answer(first.interrupts[0]!, 'Ana')]).finished;
      const done = await one.resume({ threadId: 'c' }, [answer(second.interrupts[0]!, 'pro')]).finished;
      expect(done.messages.at(-1)?.content).toBe('Result: Ana is pro');
      expect(outside.done).toEqual(['a@b.c: hello', 'created Ana']);
    },
  );

  it('continues a stream that breaks repeatedly, without gaps and repeats', async () => {
    const { outside, wire, client } = await setUp();
    const whole = await eventsOf(client().run({ threadId: 'whole', messages: 'both' }));
    wire.limits.breakAfter = 1200;
    const one = client();
    const run = one.run({ threadId: 'broken', messages: 'both' });
    expect(await eventsOf(run)).toEqual(whole);
    const { interrupts } = await run.finished;
    const resume = interrupts.map((interrupt) =>
      interrupt.reason === 'tool_call' ? approve(interrupt) : answer(interrupt, 'red'),
    );
    const { outcome, messages } = await one.resume({ threadId: 'broken' }, resume).finished;
    expect(outcome).toBe('success');
    expect(messages.filter(({ role }) => role === 'tool')).toHaveLength(3);
    expect(wire.limits.breaks).toBeGreaterThan(3);
    expect(outside.done).toEqual(['a@b.c: hello']);
  });

  it('shows the interrupt and the staged answer after a reload, and names the person who answered first', async () => {
    const { outside, client } = await setUp();
    const kept = new Map<string, string>();
    const storage = {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => void kept.set(key, value),
      removeItem: (key: string) => void kept.delete(key),
    };
    const before = client({ storage });
    const { interrupts } = await before.run({ threadId: 't', messages: 'both' }).finished;
    const email = interrupts.find(({ reason }) => reason === 'tool_call')!;
    const choice = interrupts.find(({ reason }) => reason !== 'tool_call')!;
    expect(await before.stage({ threadId: 't' }, [approve(email)])).toMatchObject({ answered: 1, total: 2 });
    const after = client({ storage });
    await after.connect('t').finished;
    expect(after.thread('t').getSnapshot()).toMatchObject({
      interrupts: [email, choice],
      staged: [approve(email)],
    });
    const { outcome } = await after.resume({ threadId: 't' }, [answer(choice, 'blue')]).finished;
    expect([outcome, outside.done]).toEqual(['success', ['a@b.c: hello']]);
    const late = before.resume({ threadId: 't' }, [reject(email), answer(choice, 'blue')]).finished;
    await expect(late).rejects.toMatchObject({ code: 'INTERRUPT_CONFLICT' });
    expect(outside.done).toEqual(['a@b.c: hello']);
  });

  it('shows runs of another client on the thread and answers through the inbox', async () => {
    const { client } = await setUp();
    const [one, other] = [client(), client()];
    const asked = await one.run({ threadId: 't', messages: 'email' }).finished;
    const seen: string[] = [];
    const watching = (async () => {
      for await (const { event } of one.watch('t')) {
        seen.push(event.type);
        if (event.type === 'RUN_FINISHED' && one.thread('t').getSnapshot().interrupts.length === 0) return;
      }
    })();
    const { interrupts } = await other.inbox.list();
    expect(interrupts.map(({ interrupt }) => interrupt.id)).toEqual(asked.interrupts.map(({ id }) => id));
    expect(await other.inbox.answer('t', approve(interrupts[0]!))).toMatchObject({ state: 'continued' });
    await watching;
    expect(seen).toContain('TOOL_CALL_RESULT');
    expect(one.thread('t').getSnapshot().messages.at(-1)?.content).toContain('Result:');
  });

  it('shows messages of other clients and their truncation', async () => {
    const { client } = await setUp();
    const [one, other] = [client(), client()];
    const leaving = new AbortController();
    const watched = (async () => {
      for await (const _update of one.watch('t', { signal: leaving.signal }));
    })();
    const shown = ({ thread }: typeof one) =>
      thread('t')
        .getSnapshot()
        .messages.map(({ role, content }) => [role, content]);
    const { messages } = await other.run({ threadId: 't', messages: 'weather' }).finished;
    await other.run({ threadId: 't', messages: 'hello' }).finished;
    expect(shown(other)).toHaveLength(6);
    await expect.poll(() => shown(one)).toEqual(shown(other));
    const forwardedProps = { holdpoint: { truncateAfter: messages[0]!.id } };
    await other.run({ threadId: 't', forwardedProps }).finished;
    // The cut-off call stays visible as an activity.
    const roles = shown(other).map(([role]) => role);
    expect(roles).toEqual(['user', 'activity', 'assistant', 'tool', 'assistant']);
    await expect.poll(() => shown(one)).toEqual(shown(other));
    leaving.abort();
    await watched;
  });

  it('continues with a host that lost the thread and shows its new state', async () => {
    const { outside, wire, client } = await setUp();
    const [watching, other] = [client(), client()];
    const leaving = new AbortController();
    const watched = (async () => {
      for await (const _update of watching.watch('t', { signal: leaving.signal }));
    })();
    for (const threadId of ['t', 'u']) {
      await other.run({ threadId, messages: 'weather' }).finished;
      await other.run({ threadId, messages: 'weather' }).finished;
    }
    const roles = () =>
      watching
        .thread('t')
        .getSnapshot()
        .messages.map(({ role }) => role);
    await expect.poll(() => roles()).toHaveLength(8);
    wire.port = await startHost(outside);
    wire.breakAll();
    await expect.poll(() => roles()).toEqual([]);
    await watching.run({ threadId: 't', messages: 'weather' }).finished;
    expect(roles()).toEqual(['user', 'assistant', 'tool', 'assistant']);
    const { messages } = await other.run({ threadId: 'u', messages: 'weather' }).finished;
    expect(messages).toHaveLength(12);
    expect(messages.at(-1)?.content).toContain('Result:');
    leaving.abort();
    await watched;
  });

  it('rejects an invalid answer before it is sent, with the same message as the host', async () => {
    const { client, outside } = await setUp();
    const one = client();
    const { interrupts } = await one.run({ threadId: 't', messages: 'choose' }).finished;
    const wrong = one.resume({ threadId: 't' }, [answer(interrupts[0]!, 'green')]).finished;
    await expect(wrong).rejects.toMatchObject({ code: 'ANSWER_INVALID' });
    await expect(one.inbox.answer('t', answer(interrupts[0]!, 'green'))).rejects.toMatchObject({
      code: 'ANSWER_INVALID',
    });
    await expect(one.run({ threadId: 't', messages: 'weather' }).finished).rejects.toMatchObject({
      code: 'INTERRUPTS_PENDING',
    });
    expect(outside.done).toEqual([]);
  });
});
