import { afterEach, describe, expect, it } from 'vitest';
import { answer, approve } from '../content/index.ts';
import type { Approvers } from '../content/interrupts/index.ts';
import type { Approval, ApprovalMode, Policy, ToolContext } from '../engine/index.ts';
import { agentTool, defineTool } from '../engine/index.ts';
import { defineAgent } from '../runs/index.ts';
import { memoryStore } from '../store/memory/index.ts';
import type { TestHost } from '../testing/index.ts';
import { createTestHost, scriptedModel } from '../testing/index.ts';

const hosts: TestHost[] = [];
afterEach(async () => {
  await Promise.all(hosts.splice(0).map((host) => host.close()));
});

const ana = { id: 'ana', scope: 's', roles: ['staff'] };
const boss = { id: 'boss', scope: 's', roles: ['boss'] };
const threadId = 't';

interface Rules {
  readonly policies?: readonly Policy[];
  readonly mode?: ApprovalMode;
}

interface World {
  readonly approval?: Approval<{ amount: number }>;
  readonly body?: (ctx: ToolContext) => unknown;
  readonly onError?: 'interrupt';
  /** Puts the tool into a subagent. */
  readonly isInSubagent?: boolean;
}

/** Hosts on one store, each with its rules, and what the tool did. */
function payments({ approval, body, onError, isInSubagent = false }: World) {
  const store = memoryStore();
  const ran: unknown[] = [];
  const hostWith = (rules: Rules = {}) => {
    const pay = defineTool({
      name: 'pay',
      description: 'Pays.',
      input: { type: 'object', properties: { amount: { type: 'number' } } } as const,
      ...(approval === undefined ? {} : { approval: approval as Approval<unknown> }),
      ...(onError === undefined ? {} : { onError }),
      async run(input, ctx) {
        await body?.(ctx);
        ran.push(input);
        return 'paid';
      },
    });
    const calling = (name: string, input: object) =>
      scriptedModel(({ messages }) =>
        messages.at(-1)?.role === 'user' ? { calls: [{ name, input }] } : 'Done.',
      );
    const payer = defineAgent({ id: 'payer', model: calling('pay', { amount: 5 }), tools: [pay] });
    const clerk = defineAgent({
      id: 'clerk',
      model: calling('payer', { prompt: 'Pay.' }),
      tools: [agentTool(payer)],
    });
    const agents = [isInSubagent ? clerk : payer];
    const test = createTestHost({ agents, store, visibility: 'scope', ...rules });
    hosts.push(test);
    const as = (person: typeof ana) => test.client(agents[0]!.id, { as: person });
    const resultOf = async (): Promise<unknown> => {
      const { messages } = await as(ana).connect(threadId).finished;
      return messages.findLast(({ role }) => role === 'tool')?.content;
    };
    return { test, as, resultOf };
  };
  const ask = async (rules?: Rules) => {
    const { interrupts } = await hostWith(rules).as(ana).run({ threadId, messages: 'Pay.' }).finished;
    return interrupts[0]!;
  };
  return { hostWith, ask, ran };
}

const denied: Policy = () => ({ decision: 'deny', message: 'Payments are closed.' });
const STOPS: readonly (readonly [string, Rules, string])[] = [
  ['a policy that denies', { policies: [denied] }, 'Payments are closed.'],
  ['denyAll', { mode: 'denyAll' }, 'The mode denyAll does not allow pay.'],
];

describe.each([
  ...STOPS,
  [
    'denyApprovalRequired',
    { mode: 'denyApprovalRequired' },
    'The mode denyApprovalRequired does not allow pay.',
  ],
] as const)('a host that starts again with %s', (_name, rules, text) => {
  it('does not run an approved call, and the result and the card say why', async () => {
    const { hostWith, ask, ran } = payments({ approval: true });
    const asked = await ask();
    const { test, as, resultOf } = hostWith(rules);
    await as(boss).inbox.answer(threadId, approve(asked));
    await test.finishRuns();
    const sentence = `${text} The call was approved, but it did not run.`;
    expect([ran, await resultOf()]).toEqual([[], sentence]);
    const shown = await as(boss).inbox.get(threadId, asked.id);
    expect(shown).toMatchObject({
      status: 'resolved',
      answer: { by: 'boss' },
      failed: true,
      result: sentence,
    });
  });
});

describe.each(STOPS)('after a restart with %s', (_name, rules, text) => {
  it.each<[string, World, unknown]>([
    ['a body that asks', { body: (ctx) => ctx.ask('sure', { message: 'Sure?' }) }, 'yes'],
    ['a body that interrupts', { body: (ctx) => ctx.resumed ?? ctx.interrupt() }, 'yes'],
  ])('%s does not go on', async (_what, world, payload) => {
    const { hostWith, ask, ran } = payments(world);
    const asked = await ask();
    const { as, resultOf } = hostWith(rules);
    await as(ana).resume({ threadId }, [answer(asked, payload)]).finished;
    expect([ran, await resultOf()]).toEqual([[], `${text} The call did not go on.`]);
  });

  it('a failed call does not run again', async () => {
    let tries = 0;
    const body = () => {
      tries += 1;
      throw new Error('no line');
    };
    const { hostWith, ask } = payments({ approval: true, body, onError: 'interrupt' });
    const asked = await ask();
    const { interrupts } = await hostWith()
      .as(ana)
      .resume({ threadId }, [approve(asked)]).finished;
    const { as, resultOf } = hostWith(rules);
    await as(ana).resume({ threadId }, [answer(interrupts[0]!, { action: 'retry' })]).finished;
    expect([tries, await resultOf()]).toEqual([1, `${text} The call did not run again.`]);
  });

  it('an approved call of a subagent does not run', async () => {
    const { hostWith, ask, ran } = payments({ approval: true, isInSubagent: true });
    const asked = await ask();
    await hostWith(rules)
      .as(ana)
      .resume({ threadId }, [approve(asked)]).finished;
    expect(ran).toEqual([]);
  });
});

it('an approved call does not run if a policy fails when the answer arrives', async () => {
  const { hostWith, ask, ran } = payments({ approval: true });
  const asked = await ask();
  const broken: Policy = () => {
    throw new Error('rules are down');
  };
  const { as, resultOf } = hostWith({ policies: [broken] });
  await as(ana).resume({ threadId }, [approve(asked)]).finished;
  expect([ran, await resultOf()]).toEqual([[], expect.stringContaining('could not be decided')]);
});

describe('a policy that asks for a call that was approved before it was there', () => {
  const asking =
    (approvers?: Approvers): Policy =>
    () => ({ decision: 'ask', ...(approvers === undefined ? {} : { approvers }) });
  const approved = async (before: Approvers | undefined, policy: Policy, person = boss) => {
    const world = payments({ approval: before === undefined ? true : { approvers: before } });
    const asked = await world.ask();
    const host = world.hostWith({ policies: [policy] });
    const end = await host.as(person).resume({ threadId }, [approve(asked)]).finished;
    return { ...world, ...host, asked, end };
  };

  it.each<[string, Approvers | undefined, Approvers | undefined]>([
    ['names nobody', undefined, undefined],
    ['names the rule of the approval', { roles: ['boss'] }, { roles: ['boss'] }],
    ['names more people', { roles: ['boss'] }, { roles: ['cfo', 'boss'], principals: ['eve'] }],
    ['names the person who approved', undefined, { principals: ['boss'] }],
    [
      'wants another person than the asker, and had one',
      { roles: ['boss'] },
      { roles: ['boss'], notAsker: true },
    ],
  ])('does not ask again if it %s', async (_what, before, now) => {
    const { ran, end } = await approved(before, asking(now));
    expect([end.outcome, ran]).toEqual(['success', [{ amount: 5 }]]);
  });

  it.each<[string, Approvers | undefined, Approvers, typeof ana]>([
    ['a role that nobody had to have', undefined, { roles: ['boss'] }, ana],
    ['another role', { roles: ['staff'] }, { roles: ['boss'] }, ana],
    ['another person than the asker', undefined, { notAsker: true }, ana],
  ])('asks again for %s, and the first approval no longer counts', async (_what, before, now, person) => {
    const { ran, end, asked, as, test } = await approved(before, asking(now), person);
    expect([end.outcome, ran]).toEqual(['interrupt', []]);
    const [again] = end.interrupts;
    expect(again?.metadata).toMatchObject({
      supersedes: asked.id,
      description: expect.stringContaining('A policy names other people for pay now.'),
    });
    const refused = as(ana).inbox.answer(threadId, approve(again!));
    await expect(refused).rejects.toMatchObject({ code: 'ANSWER_FORBIDDEN' });
    await as(boss).inbox.answer(threadId, approve(again!));
    await test.finishRuns();
    expect(ran).toEqual([{ amount: 5 }]);
  });
});
