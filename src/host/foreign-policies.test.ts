import { afterEach, describe, expect, it } from 'vitest';
import { approvalResponseSchema } from '../content/interrupts/index.ts';
import type { Policy } from '../engine/index.ts';
import type { Interrupt, RunAgentInput } from '../protocol/index.ts';
import { memoryStore } from '../store/memory/index.ts';
import type { Host } from './create-host.ts';
import { createHost } from './create-host.ts';
import type { HostOptions } from './host-options.ts';
import { answer, approve, createHostClient } from './testing-support/host-client.ts';

const hosts: Host[] = [];
afterEach(async () => {
  for (const host of hosts.splice(0)) await host.close({ withinMs: 100 });
});

interface Call {
  readonly name: string;
  readonly amount: number;
}

/** A framework that shows the calls of a message before it makes them, and goes on when it has every decision. */
function createFramework() {
  const answers: unknown[] = [];
  const made: Call[] = [];
  let open: readonly Call[] = [];
  const ask = ({ name, amount }: Call): Interrupt => ({
    id: `${name}-${amount}`,
    reason: 'tool_call',
    message: `Make ${name}?`,
    toolCallId: `call-${name}-${amount}`,
    responseSchema: { ...approvalResponseSchema({ editedArgs: { type: 'object' } }) },
    metadata: { functionName: name, functionArguments: { amount } },
  });
  const framework = {
    answers,
    made,
    /** Asks again for each denied call, under another id. */
    insists: false,
    agent: {
      showsCalls: true,
      async *run({ threadId, runId, messages, resume = [] }: RunAgentInput) {
        yield { type: 'RUN_STARTED', threadId, runId };
        const last = messages.at(-1);
        if (resume.length === 0 && last?.role === 'user') open = JSON.parse(String(last.content)) as Call[];
        const waiting = open;
        const decided = new Map(resume.map(({ interruptId, payload }) => [interruptId, payload as Decision]));
        if (resume.length > 0) {
          answers.push(resume.map(({ interruptId, payload }) => [interruptId, payload]));
          open = [];
        }
        const texts: string[] = [];
        for (const call of resume.length > 0 ? waiting : []) {
          const {
            approved = false,
            reason,
            editedArgs = { amount: call.amount },
          } = decided.get(ask(call).id) ?? {};
          if (approved) made.push({ ...call, ...editedArgs });
          else texts.push(`${call.name} was rejected: ${reason ?? ''}`);
          if (!approved && framework.insists) open = [...open, { ...call, amount: call.amount + 1 }];
        }
        const messageId = `m-${runId}`;
        const delta = `${texts.join('; ')}.`;
        yield { type: 'TEXT_MESSAGE_START', messageId, role: 'assistant' };
        yield { type: 'TEXT_MESSAGE_CONTENT', messageId, delta };
        yield { type: 'TEXT_MESSAGE_END', messageId };
        const outcome =
          open.length === 0 ? {} : { outcome: { type: 'interrupt', interrupts: open.map(ask) } };
        yield { type: 'RUN_FINISHED', threadId, runId, ...outcome };
      },
    },
  };
  return framework;
}

interface Decision {
  readonly approved?: boolean;
  readonly reason?: string;
  readonly editedArgs?: { readonly amount: number };
}

function setUp(options: Partial<HostOptions> = {}, framework = createFramework()) {
  const errors: unknown[] = [];
  const host = createHost({
    agents: { assistant: framework.agent },
    store: memoryStore(),
    sweepMs: 0,
    logger: { error: (details) => errors.push(details), warn: () => {}, info: () => {} },
    ...options,
  });
  hosts.push(host);
  const client = createHostClient(host.fetch);
  const say = (...calls: readonly Call[]) => client.run({ say: JSON.stringify(calls) });
  return { ...framework, framework, errors, client, say };
}

const pay = (amount: number): Call => ({ name: 'pay', amount });
const deny =
  (message: string): Policy =>
  () => ({ decision: 'deny', message });
const perAmount: Policy = ({ input }) => {
  const { amount } = input as { amount: number };
  return amount > 100 ? { decision: 'deny', message: 'Too much.' } : 'allow';
};

describe('policies of a host and the calls that a foreign agent shows', () => {
  it('a denied call is rejected with the reason in the same run, and nobody is asked', async () => {
    const { say, client, answers, made } = setUp({ policies: [deny('Not on Fridays.')] });
    const told = await say(pay(5));
    expect([told.outcome, told.error]).toEqual(['success', undefined]);
    expect(answers).toEqual([[['pay-5', { approved: false, reason: 'Not on Fridays.' }]]]);
    expect(made).toEqual([]);
    expect(told.messages.at(-1)).toMatchObject({ content: 'pay was rejected: Not on Fridays..' });
    expect((await client.get('/interrupts')).body.interrupts).toEqual([]);
  });

  it('a call that a policy allows still asks, because the agent wants an approval', async () => {
    const seen: unknown[] = [];
    const policy: Policy = ({ toolName, toolCallId, input }) => {
      seen.push({ toolName, toolCallId, input });
      return 'allow';
    };
    const { say, client, made } = setUp({ policies: [policy] });
    const { interrupts } = await say(pay(5));
    expect(interrupts).toMatchObject([{ id: 'pay-5', message: 'Make pay?' }]);
    expect(seen).toEqual([{ toolName: 'pay', toolCallId: 'call-pay-5', input: { amount: 5 } }]);
    expect((await client.run({ resume: [approve(interrupts[0])] })).outcome).toBe('success');
    expect(made).toEqual([pay(5)]);
  });

  it('a policy that asks sets the message, and its people take the place of those of the host', async () => {
    const { say, client } = setUp({
      policies: [() => ({ decision: 'ask', message: 'The CFO decides.', approvers: { roles: ['cfo'] } })],
      interrupts: { approvers: () => ({ roles: ['clerk'], notAsker: true }) },
    });
    const { interrupts } = await say(pay(5));
    expect(interrupts).toMatchObject([{ message: 'The CFO decides.' }]);
    const refused = await client.run({ resume: [approve(interrupts[0])] });
    expect(refused.error).toMatchObject({
      code: 'ANSWER_FORBIDDEN',
      message: expect.stringContaining('cfo'),
    });
    expect((await client.get('/threads/t/interrupts/pay-5')).body.approvers).toEqual({
      roles: ['cfo'],
      notAsker: true,
    });
  });

  it('a denied call beside one that asks waits, and the agent gets both decisions together', async () => {
    const { say, client, answers, made } = setUp({ policies: [perAmount] });
    const { interrupts } = await say(pay(500), pay(5));
    expect(interrupts.map(({ id }) => id)).toEqual(['pay-5']);
    expect(answers).toEqual([]);
    await client.run({ resume: [approve(interrupts[0])] });
    expect(answers).toEqual([
      [
        ['pay-5', { approved: true }],
        ['pay-500', { approved: false, reason: 'Too much.' }],
      ],
    ]);
    expect(made).toEqual([pay(5)]);
  });

  it('an approval is a rejection when a policy denies the call by now, and the card says that the call failed', async () => {
    const store = memoryStore();
    const before = setUp({ store });
    const { interrupts } = await before.say(pay(5));
    const { client, made } = setUp({ store, policies: [deny('Closed.')] }, before.framework);
    expect((await client.run({ resume: [approve(interrupts[0])] })).outcome).toBe('success');
    expect(made).toEqual([]);
    expect(before.answers).toEqual([[['pay-5', { approved: false, reason: 'Closed.' }]]]);
    expect((await client.get('/threads/t/interrupts/pay-5')).body.failed).toBe(true);
  });

  it('an approval with arguments that a policy denies is a rejection', async () => {
    const { say, client, made } = setUp({ policies: [perAmount] });
    const { interrupts } = await say(pay(5));
    const payload = { approved: true, editedArgs: { amount: 500 } };
    await client.run({ resume: [answer(interrupts[0], payload)] });
    expect(made).toEqual([]);
  });

  it('a call is denied when a policy throws, and the error is logged', async () => {
    const { say, made, answers, errors } = setUp({
      policies: [
        () => {
          throw new Error('no rules today');
        },
      ],
    });
    expect((await say(pay(5))).outcome).toBe('success');
    expect(made).toEqual([]);
    expect(answers).toEqual([
      [
        [
          'pay-5',
          {
            approved: false,
            reason: 'pay was not made: whether it needs an approval could not be decided.',
          },
        ],
      ],
    ]);
    expect(errors).toMatchObject([{ err: { message: 'no rules today' } }]);
  });

  it('an agent that asks for denied calls without end ends the run with MAX_TURNS', async () => {
    const { framework, say, made } = setUp({ policies: [deny('No.')] });
    framework.insists = true;
    expect((await say(pay(5))).error).toMatchObject({ code: 'MAX_TURNS' });
    expect(made).toEqual([]);
  });
});

it.each([
  ['denyAll', []],
  ['denyApprovalRequired', []],
  ['allowAll', [pay(5)]],
] as const)(
  'with the mode %s, a call that a foreign agent shows ends without a person',
  async (mode, expected) => {
    const { say, made } = setUp({ mode });
    expect((await say(pay(5))).outcome).toBe('success');
    expect(made).toEqual(expected);
  },
);
