import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { answer, approve } from '../content/index.ts';
import type { GenerateResponse, Tool, ToolEmitter } from '../engine/index.ts';
import { agentTool, defineTool } from '../engine/index.ts';
import {
  openInterrupts,
  pruneThread,
  readHistory,
  readThread,
} from '../ledger/testing-support/as-operator.ts';
import type { Store } from '../store/index.ts';
import { memoryStore } from '../store/memory/index.ts';
import { sqliteStore } from '../store/sqlite/index.ts';
import { scriptedModel } from '../testing/index.ts';
import { defineAgent } from './define-agent.ts';

const threadId = 't';
const key = { scope: 'default', thread: threadId };
const input = { type: 'object' } as const;

/** Calls every tool in its first turn and replies `Done.` in its second. */
function agentOf(...tools: readonly Tool[]) {
  const calls = tools.map(({ name }) => ({ id: `${name}-call`, name }));
  return defineAgent({
    id: 'a',
    tools,
    model: scriptedModel(({ messages }) => (messages.at(-1)?.role === 'user' ? { calls } : 'Done.')),
  });
}

function tool(name: string, rest: Partial<Parameters<typeof defineTool>[0]> = {}) {
  return defineTool({ name, description: name, input, run: () => `${name} ran`, ...rest });
}

function resultsOf({ messages }: Pick<GenerateResponse, 'messages'>): unknown[] {
  return messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
}

function cycle(): object {
  const value: Record<string, unknown> = { id: 1 };
  value['parent'] = { child: value };
  return value;
}

/** Waits until a condition holds. */
async function until(what: () => boolean): Promise<void> {
  while (!what()) await new Promise((resolve) => setImmediate(resolve));
}

const STORES: Readonly<Record<string, (clock?: { now(): number }) => Store>> = {
  memory: (clock) => memoryStore(clock === undefined ? {} : { clock }),
  sqlite: (clock) => sqliteStore(':memory:', clock === undefined ? {} : { clock }),
};

describe.each(Object.entries(STORES))('a call that has started, over the store %s', (_name, create) => {
  const approved = async (store: Store, ...tools: readonly Tool[]) => {
    const agent = agentOf(...tools);
    const { interrupts } = await agent.generate({ store, threadId, prompt: 'go' });
    return { agent, resume: interrupts.map((part) => approve(part)) };
  };
  const steps = async (store: Store) => (await readHistory(store, key)).map(({ what }) => what);

  it.each([
    ['a BigInt', () => ({ amount: 5n }), 'BigInt at /amount'],
    ['a BigInt alone', () => 5n, 'BigInt'],
    ['a cycle', cycle, 'a cycle at /parent/child'],
    ['a function', () => () => 1, 'a function'],
    [
      'a value whose toJSON throws',
      () => ({ at: { toJSON: () => { throw new Error('no time'); } } }), // prettier-ignore
      'toJSON failed at /at: no time',
    ],
  ])('fails with the output %s, and its interrupt is settled', async (_what, value, where) => {
    for (const idempotent of [true, false]) {
      const store = create();
      const given = { store, threadId };
      const pay = tool('pay', { approval: true, idempotent, run: value });
      const { agent, resume } = await approved(store, pay);
      const end = await agent.generate({ ...given, resume });
      expect(resultsOf(end)).toEqual([`The tool pay returned a value that is not JSON: ${where}.`]);
      expect(end.text).toBe('Done.');
      expect(await openInterrupts(store, key)).toEqual([]);
      expect(await steps(store)).toEqual(['raised', 'staged', 'claimed', 'settled']);
    }
  });

  it('fails if it asks with a value that is not JSON, and its interrupt is settled', async () => {
    const store = create();
    const ask = tool('ask', {
      approval: true,
      idempotent: true,
      run: (_input, ctx) => ctx.interrupt({ message: 'Sure?', metadata: { amount: 5n } }),
    });
    const { agent, resume } = await approved(store, ask);
    const end = await agent.generate({ store, threadId, resume });
    expect(resultsOf(end)).toEqual([
      'The tool ask asked with a value that is not JSON: BigInt at /metadata/amount.',
    ]);
    expect(await steps(store)).toEqual(['raised', 'staged', 'claimed', 'settled']);
  });

  it.each([
    ['custom', (emit: ToolEmitter) => emit.custom('amount', 5n)],
    ['state', (emit: ToolEmitter) => emit.state([{ op: 'add', path: '/amount', value: 5n }])],
    ['activity', (emit: ToolEmitter) => emit.activity('m', 'payment', { amount: 5n })],
  ])('fails if emit.%s gets a value that is not JSON', async (name, show) => {
    const store = create();
    const pay = tool('pay', { approval: true, run: (_input, { emit }) => show(emit) });
    const { agent, resume } = await approved(store, pay);
    const end = await agent.generate({ store, threadId, resume });
    expect(resultsOf(end)).toEqual([
      expect.stringContaining(`pay failed: emit.${name} was given a value that is not JSON: BigInt`),
    ]);
    expect(await steps(store)).toEqual(['raised', 'staged', 'claimed', 'settled']);
  });

  it.each([[true], [false]])(
    'keeps its answer if a concurrent call fails the run (idempotent: %s)',
    async (idempotent) => {
      const store = create();
      let ran = 0;
      let isBroken = true;
      const pay = tool('pay', {
        approval: true,
        idempotent,
        async run() {
          ran += 1;
          await new Promise((resolve) => setImmediate(resolve));
          return 'paid';
        },
      });
      const odd = tool('odd', {
        approval: true,
        output: {
          '~standard': {
            version: 1,
            vendor: 'test',
            validate() {
              if (isBroken) throw new Error('the schema is broken');
              return { value: 1 };
            },
          },
        },
      });
      const { agent, resume } = await approved(store, pay, odd);
      await expect(agent.generate({ store, threadId, resume })).rejects.toMatchObject({ code: 'INTERNAL' });
      expect(await openInterrupts(store, key)).toEqual([]);
      expect(await steps(store)).not.toContain('released');
      isBroken = false;
      const next = await agent.generate({ store, threadId });
      const [doubt] = next.interrupts;
      expect(doubt?.toolName).toBe('odd');
      const end = await agent.generate({
        store,
        threadId,
        resume: [answer(doubt!, { action: 'skip', result: 'skipped' })],
      });
      expect(resultsOf(end)).toEqual(['paid', 'skipped']);
      expect(ran).toBe(1);
    },
  );

  it('keeps the answer of an agent in plain code that fails after it', async () => {
    const store = create();
    let isBroken = true;
    const said: unknown[] = [];
    const agent = defineAgent({
      id: 'code',
      async run(_input, { ask }) {
        said.push(await ask('go', { message: 'Go?' }));
        if (isBroken) throw new Error('no network');
        return 'went';
      },
    });
    const { interrupts } = await agent.generate({ store, threadId, prompt: 'go' });
    const resume = [answer(interrupts[0]!, 'yes')];
    await expect(agent.generate({ store, threadId, resume })).rejects.toMatchObject({ code: 'INTERNAL' });
    expect(await openInterrupts(store, key)).toEqual([]);
    expect((await readThread(store, key))?.unfinished).toBe(true);
    isBroken = false;
    expect((await agent.generate({ store, threadId })).text).toBe('went');
    expect(said).toEqual(['yes', 'yes']);
    expect(await steps(store)).not.toContain('released');
  });
});

describe.each(Object.entries(STORES))('a call past its time, over the store %s', (_name, create) => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  /** Moves the clock past the time limit of a started call and past its grace period. */
  const past = async <Result>(work: Promise<Result>, isBegun = () => true): Promise<Result> => {
    await until(() => vi.getTimerCount() > 0 && isBegun());
    await vi.advanceTimersByTimeAsync(5);
    await vi.advanceTimersByTimeAsync(1000);
    return work;
  };

  /** A tool whose first body runs until the test releases it; later bodies return at once. */
  const stubborn = (rest: Partial<Parameters<typeof defineTool>[0]> = {}) => {
    const log: string[] = [];
    let open: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    let runs = 0;
    const slow = tool('slow', {
      timeoutMs: 5,
      async run() {
        const run = (runs += 1);
        log.push(`begins ${run}`);
        if (run === 1) await gate;
        log.push(`ends ${run}`);
        return `result ${run}`;
      },
      ...rest,
    });
    return { slow, log, open: () => open() };
  };

  it('a call past its time is in doubt if its body continues and it is not idempotent', async () => {
    const store = create();
    const { slow, log, open } = stubborn();
    const agent = agentOf(slow);
    const paused = await past(agent.generate({ store, threadId, prompt: 'go' }), () => log.length === 1);
    expect(
      paused.interrupts.map(({ kind, interrupt }) => [kind, interrupt.reason, interrupt.message]),
    ).toEqual([
      [
        'recovery',
        'error_recovery',
        'slow: it did not finish within 5 ms and is still at work. It may have been done, or not. Was it?',
      ],
    ]);
    const end = await agent.generate({
      store,
      threadId,
      resume: [answer(paused.interrupts[0]!, { action: 'finished', result: 'it was done' })],
    });
    expect(resultsOf(end)).toEqual(['it was done']);
    expect(log).toEqual(['begins 1']);
    open();
  });

  it('a call past its time is in doubt for the step that continues', async () => {
    const store = create();
    const counts = { first: 0, second: 0, third: 0 };
    const stepwise = tool('stepwise', {
      timeoutMs: 5,
      async run(_input, { step }) {
        await step('first', () => (counts.first += 1));
        await step('second', () => ((counts.second += 1) === 1 ? new Promise(() => undefined) : 2));
        return step('third', () => (counts.third += 1));
      },
    });
    const agent = agentOf(stepwise);
    const paused = await past(agent.generate({ store, threadId, prompt: 'go' }), () => counts.second === 1);
    expect(paused.interrupts.map(({ interrupt }) => interrupt.message)).toEqual([
      expect.stringContaining('its step second did not finish within 5 ms'),
    ]);
    const resume = [answer(paused.interrupts[0]!, { action: 'finished', result: 2 })];
    // The first body never ends, so the call does not start beside it.
    const again = await past(agent.generate({ store, threadId, resume }));
    expect(again.finishReason).toBe('interrupted');
    expect(counts).toEqual({ first: 1, second: 1, third: 0 });
  });

  it('starts no further step', async () => {
    const store = create();
    const steps: string[] = [];
    let hasBegun = false;
    let open: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    let ended: (error: unknown) => void = () => undefined;
    const outcome = new Promise((resolve) => {
      ended = resolve;
    });
    const stepwise = tool('stepwise', {
      timeoutMs: 5,
      idempotent: true,
      async run(_input, { step }) {
        hasBegun = true;
        await gate;
        for (const idempotent of [true, false]) {
          await step('late', () => steps.push('late'), { idempotent }).catch(ended);
        }
      },
    });
    await past(agentOf(stepwise).generate({ store, threadId, prompt: 'go' }), () => hasBegun);
    open();
    expect(await outcome).toMatchObject({ code: 'TOOL_FAILED' });
    expect(steps).toEqual([]);
  });

  it('fails if it is idempotent, and does not run again while its body continues', async () => {
    const store = create();
    const { slow, log, open } = stubborn({ idempotent: true, onError: 'interrupt' });
    const agent = agentOf(slow);
    const retry = ({ interrupts }: GenerateResponse) =>
      agent.generate({ store, threadId, resume: [answer(interrupts[0]!, { action: 'retry' })] });
    const paused = await past(agent.generate({ store, threadId, prompt: 'go' }), () => log.length === 1);
    expect(paused.interrupts[0]?.interrupt.message).toBe(
      'slow failed: it did not finish within 5 ms and is still at work.',
    );
    const still = await past(retry(paused));
    expect(still.finishReason).toBe('interrupted');
    expect(log).toEqual(['begins 1']);
    open();
    expect(resultsOf(await retry(still))).toEqual(['result 2']);
    expect(log).toEqual(['begins 1', 'ends 1', 'begins 2', 'ends 2']);
  });

  it('returns the result of a body that ends soon after the limit', async () => {
    const store = create();
    let hasBegun = false;
    const late = tool('late', {
      timeoutMs: 5,
      run: (_input, { signal }) =>
        new Promise((resolve) => {
          hasBegun = true;
          signal.addEventListener('abort', () => resolve('half of it'));
        }),
    });
    const end = await past(agentOf(late).generate({ store, threadId, prompt: 'go' }), () => hasBegun);
    expect(resultsOf(end)).toEqual(['half of it']);
  });
});

describe.each(Object.entries(STORES))('the idempotency key, over the store %s', (_name, create) => {
  /** A tool that records its keys. `hang` decides whether a body never returns. */
  const noting = (rest: Partial<Parameters<typeof defineTool>[0]> = {}) => {
    const keys: string[] = [];
    const state = { hang: false };
    const note = tool('note', {
      run(_input, { idempotencyKey }) {
        keys.push(idempotencyKey);
        return state.hang ? new Promise(() => undefined) : 'noted';
      },
      ...rest,
    });
    return { note, keys, state };
  };
  const world = () => {
    const time = { value: 0 };
    const store = create({ now: () => time.value });
    return { store, time, given: { store, threadId, leaseMs: 60_000 } };
  };
  /** Removes the members that older versions did not write. */
  const makeOld = async (store: Store) => {
    const without = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(without);
      if (typeof value !== 'object' || value === null) return value;
      const { idempotencyKey: _key, incarnation: _incarnation, ...rest } = value as Record<string, unknown>;
      return Object.fromEntries(Object.entries(rest).map(([name, member]) => [name, without(member)]));
    };
    for (const table of ['threads', 'executions'] as const) {
      const { rows } = await store.list({ table, ...key });
      const puts = rows.map((row) => ({
        table,
        key: row.key,
        index: row.index,
        doc: without(row.doc) as (typeof row)['doc'],
      }));
      await store.commit({ puts });
    }
  };

  it('differs for the same thread id in another scope', async () => {
    const { given } = world();
    const { note, keys } = noting();
    const agent = agentOf(note);
    for (const scope of ['acme', 'umbrella', 'a:b', 'ü']) {
      await agent.generate({ ...given, prompt: 'go', principal: { id: 'ana', scope } });
    }
    expect(new Set(keys).size).toBe(4);
    expect(keys[0]).toMatch(/^acme:[\w-]+:note-call$/);
    for (const one of keys) expect(one).toMatch(/^[\x21-\x7e]+$/);
  });

  it('differs after the thread was removed and started again', async () => {
    const { store, given } = world();
    const { note, keys } = noting();
    for (let round = 0; round < 3; round += 1) {
      await agentOf(note).generate({ ...given, prompt: 'go' });
      await pruneThread(store, key, { mayGo: () => true });
    }
    expect(new Set(keys).size).toBe(3);
  });

  it.each([[true], [false]])(
    'is stored before the body runs, and the stored key counts (idempotent: %s)',
    async (idempotent) => {
      for (const approval of [true, false]) {
        const { store, time, given } = world();
        const { note, keys, state } = noting({ idempotent, approval });
        const agent = agentOf(note);
        state.hang = true;
        const resume = approval
          ? (await agent.generate({ ...given, prompt: 'go' })).interrupts.map((part) => approve(part))
          : undefined;
        const said = resume === undefined ? { prompt: 'go' } : { resume };
        void agent.generate({ ...given, ...said }).catch(() => undefined);
        await until(() => keys.length === 1);
        const { rows } = await store.list({ table: 'executions', ...key, status: ['started'] });
        expect(rows.map(({ doc }) => doc['idempotencyKey'])).toEqual(keys);
        // Simulates a later version that makes keys in another way.
        const [row] = rows;
        await store.commit({
          puts: [{ table: 'executions', key: row!.key, doc: { ...row!.doc, idempotencyKey: 'on record' } }],
        });
        time.value += 120_000;
        state.hang = false;
        const next = await agent.generate(given);
        const again = next.interrupts.map((part) => answer(part, { action: 'retry' }));
        expect(again).toHaveLength(idempotent ? 0 : 1);
        if (again.length > 0) await agent.generate({ ...given, resume: again });
        expect(keys).toEqual([expect.any(String), 'on record']);
      }
    },
  );

  it('differs for calls of two subagents with the same call id', async () => {
    const { given } = world();
    const { note, keys } = noting();
    const helpers = ['one', 'two'].map((name) => agentTool(agentOf(note), { name }));
    const calls = helpers.map(({ name }) => ({ id: `${name}-call`, name, input: { prompt: 'go' } }));
    const parent = defineAgent({
      id: 'parent',
      tools: helpers,
      model: scriptedModel(({ messages }) => (messages.at(-1)?.role === 'user' ? { calls } : 'Done.')),
    });
    await parent.generate({ ...given, prompt: 'go' });
    expect(keys.map((one) => one.split(':').slice(2))).toEqual([
      ['one-call', 'note-call'],
      ['two-call', 'note-call'],
    ]);
  });

  it('the idempotency key stays the same for a body that asks, over all its runs', async () => {
    const { given } = world();
    const keys: string[] = [];
    const ask = tool('ask', {
      async run(_input, ctx) {
        keys.push(ctx.idempotencyKey);
        await ctx.ask('one', { message: 'One?' });
        await ctx.ask('two', { message: 'Two?' });
        return 'done';
      },
    });
    const agent = agentOf(ask);
    let paused = await agent.generate({ ...given, prompt: 'go' });
    while (paused.interrupts.length > 0) {
      const resume = paused.interrupts.map((part) => answer(part, 1));
      paused = await agent.generate({ ...given, resume });
    }
    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(1);
  });

  it('the idempotency key is that of the older version for a call that was in flight', async () => {
    for (const idempotent of [true, false]) {
      const { store, time, given } = world();
      const { note, keys, state } = noting({ idempotent });
      const agent = agentOf(note);
      state.hang = true;
      void agent.generate({ ...given, prompt: 'go' }).catch(() => undefined);
      await until(() => keys.length === 1);
      time.value += 120_000;
      await makeOld(store);
      state.hang = false;
      const next = await agent.generate(given);
      const resume = next.interrupts.map((part) => answer(part, { action: 'retry' }));
      if (resume.length > 0) await agent.generate({ ...given, resume });
      expect(keys[1]).toBe('t:note-call');
      await agent.generate({ ...given, prompt: 'go' });
      expect(keys[2]).toMatch(/^default:.+:/);
    }
  });

  it('the idempotency key is that of the older version for a body that was waiting', async () => {
    const { store, given } = world();
    const keys: string[] = [];
    const ask = tool('ask', {
      async run(_input, ctx) {
        keys.push(ctx.idempotencyKey);
        await ctx.ask('one', { message: 'One?' });
        await ctx.ask('two', { message: 'Two?' });
        return 'done';
      },
    });
    const agent = agentOf(ask);
    let paused = await agent.generate({ ...given, prompt: 'go' });
    await makeOld(store);
    while (paused.interrupts.length > 0) {
      paused = await agent.generate({ ...given, resume: paused.interrupts.map((part) => answer(part, 1)) });
    }
    expect(keys.slice(1)).toEqual(['t:ask-call', 't:ask-call']);
  });
});
