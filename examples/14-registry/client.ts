/**
 * Talks to an agent that is defined by data. Edit agents.json while it runs, for example to `{ "tool": "publish",
 * "approval": { "confirmation": "go live", "requireReason": true } }`, and publish again.
 * Run: npx tsx --conditions=holdpoint-source examples/14-registry/client.ts
 */
import { approve, createClient, HoldpointError, reject } from 'holdpoint/client';
import type { Interrupt, ResumeEntry } from 'holdpoint/client';
import { ask, check, checking, reach, said, willAnswer } from '../console.ts';
import * as server from './server.ts';

const { url, close } = await reach(server);
const client = createClient({ url: `${url}/agents/content` });
const threadId = crypto.randomUUID();
const replies: unknown[] = [];

async function decide(interrupt: Interrupt): Promise<ResumeEntry> {
  const { confirmation, functionArguments } = interrupt.metadata ?? {};
  const call = `publish(${JSON.stringify(functionArguments)})`;
  if ((await ask(`The agent wants to call ${call}. May it?`, ['yes', 'no'])) === 'no')
    return reject(interrupt, await ask('Why not?'));
  if (typeof confirmation !== 'string') return approve(interrupt);
  return approve(interrupt, { confirmation: await ask(`Type “${confirmation}” to approve:`) });
}

async function talk(): Promise<void> {
  for await (const message of said('publish home', 'publish prices')) {
    let run = client.run({ threadId, messages: message });
    let { interrupts } = await run.finished;
    while (interrupts.length > 0) {
      const answers: ResumeEntry[] = [];
      for (const interrupt of interrupts) answers.push(await decide(interrupt));
      run = client.resume(run, answers);
      try {
        ({ interrupts } = await run.finished);
      } catch (error) {
        if (!HoldpointError.is(error, 'ANSWER_INVALID')) throw error;
        console.log(error.issues.map(({ message }) => message).join(' ')); // and it is asked again
      }
    }
    replies.push((await run.finished).messages.at(-1)?.content);
    console.log(replies.at(-1));
  }
}

if (checking) {
  willAnswer('publish home');
  await talk();
  // An administrator saves new rules: a phrase to type, and a reason for each rejection.
  const rules = { tool: 'publish', approval: { confirmation: 'go live', requireReason: true } };
  const data = JSON.parse(server.read()) as object;
  check(server.replace(JSON.stringify({ ...data, tools: [rules] })), []);
  willAnswer('publish prices', 'yes', 'never mind', 'yes', 'go live', 'publish jokes', 'no', 'Not funny.');
  await talk();
  // An invalid file is reported, and the old rules stay active.
  const wrong = { ...data, agents: [{ id: 'pages', profile: 'nobody' }] };
  check(server.replace(JSON.stringify(wrong)), ['/agents/0/profile: there is no profile "nobody"']);
  willAnswer('publish news', 'no', 'Too late.');
  await talk();
} else await talk();

check(server.published, ['home', 'prices']);
check(replies, [
  'home is published.',
  'prices is published.',
  'Tool call invocation rejected. Not funny.',
  'Tool call invocation rejected. Too late.',
]);
await close();
