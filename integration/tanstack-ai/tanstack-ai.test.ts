/** The unmodified client of TanStack AI against a host. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { ChatClient, fetchServerSentEvents } from '@tanstack/ai-client';

import { createHost } from '../../src/host/index.ts';
import { serve } from '../../src/host/node/index.ts';
import { sqliteStore } from '../../src/store/sqlite/index.ts';
import { createPayer } from '../ag-ui/agents.ts';

const paid: number[] = [];
const host = createHost({
  agents: [
    createPayer(
      {
        async pay(amount) {
          paid.push(amount);
          return `paid ${amount}`;
        },
      },
      'payer',
    ),
  ],
  store: sqliteStore(':memory:'),
});
let url = '';
let close = async (): Promise<void> => undefined;
before(async () => ({ url, close } = await serve(host, { port: 0 })));
after(() => close());

/** A client on a thread of its own, as `useChat` of the package for React or Vue makes it. */
function open(threadId: string) {
  let settle: () => void = () => undefined;
  const client = new ChatClient({
    threadId,
    connection: fetchServerSentEvents(`${url}/agents/payer`),
    onInterruptStateChange: () => settle(),
    onStatusChange: () => settle(),
    onMessagesChange: () => settle(),
  });
  /** Resolves when the client shows it. */
  const until = async (isShown: () => boolean): Promise<void> => {
    while (!isShown()) await new Promise<void>((resolve) => (settle = resolve));
  };
  const says = (text: string) => until(() => JSON.stringify(client.getMessages()).includes(text));
  /** The interrupts, when the client shows so many that it can answer. */
  const asked = async (count: number) => {
    await until(() => client.getStatus() === 'ready' && client.getInterrupts().length === count);
    return client.getInterrupts().flatMap((interrupt) => {
      assert.ok(interrupt.kind === 'generic' && interrupt.canResolve);
      return [interrupt];
    });
  };
  const rests = () => until(() => client.getStatus() === 'ready' && client.getInterrupts().length === 0);
  const say = async (text: string) => {
    await client.sendMessage(text);
  };
  return { client, say, says, asked, rests, until };
}

void test('a chat, an approval and the next message', async () => {
  const { say, says, asked, rests } = open('approve');
  await say('hello');
  await says('You said hello.');
  await say('pay 101');
  const [interrupt] = await asked(1);
  assert.deepEqual(paid, []);
  interrupt?.resolveInterrupt({ approved: true });
  await says('Results: paid 101');
  await rests();
  assert.deepEqual(paid.splice(0), [101]);
  await say('hello again');
  await says('You said hello again.');
});

void test('a rejection with its reason, and edited arguments, of two interrupts at once', async () => {
  const { say, says, asked, rests } = open('several');
  await say('pay 102 and 103');
  const [first, second] = await asked(2);
  first?.resolveInterrupt({ approved: false, reason: 'over budget' });
  second?.resolveInterrupt({ approved: true, editedArgs: { amount: 104 } });
  await says('over budget');
  await says('paid 104');
  await rests();
  assert.deepEqual(paid.splice(0), [104]);
});

void test('an input by its schema', async () => {
  const { say, says, asked, rests } = open('input');
  await say('sign up');
  const [interrupt] = await asked(1);
  interrupt?.resolveInterrupt({ email: 'ann@example.com' });
  await says('ann@example.com');
  await rests();
});

void test('a cancelled call, and the next message', async () => {
  const { client, say, says, asked, rests } = open('cancel');
  await say('pay 105');
  await asked(1);
  client.cancelInterrupts();
  await rests();
  await say('hello');
  await says('You said hello.');
  assert.deepEqual(paid, []);
});

void test('an answer that the host refuses leaves the request open there', async () => {
  const { client, say, asked, until } = open('wrong');
  await say('pay 106');
  const [interrupt] = await asked(1);
  interrupt?.resolveInterrupt({ approved: 'yes' });
  await until(() => client.getStatus() === 'error');
  assert.match(client.getError()?.message ?? '', /does not fit at \/approved/);
  const response = await host.fetch(new Request(`${url}/interrupts?thread=wrong`));
  const { interrupts } = (await response.json()) as { interrupts: unknown[] };
  assert.equal(interrupts.length, 1);
});
