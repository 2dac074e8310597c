/**
 * Ana pays small sums alone. The host holds a large one until another person signs; Ana's own signature is rejected
 * and leaves the interrupt open. Some calls are forbidden.
 * Run: npx tsx --conditions=holdpoint-source examples/11-policy-hold/client.ts
 */
import { approve, createClient, HoldpointError, reject } from 'holdpoint/client';
import type { Finished, Interrupt } from 'holdpoint/client';
import { ask, check, reach, said, willAnswer } from '../console.ts';
import * as server from './server.ts';

willAnswer('pay 20 to Baker', 'pay 5000 to Architect', 'Ana', 'yes', 'Boss', 'yes');
willAnswer('pay 9000 to Yacht', 'Boss', 'no', 'pay 5 to Casino');
const { url, close } = await reach(server);
const as = (user: string) => createClient({ url: `${url}/agents/accounts`, headers: { 'x-user': user } });
const clients = { Ana: as('ana'), Boss: as('boss') };
const threadId = crypto.randomUUID();
const refused: string[] = [];
const replies: unknown[] = [];

/** Answers as Ana or as her boss; undefined when that person is not allowed to. */
async function sign(interrupt: Interrupt): Promise<Finished | undefined> {
  const who = (await ask(`${interrupt.message ?? 'Sign?'} Who answers?`, ['Ana', 'Boss'])) as 'Ana' | 'Boss';
  const said = await ask(`${who}, do you sign?`, ['yes', 'no']);
  await clients[who].connect(threadId).finished; // they open the page: what waits now?
  const answer = said === 'yes' ? approve(interrupt) : reject(interrupt, 'The boss says no.');
  try {
    return await clients[who].resume({ threadId }, [answer]).finished;
  } catch (error) {
    if (!HoldpointError.is(error, 'ANSWER_FORBIDDEN')) throw error;
    refused.push(error.code);
    console.log(`${error.message} Another person has to sign.`);
    return undefined;
  }
}

for await (const message of said('pay 20 to Baker', 'pay 5000 to Architect', 'pay 5 to Casino')) {
  let end = await clients.Ana.run({ threadId, messages: message }).finished;
  for (;;) {
    const [interrupt] = end.interrupts;
    if (interrupt === undefined) break;
    end = (await sign(interrupt)) ?? end;
  }
  // Every client sees the same thread.
  const { messages } = await clients.Ana.connect(threadId).finished;
  replies.push(messages.at(-1)?.content);
  console.log(replies.at(-1));
}

check(refused, ['ANSWER_FORBIDDEN']);
check(server.paid, ['$20 to Baker, signed by nobody', '$5000 to Architect, signed by boss']);
check(replies, [
  'Paid $20 to Baker.',
  'Paid $5000 to Architect.',
  'Tool call invocation rejected. The boss says no.',
  'We do not pay casinos.',
]);
await close();
