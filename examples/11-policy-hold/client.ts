/**
 * Ana pays small sums alone. A large one is held by the host until somebody else signs; Ana's own signature is refused and
 * leaves the question open. Some calls are forbidden outright.
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
const told: unknown[] = [];

/** Somebody signs; undefined when that is not for them. */
async function sign(question: Interrupt): Promise<Finished | undefined> {
  const who = (await ask(`${question.message ?? 'Sign?'} Who answers?`, ['Ana', 'Boss'])) as 'Ana' | 'Boss';
  const said = await ask(`${who}, do you sign?`, ['yes', 'no']);
  await clients[who].connect(threadId).finished; // they open the page: what waits now?
  const answer = said === 'yes' ? approve(question) : reject(question, 'The boss says no.');
  try {
    return await clients[who].resume({ threadId }, [answer]).finished;
  } catch (error) {
    if (!HoldpointError.is(error, 'ANSWER_FORBIDDEN')) throw error;
    refused.push(error.code);
    console.log(`${error.message} Four eyes are needed.`);
    return undefined;
  }
}

for await (const message of said('pay 20 to Baker', 'pay 5000 to Architect', 'pay 5 to Casino')) {
  let end = await clients.Ana.run({ threadId, messages: message }).finished;
  for (;;) {
    const [question] = end.interrupts;
    if (question === undefined) break;
    end = (await sign(question)) ?? end;
  }
  // Whoever signed, everybody sees the same thread.
  const { messages } = await clients.Ana.connect(threadId).finished;
  told.push(messages.at(-1)?.content);
  console.log(told.at(-1));
}

check(refused, ['ANSWER_FORBIDDEN']);
check(server.paid, ['$20 to Baker, signed by nobody', '$5000 to Architect, signed by boss']);
check(told, [
  'Paid $20 to Baker.',
  'Paid $5000 to Architect.',
  'Tool call invocation rejected. The boss says no.',
  'We do not pay casinos.',
]);
await close();
