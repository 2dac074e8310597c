/** The one list of scenarios that every framework goes through, over HTTP, against host processes on SQLite. */
import assert from 'node:assert/strict';

import { answer, approve, cancel, offersEdits, reject } from '../src/content/index.ts';
import type { Interrupt } from '../src/protocol/index.ts';
import type { HostClient } from './host-client.ts';
import { PICTURE } from './world.ts';

/** Host processes over one database, and what their agents did. */
export interface Stage {
  readonly agent: string;
  /** Clients of two processes, for a tenant. */
  clients(scope?: string): readonly [HostClient, HostClient];
  /** A client of a process whose interrupts expire at once. */
  expiring(): HostClient;
  /** Kills every process with SIGKILL and starts new ones. */
  killAll(): Promise<void>;
  /** How often an amount was paid. */
  paid(amount: number): number;
}

export interface Scenario {
  readonly id: string;
  readonly title: string;
  readonly run: (stage: Stage, thread: string) => Promise<void>;
}

/** Amounts are unlike each other, so that each payment has one cause. */
let lastAmount = 100;
function newAmount(): number {
  lastAmount += 1;
  return lastAmount;
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

function amountOf({ metadata, message }: Interrupt): number {
  const found = /(?<!\d)\d{3}(?!\d)/.exec(JSON.stringify([metadata, message]));
  return Number(found?.[0]);
}

async function approveOne(client: HostClient, thread: string, interrupt: Interrupt): Promise<void> {
  const ended = await client.run(thread, { resume: [approve(interrupt)] });
  assert.equal(ended.error, undefined);
  assert.equal(ended.outcome, 'success');
  assert.match(ended.said, /paid/);
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
      const ended = await client.run(thread, { resume: [reject(interrupt, 'over budget')] });
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
      const half = await client.run(thread, { resume: [approve(interrupts[0])] });
      assert.match(half.error ?? '', /INTERRUPTS_UNANSWERED/);
      const ended = await client.run(thread, { resume: interrupts.map((one) => approve(one)) });
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
      const resume = interrupts.map((one) => (one === yes ? approve(one) : reject(one, 'over budget')));
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
      assert.match(wrong.error ?? '', /ANSWER_INVALID/);
      assert.equal(paid(amount), 0);
      await approveOne(client, thread, interrupt);
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
        both.map((client) => client.run(thread, { resume: [approve(interrupt)] })),
      );
      assert.deepEqual(
        ends.map(({ outcome }) => outcome),
        ['success', 'success'],
      );
      assert.equal(paid(amount), 1);
      const late = await both[1].run(thread, { resume: [reject(interrupt, 'too late')] });
      assert.match(late.error ?? '', /INTERRUPT_CONFLICT/);
    },
  },
  {
    id: 'kill',
    title: 'kill -9 while it waits',
    async run({ clients, killAll, paid }, thread) {
      const amount = newAmount();
      const [interrupt] = await askToPay(clients()[0], thread, amount);
      await killAll();
      const [client] = clients();
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
      const late = await client.request('POST', `${place}/${interrupt.id}/answer`, approve(interrupt));
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
    async run({ clients, paid }, thread) {
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
    },
  },
];
