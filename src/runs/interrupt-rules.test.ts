import { describe, expect, expectTypeOf, it } from 'vitest';
import { answer, approve, cancel } from '../content/index.ts';
import type { Approvers, OnExpire } from '../content/interrupts/index.ts';
import type { JsonValue } from '../core/index.ts';
import { defined, HoldpointError } from '../core/index.ts';
import type { ApprovalOptions, GenerateResponse, InterruptPart, Tool } from '../engine/index.ts';
import { defineInterrupt, defineTool } from '../engine/index.ts';
import type { Principal } from '../ledger/index.ts';
import { expireDue } from '../ledger/index.ts';
import { listInterrupts, openInterrupts } from '../ledger/testing-support/as-operator.ts';
import type { ResumeEntry, RunAgentInput } from '../protocol/index.ts';
import { EventType } from '../protocol/index.ts';
import type { Store } from '../store/index.ts';
import { memoryStore } from '../store/memory/index.ts';
import { sqliteStore } from '../store/sqlite/index.ts';
import { createTestHost, scriptedModel } from '../testing/index.ts';
import type { GenerateOptions } from './define-agent.ts';
import { defineAgent } from './define-agent.ts';

const threadId = 't';
const key = { scope: 'default', thread: threadId };
const input = { type: 'object' } as const;
const describeTool = (name: string) => ({ name, description: name, input });

function agentOf(tools: readonly Tool[]) {
  const first = { calls: tools.map(({ name }) => ({ id: `${name}-call`, name })) };
  const model = scriptedModel(({ messages }) => (messages.at(-1)?.role === 'user' ? first : 'Done.'));
  return defineAgent({ id: 'a', tools, model });
}

const approved = defineTool({ ...describeTool('approved'), approval: true, run: () => 'ok' });
const asks = defineTool({ ...describeTool('asks'), run: (_input, ctx) => ctx.ask('name', {}) });
const restarts = defineTool({
  ...describeTool('restarts'),
  run: (_input, ctx) => (ctx.resumed === undefined ? ctx.interrupt() : 'ok'),
});
const responds = defineInterrupt({ ...describeTool('responds'), response: {} });

const STORES: readonly (readonly [string, (clock: { now(): number }) => Store])[] = [
  ['memory', (clock) => memoryStore({ clock })],
  ['sqlite', (clock) => sqliteStore(':memory:', { clock })],
];

describe.each(STORES)('interrupts under common rules, on the store %s', (_name, create) => {
  const setUp = () => {
    const time = { value: 0 };
    const clock = { now: () => time.value };
    return { time, given: { store: create(clock), threadId, clock } };
  };

  it('expire after the default time unless they set their own', async () => {
    const { given } = setUp();
    const late = defineTool({
      ...describeTool('late'),
      run: (_input, ctx) => ctx.ask('name', { expiresAt: new Date(9000).toISOString() }),
    });
    const soon = defineTool({ ...describeTool('soon'), approval: { expiresInMs: 10 }, run: () => 'ok' });
    const after = defineTool({
      ...describeTool('after'),
      run: (_input, ctx) => ctx.ask('name', { expiresInMs: 20 }),
    });
    const tools = [approved, asks, restarts, responds, late, soon, after];
    const paused = await agentOf(tools).generate({ ...given, prompt: 'go', interruptTtlMs: 1000 });
    const times = paused.interrupts.map(({ interrupt }) => Date.parse(interrupt.expiresAt ?? ''));
    expect(times).toEqual([1000, 1000, 1000, 1000, 9000, 10, 20]);
    const without = await agentOf(tools).generate({ ...given, threadId: 'other', prompt: 'go' });
    expect(without.interrupts.map(({ interrupt }) => interrupt.expiresAt !== undefined)).toEqual([
      false,
      false,
      false,
      false,
      true,
      true,
      true,
    ]);
  });

  it('expire by the clock of the store, not of the process', async () => {
    const HOUR = 3_600_000;
    const ahead = { now: () => Date.now() + HOUR };
    const store = create(ahead);
    const soon = defineTool({ ...describeTool('soon'), approval: { expiresInMs: 60_000 }, run: () => 'ok' });
    const before = ahead.now();
    const paused = await agentOf([soon, asks]).generate({
      store,
      threadId,
      prompt: 'go',
      interruptTtlMs: HOUR,
    });
    const left = paused.interrupts.map(({ interrupt }) => Date.parse(interrupt.expiresAt ?? '') - before);
    const isNear = (time: number, wanted: number) => time >= wanted && time < wanted + 30_000;
    expect(left.map((time, index) => isNear(time, index === 0 ? 60_000 : HOUR))).toEqual([true, true]);
    expect(await expireDue(store)).toBe(0);
  });

  it('reject an expiry rule that is not a valid answer', async () => {
    const { given, time } = setUp();
    const schema = { type: 'object', properties: { size: { type: 'number' } }, required: ['size'] } as const;
    const asksWith = (onExpire?: OnExpire) =>
      defineTool({
        ...describeTool('sized'),
        run: (_input, ctx) => ctx.ask('size', { schema, ...(onExpire === undefined ? {} : { onExpire }) }),
      });
    const generate = (tool: Tool, more: Partial<GenerateOptions>) =>
      agentOf([tool]).generate({ ...given, interruptTtlMs: 1000, prompt: 'go', ...more });
    await expect(generate(asksWith({ answer: { size: 'large' } }), {})).rejects.toMatchObject({
      code: 'INPUT_INVALID',
      message: expect.stringContaining('does not fit its schema: /size: expected'),
    });
    await generate(asksWith(), { threadId: 'general', onExpire: { answer: 'yes' } });
    await generate(asksWith({ answer: { size: 3 } }), { threadId: 'own', onExpire: { answer: 'yes' } });
    time.value = 1000;
    expect(await expireDue(given.store)).toBe(2);
    const { interrupts } = await listInterrupts(given.store, { scope: 'default' });
    expect(interrupts.map(({ answer: by }) => [by?.status, by?.payload])).toEqual([
      ['cancelled', undefined],
      ['resolved', { size: 3 }],
    ]);
  });

  it('with onExpire deny, expired approvals are denied and other expired interrupts are cancelled', async () => {
    const { given, time } = setUp();
    const kept = defineTool({
      ...describeTool('kept'),
      run: (_input, ctx) => ctx.ask('name', { onExpire: 'keep' }),
    });
    const options = { ...given, interruptTtlMs: 1000, onExpire: 'deny' as const };
    await agentOf([approved, asks, kept]).generate({ ...options, prompt: 'go' });
    time.value = 1000;
    expect(await expireDue(given.store)).toBe(3);
    const { interrupts } = await listInterrupts(given.store, { scope: 'default' });
    expect(interrupts.map(({ state, answer: by }) => [state, by?.status, by?.payload])).toEqual([
      ['answered', 'resolved', { approved: false, reason: 'Nobody answered in time.' }],
      ['answered', 'cancelled', undefined],
      ['expired', undefined, undefined],
    ]);
  });

  it('interrupts beyond a quota are rejected, and the turn continues when there is room', async () => {
    const { given } = setUp();
    const options = { ...given, quotas: { perScope: { openInterrupts: 1 } } };
    const first = await agentOf([approved]).generate({ ...options, prompt: 'go' });
    const other = { ...options, threadId: 'other' };
    await expect(agentOf([asks]).generate({ ...other, prompt: 'go' })).rejects.toMatchObject({
      code: 'RATE_LIMITED',
    });
    expect(await openInterrupts(given.store, key)).toHaveLength(1);
    await agentOf([approved]).generate({ ...options, resume: [approve(first.interrupts[0]!)] });
    const second = await agentOf([asks]).generate(other);
    expect(second.interrupts).toHaveLength(1);
    const end = await agentOf([asks]).generate({ ...other, resume: [answer(second.interrupts[0]!, 'x')] });
    expect(end.text).toBe('Done.');
  });
});

describe.each(STORES)('the rules of one interrupt, on the store %s', (_name, create) => {
  const scope = 'default';
  const ana = { id: 'ana', scope };
  const bob = { id: 'bob', scope };
  const boss = { id: 'boss', scope, roles: ['boss'] };
  type Rules = NonNullable<InterruptPart['rules']>;

  /** The same interrupt raised in every way, with its rules and an answer. */
  const approvalOf = (rules: Rules) => ({ ...rules, expiresInMs: 100 }) as ApprovalOptions<unknown>;
  const WAYS: readonly (readonly [string, (rules: Rules) => Tool, (part: InterruptPart) => ResumeEntry])[] = [
    [
      'approval',
      (rules) => defineTool({ ...describeTool('q'), approval: approvalOf(rules), run: () => 'ok' }),
      approve,
    ],
    [
      'ctx.ask',
      (rules) =>
        defineTool({ ...describeTool('q'), run: (_input, ctx) => ctx.ask('name', { ...rules, expiresAt }) }),
      (part) => answer(part, 'ok'),
    ],
    [
      'ctx.interrupt',
      (rules) =>
        defineTool({
          ...describeTool('q'),
          run: (_input, ctx) => ctx.resumed ?? ctx.interrupt({ ...rules, expiresAt }),
        }),
      (part) => answer(part, 'ok'),
    ],
    [
      'defineInterrupt',
      (rules) => defineInterrupt({ ...describeTool('q'), ...rules, expiresInMs: 100 }),
      (part) => answer(part, 'ok'),
    ],
  ];
  const expiresAt = new Date(100).toISOString();
  const setUp = async (tool: Tool) => {
    const time = { value: 0 };
    const clock = { now: () => time.value };
    const run = (more: Partial<GenerateOptions>) =>
      agentOf([tool]).generate({ store, threadId, clock, ...more });
    const store = create(clock);
    const { interrupts } = await run({ prompt: 'go', principal: ana });
    expect(interrupts[0]?.interrupt.expiresAt).toBe(expiresAt);
    return { run, store, time, part: interrupts[0]! };
  };
  const resultOf = ({ messages }: GenerateResponse) =>
    messages.findLast(({ role }) => role === 'tool')?.content;

  describe.each(WAYS)('of kind %s', (how, toolOf, reply) => {
    it.each<[string, Approvers, readonly Principal[], readonly Principal[]]>([
      ['people', { principals: ['bob'] }, [ana, boss], [bob]],
      ['roles', { roles: ['boss'] }, [ana, bob], [boss]],
      ['people and roles', { principals: ['bob'], roles: ['boss'] }, [ana], [bob, boss]],
      ['not who asked', { notAsker: true }, [ana], [bob, boss]],
      ['a role, and not who asked', { roles: ['boss'], notAsker: true }, [ana, bob], [boss]],
    ])('name its approvers: %s', async (_who, approvers, mayNot, may) => {
      for (const principal of may) {
        const { run, store, part } = await setUp(toolOf({ approvers }));
        for (const other of mayNot) {
          // The asker may take the interrupt back.
          for (const entry of other.id === 'ana' ? [reply(part)] : [reply(part), cancel(part)]) {
            await expect(run({ resume: [entry], principal: other })).rejects.toMatchObject({
              code: 'ANSWER_FORBIDDEN',
            });
          }
        }
        expect((await openInterrupts(store, key))[0]).toMatchObject({ state: 'pending', askedBy: 'ana' });
        const end = await run({ resume: [reply(part)], principal });
        expect([end.text, resultOf(end)]).toEqual(['Done.', 'ok']);
      }
    });

    it('lets an asker who may not answer withdraw it by cancelling', async () => {
      const { run, store, part } = await setUp(toolOf({ approvers: { roles: ['boss'] } }));
      const end = await run({ resume: [cancel(part)], principal: ana });
      expect([end.text, resultOf(end)]).toEqual(['', 'Withdrawn by the asker.']);
      const [row] = (await store.list({ table: 'interrupts' })).rows;
      expect(row?.doc).toMatchObject({ state: 'cancelled', answer: { by: 'ana', withdrawn: true } });
    });

    it('name its action on expiry', async () => {
      const approves = how === 'approval';
      const takesAnswer = how !== 'approval';
      const outcomes: readonly (readonly [OnExpire, string])[] = [
        ['cancel', 'Cancelled: nobody answered.'],
        [
          'deny',
          approves
            ? 'Tool call invocation rejected. Nobody answered in time.'
            : 'Cancelled: nobody answered.',
        ],
        ...(takesAnswer ? [[{ answer: 'ok' }, 'ok'] as const] : []),
      ];
      for (const [onExpire, result] of outcomes) {
        const { run, store, time, part } = await setUp(toolOf({ onExpire }));
        time.value = 100;
        await expect(run({ resume: [reply(part)], principal: ana })).rejects.toMatchObject({
          code: 'INTERRUPT_EXPIRED',
        });
        expect(await expireDue(store)).toBe(1);
        expect(resultOf(await run({ principal: ana }))).toBe(result);
      }
      const { run, store, time, part } = await setUp(toolOf({ onExpire: 'keep' }));
      time.value = 100;
      expect(await expireDue(store)).toBe(1);
      expect((await run({ principal: ana })).finishReason).toBe('interrupted');
      expect(resultOf(await run({ resume: [cancel(part)], principal: ana }))).toBe('Cancelled by ana.');
    });
  });
});

describe('an expiry never approves', () => {
  const answers: readonly JsonValue[] = [{ approved: true }, { approved: false }, 'yes'];
  const refused = (owner: string) => ({ code: 'INPUT_INVALID', message: expect.stringContaining(owner) });

  it.each(answers)('defineTool and defineAgent refuse the onExpire answer %j of an approval', (given) => {
    const approval = { onExpire: { answer: given } } as unknown as ApprovalOptions<unknown>;
    const owner = 'The approval of the tool q has an onExpire';
    expect(() => defineTool({ ...describeTool('q'), approval, run: () => 'ok' })).toThrow(
      expect.objectContaining(refused(owner)),
    );
    const tool = { ...defineTool({ ...describeTool('q'), run: () => 'ok' }), approval };
    expect(() => agentOf([tool])).toThrow(expect.objectContaining(refused(owner)));
  });

  it('the types of an approval take no onExpire answer', () => {
    type Actions = Exclude<ApprovalOptions<unknown>['onExpire'], undefined>;
    expectTypeOf<Actions>().toEqualTypeOf<'keep' | 'cancel' | 'deny'>();
  });

  it('defineInterrupt, generate and createHost refuse an answer that approves', async () => {
    const onExpire = { answer: { approved: true } };
    expect(() => defineInterrupt({ ...describeTool('q'), onExpire })).toThrow(
      expect.objectContaining(refused('The tool q')),
    );
    const given = { store: memoryStore(), threadId, prompt: 'go', onExpire };
    await expect(agentOf([approved]).generate(given)).rejects.toMatchObject(refused('The call of generate'));
    const agents = [agentOf([approved])];
    expect(() => createTestHost({ agents, interrupts: { onExpire } })).toThrow(
      expect.objectContaining(refused('The option `interrupts` of the host')),
    );
    const accepted = { answer: { accepted: true } };
    expect(() => createTestHost({ agents, interrupts: { onExpire: accepted } })).toThrow(HoldpointError);
  });

  it('ctx.ask and ctx.interrupt refuse an answer that approves, and a policy refuses onExpire', async () => {
    const onExpire = { answer: { approved: true } };
    const bodies = [
      defineTool({ ...describeTool('q'), run: (_input, ctx) => ctx.ask('name', { onExpire }) }),
      defineTool({ ...describeTool('q'), run: (_input, ctx) => ctx.interrupt({ onExpire }) }),
    ];
    for (const tool of bodies) {
      const given = { store: memoryStore(), threadId, prompt: 'go' };
      await expect(agentOf([tool]).generate(given)).rejects.toMatchObject(refused('The tool q'));
    }
    const warnings: string[] = [];
    const policies = [() => ({ decision: 'ask', onExpire }) as const];
    const onWarning = (warning: string) => warnings.push(warning);
    const end = await agentOf([approved]).generate({ prompt: 'go', policies, onWarning });
    expect([end.finishReason, warnings]).toEqual([
      'stop',
      [expect.stringContaining('at /onExpire: is not a known member')],
    ]);
  });

  it('an answer of a host that rejects cancels approvals too: it is for questions', async () => {
    const onExpire = { answer: { approved: false } };
    const test = createTestHost({ agents: [agentOf([approved])], interrupts: { ttlMs: 1000, onExpire } });
    await test.client('a').run({ threadId, messages: 'go' }).finished;
    await test.advance(60_000);
    const { interrupts } = await listInterrupts(test.store, { scope: 'test' });
    expect(interrupts.map(({ answer: given }) => given?.status)).toEqual(['cancelled']);
    await test.close();
  });

  it('the answer of a host for expired interrupts goes to questions, and cancels approvals', async () => {
    const ran: string[] = [];
    const pay = defineTool({ ...describeTool('pay'), approval: true, run: () => ran.push('pay') });
    const foreign = {
      id: 'foreign',
      async *run(run: RunAgentInput) {
        const { threadId: thread, runId, resume } = run;
        yield { type: EventType.RUN_STARTED, threadId: thread, runId } as const;
        const interrupts = [{ id: 'f', reason: 'human_approval' }];
        const outcome = resume === undefined ? ({ type: 'interrupt', interrupts } as const) : undefined;
        yield { type: EventType.RUN_FINISHED, threadId: thread, runId, ...defined({ outcome }) } as const;
      },
    };
    const test = createTestHost({
      agents: [agentOf([pay, asks]), foreign],
      interrupts: { ttlMs: 1000, onExpire: { answer: 'yes' } },
    });
    await test.client('a').run({ threadId, messages: 'go' }).finished;
    await test.client('foreign').run({ threadId: 'f', messages: 'go' }).finished;
    await test.advance(60_000);
    await test.finishRuns();
    const { interrupts } = await listInterrupts(test.store, { scope: 'test', order: 'oldest' });
    const outcomes = interrupts.map(({ interrupt, answer: given }) => [
      interrupt.metadata?.['functionName'] ?? interrupt.reason,
      given?.status,
      given?.payload,
    ]);
    expect(new Map(outcomes.map(([name, ...rest]) => [name, rest]))).toEqual(
      new Map([
        ['pay', ['cancelled', undefined]],
        ['input_required', ['resolved', 'yes']],
        ['human_approval', ['cancelled', undefined]],
      ]),
    );
    expect(ran).toEqual([]);
    await test.close();
  });
});
