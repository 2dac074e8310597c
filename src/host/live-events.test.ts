import { HttpAgent } from '@ag-ui/client';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, it } from 'vitest';
import { defineTool } from '../engine/index.ts';
import type { RunAgentInput } from '../protocol/index.ts';
import type { GeneratingAgent } from '../runs/index.ts';
import { defineAgent } from '../runs/index.ts';
import type { Store } from '../store/index.ts';
import { memoryStore } from '../store/memory/index.ts';
import { sqliteStore } from '../store/sqlite/index.ts';
import { scriptedModel } from '../testing/index.ts';
import { createHost } from './create-host.ts';
import type { HostOptions } from './host-options.ts';
import { demoAgent } from './testing-support/demo-agent.ts';
import type { Frame, Gate } from './testing-support/host-client.ts';
import {
  answer,
  approve,
  createGate,
  createHostClient,
  eventually,
  summarize,
} from './testing-support/host-client.ts';
import { serveHost } from './testing-support/serve-host.ts';

const closers: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

function setUp(store: Store, options: Partial<HostOptions> = {}) {
  const outside = { done: [] as string[] };
  const host = createHost({ logger: false, agents: [demoAgent(outside)], store, sweepMs: 0, ...options });
  closers.push(() => host.close({ withinMs: 100 }));
  return { host, outside, store, client: createHostClient(host.fetch) };
}

/** Two views of one store, as in two processes. */
const PAIRS: Readonly<Record<string, () => readonly [Store, Store]>> = {
  memory: () => {
    const store = memoryStore();
    return [store, store];
  },
  sqlite: () => {
    const folder = mkdtempSync(join(tmpdir(), 'holdpoint-live-'));
    const [one, other] = [1, 2].map(() =>
      sqliteStore(join(folder, 'db'), { pollIntervalMs: 5, synchronous: 'NORMAL' }),
    ) as [Store, Store];
    closers.push(async () => {
      await one.close();
      await other.close();
      rmSync(folder, { recursive: true });
    });
    return [one, other];
  },
};

const idsOf = (frames: readonly Frame[]) => frames.map(({ id }) => id);

describe.each(Object.entries(PAIRS))('the events of a thread, over %s', (_name, pair) => {
  it('the events of a thread come from any position without gaps and repeats, from any host of the store', async () => {
    const [one, other] = pair();
    const first = setUp(one);
    const second = setUp(other);
    await first.client.run({ say: 'weather' });
    const asked = await first.client.run({ say: 'both' });
    await first.client.run({ resume: [approve(asked.interrupts[0]), answer(asked.interrupts[1], 'red')] });
    const whole: Frame[] = [];
    const watched = await first.client.watch('t', 0);
    for (let run = 0; run < 3; run += 1) whole.push(...(await watched.until('RUN_FINISHED')));
    await watched.close();
    expect(idsOf(whole)).toEqual(whole.map((_, index) => index + 1));
    summarize(whole, []);
    for (const { client } of [first, second]) {
      for (let place = 0; place < whole.length; place += 1) {
        const stream = await client.watch('t', place);
        for (const frame of whole.slice(place)) expect(await stream.next()).toEqual(frame);
        await stream.close();
      }
    }
  });

  it('reach a reader that reconnects during the run', async () => {
    const [one, other] = pair();
    const gates = Array.from({ length: 12 }, createGate);
    const agent = stepByStep(gates);
    const first = setUp(one, { agents: { assistant: agent } });
    const second = setUp(other, { agents: { assistant: agent } });
    const own = await first.client.open({ say: 'go' });
    const seen: Frame[] = [];
    let stream = await second.client.watch('t', 0);
    const begin = await stream.next();
    seen.push(begin!);
    for (const [index, gate] of gates.entries()) {
      gate.open();
      // Disconnects after each event and reconnects to another host.
      await stream.close();
      stream = await (index % 2 === 0 ? first : second).client.watch('t', seen.at(-1)!.id);
      seen.push((await stream.next())!);
    }
    seen.push(...(await stream.until('RUN_FINISHED')));
    await stream.close();
    expect(seen).toEqual(await own.rest());
    expect(summarize(seen, []).outcome).toBe('success');
  });

  it.each(['ours', 'foreign'])(
    'start with the new messages, for an agent that is %s, and with nothing else of the input',
    async (whose) => {
      const [one, other] = pair();
      const agents = whose === 'ours' ? {} : { agents: { assistant: stepByStep([]) } };
      const first = setUp(one, agents);
      const second = setUp(other, agents);
      const watched = await second.client.watch('t', 0);
      const context = [{ description: 'private', value: 'private' }];
      const tools = [{ name: 'private', description: 'private', parameters: {} }];
      const rest = { context, tools, state: { private: 1 }, forwardedProps: { private: 1 } };
      await first.client.run({ say: 'hello', messageId: 'm1', rest });
      const frames = await watched.until('RUN_FINISHED');
      await watched.close();
      expect(frames[0]?.event).toMatchObject({
        type: 'RUN_STARTED',
        input: {
          messages: [{ id: 'm1', role: 'user', content: 'hello' }],
          tools: [],
          context: [],
          state: {},
        },
      });
      expect(JSON.stringify(frames[0])).not.toContain('private');
      expect(summarize(frames, []).messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
    },
  );

  it('the events of a run in another process are read to its end', async () => {
    const [one, other] = pair();
    const gates = [createGate()];
    const agents = { assistant: stepByStep(gates) };
    const first = setUp(one, { agents });
    const second = setUp(other, { agents });
    const own = await first.client.open({ say: 'go' });
    await own.until('RUN_STARTED');
    const beside = await second.client.open({ path: '/connect' });
    const asIs = await beside.until('RUN_FINISHED');
    gates[0]!.open();
    const told = summarize([...asIs, ...(await beside.rest())], []);
    expect(told.types.slice(0, 5)).toEqual([
      'RUN_STARTED',
      'STATE_SNAPSHOT',
      'MESSAGES_SNAPSHOT',
      'RUN_FINISHED',
      'RUN_STARTED',
    ]);
    expect(told.types.at(-1)).toBe('RUN_FINISHED');
    expect(told.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
  });
});

/** An agent that sends one message for each opened gate. */
function stepByStep(gates: readonly Gate[]) {
  return async function* ({ threadId, runId }: RunAgentInput) {
    yield { type: 'RUN_STARTED', threadId, runId };
    yield { type: 'TEXT_MESSAGE_START', messageId: `m-${runId}`, role: 'assistant' };
    for (const [index, { opened }] of gates.entries()) {
      await opened;
      yield { type: 'TEXT_MESSAGE_CONTENT', messageId: `m-${runId}`, delta: `${index} ` };
    }
    yield { type: 'TEXT_MESSAGE_END', messageId: `m-${runId}` };
    yield { type: 'RUN_FINISHED', threadId, runId };
  };
}

/** An agent that counts in the state twice and waits before it says so. */
function counting(gate: Gate): GeneratingAgent {
  const count = defineTool({
    name: 'count',
    description: 'Counts.',
    input: { type: 'object' },
    run: (_input, { emit, state }) => {
      if (state !== undefined && JSON.stringify(state) === '{}') {
        emit.state([{ op: 'add', path: '/list', value: [] }]);
      }
      emit.state([{ op: 'add', path: '/list/-', value: 'one more' }]);
      return 'counted';
    },
  });
  const model = scriptedModel(({ messages }) => {
    const results = messages.filter(({ role }) => role === 'tool').length;
    return results < 2
      ? { text: `Count ${results}.`, calls: [{ id: `c${results}`, name: 'count' }] }
      : 'Done.';
  });
  return defineAgent({
    id: 'assistant',
    tools: [count],
    model: {
      ...model,
      async *stream(request) {
        if (request.messages.filter(({ role }) => role === 'tool').length === 2) await gate.opened;
        yield* model.stream(request);
      },
    },
  });
}

describe('a new reader during a run', () => {
  async function setOff() {
    const gate = createGate();
    const store = memoryStore();
    const { host, client } = setUp(store, { agents: [counting(gate)] });
    const own = await client.open({ say: 'go' });
    // Both calls are done and stored, and the model works.
    await eventually(async () => (await client.get('/threads/t')).body.messages.length >= 5);
    return { gate, host, client, own, store };
  }
  const conversation = [
    ['user', 'go'],
    ['assistant', 'Count 0.'],
    ['tool', 'counted'],
    ['assistant', 'Count 1.'],
    ['tool', 'counted'],
    ['assistant', 'Done.'],
  ];

  it('sees everything once, by connect', async () => {
    const { gate, client } = await setOff();
    const beside = await client.open({ path: '/connect' });
    const frames = await beside.until('RUN_FINISHED');
    gate.open();
    frames.push(...(await beside.rest()));
    const told = summarize(frames, []);
    expect(told.messages.map(({ role, content }) => [role, content])).toEqual(conversation);
    expect(told.state).toEqual({ list: ['one more', 'one more'] });
    const later = await client.run({ path: '/connect' });
    expect([later.messages, later.state]).toEqual([told.messages, told.state]);
  });

  it('sees everything once, by live events', async () => {
    const { gate, client } = await setOff();
    const watched = await client.watch('t');
    const frames = await watched.until('RUN_FINISHED');
    gate.open();
    frames.push(...(await watched.until('RUN_FINISHED')));
    await watched.close();
    const told = summarize(frames, []);
    expect(told.messages.map(({ role, content }) => [role, content])).toEqual(conversation);
    expect(told.state).toEqual({ list: ['one more', 'one more'] });
  });

  it('sees everything once, with the official client', async () => {
    const { gate, host } = await setOff();
    const served = await serveHost(host);
    closers.push(() => served.close());
    const agent = new HttpAgent({ url: `${served.url}/agents/assistant/connect`, threadId: 't' });
    let begun = 0;
    await agent.runAgent(
      {},
      {
        onRunStartedEvent: () => {
          begun += 1;
          if (begun === 2) gate.open();
        },
      },
    );
    expect(agent.messages.map(({ role, content }) => [role, content])).toEqual(conversation);
    expect(agent.state).toEqual({ list: ['one more', 'one more'] });
  });

  it('follows the run, with a run request without news', async () => {
    const { gate, client, own } = await setOff();
    const beside = client.run({});
    gate.open();
    const told = await beside;
    expect(told.messages.map(({ role, content }) => [role, content])).toEqual(conversation);
    expect((await own.rest()).filter(({ event }) => event.type === 'RUN_STARTED')).toHaveLength(1);
  });
});

describe('reading a thread', () => {
  it('runs and changes nothing, by connect and by a run without news', async () => {
    const store = memoryStore();
    const { client } = setUp(store);
    const empty = await client.run({ path: '/connect', thread: 'never' });
    expect([empty.outcome, empty.messages, empty.state]).toEqual(['success', [], {}]);
    const asked = await client.run({ say: 'email' });
    const key = { scope: 'default', thread: 't' };
    const before = [
      await store.get('threads', [{ ...key, id: '' }]),
      await store.read({ log: 'events', ...key }),
      (await store.list({ table: 'runs', scope: 'default' })).rows,
    ];
    for (const ask of [{ path: '/connect' }, {}, { messages: asked.messages }]) {
      const shown = await client.run(ask);
      expect(shown.interrupts).toEqual(asked.interrupts);
      expect(shown.messages).toEqual(asked.messages);
    }
    expect([
      await store.get('threads', [{ ...key, id: '' }]),
      await store.read({ log: 'events', ...key }),
      (await store.list({ table: 'runs', scope: 'default' })).rows,
    ]).toEqual(before);
  });

  it('shows only unanswered interrupts', async () => {
    const { client } = setUp(memoryStore());
    const { interrupts } = await client.run({ say: 'both' });
    await client.post(`/threads/t/interrupts/${interrupts[1]?.id}/answer`, {
      status: 'resolved',
      payload: 'red',
    });
    expect((await client.run({ path: '/connect' })).interrupts).toEqual([interrupts[0]]);
    expect((await client.get('/threads/t')).body.interrupts).toEqual([interrupts[0]]);
  });
});

describe('removed events', () => {
  it('removed events are replaced by snapshots for a reader that reconnects, and later events follow', async () => {
    const store = memoryStore();
    const { client, host } = setUp(store, { keepEventsMs: 0 });
    const told = await client.run({ say: 'weather' });
    const key = { scope: 'default', thread: 't' };
    await host.sweep();
    expect(await store.read({ log: 'events', ...key })).toEqual([]);
    const stream = await client.watch('t', 2);
    const frames = await stream.until('RUN_FINISHED');
    expect(frames.map(({ event }) => event.type)).toEqual([
      'RUN_STARTED',
      'STATE_SNAPSHOT',
      'MESSAGES_SNAPSHOT',
      'RUN_FINISHED',
    ]);
    expect(summarize(frames, []).messages).toEqual(told.messages);
    const place = frames.at(-1)!.id!;
    const run = client.run({ say: 'hello' });
    const next = await stream.until('RUN_FINISHED');
    await stream.close();
    expect(idsOf(next)).toEqual(next.map((_, index) => place + 1 + index));
    expect((await run).frames).toEqual(next);
  });

  it('under a slow reader are replaced by snapshots, and it continues from there', async () => {
    const store = memoryStore();
    const { client, host } = setUp(store, { agents: { assistant: chatter }, keepEventsMs: 0 });
    const own = await client.open({ say: 'go' });
    const stream = await client.watch('t', 0);
    await stream.next();
    const key = { scope: 'default', thread: 't' };
    await eventually(async () => (await client.get('/threads/t')).body.status === 'idle');
    await host.sweep();
    expect(await store.read({ log: 'events', ...key })).toEqual([]);
    const next = client.run({ say: 'again' });
    const rest = await stream.until('MESSAGES_SNAPSHOT');
    expect(rest.length).toBeLessThan(EVENTS);
    await stream.until('RUN_FINISHED');
    await stream.close();
    await next;
    // The client of the run learns that events are missing.
    const broken = await own.rest();
    expect(broken.at(-1)?.event).toMatchObject({ type: 'RUN_ERROR', code: 'RUN_LOST' });
  });

  it('removed events are those of runs that ended long enough ago, whatever their agent and outcome', async () => {
    let now = 1_700_000_000_000;
    const store = memoryStore({ clock: { now: () => now } });
    const first = setUp(store);
    await first.client.run({ thread: 'over', say: 'hello' });
    await first.client.run({ thread: 'waits', say: 'email' });
    await first.client.run({ thread: 'failed', say: 'fail' });
    await first.host.close({ withinMs: 0 });
    const left = async () => {
      const logs = ['over', 'waits', 'failed', 'fresh'].map((thread) =>
        store.read({ log: 'events', scope: 'default', thread }),
      );
      return (await Promise.all(logs)).map((events) => events.length > 0);
    };
    // As after a restart, without the process that ran them.
    const { host, client } = setUp(store);
    now += 590_000;
    await host.sweep();
    expect(await left()).toEqual([true, true, true, false]);
    await client.run({ thread: 'fresh', say: 'hello' });
    now += 70_000;
    await host.sweep();
    expect(await left()).toEqual([false, false, false, true]);
    expect((await client.run({ thread: 'waits', path: '/connect' })).outcome).toBe('interrupt');
    expect((await client.get('/threads?status=idle')).body.threads).toHaveLength(3);
    now += 600_000;
    await host.sweep();
    expect(await left()).toEqual([false, false, false, false]);
  });

  it('events are removed from a bounded number of threads at a time, and from all in the end', async () => {
    const store = memoryStore();
    const { host, client } = setUp(store, { keepEventsMs: 0 });
    const threads = Array.from({ length: 210 }, (_, n) => `t${n}`);
    for (const thread of threads) await client.run({ thread, say: 'hello' });
    const left = async () =>
      (await store.list({ table: 'threads', status: ['idle'], limit: 1000 })).rows.length;
    await host.sweep();
    expect(await left()).toBe(10);
    await host.sweep();
    expect(await left()).toBe(0);
    expect((await client.get('/threads?limit=500')).body.threads).toHaveLength(210);
  });

  it('removed events are replaced by snapshots for a position that never existed', async () => {
    const { client } = setUp(memoryStore());
    await client.run({ say: 'hello' });
    const stream = await client.watch('t', 1_000_000);
    expect((await stream.until('RUN_FINISHED')).map(({ event }) => event.type)).toContain(
      'MESSAGES_SNAPSHOT',
    );
    await stream.close();
  });
});

describe('a lost run', () => {
  it('ends with RUN_LOST for its readers and continues as another run', async () => {
    let now = 1_700_000_000_000;
    const store = memoryStore({ clock: { now: () => now } });
    let isHanging = true;
    const model = scriptedModel(['Hello.']);
    const agent = defineAgent({
      id: 'assistant',
      model: {
        ...model,
        async *stream(request) {
          if (isHanging) {
            yield { type: 'text', delta: 'Hel' };
            await new Promise(() => {});
          }
          yield* model.stream(request);
        },
      },
    });
    const first = setUp(store, { agents: [agent] });
    const own = await first.client.open({ say: 'go' });
    await own.until('TEXT_MESSAGE_CONTENT');
    const second = setUp(store, { agents: [agent] });
    const watched = await second.client.watch('t', 0);
    await watched.until('TEXT_MESSAGE_CONTENT');
    await first.host.close({ withinMs: 0 });
    now += 60_000;
    isHanging = false;
    await second.host.sweep();
    const lost = await watched.until('RUN_ERROR');
    expect(lost.at(-1)?.event).toMatchObject({ code: 'RUN_LOST' });
    const next = await watched.until('RUN_FINISHED');
    await watched.close();
    expect(next[0]?.event.type).toBe('RUN_STARTED');
    const shown = await second.client.run({ path: '/connect' });
    expect(shown.messages.map(({ role, content }) => [role, content])).toEqual([
      ['user', 'go'],
      ['assistant', 'Hello.'],
    ]);
  });

  it('a lost run is reported as lost to its own client, not as a success', async () => {
    const store = memoryStore();
    const broken: Store = {
      ...store,
      commit: async (batch) => {
        const ends = (batch.puts ?? []).some(
          ({ table, doc }) => table === 'runs' && doc['status'] === 'success',
        );
        if (ends) throw new Error('no space left');
        return store.commit(batch);
      },
    };
    const { client } = setUp(broken);
    const told = await client.run({ say: 'hello' });
    expect(told.error).toMatchObject({ code: 'RUN_LOST' });
    expect(JSON.stringify(told.frames)).not.toContain('no space');
  });
});

const EVENTS = 6000;

async function* chatter({ threadId, runId }: RunAgentInput) {
  yield { type: 'RUN_STARTED', threadId, runId };
  yield { type: 'TEXT_MESSAGE_START', messageId: 'm', role: 'assistant' };
  for (let n = 0; n < EVENTS; n += 1) {
    yield { type: 'TEXT_MESSAGE_CONTENT', messageId: 'm', delta: `${n} ${'x'.repeat(1000)}` };
    if (n % 200 === 0) {
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
    }
  }
  yield { type: 'TEXT_MESSAGE_END', messageId: 'm' };
  yield { type: 'RUN_FINISHED', threadId, runId };
}

describe('a slow reader', () => {
  it('does not delay the run and gets everything in the end', async () => {
    const { client } = setUp(memoryStore(), { agents: { assistant: chatter } });
    const own = await client.open({ say: 'go' });
    await own.next();
    await eventually(async () => (await client.get('/threads/t')).body.status === 'idle');
    const frames = await own.rest();
    expect(frames).toHaveLength(EVENTS + 3);
    expect(frames.at(-1)?.event.type).toBe('RUN_FINISHED');
  });

  it('a reader that never reads costs no memory, over a real connection', async () => {
    setFlagsFromString('--expose_gc');
    const collect = runInNewContext('gc') as () => void;
    const memory = () => {
      collect();
      const { heapUsed, arrayBuffers, external } = process.memoryUsage();
      return (heapUsed + arrayBuffers + external) / 1024 ** 2;
    };
    const { host, client } = setUp(memoryStore(), { agents: { assistant: chatter } });
    const served = await serveHost(host);
    closers.push(() => served.close());
    await client.run({ say: 'go' });
    const before = memory();
    const { port } = new URL(served.url);
    const sockets = Array.from({ length: 40 }, () => {
      const socket = connect(Number(port), '127.0.0.1');
      socket.write(`GET /threads/t/events HTTP/1.1\r\nhost: 127.0.0.1\r\nlast-event-id: 0\r\n\r\n`);
      socket.pause();
      socket.on('error', () => {});
      return socket;
    });
    // Other readers get everything meanwhile.
    const read = await client.watch('t', 0);
    expect(await read.until('RUN_FINISHED')).toHaveLength(EVENTS + 4);
    await read.close();
    const grown = memory() - before;
    for (const socket of sockets) socket.destroy();
    // 40 readers of 6 MB each.
    expect(grown).toBeLessThan(120);
  });

  it('a slow reader gets comments that keep the connection open', async () => {
    const { host } = setUp(memoryStore(), { keepAliveMs: 5 });
    const response = await host.fetch(new Request('http://localhost/threads/t/events'));
    const reader = response.body!.getReader();
    let text = '';
    while (!text.includes(': keep-alive\n\n')) text += new TextDecoder().decode((await reader.read()).value);
    await reader.cancel();
    expect(response.headers.get('x-accel-buffering')).toBe('no');
    expect(response.headers.get('cache-control')).toBe('no-cache, no-transform, no-store');
  });
});
