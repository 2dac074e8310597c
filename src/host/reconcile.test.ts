import { afterEach, describe, expect, it } from 'vitest';
import type { AgentContext } from '../engine/index.ts';
import type { Interrupt, RunAgentInput } from '../protocol/index.ts';
import type { ForeignAgent, Reconciled } from '../runs/index.ts';
import type { Store } from '../store/index.ts';
import { memoryStore } from '../store/memory/index.ts';
import { sqliteStore } from '../store/sqlite/index.ts';
import { createDirectory } from './agent-directory.ts';
import type { Host } from './create-host.ts';
import { createHost } from './create-host.ts';
import type { HostOptions } from './host-options.ts';
import { answer, createGate, createHostClient, eventually } from './testing-support/host-client.ts';
import { startRecheck } from './reconcile.ts';

const hosts: Host[] = [];
afterEach(async () => {
  for (const host of hosts.splice(0)) await host.close({ withinMs: 100 });
});

/** A little more than a minute, because a run estimates the time of the store. */
const MINUTE = 61_000;

/** An agent with a task for each thread, which waits until it is answered here or elsewhere. */
function tasks(rest: Partial<ForeignAgent> = {}) {
  const inputs: RunAgentInput[] = [];
  const contexts: (AgentContext | undefined)[] = [];
  const looks: string[] = [];
  /** The state of its tasks by thread; the default is waiting. */
  const now = new Map<string, 'done' | 'asks' | Reconciled>();
  const agent: ForeignAgent = {
    id: 'assistant',
    async *run(input, context) {
      inputs.push(structuredClone(input));
      contexts.push(context);
      const { threadId, runId, resume } = input;
      const ids = { threadId, runId };
      yield { type: 'RUN_STARTED', ...ids };
      const isOver = resume !== undefined || now.get(threadId) === 'done';
      if (isOver) {
        const said = resume === undefined ? 'Settled elsewhere.' : `Told ${JSON.stringify(resume)}`;
        yield { type: 'TEXT_MESSAGE_CHUNK', messageId: `m${inputs.length}`, role: 'assistant', delta: said };
        yield { type: 'RUN_FINISHED', ...ids };
        return;
      }
      const asked = now.get(threadId) === 'asks' ? 'q2' : 'q1';
      const interrupts = [{ id: asked, reason: 'input_required', message: `${asked}?` }];
      yield { type: 'RUN_FINISHED', ...ids, outcome: { type: 'interrupt', interrupts } };
    },
    async reconcile({ id }, { thread }) {
      looks.push(`${thread} ${id}`);
      const doing = now.get(thread) ?? 'waiting';
      if (doing === 'done') return 'taken';
      if (doing === 'asks') return id === 'q2' ? 'waiting' : 'taken';
      return doing;
    },
    ...rest,
  };
  return { agent, inputs, contexts, looks, now };
}

function world(create: (options: { clock: { now: () => number } }) => Store = memoryStore) {
  let time = 1_700_000_000_000;
  const store = create({ clock: { now: () => time } });
  const hostOf = (agent: ForeignAgent, options: Partial<HostOptions> = {}) => {
    const warnings: object[] = [];
    const logger = {
      error: () => {},
      // Only warnings about a thread; the host also warns about missing authentication.
      warn: (details: object) => void ('thread' in details && warnings.push(details)),
      info: () => {},
    };
    const host = createHost({ agents: [agent], store, sweepMs: 0, logger, ...options });
    hosts.push(host);
    const client = createHostClient(host.fetch);
    /** The stored status of the thread. */
    const status = async (thread = 't') =>
      (await store.get('threads', [{ scope: 'default', thread, id: '' }]))[0]?.index.status;
    const historyOf = async (id: string, thread = 't') =>
      (await client.get(`/threads/${thread}/interrupts/${id}/history`)).body.history as {
        what: string;
        by?: string;
        reason?: string;
      }[];
    return { host, client, warnings, status, historyOf };
  };
  return {
    store,
    hostOf,
    pass: (milliseconds: number) => {
      time += milliseconds;
    },
  };
}

describe.each([
  ['memory', memoryStore],
  ['sqlite', (options: { clock: { now: () => number } }) => sqliteStore(':memory:', options)],
] as const)('an open interrupt of an agent with reconcile, over %s', (_name, create) => {
  it('an open interrupt is withdrawn when the agent went on, and the thread shows the end', async () => {
    const { hostOf, pass } = world(create);
    const { agent, inputs, contexts, now } = tasks();
    const { host, client, status, historyOf } = hostOf(agent);
    await client.run({ say: 'go' });
    const watched = await client.watch('t');
    await watched.until('RUN_FINISHED');
    now.set('t', 'done');
    pass(MINUTE);
    await host.sweep();
    const frames = await watched.until('RUN_FINISHED');
    await watched.close();
    expect(frames.map(({ event }) => event.type)).toContain('TEXT_MESSAGE_CONTENT');
    await eventually(async () => (await status()) === 'idle');
    expect(inputs).toHaveLength(2);
    expect(inputs[1]?.resume).toBeUndefined();
    expect(contexts[1]?.recovers).toBe(true);
    expect((await client.get('/interrupts')).body.interrupts).toEqual([]);
    expect(await historyOf('q1')).toMatchObject([
      { what: 'raised' },
      { what: 'withdrawn', by: 'assistant', reason: 'The agent no longer waits for an answer.' },
    ]);
    const late = await client.post('/threads/t/interrupts/q1/answer', { status: 'resolved', payload: 'x' });
    expect([late.status, late.body.error.code]).toEqual([409, 'INTERRUPT_CONFLICT']);
    expect((await client.run({ say: 'and now?' })).outcome).toBe('success');
  });

  it('an open interrupt is replaced by the next request of the agent', async () => {
    const { hostOf, pass } = world(create);
    const { agent, inputs, now } = tasks();
    const { host, client } = hostOf(agent);
    await client.run({ say: 'go' });
    now.set('t', 'asks');
    pass(MINUTE);
    await host.sweep();
    await eventually(async () => {
      const { body } = await client.get('/interrupts');
      return body.interrupts.length === 1 && body.interrupts[0].interrupt.id === 'q2';
    });
    const told = await client.run({ resume: [answer({ id: 'q2', reason: '' }, 'yes')] });
    expect(told.outcome).toBe('success');
    expect(inputs.map(({ resume }) => resume?.length)).toEqual([undefined, undefined, 1]);
  });

  it('an open interrupt is withdrawn once and continues once, with two hosts', async () => {
    const { hostOf, pass } = world(create);
    const both = createGate();
    const looking: string[] = [];
    const { agent, inputs, now } = tasks();
    const meet: ForeignAgent = {
      ...agent,
      async reconcile(interrupt) {
        looking.push(interrupt.id);
        if (looking.length === 2) both.open();
        await both.opened;
        return 'taken';
      },
    };
    const [first, second] = [hostOf(meet), hostOf(meet)];
    await first.client.run({ say: 'go' });
    now.set('t', 'done');
    pass(MINUTE);
    await Promise.all([first.host.sweep(), second.host.sweep()]);
    await eventually(async () => (await first.status()) === 'idle');
    await Promise.all([first.host.sweep(), second.host.sweep()]);
    expect(looking).toHaveLength(2);
    expect(inputs).toHaveLength(2);
    expect((await second.historyOf('q1')).map(({ what }) => what)).toEqual(['raised', 'withdrawn']);
  });

  it('continues on another host if the one that withdrew it is gone', async () => {
    const { hostOf, store, pass } = world(create);
    const { agent, inputs, now } = tasks();
    const { host, client, status } = hostOf(agent);
    await client.run({ say: 'go' });
    now.set('t', 'done');
    pass(MINUTE);
    const gone = startRecheck({
      store,
      agents: createDirectory([agent]),
      everyMs: 0,
      recheckMs: 60_000,
      goOn: async () => undefined,
      onDropped: () => undefined,
      onError: () => undefined,
    });
    await gone.look();
    await gone.stop();
    expect([await status(), inputs.length]).toEqual(['ready', 1]);
    pass(1);
    await host.sweep();
    await eventually(async () => (await status()) === 'idle');
    expect(inputs).toHaveLength(2);
  });

  it('disappears from the live inbox', async () => {
    const { hostOf, pass } = world(create);
    const { agent, now } = tasks();
    const { host, client } = hostOf(agent);
    await client.run({ say: 'go' });
    const { body } = await host.fetch(new Request('http://127.0.0.1/interrupts/events'));
    const reader = body!.pipeThrough(new TextDecoderStream()).getReader();
    const until = async (text: string) => {
      for (let read = ''; !read.includes(text); read += (await reader.read()).value ?? '');
    };
    await until('"id":"q1"');
    now.set('t', 'done');
    pass(MINUTE);
    await host.sweep();
    await until('"interrupts":[]');
    await reader.cancel();
  });

  it('an open interrupt that a person answers during the check is answered, and the agent gets the answer once', async () => {
    const { hostOf, pass } = world(create);
    const [asked, said] = [createGate(), createGate()];
    const { agent, inputs } = tasks({
      async reconcile() {
        asked.open();
        await said.opened;
        return 'taken';
      },
    });
    const { host, client, status, historyOf } = hostOf(agent);
    await client.run({ say: 'go' });
    pass(MINUTE);
    const sweeping = host.sweep();
    await asked.opened;
    await client.post('/threads/t/interrupts/q1/answer', { status: 'resolved', payload: 'mine' });
    said.open();
    await sweeping;
    await eventually(async () => (await status()) === 'idle');
    expect(inputs.slice(1).map(({ resume }) => resume)).toMatchObject([[{ payload: 'mine' }]]);
    expect((await historyOf('q1')).map(({ what }) => what)).toEqual([
      'raised',
      'staged',
      'claimed',
      'settled',
    ]);
  });
});

describe('an open interrupt stays unchanged', () => {
  it.each(['waiting', 'consumed', 'unknown'] as const)('if the agent says %s', async (says) => {
    const { hostOf, pass } = world();
    const { agent, inputs, now, looks } = tasks();
    const { host, client, status } = hostOf(agent);
    await client.run({ say: 'go' });
    now.set('t', says);
    pass(MINUTE);
    await host.sweep();
    expect(looks).toEqual(['t q1']);
    expect([await status(), inputs.length]).toEqual(['waiting', 1]);
  });

  it('an open interrupt stays unchanged if the agent fails, and it is checked again', async () => {
    const { hostOf, pass } = world();
    let fails = true;
    const { agent, now } = tasks();
    const flaky: ForeignAgent = {
      ...agent,
      async reconcile(...given) {
        if (fails) throw new Error('down');
        return (await agent.reconcile?.(...given)) ?? 'unknown';
      },
    };
    const { host, client, status, warnings } = hostOf(flaky);
    await client.run({ say: 'go' });
    now.set('t', 'done');
    pass(MINUTE);
    await host.sweep();
    expect(warnings).toMatchObject([{ thread: 't', err: { message: 'down' } }]);
    expect(await status()).toBe('waiting');
    fails = false;
    pass(MINUTE);
    await host.sweep();
    await eventually(async () => (await status()) === 'idle');
  });

  it('an open interrupt stays unchanged if the agent hangs, and other checks are not delayed', async () => {
    const { hostOf, store, pass } = world();
    const stuck = tasks({ id: 'stuck', reconcile: () => new Promise(() => {}) });
    const quick = tasks({ id: 'quick' });
    const { client, status } = hostOf(stuck.agent, { agents: [stuck.agent, quick.agent] });
    await client.run({ agent: 'stuck', thread: 'one', say: 'go' });
    await client.run({ agent: 'quick', thread: 'two', say: 'go' });
    pass(MINUTE);
    const errors: unknown[] = [];
    const recheck = startRecheck({
      store,
      agents: createDirectory([stuck.agent, quick.agent]),
      everyMs: 0,
      recheckMs: 60_000,
      limitMs: 30,
      goOn: async () => undefined,
      onDropped: () => undefined,
      onError: (error) => errors.push(error),
    });
    const looking = recheck.look();
    await eventually(() => quick.looks.length === 1);
    pass(MINUTE);
    void recheck.look();
    await eventually(() => quick.looks.length === 2);
    await looking;
    expect(errors).toMatchObject([{ code: 'TOOL_FAILED' }]);
    expect(await status('one')).toBe('waiting');
    await recheck.stop();
  });

  it('an open interrupt stays unchanged if the host closes meanwhile, without waiting for the agent', async () => {
    const { hostOf, pass } = world();
    const asked = createGate();
    const { agent } = tasks({
      reconcile: () => {
        asked.open();
        return new Promise(() => {});
      },
    });
    const { host, client, warnings } = hostOf(agent);
    await client.run({ say: 'go' });
    pass(MINUTE);
    const sweeping = host.sweep();
    await asked.opened;
    await host.close({ withinMs: 0 });
    await sweeping;
    expect(warnings).toEqual([]);
  });

  it('an open interrupt stays unchanged if it is about an answer in doubt', async () => {
    const { hostOf, pass } = world();
    const { agent, now, inputs, looks } = tasks();
    const hung = createGate();
    const hangs: ForeignAgent = {
      ...agent,
      async *run(input, context) {
        if (input.resume === undefined) yield* agent.run(input, context) as AsyncIterable<unknown>;
        hung.open();
        await new Promise(() => {});
      },
    };
    const first = hostOf(hangs);
    const { interrupts } = await first.client.run({ say: 'go' });
    await first.client.open({ resume: [answer(interrupts[0], 'x')] });
    await hung.opened;
    await first.host.close({ withinMs: 0 });
    now.set('t', 'unknown');
    pass(MINUTE);
    const second = hostOf(agent);
    await second.host.sweep();
    await eventually(async () => (await second.status()) === 'waiting');
    const before = looks.length;
    now.set('t', 'done');
    pass(MINUTE);
    await second.host.sweep();
    expect((await second.client.run({ path: '/connect' })).interrupts).toMatchObject([
      { reason: 'error_recovery' },
    ]);
    expect([inputs.length, looks.length - before]).toEqual([1, 0]);
  });
});

describe('the interval of checks', () => {
  it('the interval of checks is one minute, from the first minute on', async () => {
    const { hostOf, pass } = world();
    const { agent, looks } = tasks();
    const { host, client } = hostOf(agent);
    await client.run({ say: 'go' });
    const counts: number[] = [];
    for (const step of [0, 58_000, 3000, 58_000, 3000]) {
      pass(step);
      await host.sweep();
      counts.push(looks.length);
    }
    expect(counts).toEqual([0, 0, 1, 1, 2]);
  });

  it('the interval of checks can be set by the host; 0 disables checks', async () => {
    const { hostOf, pass } = world();
    const { agent, looks } = tasks();
    const seldom = hostOf(agent, { interrupts: { recheckMs: 300_000 } });
    const never = hostOf(agent, { interrupts: { recheckMs: 0 } });
    await seldom.client.run({ say: 'go' });
    pass(4 * MINUTE);
    await Promise.all([seldom.host.sweep(), never.host.sweep()]);
    expect(looks).toEqual([]);
    pass(MINUTE);
    await never.host.sweep();
    expect(looks).toEqual([]);
    await seldom.host.sweep();
    expect(looks).toEqual(['t q1']);
  });

  it('the interval of checks can be set by the agent for each interrupt', async () => {
    const { hostOf, pass } = world();
    const seen: Interrupt[] = [];
    const { agent, looks, now } = tasks({
      recheckMs(interrupt) {
        seen.push(interrupt);
        return interrupt.id === 'q2' ? 5000 : undefined;
      },
    });
    const { host, client } = hostOf(agent);
    await client.run({ thread: 'slow', say: 'go' });
    now.set('fast', 'asks');
    await client.run({ thread: 'fast', say: 'go' });
    for (let second = 0; second < 62; second += 1) {
      pass(1000);
      await host.sweep();
    }
    expect(looks.filter((look) => look === 'fast q2')).toHaveLength(12);
    expect(looks.filter((look) => look === 'slow q1')).toHaveLength(1);
    expect(seen[0]).toMatchObject({ id: 'q1', message: 'q1?' });
  });

  it('covers a few interrupts per sweep in turn, and a new host starts with the oldest', async () => {
    const { hostOf, pass } = world();
    const { agent, looks, now } = tasks();
    const first = hostOf(agent);
    const threads = Array.from({ length: 23 }, (_, index) => `t${index}`);
    for (const thread of threads) {
      await first.client.run({ thread, say: 'go' });
      pass(1000);
    }
    await first.host.close();
    pass(MINUTE);
    const { host, client } = hostOf(agent);
    const asked: number[] = [];
    for (let sweep = 0; sweep < 4; sweep += 1) {
      await host.sweep();
      asked.push(looks.length);
    }
    expect(asked).toEqual([10, 20, 23, 23]);
    expect(looks).toEqual(threads.map((thread) => `${thread} q1`));
    for (const thread of threads) now.set(thread, 'done');
    pass(MINUTE);
    for (let sweep = 0; sweep < 3; sweep += 1) await host.sweep();
    await eventually(async () => (await client.get('/interrupts')).body.interrupts.length === 0);
  });

  it('goes page by page through many threads', async () => {
    const { hostOf, pass } = world();
    const { agent, looks } = tasks();
    const { host, client } = hostOf(agent);
    for (let index = 0; index < 105; index += 1) {
      await client.run({ thread: `t${index}`, say: 'go' });
    }
    pass(MINUTE);
    for (let sweep = 0; sweep < 20; sweep += 1) await host.sweep();
    expect(new Set(looks).size).toBe(105);
    expect(looks).toHaveLength(105);
  });
});

describe('several interrupts of one run', () => {
  /** Raises two interrupts; `taken` are those that were answered elsewhere. */
  function pair(taken: ReadonlySet<string>, onLook: (id: string) => void = () => undefined) {
    const resumes: unknown[] = [];
    const agent: ForeignAgent = {
      id: 'assistant',
      async *run({ threadId, runId, resume }) {
        yield { type: 'RUN_STARTED', threadId, runId };
        resumes.push(resume?.map(({ interruptId }) => interruptId));
        const interrupts = ['a', 'b'].map((id) => ({ id, reason: 'input_required' }));
        const outcome = resumes.length === 1 ? { type: 'interrupt', interrupts } : { type: 'success' };
        yield { type: 'RUN_FINISHED', threadId, runId, outcome };
      },
      async reconcile({ id }) {
        const state = taken.has(id) ? 'taken' : 'waiting';
        onLook(id);
        return state;
      },
    };
    return { agent, resumes };
  }
  const open = async (client: ReturnType<typeof createHostClient>) =>
    ((await client.get('/interrupts')).body.interrupts as { interrupt: Interrupt }[]).map(
      ({ interrupt }) => interrupt.id,
    );

  it('several interrupts of one run are handled separately: one that was settled elsewhere is withdrawn, the other is answered here', async () => {
    const { hostOf, pass } = world();
    const { agent, resumes } = pair(new Set(['a']));
    const { host, client } = hostOf(agent);
    await client.run({ say: 'go' });
    pass(MINUTE);
    await host.sweep();
    expect(await open(client)).toEqual(['b']);
    const told = await client.run({ resume: [answer({ id: 'b', reason: '' }, 'yes')] });
    expect([told.outcome, resumes]).toEqual(['success', [undefined, ['b']]]);
  });

  it('several interrupts of one run are withdrawn together if the agent goes on during the check, with a staged answer', async () => {
    const { hostOf, pass } = world();
    const taken = new Set<string>();
    const { agent, resumes } = pair(taken, (id) => {
      if (id === 'a') for (const each of ['a', 'b']) taken.add(each);
    });
    const { host, client, status, historyOf } = hostOf(agent);
    await client.run({ say: 'go' });
    await client.post('/threads/t/interrupts/a/answer', { status: 'resolved', payload: 'early' });
    pass(MINUTE);
    await host.sweep();
    await eventually(async () => (await status()) === 'idle');
    expect(resumes).toEqual([undefined, undefined]);
    expect((await historyOf('a')).map(({ what }) => what)).toEqual(['raised', 'staged', 'withdrawn']);
  });

  it('several interrupts of one run that were asked again are checked under the ids of the agent', async () => {
    const { hostOf, pass } = world();
    const seen: string[] = [];
    const { agent } = pair(new Set(), (id) => seen.push(id));
    const { host, client } = hostOf(agent);
    await client.run({ say: 'go' });
    await client.post('/threads/t/interrupts/a/ask-again');
    pass(MINUTE);
    await host.sweep();
    expect(seen.toSorted()).toEqual(['a', 'b']);
  });
});
