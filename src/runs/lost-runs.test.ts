import { describe, expect, it } from 'vitest';
import { answer, approve, cancel } from '../content/index.ts';
import type { Policy, Tool } from '../engine/index.ts';
import { defineTool } from '../engine/index.ts';
import { storeGrants } from '../ledger/index.ts';
import { openInterrupts, readThread } from '../ledger/testing-support/as-operator.ts';
import { bound } from '../ledger/testing-support/bound-store.ts';
import type { Store } from '../store/index.ts';
import { memoryStore } from '../store/memory/index.ts';
import { sqliteStore } from '../store/sqlite/index.ts';
import type { ScriptedTurn } from '../testing/index.ts';
import { scriptedModel } from '../testing/index.ts';
import { defineAgent } from './define-agent.ts';

const threadId = 't';
const key = { scope: 'default', thread: threadId };
const input = { type: 'object' } as const;

/** A tool that works until the test releases it; `ran` counts. */
function slow(name: string, rest: Partial<Parameters<typeof defineTool>[0]> = {}) {
  const counts = { ran: 0 };
  let open: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const tool = defineTool({
    name,
    description: name,
    input,
    async run() {
      counts.ran += 1;
      await gate;
      return `${name} ${counts.ran}`;
    },
    ...rest,
  });
  return { tool, counts, open: () => open() };
}

function quick(name: string, rest: Partial<Parameters<typeof defineTool>[0]> = {}) {
  const counts = { ran: 0 };
  const tool = defineTool({
    name,
    description: name,
    input,
    run: () => `${name} ${(counts.ran += 1)}`,
    ...rest,
  });
  return { tool, counts };
}

/** Calls the tools in its first turn and replies `Done.` in its second. */
function agentOf(tools: readonly Tool[], then: string | ScriptedTurn = 'Done.') {
  const first = { calls: tools.map(({ name }) => ({ id: `${name}-call`, name })) };
  return defineAgent({
    id: 'a',
    tools,
    model: scriptedModel(({ messages }) => (messages.at(-1)?.role === 'user' ? first : then)),
  });
}

const STORES: Readonly<Record<string, (clock: { now(): number }) => Store>> = {
  memory: (clock) => memoryStore({ clock }),
  sqlite: (clock) => sqliteStore(':memory:', { clock }),
};

/** Waits until a condition holds. */
async function until(what: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await what())) await new Promise((resolve) => setImmediate(resolve));
}

describe.each(Object.entries(STORES))('a run that was lost, over the store %s', (_name, create) => {
  const setUp = () => {
    const time = { value: 0 };
    const store = create({ now: () => time.value });
    return { store, time, given: { store, threadId, leaseMs: 60_000 } };
  };
  /** A run that hangs in one of its calls, after its lease has ended. */
  const lose = async (tools: readonly Tool[], isHanging: () => boolean) => {
    const world = setUp();
    const lost = agentOf(tools).generate({ ...world.given, prompt: 'go' });
    const outcome = lost.then(
      () => 'finished',
      (error: { code: string }) => error.code,
    );
    await until(isHanging);
    world.time.value += 120_000;
    return { ...world, outcome };
  };
  const results = (messages: readonly { role: string; content?: unknown }[]) =>
    messages.filter(({ role }) => role === 'tool').map(({ content }) => content);

  it('continues: finished calls are kept, idempotent ones run again, and a person is asked about the others', async () => {
    const hanging = slow('hanging');
    const again = slow('again', { idempotent: true });
    const done = quick('done');
    const tools = [hanging.tool, again.tool, done.tool];
    const { store, given, outcome } = await lose(tools, () => hanging.counts.ran + again.counts.ran === 2);
    await until(async () => {
      const { rows } = await store.list({ table: 'executions', ...key });
      return rows.some((row) => row.doc['outcome'] !== undefined);
    });
    again.open();
    const next = await agentOf(tools).generate(given);
    expect(next.interrupts.map(({ toolName, kind }) => [toolName, kind])).toEqual([['hanging', 'recovery']]);
    expect(next.interrupts[0]?.interrupt).toMatchObject({
      reason: 'error_recovery',
      toolCallId: 'hanging-call',
    });
    expect([hanging.counts.ran, again.counts.ran, done.counts.ran]).toEqual([1, 2, 1]);
    const resume = [answer(next.interrupts[0]!, { action: 'finished', result: 'it was sent' })];
    const end = await agentOf(tools).generate({ ...given, resume });
    expect(end.text).toBe('Done.');
    expect(results(end.messages)).toEqual(['it was sent', 'again 2', 'done 1']);
    hanging.open();
    expect(await outcome).toBe('RUN_LOST');
    expect(results((await agentOf(tools).generate(given)).messages)).toEqual([
      'it was sent',
      'again 2',
      'done 1',
    ]);
  });

  it.each([
    [{ action: 'retry' }, 2, 'hanging 2'],
    [{ action: 'skip', result: 'never mind' }, 1, 'never mind'],
    [{ action: 'skip' }, 1, 'A person decided to continue without this call. It has no result.'],
    [{ action: 'finished' }, 1, 'A person confirmed that the call was made. Its result is not known.'],
    [{ action: 'abort' }, 1, 'Aborted.'],
  ])('continues by the decision of a person: %j', async (decision, ran, result) => {
    const hanging = slow('hanging');
    const { given } = await lose([hanging.tool], () => hanging.counts.ran === 1);
    const { interrupts } = await agentOf([hanging.tool]).generate(given);
    hanging.open();
    const end = await agentOf([hanging.tool]).generate({
      ...given,
      resume: [answer(interrupts[0]!, decision)],
    });
    expect(hanging.counts.ran).toBe(ran);
    expect(results(end.messages)).toEqual([result]);
  });

  const outcomes = async (store: Store) => {
    const { rows } = await store.list({ table: 'interrupts', ...key });
    return rows.map(({ doc: { failed, uncertain } }) =>
      uncertain === true ? 'uncertain' : failed === true ? 'failed' : 'ran',
    );
  };

  it.each([
    ['finished', 'ran'],
    ['retry', 'ran'],
    ['retry that fails', 'failed'],
    ['skip', 'uncertain'],
    ['abort', 'uncertain'],
    ['cancel', 'uncertain'],
  ])(
    'an approved call in doubt that ends with %s is %s for its approval and its recovery',
    async (end, outcome) => {
      const hanging = slow('hanging', { approval: true });
      const world = setUp();
      const agent = agentOf([hanging.tool]);
      const { interrupts } = await agent.generate({ ...world.given, prompt: 'go' });
      void agent
        .generate({ ...world.given, resume: interrupts.map((part) => approve(part)) })
        .catch(() => undefined);
      await until(() => hanging.counts.ran === 1);
      world.time.value += 120_000;
      const doubt = await agent.generate(world.given);
      expect(await outcomes(world.store)).toEqual(['uncertain', 'ran']);
      const [recovery] = doubt.interrupts;
      const [action = ''] = end.split(' ');
      const reply = action === 'cancel' ? cancel(recovery!) : answer(recovery!, { action });
      const broken = defineTool({
        name: 'hanging',
        description: 'hanging',
        input,
        approval: true,
        run: () => {
          throw new Error('no paper');
        },
      });
      hanging.open();
      const next = agentOf([end === 'retry that fails' ? broken : hanging.tool]);
      await next.generate({ ...world.given, resume: [reply] });
      expect(await outcomes(world.store)).toEqual([outcome, outcome]);
    },
  );

  it('a second loss of the same call makes its approval and its first recovery uncertain', async () => {
    const hanging = slow('hanging', { approval: true });
    const world = setUp();
    const agent = agentOf([hanging.tool]);
    const { interrupts } = await agent.generate({ ...world.given, prompt: 'go' });
    const resumeAndLose = async (replies: readonly ReturnType<typeof approve>[], ran: number) => {
      void agent.generate({ ...world.given, resume: replies }).catch(() => undefined);
      await until(() => hanging.counts.ran === ran);
      world.time.value += 120_000;
      return agent.generate(world.given);
    };
    const first = await resumeAndLose([approve(interrupts[0]!)], 1);
    const second = await resumeAndLose([answer(first.interrupts[0]!, { action: 'retry' })], 2);
    expect(await outcomes(world.store)).toEqual(['uncertain', 'uncertain', 'ran']);
    const resume = [answer(second.interrupts[0]!, { action: 'finished' })];
    await agent.generate({ ...world.given, resume });
    expect(await outcomes(world.store)).toEqual(['ran', 'ran', 'ran']);
  });

  it('a call that a grant allowed is uncertain after it was lost and cancelled', async () => {
    const hanging = slow('hanging', { approval: true });
    const world = setUp();
    const agent = agentOf([hanging.tool]);
    const grants = storeGrants(world.store, 'default');
    await grants.add({ agent: 'a', toolName: 'hanging', threadId });
    const given = { ...world.given, grants };
    void agent.generate({ ...given, prompt: 'go' }).catch(() => undefined);
    await until(() => hanging.counts.ran === 1);
    world.time.value += 120_000;
    const doubt = await agent.generate(given);
    expect(await outcomes(world.store)).toEqual(['uncertain', 'ran']);
    await agent.generate({ ...given, resume: [cancel(doubt.interrupts[0]!)] });
    expect(await outcomes(world.store)).toEqual(['uncertain', 'uncertain']);
  });

  it('an approved call that fails after a later question is failed for its approval too', async () => {
    const asking = defineTool({
      name: 'asking',
      description: 'asks',
      input,
      approval: true,
      async run(_input, { ask }) {
        await ask('sure', { message: 'Sure?' });
        throw new Error('no paper');
      },
    });
    const { store, given } = setUp();
    const agent = agentOf([asking]);
    const { interrupts } = await agent.generate({ ...given, prompt: 'go' });
    const asked = await agent.generate({ ...given, resume: [approve(interrupts[0]!)] });
    await agent.generate({ ...given, resume: [answer(asked.interrupts[0]!, 'yes')] });
    expect(await outcomes(store)).toEqual(['failed', 'failed']);
  });

  it('keeps the arguments and the approvers of a call in doubt', async () => {
    const seen: unknown[] = [];
    let hang = true;
    const pay = defineTool({
      name: 'pay',
      description: 'pays',
      input: { type: 'object', properties: { amount: { type: 'number' } } },
      approval: { editable: true },
      run: (given: unknown, { approvedBy, resumed, idempotencyKey }) => {
        seen.push({ given, by: approvedBy?.id, resumed, idempotencyKey });
        return hang ? new Promise(() => undefined) : 'paid';
      },
    });
    const { time, given } = setUp();
    const paused = await agentOf([pay]).generate({ ...given, prompt: 'go' });
    const resume = [approve(paused.interrupts[0]!, { editedArgs: { amount: 3 } })];
    const principal = { id: 'ana', scope: 'default' };
    void agentOf([pay])
      .generate({ ...given, resume, principal })
      .catch(() => undefined);
    await until(() => seen.length === 1);
    time.value += 120_000;
    const doubt = await agentOf([pay]).generate(given);
    hang = false;
    await agentOf([pay]).generate({ ...given, resume: [answer(doubt.interrupts[0]!, { action: 'retry' })] });
    expect(seen).toHaveLength(2);
    expect(seen[1]).toEqual(seen[0]);
    expect(seen[0]).toMatchObject({
      given: { amount: 3 },
      by: 'ana',
      idempotencyKey: expect.stringMatching(/^default:.+:pay-call$/),
    });
  });

  it('asks only about the running step and keeps finished steps', async () => {
    const counts = { first: 0, second: 0 };
    let hang = true;
    const stepwise = defineTool({
      name: 'stepwise',
      description: 'works in steps',
      input,
      async run(_input, { step }) {
        await step('first', () => (counts.first += 1));
        return step('second', () => ((counts.second += 1), hang ? new Promise(() => undefined) : 'second'));
      },
    });
    const { given } = await lose([stepwise], () => counts.second === 1);
    const doubt = await agentOf([stepwise]).generate(given);
    expect(doubt.interrupts.map(({ interrupt }) => interrupt.message)).toEqual([
      expect.stringContaining('its step second'),
    ]);
    hang = false;
    const resume = [answer(doubt.interrupts[0]!, { action: 'retry' })];
    expect((await agentOf([stepwise]).generate({ ...given, resume })).text).toBe('Done.');
    expect(counts).toEqual({ first: 1, second: 2 });
  });

  it('a lost run of an agent in plain code continues after its last step and repeats no message', async () => {
    const counts = { step: 0 };
    let hang = true;
    const code = () =>
      defineAgent({
        id: 'code',
        async run(_input, { say, step }) {
          await say('one');
          await step('work', () => (counts.step += 1));
          await say('two');
          if (hang) await new Promise(() => undefined);
          return 'three';
        },
      });
    const { time, given } = setUp();
    void code()
      .generate({ ...given, prompt: 'go' })
      .catch(() => undefined);
    await until(async () => {
      const { rows } = await given.store.list({ table: 'executions', ...key });
      return rows.some((row) => row.key.id.endsWith('/step:work') && row.doc['outcome'] !== undefined);
    });
    time.value += 120_000;
    hang = false;
    const end = await code().generate(given);
    expect(end.messages.map(({ content }) => content)).toEqual(['go', 'one', 'two', 'three']);
    expect(counts.step).toBe(1);
  });

  it('a run is not taken over while it lives, and its process notices a takeover', async () => {
    const hanging = slow('hanging');
    const { given } = setUp();
    const first = agentOf([hanging.tool]).generate({ ...given, prompt: 'go' });
    await until(() => hanging.counts.ran === 1);
    await expect(agentOf([hanging.tool]).generate({ ...given, prompt: 'me too' })).rejects.toMatchObject({
      code: 'RUN_CONFLICT',
    });
    hanging.open();
    expect((await first).text).toBe('Done.');
  });
});

describe.each(Object.entries(STORES))('a run that fails, over the store %s', (_name, create) => {
  const given = () => ({ store: create({ now: () => 0 }), threadId });

  it('keeps the results of its calls and continues without a new answer', async () => {
    const pay = quick('pay', { approval: true });
    const options = given();
    const paused = await agentOf([pay.tool]).generate({ ...options, prompt: 'go' });
    const broken = agentOf([pay.tool], { error: new Error('the model is down') });
    const resume = [approve(paused.interrupts[0]!)];
    await expect(broken.generate({ ...options, resume })).rejects.toMatchObject({ code: 'MODEL_FAILED' });
    expect(await openInterrupts(options.store, key)).toEqual([]);
    expect((await agentOf([pay.tool]).generate(options)).text).toBe('Done.');
    expect((await agentOf([pay.tool]).generate({ ...options, resume })).text).toBe('Done.');
    expect(pay.counts.ran).toBe(1);
  });

  it('releases the answer if its call never started: a missing tool can still be cancelled', async () => {
    const pay = quick('pay', { approval: true });
    const options = given();
    const paused = await agentOf([pay.tool]).generate({ ...options, prompt: 'go' });
    const resume = [approve(paused.interrupts[0]!)];
    const without = agentOf([]);
    await expect(without.generate({ ...options, resume })).rejects.toMatchObject({ code: 'TOOL_UNKNOWN' });
    expect(await openInterrupts(options.store, key)).toHaveLength(1);
    const cancelled = [cancel(paused.interrupts[0]!)];
    const end = await without.generate({ ...options, resume: cancelled, prompt: 'never mind' });
    expect(end.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user', 'assistant']);
    expect(pay.counts.ran).toBe(0);
    expect((await readThread(options.store, key))?.batch).toBeUndefined();
  });
});

describe.each(Object.entries(STORES))(
  'a run that is lost right after its claim, on the store %s',
  (_name, create) => {
    const amounts = { type: 'object', properties: { amount: { type: 'number' } } } as const;
    /** An agent that asks a person about a payment, at this version of its tool. */
    const payer = (version: string, options: Partial<Parameters<typeof defineTool>[0]> = {}) => {
      const ran: unknown[] = [];
      const pay = defineTool({
        name: 'pay',
        description: 'Pays.',
        input: amounts,
        version,
        approval: true,
        run: (given) => ran.push(given),
        ...options,
      });
      return { ran, agent: agentOf([pay]) };
    };
    /** A store whose process dies after one commit: the claim. */
    const dying = (store: Store) => {
      const claim = { isMade: false };
      const dead: Store = {
        ...bound(store),
        async commit(batch) {
          if (claim.isMade) return new Promise(() => undefined);
          const made = await store.commit(batch);
          claim.isMade = true;
          return made;
        },
      };
      return { dead, claim };
    };
    const lostAfterClaim = async (
      before: ReturnType<typeof payer>,
      after: ReturnType<typeof payer>,
      more: { readonly payload?: object; readonly policies?: readonly Policy[] } = {},
    ) => {
      const { payload = { approved: true }, policies = [] } = more;
      const time = { value: 0 };
      const store = create({ now: () => time.value });
      const given = { threadId, leaseMs: 60_000, policies };
      const asked = await before.agent.generate({ threadId, store, prompt: 'go' });
      const { dead, claim } = dying(store);
      const resume = [answer(asked.interrupts[0]!, payload)];
      void after.agent.generate({ ...given, store: dead, resume }).catch(() => undefined);
      await until(() => claim.isMade);
      time.value += 120_000;
      return after.agent.generate({ ...given, store });
    };

    it('asks again for a changed tool, and not whether the call was made', async () => {
      const after = payer('2');
      const { interrupts } = await lostAfterClaim(payer('1'), after);
      expect([interrupts.map(({ kind }) => kind), after.ran]).toEqual([['approval'], []]);
    });

    it('asks for the approval of edited arguments, and not whether the call was made', async () => {
      const careful = payer('1', {
        approval: (given: unknown) => (given as { amount?: number }).amount === 1_000,
        resume: { type: 'object', properties: { editedArgs: amounts } },
        run: (_given, ctx) => ctx.resumed ?? ctx.interrupt({ message: 'Sure?' }),
      });
      const payload = { editedArgs: { amount: 1_000 } };
      const { interrupts } = await lostAfterClaim(careful, careful, { payload });
      expect(interrupts).toMatchObject([{ kind: 'approval', input: { amount: 1_000 } }]);
    });

    it('runs a call with edited arguments, which the claim did not start', async () => {
      const editable = payer('1', { approval: { editable: true } });
      const payload = { approved: true, editedArgs: { amount: 7 } };
      const end = await lostAfterClaim(editable, editable, { payload });
      expect([end.finishReason, editable.ran]).toEqual(['stop', [{ amount: 7 }]]);
    });

    it('does not run a call that a policy denies, and does not ask whether it was made', async () => {
      const one = payer('1');
      const policies: Policy[] = [() => 'deny'];
      const end = await lostAfterClaim(one, one, { policies });
      expect([end.finishReason, one.ran]).toEqual(['stop', []]);
      expect(end.messages.at(-2)?.content).toContain('A policy does not allow pay.');
    });
  },
);
