/**
 * Ana pays small sums alone. The host holds a large one until another person signs in the inbox; Ana's own signature is
 * rejected and leaves the interrupt open. Some calls are forbidden.
 * Run: npx tsx --conditions=holdpoint-source examples/11-policy-hold/client.ts
 */
import { approve, createClient, HoldpointError, reject } from 'holdpoint/client';
import type { Interrupt } from 'holdpoint/client';
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

/** Answers as Ana or as her boss, who sees the request and not the thread. Returns whether that person may. */
async function sign(interrupt: Interrupt): Promise<boolean> {
  const who = (await ask(`${interrupt.message ?? 'Sign?'} Who answers?`, ['Ana', 'Boss'])) as 'Ana' | 'Boss';
  const said = await ask(`${who}, do you sign?`, ['yes', 'no']);
  const answer = said === 'yes' ? approve(interrupt) : reject(interrupt, 'The boss says no.');
  try {
    await clients[who].inbox.answer(threadId, answer);
    return true;
  } catch (error) {
    if (!HoldpointError.is(error, 'ANSWER_FORBIDDEN')) throw error;
    refused.push(error.code);
    console.log(`${error.message} Another person has to sign.`);
    return false;
  }
}

/** Waits until the run that follows the answer has ended. */
async function end(): Promise<void> {
  for await (const { event } of clients.Ana.watch(threadId)) {
    const last = clients.Ana.thread(threadId).getSnapshot().messages.at(-1);
    // Until the answer is carried out, the last message is the call.
    const isOver = last?.role === 'assistant' && last.toolCalls === undefined;
    if (event.type === 'RUN_FINISHED' && isOver) return;
  }
}

for await (const message of said('pay 20 to Baker', 'pay 5000 to Architect', 'pay 5 to Casino')) {
  const { interrupts } = await clients.Ana.run({ threadId, messages: message }).finished;
  for (const interrupt of interrupts) {
    while (!(await sign(interrupt)));
    await end();
  }
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
