import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Approvers } from '../../content/interrupts/index.ts';
import { approve, reject } from '../../content/interrupts/index.ts';
import type { Message } from '../../protocol/index.ts';
import { scriptedModel } from '../../testing/index.ts';
import type { Approval, GenerateOptions, ModelAgentOptions, Policy } from '../index.ts';
import { defineAgent, defineTool, memoryGrants } from '../index.ts';

interface Email {
  to: string;
  body: string;
}

function setUp(
  approval: Approval<Email> | undefined,
  agentOptions: Partial<ModelAgentOptions> = {},
  toolOptions: { destructive?: boolean } = {},
) {
  const sent: unknown[] = [];
  const tool = defineTool({
    name: 'sendEmail',
    description: 'Sends an e-mail.',
    input: z.object({ to: z.string(), body: z.string() }),
    title: ({ to }) => `the e-mail to ${to}`,
    ...(approval === undefined ? {} : { approval }),
    ...toolOptions,
    run(input, ctx) {
      sent.push({ ...input, resumed: ctx.resumed, by: ctx.approvedBy?.id });
      return 'sent';
    },
  });
  const model = scriptedModel((request) =>
    request.messages.at(-1)?.role === 'tool'
      ? 'ok'
      : { calls: [{ name: 'sendEmail', input: { to: 'a@b.com', body: 'hi' } }] },
  );
  return { sent, agent: defineAgent({ id: 'a', model, tools: [tool], ...agentOptions }) };
}

const toolResult = (messages: readonly Message[]) =>
  messages.findLast(({ role }) => role === 'tool')?.content;
const prompt: GenerateOptions = { prompt: 'x', threadId: 't', principal: { id: 'ana' } };

describe('an approval', () => {
  it('interrupts before the tool runs, in a form that chat clients know', async () => {
    const { agent, sent } = setUp(true);
    const { interrupts } = await agent.generate(prompt);
    expect(sent).toEqual([]);
    expect(interrupts[0]).toMatchObject({ kind: 'approval', toolName: 'sendEmail' });
    const { id: _id, toolCallId: _call, ...interrupt } = interrupts[0]!.interrupt;
    expect(interrupt).toEqual({
      reason: 'tool_call',
      message: 'the e-mail to a@b.com?',
      responseSchema: {
        type: 'object',
        properties: { approved: { type: 'boolean' }, reason: { type: 'string' } },
        required: ['approved'],
      },
      metadata: {
        functionName: 'sendEmail',
        functionArguments: { to: 'a@b.com', body: 'hi' },
        title: 'the e-mail to a@b.com',
      },
    });
  });

  it('runs the call, and passes the payload and the approver to the tool', async () => {
    const { agent, sent } = setUp(true);
    const { messages, interrupts } = await agent.generate(prompt);
    await agent.generate({
      messages,
      resume: [approve(interrupts[0]!, { reason: 'fine' })],
      answeredBy: { id: 'bob' },
    });
    expect(sent).toEqual([
      { to: 'a@b.com', body: 'hi', resumed: { approved: true, reason: 'fine' }, by: 'bob' },
    ]);
  });

  it.each([[{ approved: false }], [{ approved: true, accepted: false }]])(
    'is not given by the payload %j',
    async (payload) => {
      const { agent, sent } = setUp(true);
      const { messages, interrupts } = await agent.generate(prompt);
      const entry = { interruptId: interrupts[0]!.interrupt.id, status: 'resolved' as const, payload };
      const done = await agent.generate({ messages, resume: [entry] });
      expect(sent).toEqual([]);
      expect(toolResult(done.messages)).toBe('Tool call invocation rejected.');
    },
  );

  it.each([[{ approved: 'true' }], [{ approved: 1 }], [{}], [true], [null], ['yes']])(
    'rejects %j as invalid and stays open',
    async (payload) => {
      const { agent, sent } = setUp(true);
      const { messages, interrupts } = await agent.generate(prompt);
      const entry = { interruptId: interrupts[0]!.interrupt.id, status: 'resolved' as const, payload };
      await expect(agent.generate({ messages, resume: [entry] })).rejects.toMatchObject({
        code: 'ANSWER_INVALID',
      });
      expect(sent).toEqual([]);
    },
  );

  it('passes the reason of a rejection to the model', async () => {
    const { agent } = setUp(true);
    const { messages, interrupts } = await agent.generate(prompt);
    const done = await agent.generate({ messages, resume: [reject(interrupts[0]!, 'Wrong address.')] });
    expect(toolResult(done.messages)).toBe('Tool call invocation rejected. Wrong address.');
  });

  it('an approval may set the rejection text for the model', async () => {
    const { agent } = setUp({ rejection: (reason) => `Nein. ${reason ?? ''}` });
    const { messages, interrupts } = await agent.generate(prompt);
    const done = await agent.generate({ messages, resume: [reject(interrupts[0]!, 'Zu teuer.')] });
    expect(toolResult(done.messages)).toBe('Nein. Zu teuer.');
  });

  it('accepts edited arguments only if it offers them, complete, typed and checked', async () => {
    const edit = { editedArgs: { to: 'c@d.com', body: 'hello' } };
    const { agent, sent } = setUp({ editable: true });
    const { messages, interrupts } = await agent.generate(prompt);
    const [part] = interrupts;
    await expect(
      agent.generate({ messages, resume: [approve(part!, { editedArgs: { to: 'c@d.com' } })] }),
    ).rejects.toMatchObject({ code: 'ANSWER_INVALID', issues: [{ pointer: '/editedArgs/body' }] });
    await agent.generate({ messages, resume: [approve(part!, edit)] });
    expect(sent).toMatchObject([{ to: 'c@d.com', body: 'hello' }]);
  });

  it('passes further members of the answer to the tool, such as modifications', async () => {
    const { agent, sent } = setUp({ response: { modifications: { type: 'object' } } });
    const { messages, interrupts } = await agent.generate(prompt);
    const modifications = { batchSize: 10, dryRun: true };
    await agent.generate({ messages, resume: [approve(interrupts[0]!, { modifications })] });
    expect(sent).toMatchObject([{ resumed: { approved: true, modifications } }]);
  });

  it('an approval may require a phrase, and a reason for a rejection', async () => {
    const { agent, sent } = setUp({ confirmation: 'send it', requireReason: true });
    const { messages, interrupts } = await agent.generate(prompt);
    const [part] = interrupts;
    const refused = [
      approve(part!),
      approve(part!, { confirmation: 'Send it' }),
      reject(part!),
      reject(part!, ' '),
    ];
    for (const entry of refused) {
      await expect(agent.generate({ messages, resume: [entry] })).rejects.toMatchObject({
        code: 'ANSWER_INVALID',
      });
    }
    await agent.generate({ messages, resume: [approve(part!, { confirmation: 'send it' })] });
    expect(sent).toHaveLength(1);
  });

  it('expires by the given clock', async () => {
    const { agent } = setUp({ expiresInMs: 60_000 });
    const { interrupts } = await agent.generate({ ...prompt, clock: { now: () => 0 } });
    expect(interrupts[0]?.interrupt.expiresAt).toBe('1970-01-01T00:01:00.000Z');
  });

  it('an approval is required if a rule over the arguments says so', async () => {
    const always = setUp(({ to }) => to.endsWith('b.com'));
    expect((await always.agent.generate(prompt)).finishReason).toBe('interrupted');
    const never = setUp(({ to }) => to === 'x');
    expect((await never.agent.generate(prompt)).finishReason).toBe('stop');
  });

  it('an approval is required if its rule fails', async () => {
    const warnings: string[] = [];
    const { agent, sent } = setUp(() => {
      throw new Error('rules are down');
    });
    const done = await agent.generate({ ...prompt, onWarning: (warning) => warnings.push(warning) });
    expect(sent).toEqual([]);
    expect(toolResult(done.messages)).toContain('could not be decided');
    expect(warnings[0]).toContain('rules are down');
  });
});

describe('an agent that requires approvals', () => {
  it('an agent that requires approvals asks for one for every call whose tool is not exempt', async () => {
    expect((await setUp(undefined, { approval: 'require' }).agent.generate(prompt)).finishReason).toBe(
      'interrupted',
    );
    expect((await setUp(false, { approval: 'require' }).agent.generate(prompt)).finishReason).toBe('stop');
  });
});

describe('a policy', () => {
  const hold: Policy = ({ toolName, principal }) =>
    toolName === 'sendEmail' && principal?.id === 'ana'
      ? { decision: 'ask', message: 'Compliance wants a look.' }
      : 'allow';

  it('holds a tool without an approval, even an exempt one', async () => {
    const { agent } = setUp(false);
    const { interrupts } = await agent.generate({ ...prompt, policies: [hold] });
    expect(interrupts[0]?.interrupt).toMatchObject({
      reason: 'policy_hold',
      message: 'Compliance wants a look.',
    });
    expect(
      (await agent.generate({ ...prompt, principal: { id: 'bob' }, policies: [hold] })).finishReason,
    ).toBe('stop');
  });

  it('the strictest of several policies counts, in any order', async () => {
    const { agent, sent } = setUp(true);
    const policies: Policy[] = [
      hold,
      async () => ({ decision: 'deny', message: 'No e-mail today.' }),
      () => 'allow',
    ];
    const done = await agent.generate({ ...prompt, policies, mode: 'allowAll' });
    expect(toolResult(done.messages)).toBe('No e-mail today.');
    expect(sent).toEqual([]);
  });

  it('the approvers of every policy that asks count, in any order', async () => {
    const asks = (approvers?: Approvers): Policy =>
      approvers === undefined ? () => 'ask' : () => ({ decision: 'ask', approvers });
    const approversOf = async (...policies: Policy[]) =>
      (await setUp(false).agent.generate({ ...prompt, policies })).interrupts[0]?.rules?.approvers;
    const finance = asks({ roles: ['finance', 'boss'] });
    for (const policies of [
      [asks(), finance],
      [finance, asks()],
    ])
      expect(await approversOf(...policies)).toEqual({ roles: ['finance', 'boss'] });
    expect(await approversOf(finance, asks({ notAsker: true }))).toEqual({
      roles: ['finance', 'boss'],
      notAsker: true,
    });
    expect(await approversOf(finance, asks({ roles: ['boss', 'legal'], principals: ['cid'] }))).toEqual({
      principals: [],
      roles: ['boss'],
    });
    const { agent, sent } = setUp(false);
    const done = await agent.generate({ ...prompt, policies: [finance, asks({ roles: ['legal'] })] });
    expect(toolResult(done.messages)).toContain('could not be decided');
    expect(sent).toEqual([]);
  });
});

it.each(['Deny', '', true, false, null, {}, { decision: 'block' }])(
  'a policy that returns %j by mistake does not allow the call',
  async (decided) => {
    const { agent, sent } = setUp(false);
    const done = await agent.generate({ ...prompt, policies: [() => decided as never] });
    expect([toolResult(done.messages), sent]).toEqual([expect.stringContaining('could not be decided'), []]);
  },
);

describe('edited arguments', () => {
  const edited = { to: 'c@d.com', body: 'hello' };

  it('edited arguments do not run if a policy forbids them or fails', async () => {
    const policies: Policy[] = [
      ({ input }) =>
        (input as Email).to === 'c@d.com' ? { decision: 'deny', message: 'Not there.' } : 'allow',
    ];
    const { agent, sent } = setUp({ editable: true });
    const { messages, interrupts } = await agent.generate({ ...prompt, policies });
    const resume = [approve(interrupts[0]!, { editedArgs: edited })];
    const done = await agent.generate({ messages, resume, policies });
    expect(toolResult(done.messages)).toBe('Not there. The call was approved, but it did not run.');
    const broken = () => {
      throw new Error('rules are down');
    };
    const undecided = await agent.generate({ messages, resume, policies: [broken] });
    expect(toolResult(undecided.messages)).toContain('could not be decided');
    expect(sent).toEqual([]);
  });

  it('a grant remembers the edited arguments', async () => {
    const grants = memoryGrants();
    const { agent } = setUp({ editable: true });
    const { messages, interrupts } = await agent.generate({ ...prompt, grants });
    const remember = { what: 'arguments', where: 'thread' };
    const resume = [approve(interrupts[0]!, { editedArgs: edited, remember })];
    await agent.generate({ messages, threadId: 't', resume, grants });
    expect(grants.list).toMatchObject([{ agent: 'a', toolName: 'sendEmail', input: edited, threadId: 't' }]);
    expect((await agent.generate({ ...prompt, grants })).finishReason).toBe('interrupted');
  });
});

describe('the mode of a run without a person', () => {
  it.each([
    ['denyAll', undefined, false],
    ['denyApprovalRequired', undefined, true],
    ['denyApprovalRequired', true, false],
    ['allowAll', true, true],
  ] as const)('%s with approval %s: the tool ran is %s', async (mode, approval, ran) => {
    const { agent, sent } = setUp(approval);
    const done = await agent.generate({ ...prompt, mode });
    expect(done.finishReason).toBe('stop');
    expect(sent.length > 0).toBe(ran);
    if (!ran) expect(toolResult(done.messages)).toContain('Approval is not available here');
  });
});

describe('a grant', () => {
  const remember = (what: string, where: string) => ({ remember: { what, where } });

  it('a grant allows the tool again on its thread', async () => {
    const grants = memoryGrants();
    const { agent, sent } = setUp(true);
    const { messages, interrupts } = await agent.generate({ ...prompt, grants });
    const given = { ...prompt, grants, prompt: undefined as never };
    await agent.generate({
      ...given,
      messages,
      resume: [approve(interrupts[0]!, remember('tool', 'thread'))],
    });
    expect((await agent.generate({ ...prompt, grants })).finishReason).toBe('stop');
    expect((await agent.generate({ ...prompt, threadId: 'other', grants })).finishReason).toBe('interrupted');
    expect(sent).toHaveLength(2);
  });

  it.each([
    [{ what: 'everything', where: 'thread' }],
    [{ what: 'tool', where: 'anywhere' }],
    [{ what: 'tool' }],
    ['tool'],
  ])('is not created by %j', async (remember) => {
    const grants = memoryGrants();
    const { agent } = setUp(true);
    const { messages, interrupts } = await agent.generate({ ...prompt, grants });
    const resume = [approve(interrupts[0]!, { remember })];
    await agent.generate({ messages, threadId: 't', resume, grants }).catch(() => undefined);
    expect(grants.list).toEqual([]);
  });

  it('for exact arguments is not given for edited arguments that the tool converts', async () => {
    const grants = memoryGrants();
    const ran: unknown[] = [];
    const pay = defineTool({
      name: 'pay',
      description: 'Pays.',
      input: z.union([z.object({ n: z.number() }), z.object({ s: z.string().transform(Number) })]),
      approval: { editable: true },
      run: (given) => ran.push(given),
    });
    const model = scriptedModel(({ messages }) =>
      messages.at(-1)?.role === 'tool' ? 'ok' : { calls: [{ name: 'pay', input: { n: 5 } }] },
    );
    const agent = defineAgent({ id: 'a', model, tools: [pay] });
    const { messages, interrupts } = await agent.generate({ ...prompt, grants });
    const editedArgs = { s: '7' };
    const resume = [approve(interrupts[0]!, { editedArgs, ...remember('arguments', 'thread') })];
    await agent.generate({ threadId: 't', messages, resume, grants });
    expect([ran, grants.list]).toEqual([[{ s: 7 }], []]);
  });

  it('for exact arguments is not offered, given or found for arguments that the tool converts', async () => {
    const grants = memoryGrants();
    await grants.add({ agent: 'a', toolName: 'pay', input: { amount: 500 } });
    const pay = defineTool({
      name: 'pay',
      description: 'Pays dollars.',
      input: z.object({ amount: z.number().transform((given) => given * 100) }),
      approval: { editable: true },
      run: () => 'paid',
    });
    const model = scriptedModel(({ messages }) =>
      messages.at(-1)?.role === 'tool' ? 'ok' : { calls: [{ name: 'pay', input: { amount: 500 } }] },
    );
    const agent = defineAgent({ id: 'a', model, tools: [pay] });
    const { messages, interrupts } = await agent.generate({ ...prompt, grants });
    const give = (what: string) =>
      agent.generate({
        threadId: 't',
        messages,
        resume: [approve(interrupts[0]!, remember(what, 'thread'))],
        grants,
      });
    await expect(give('arguments')).rejects.toMatchObject({ code: 'ANSWER_INVALID' });
    await give('tool');
    expect(grants.list).toHaveLength(2);
    expect(grants.list[1]).not.toHaveProperty('input');
  });

  it('a grant for exact arguments allows no others, and empty arguments match only empty ones', async () => {
    const grants = memoryGrants();
    await grants.add({ agent: 'a', toolName: 'x', input: {} });
    const call = { agent: 'a', toolName: 'x', threadId: 't', askers: [] };
    expect(await grants.find({ ...call, input: {} })).toHaveLength(1);
    expect(await grants.find({ ...call, input: { a: 1 } })).toEqual([]);
    await grants.add({ agent: 'a', toolName: 'y', input: { a: 1, b: 2 }, principalId: 'ana' });
    const other = { ...call, toolName: 'y', input: { b: 2, a: 1 } };
    expect(await grants.find({ ...other, askers: ['ana'] })).toHaveLength(1);
    expect(await grants.find({ ...other, askers: ['ana', 'bob'] })).toEqual([]);
    expect(await grants.find(other)).toEqual([]);
  });

  it('a grant is not created by the answer to an ask', async () => {
    const grants = memoryGrants();
    const ask = defineTool({
      name: 'ask',
      description: 'Asks before it goes on.',
      input: {},
      run: (_input, { interrupt, resumed }) =>
        resumed === undefined ? interrupt({ message: 'Sure?' }) : 'done',
    });
    const model = scriptedModel(({ messages }) =>
      messages.at(-1)?.role === 'tool' ? 'Done.' : { calls: [{ name: 'ask' }] },
    );
    const agent = defineAgent({ id: 'a', model, tools: [ask] });
    const { messages, interrupts } = await agent.generate({ ...prompt, grants });
    const payload = { approved: true, ...remember('tool', 'thread') };
    const resume = [{ interruptId: interrupts[0]!.interrupt.id, status: 'resolved' as const, payload }];
    expect((await agent.generate({ messages, resume, grants })).text).toBe('Done.');
    expect(grants.list).toEqual([]);
  });

  it('never applies to a destructive call, nor to one that a policy holds', async () => {
    const grants = memoryGrants();
    await grants.add({ agent: 'a', toolName: 'sendEmail' });
    const destructive = setUp(true, {}, { destructive: true });
    const { messages, interrupts } = await destructive.agent.generate({ ...prompt, grants });
    expect(interrupts[0]?.interrupt.metadata).toMatchObject({ destructive: true });
    await destructive.agent.generate({
      messages,
      grants,
      resume: [approve(interrupts[0]!, remember('tool', 'thread'))],
    });
    expect(grants.list).toHaveLength(1);
    const held = setUp(undefined);
    expect((await held.agent.generate({ ...prompt, grants, policies: [() => 'ask'] })).finishReason).toBe(
      'interrupted',
    );
  });
});
