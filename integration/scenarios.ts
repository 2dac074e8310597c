/** The one list of scenarios that every framework goes through, over HTTP, against host processes on SQLite. */
import assert from 'node:assert/strict';

import { answer, approve, cancel, offersEdits, reject } from '../src/content/index.ts';
import type { Interrupt, ResumeEntry } from '../src/protocol/index.ts';
import type { HostClient, RunResult } from './host-client.ts';
import { DECLINED_FROM, PICTURE } from './world.ts';

/** Host processes over one database, and what their agents did. */
export interface Stage {
  readonly agent: string;
  /** Clients of two processes, for a tenant. */
  clients(scope?: string): readonly [HostClient, HostClient];
  /** A client of a process whose interrupts expire at once. */
  expiring(): HostClient;
  /** A client of a process that never ends a payment. SIGKILL ends it when this payment has begun; `killed` resolves then. */
  doomed(amount: number): Promise<{ readonly client: HostClient; readonly killed: Promise<void> }>;
  /** Kills every process with SIGKILL and starts new ones. */
  killAll(): Promise<void>;
  /** How often a payment of an amount was started. */
  started(amount: number): number;
  /** How often an amount was paid. */
  paid(amount: number): number;
  /** What the agent says to a message that is about no payment. Default: the message. */
  readonly smallTalk?: RegExp | undefined;
  /** False for an agent that keeps no conversation. */
  readonly recalls?: boolean | undefined;
}

/** A scenario. After it, `runScenario` says one more thing on its thread and expects an answer. */
export interface Scenario {
  readonly id: string;
  readonly title: string;
  readonly run: (stage: Stage, thread: string) => Promise<void>;
}

/** Runs a scenario on a thread of its own, and says one more thing there. */
export async function runScenario(scenario: Scenario, stage: Stage): Promise<void> {
  const thread = `${stage.agent}-${scenario.id}`;
  await scenario.run(stage, thread);
  await sayMore(stage, thread);
}

/** The thread goes on: nothing waits, and the next message of the user is answered. */
async function sayMore({ clients, smallTalk }: Stage, thread: string, scope = 'a'): Promise<void> {
  const [client] = clients(scope);
  assert.deepEqual((await client.connect(thread)).interrupts, []);
  const answered = await client.run(thread, { say: 'hello again' });
  assert.equal(answered.error, undefined);
  assert.equal(answered.outcome, 'success');
  assert.match(answered.said, smallTalk ?? /You said hello again/);
}

/** Amounts are unlike each other, so that each payment has one cause. */
let lastAmount = 100;
let lastDeclined = DECLINED_FROM;
function newAmount(): number {
  lastAmount += 1;
  assert.ok(lastAmount < DECLINED_FROM);
  return lastAmount;
}
function newDeclinedAmount(): number {
  lastDeclined += 1;
  return lastDeclined;
}

async function askToPay(
  client: HostClient,
  thread: string,
  ...amounts: readonly number[]
): Promise<[Interrupt, ...Interrupt[]]> {
  const asked = await client.run(thread, { say: `pay ${amounts.join(' and ')}` });
  assert.equal(asked.error, undefined);
  assert.equal(asked.outcome, 'interrupt');
  assert.equal(asked.interrupts.length, amounts.length);
  const [first, ...rest] = asked.interrupts;
  assert.ok(first);
  return [first, ...rest];
}

/** An agent without a schema checks the answer itself. */
function approving(interrupt: Interrupt): ResumeEntry {
  return interrupt.responseSchema === undefined ? answer(interrupt, { approved: true }) : approve(interrupt);
}

function rejecting(interrupt: Interrupt, reason: string): ResumeEntry {
  const isFree = interrupt.responseSchema === undefined;
  return isFree ? answer(interrupt, { approved: false, reason }) : reject(interrupt, reason);
}

function amountOf({ metadata, message }: Interrupt): number {
  const found = /(?<!\d)\d{3}(?!\d)/.exec(JSON.stringify([metadata, message]));
  return Number(found?.[0]);
}

async function approveOne(client: HostClient, thread: string, interrupt: Interrupt): Promise<void> {
  const ended = await client.run(thread, { resume: [approving(interrupt)] });
  assert.equal(ended.error, undefined);
  assert.equal(ended.outcome, 'success');
  assert.match(ended.said, /paid/);
}

/** A process is killed in the approved call. Another one asks a person, who decides. */
async function decideAfterKill(
  stage: Stage,
  thread: string,
  action: 'retry' | 'finished' | 'skip',
): Promise<{ readonly amount: number; readonly ended: RunResult }> {
  const { clients, doomed, paid } = stage;
  const amount = newAmount();
  const [, client] = clients();
  const [interrupt] = await askToPay(client, thread, amount);
  const { client: lost, killed } = await doomed(amount);
  const broken = assert.rejects(lost.run(thread, { resume: [approving(interrupt)] }));
  await Promise.all([killed, broken]);
  assert.equal(paid(amount), 1);
  const [doubt, ...others] = await client.nextInterrupts(thread);
  assert.ok(doubt !== undefined && others.length === 0);
  assert.equal(doubt.reason, 'error_recovery', 'Nobody is asked about the call.');
  assert.equal(paid(amount), 1, 'The call ran again before anybody was asked.');
  const actions = actionsOf(doubt);
  // Agents of other frameworks offer `abort`: the turn ends there.
  const chosen = action === 'skip' && !actions.includes('skip') ? 'abort' : action;
  assert.ok(actions.includes(chosen), `The choices are ${actions.join(', ')}.`);
  const result = chosen === 'finished' ? { result: `paid ${amount}` } : {};
  const ended = await client.run(thread, { resume: [answer(doubt, { action: chosen, ...result })] });
  assert.equal(ended.error, undefined);
  assert.notEqual(ended.outcome, 'interrupt', 'A person is asked once more.');
  return { amount, ended };
}

/** The choices of a request about a call in doubt. */
function actionsOf({ responseSchema }: Interrupt): readonly string[] {
  const properties = responseSchema?.['properties'] as { action?: { enum?: string[] } } | undefined;
  return properties?.action?.enum ?? [];
}

export const SCENARIOS: readonly Scenario[] = [
  {
    id: 'approve',
    title: 'approve',
    async run({ clients, paid }, thread) {
      const [client] = clients();
      const amount = newAmount();
      const [interrupt] = await askToPay(client, thread, amount);
      assert.equal(paid(amount), 0);
      assert.deepEqual((await client.connect(thread)).interrupts, [interrupt]);
      await approveOne(client, thread, interrupt);
      assert.equal(paid(amount), 1);
      assert.deepEqual((await client.connect(thread)).interrupts, []);
    },
  },
  {
    id: 'reject',
    title: 'reject with a reason',
    async run({ clients, paid }, thread) {
      const [client] = clients();
      const amount = newAmount();
      const [interrupt] = await askToPay(client, thread, amount);
      const ended = await client.run(thread, { resume: [rejecting(interrupt, 'over budget')] });
      assert.equal(ended.outcome, 'success');
      assert.match(ended.said, /over budget/);
      assert.equal(paid(amount), 0);
    },
  },
  {
    id: 'edit',
    title: 'edit the arguments',
    async run({ clients, paid }, thread) {
      const [client] = clients();
      const [amount, other] = [newAmount(), newAmount()];
      const [interrupt] = await askToPay(client, thread, amount);
      assert.ok(offersEdits(interrupt), 'The response schema offers no editedArgs.');
      const ended = await client.run(thread, {
        resume: [approve(interrupt, { editedArgs: { amount: other } })],
      });
      assert.equal(ended.outcome, 'success');
      assert.deepEqual([paid(amount), paid(other)], [0, 1]);
    },
  },
  {
    id: 'input',
    title: 'input with a schema',
    async run({ clients }, thread) {
      const [client] = clients();
      const asked = await client.run(thread, { say: 'sign up' });
      const [interrupt] = asked.interrupts;
      assert.ok(interrupt?.responseSchema, `There is no schema: ${asked.outcome} ${asked.error}`);
      const wrong = await client.run(thread, { resume: [answer(interrupt, { email: 7 })] });
      assert.match(wrong.error ?? '', /ANSWER_INVALID/);
      const ended = await client.run(thread, { resume: [answer(interrupt, { email: 'ann@example.com' })] });
      assert.equal(ended.outcome, 'success');
      assert.match(ended.said, /ann@example\.com/);
    },
  },
  {
    id: 'several',
    title: 'several at once',
    async run({ clients, paid }, thread) {
      const [client] = clients();
      const amounts = [newAmount(), newAmount()] as const;
      const interrupts = await askToPay(client, thread, ...amounts);
      assert.equal(new Set(interrupts.map(({ id }) => id)).size, 2);
      const half = await client.run(thread, { resume: [approving(interrupts[0])] });
      assert.match(half.error ?? '', /INTERRUPTS_UNANSWERED/);
      const ended = await client.run(thread, { resume: interrupts.map((one) => approving(one)) });
      assert.equal(ended.outcome, 'success');
      assert.deepEqual(amounts.map(paid), [1, 1]);
    },
  },
  {
    id: 'mixed',
    title: 'approve one, reject another',
    async run({ clients, paid }, thread) {
      const [client] = clients();
      const amounts = [newAmount(), newAmount()] as const;
      const interrupts = await askToPay(client, thread, ...amounts);
      const yes = interrupts.find((one) => amountOf(one) === amounts[1])!;
      const resume = interrupts.map((one) => (one === yes ? approving(one) : rejecting(one, 'over budget')));
      const ended = await client.run(thread, { resume });
      assert.equal(ended.outcome, 'success');
      assert.match(ended.said, /over budget/);
      assert.deepEqual(amounts.map(paid), [0, 1]);
    },
  },
  {
    id: 'image',
    title: 'an image in a message',
    async run({ clients, paid }, thread) {
      const [client] = clients();
      const amount = newAmount();
      const source = { type: 'data' as const, value: PICTURE, mimeType: 'image/png' };
      const looked = await client.run(thread, {
        say: [
          { type: 'text', text: 'look' },
          { type: 'image', source },
        ],
      });
      assert.equal(looked.error, undefined);
      assert.match(looked.said, /I see the picture/);
      const [interrupt] = await askToPay(client, thread, amount);
      await approveOne(client, thread, interrupt);
      assert.equal(paid(amount), 1);
    },
  },
  {
    id: 'wrong',
    title: 'a wrong answer, then the right one',
    async run({ clients, paid }, thread) {
      const [client] = clients();
      const amount = newAmount();
      const [interrupt] = await askToPay(client, thread, amount);
      const wrong = await client.run(thread, { resume: [answer(interrupt, { approved: 'yes' })] });
      // Without a schema, the agent checks the answer and asks again.
      const checks = interrupt.responseSchema === undefined;
      if (!checks) assert.match(wrong.error ?? '', /ANSWER_INVALID/);
      assert.equal(paid(amount), 0);
      const next = checks ? wrong.interrupts[0] : interrupt;
      assert.ok(next, 'The agent does not ask again.');
      await approveOne(client, thread, next);
      assert.equal(paid(amount), 1);
    },
  },
  {
    id: 'double',
    title: 'the same answer from two processes at once',
    async run({ clients, paid }, thread) {
      const both = clients();
      const amount = newAmount();
      const [interrupt] = await askToPay(both[0], thread, amount);
      const ends = await Promise.all(
        both.map((client) => client.run(thread, { resume: [approving(interrupt)] })),
      );
      assert.deepEqual(
        ends.map(({ outcome }) => outcome),
        ['success', 'success'],
      );
      assert.equal(paid(amount), 1);
      const late = await both[1].run(thread, { resume: [rejecting(interrupt, 'too late')] });
      assert.match(late.error ?? '', /INTERRUPT_CONFLICT/);
    },
  },
  {
    id: 'kill',
    title: 'kill -9 while it waits, then approve with another process',
    async run({ clients, killAll, paid }, thread) {
      const amount = newAmount();
      const [interrupt] = await askToPay(clients()[0], thread, amount);
      await killAll();
      const [, client] = clients();
      assert.deepEqual((await client.connect(thread)).interrupts, [interrupt]);
      await approveOne(client, thread, interrupt);
      assert.equal(paid(amount), 1);
    },
  },
  {
    id: 'cancel',
    title: 'cancel, then go on',
    async run({ clients, paid }, thread) {
      const [client] = clients();
      const [amount, other] = [newAmount(), newAmount()];
      const [interrupt] = await askToPay(client, thread, amount);
      const ended = await client.run(thread, { resume: [cancel(interrupt)] });
      assert.equal(ended.error, undefined);
      assert.notEqual(ended.outcome, 'interrupt');
      assert.deepEqual((await client.connect(thread)).interrupts, []);
      assert.equal(paid(amount), 0);
      const [next] = await askToPay(client, thread, other);
      await approveOne(client, thread, next);
      assert.deepEqual([paid(amount), paid(other)], [0, 1]);
    },
  },
  {
    id: 'expiry',
    title: 'expire, then ask again',
    async run({ clients, expiring, paid }, thread) {
      const amount = newAmount();
      const client = expiring();
      const [interrupt] = await askToPay(client, thread, amount);
      assert.ok(interrupt?.expiresAt, 'The interrupt does not expire.');
      const place = `/threads/${thread}/interrupts`;
      const late = await client.request('POST', `${place}/${interrupt.id}/answer`, approving(interrupt));
      assert.equal(late.status, 410, JSON.stringify(late.body));
      assert.equal(paid(amount), 0);
      const again = await client.request('POST', `${place}/${interrupt.id}/ask-again`, {
        expiresInMs: 600_000,
      });
      assert.equal(again.status, 201, JSON.stringify(again.body));
      await approveOne(clients()[0], thread, again.body.interrupt as Interrupt);
      assert.equal(paid(amount), 1);
    },
  },
  {
    id: 'tenants',
    title: 'two tenants, one thread id',
    async run(stage, thread) {
      const { clients, paid } = stage;
      const amounts = [newAmount(), newAmount()] as const;
      const [mine, yours] = [clients('a')[0], clients('b')[1]];
      const [[first], [second]] = await Promise.all([
        askToPay(mine, thread, amounts[0]),
        askToPay(yours, thread, amounts[1]),
      ]);
      const inbox = async (client: HostClient) => {
        const { body } = await client.request('GET', `/interrupts?thread=${thread}`);
        return (body.interrupts as { interrupt: Interrupt }[]).map(({ interrupt }) => interrupt.id);
      };
      assert.deepEqual([await inbox(mine), await inbox(yours)], [[first?.id], [second?.id]]);
      assert.deepEqual([amountOf(first), amountOf(second)], amounts);
      await Promise.all([approveOne(mine, thread, first), approveOne(yours, thread, second)]);
      assert.deepEqual(amounts.map(paid), [1, 1]);
      await sayMore(stage, thread, 'b');
    },
  },
  {
    id: 'throws',
    title: 'the approved call throws',
    async run(stage, thread) {
      const { clients, paid, started } = stage;
      const [client] = clients();
      const amount = newDeclinedAmount();
      const [interrupt] = await askToPay(client, thread, amount);
      const ended = await client.run(thread, { resume: [approving(interrupt)] });
      assert.notEqual(ended.outcome, 'interrupt', 'A failure is no doubt.');
      // The model hears it, or the framework has ended the run.
      if (ended.error === undefined) assert.match(ended.said, /declined|fail|error/i);
      else assert.match(ended.error, /^(TOOL_FAILED|AGENT_FAILED|INTERNAL): .*failed/);
      assert.deepEqual((await client.connect(thread)).interrupts, []);
      const card = await client.request('GET', `/threads/${thread}/interrupts/${interrupt.id}`);
      // A request without a call has no result of its own, if the run went on.
      if (ended.error !== undefined || interrupt.toolCallId !== undefined)
        assert.match(JSON.stringify([card.body.failed, card.body.result]), /true|declined|fail|error/i);
      assert.equal(card.body.uncertain, undefined);
      await sayMore(stage, thread);
      assert.deepEqual([started(amount), paid(amount)], [1, 0]);
      const other = newAmount();
      const [next] = await askToPay(client, thread, other);
      await approveOne(client, thread, next);
      assert.deepEqual([started(amount), paid(other)], [1, 1]);
    },
  },
  {
    id: 'turns',
    title: 'three turns',
    async run({ clients, paid, recalls = true }, thread) {
      const both = clients();
      const amounts = [newAmount(), newAmount(), newAmount()] as const;
      for (const [turn, amount] of amounts.entries()) {
        const [interrupt] = await askToPay(both[turn % 2]!, thread, amount);
        await approveOne(both[(turn + 1) % 2]!, thread, interrupt);
      }
      assert.deepEqual(amounts.map(paid), [1, 1, 1]);
      if (!recalls) return;
      const { said } = await both[0].run(thread, { say: 'recall' });
      for (const amount of amounts) assert.match(said, new RegExp(`paid ${amount}`));
    },
  },
  {
    id: 'again',
    title: 'kill -9 in the approved call, then again',
    async run(stage, thread) {
      const { amount, ended } = await decideAfterKill(stage, thread, 'retry');
      assert.match(ended.said, new RegExp(`paid ${amount}`));
      assert.equal(stage.paid(amount), 2);
      await sayMore(stage, thread);
      assert.equal(stage.paid(amount), 2);
    },
  },
  {
    id: 'finished',
    title: 'kill -9 in the approved call, then it finished',
    async run(stage, thread) {
      const { amount } = await decideAfterKill(stage, thread, 'finished');
      await sayMore(stage, thread);
      assert.equal(stage.paid(amount), 1);
      const other = newAmount();
      const [client] = stage.clients();
      const [next] = await askToPay(client, thread, other);
      await approveOne(client, thread, next);
      assert.deepEqual([amount, other].map(stage.paid), [1, 1]);
    },
  },
  {
    id: 'skip',
    title: 'kill -9 in the approved call, then go on without it',
    async run(stage, thread) {
      const { amount } = await decideAfterKill(stage, thread, 'skip');
      await sayMore(stage, thread);
      const other = newAmount();
      const [client] = stage.clients();
      const [next] = await askToPay(client, thread, other);
      await approveOne(client, thread, next);
      assert.deepEqual([amount, other].map(stage.paid), [1, 1]);
    },
  },
];
