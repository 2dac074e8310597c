import { afterEach, describe, expect, it } from 'vitest';
import { approve } from '../content/index.ts';
import type { Approvers } from '../content/interrupts/index.ts';
import type { Approval, Policy } from '../engine/index.ts';
import { defineTool } from '../engine/index.ts';
import { storeGrants } from '../ledger/index.ts';
import { defineAgent } from '../runs/index.ts';
import { memoryStore } from '../store/memory/index.ts';
import type { TestHost } from '../testing/index.ts';
import { createTestHost, scriptedModel } from '../testing/index.ts';

const hosts: TestHost[] = [];
afterEach(async () => {
  await Promise.all(hosts.splice(0).map((host) => host.close()));
});

const scope = 's';
const ana = { id: 'ana', scope };
const bob = { id: 'bob', scope };
const boss = { id: 'boss', scope, roles: ['boss'] };
const threadId = 't';

interface World {
  readonly approval: Approval<{ amount: number }>;
  readonly policies?: readonly Policy[];
  /** The amounts that the model pays in each turn: one number, or several. */
  readonly turns: readonly (readonly unknown[])[];
  /** The model fails with the first message. */
  readonly failsFirst?: boolean;
}

function payments({ approval, policies = [], turns, failsFirst = false }: World) {
  const paid: unknown[] = [];
  const pay = defineTool({
    name: 'pay',
    description: 'Pays.',
    input: { type: 'object' },
    approval: approval as Approval<unknown>,
    run: (input) => {
      paid.push((input as { amount: unknown }).amount);
      return 'paid';
    },
  });
  const state = { turn: 0, fails: failsFirst };
  const model = scriptedModel(({ messages }) => {
    if (state.fails) {
      state.fails = false;
      throw new Error('no model');
    }
    if (messages.at(-1)?.role !== 'user') return 'Done.';
    return { calls: (turns[state.turn++] ?? []).map((amount) => ({ name: 'pay', input: { amount } })) };
  });
  const store = memoryStore();
  const agents = [defineAgent({ id: 'clerk', model, tools: [pay] })];
  const test = createTestHost({ agents, store, policies, visibility: 'scope', logger: false });
  hosts.push(test);
  const as = (person: typeof ana) => test.client('clerk', { as: person });
  const say = (person = ana) => as(person).run({ threadId, messages: 'Pay.' }).finished;
  /** Asks for the next turn and approves it with `remember`. */
  const allow = async (remember: object) => {
    const { interrupts } = await say();
    const resume = interrupts.map((one) => approve(one, { remember }));
    return as(ana).resume({ threadId }, resume).finished;
  };
  return { paid, as, say, allow, grants: () => storeGrants(store, scope).list() };
}

const forThread = { what: 'tool', where: 'thread' };

describe('a grant', () => {
  it('for one use lets exactly one call of a turn run, and the others ask', async () => {
    const { paid, say, allow, grants } = payments({ approval: true, turns: [[1], [2, 3, 4]] });
    await allow({ ...forThread, maxUses: 1 });
    const { interrupts } = await say();
    expect([paid.length, interrupts.length]).toEqual([2, 2]);
    expect(await grants()).toMatchObject([{ used: 1, maxUses: 1 }]);
  });

  it('with a total lets the calls of a turn run up to it, and the others ask', async () => {
    const approval: Approval<{ amount: number }> = { remember: { amount: ({ amount }) => amount } };
    const { paid, say, allow, grants } = payments({ approval, turns: [[1], [4, 4, 4]] });
    await allow({ ...forThread, maxTotal: 10 });
    const { interrupts } = await say();
    expect([paid, interrupts.length]).toEqual([[1, 4, 4], 1]);
    expect(await grants()).toMatchObject([{ used: 2, spent: 8 }]);
  });

  it.each([[{ maxuses: 1 }], [{ maxUses: 1, max_total: 5 }], [{ until: 5 }]])(
    'is not given by an answer with an unknown member %j',
    async (limit) => {
      const { paid, allow, grants } = payments({ approval: true, turns: [[1]] });
      await expect(allow({ ...forThread, ...limit })).rejects.toMatchObject({ code: 'ANSWER_INVALID' });
      expect([paid, await grants()]).toEqual([[], []]);
    },
  );

  it.each([[null], ['60'], [[]], [true], [undefined], [Number.NaN], [Number.POSITIVE_INFINITY]])(
    'allows no call with the amount %s',
    async (amount) => {
      const approval: Approval<{ amount: number }> = {
        remember: { amount: (input) => (input.amount === 1 ? 1 : (amount as number)) },
      };
      const { paid, say, allow } = payments({ approval, turns: [[1], [2], [3]] });
      await allow(forThread);
      expect((await say()).outcome).toBe('interrupt');
      expect(paid).toEqual([1]);
    },
  );

  it.each([[null], ['60'], [Number.NaN]])('counts no use with the amount %s', async (given) => {
    const amount = given as number;
    const grants = storeGrants(memoryStore(), scope);
    await grants.add({ agent: 'a', toolName: 'pay', threadId });
    const call = { agent: 'a', toolName: 'pay', input: {}, threadId, askers: [] };
    const [found] = await grants.find(call);
    expect(await grants.find({ ...call, amount })).toEqual([]);
    expect(await grants.use(found!.id, amount)).toBe(false);
    expect(await grants.list()).toMatchObject([{ used: 0, spent: 0 }]);
  });

  it('offers remember as a schema that native buttons of chat pages accept', async () => {
    const { interrupts } = await payments({ approval: true, turns: [[1]] }).say();
    const { properties, ...outer } = interrupts[0]!.responseSchema as { properties: object };
    // The keywords that assistant-ui 0.0.58 knows; the members of `remember` may have any.
    expect(outer).toEqual({ type: 'object', required: ['approved'] });
    expect(properties).toMatchObject({
      approved: { type: 'boolean' },
      reason: { type: 'string' },
      remember: { additionalProperties: false },
    });
  });
});

describe('notAsker', () => {
  it('bars everybody whose messages led to the request, also the second asker', async () => {
    const { paid, as, say } = payments({
      approval: { approvers: { notAsker: true } },
      turns: [[1]],
      failsFirst: true,
    });
    await expect(say(ana)).rejects.toMatchObject({ code: 'MODEL_FAILED' });
    // The message of bob joins the unfinished turn of ana.
    const { interrupts } = await say(bob);
    for (const person of [ana, bob]) {
      const refused = as(person).inbox.answer(threadId, approve(interrupts[0]!));
      await expect(refused).rejects.toMatchObject({ code: 'ANSWER_FORBIDDEN' });
    }
    const { interrupts: listed } = await as(bob).inbox.list();
    expect(listed).toMatchObject([{ mayAnswer: false, barredAsAsker: true }]);
    await as(boss).resume({ threadId }, [approve(interrupts[0]!)]).finished;
    expect(paid).toEqual([1]);
  });

  it.each<[string, Approvers]>([
    ['roles', { roles: ['boss'] }],
    ['a person', { principals: ['boss'] }],
  ])('of a tool holds beside a policy that names %s', async (_what, approvers) => {
    const { paid, as, say } = payments({
      approval: { approvers: { principals: ['ana'], notAsker: true } },
      policies: [() => ({ decision: 'ask', approvers })],
      turns: [[1]],
    });
    const { interrupts } = await say(boss);
    const refused = as(boss).inbox.answer(threadId, approve(interrupts[0]!));
    await expect(refused).rejects.toMatchObject({ code: 'ANSWER_FORBIDDEN' });
    expect(paid).toEqual([]);
  });
});
