/**
 * A tool that runs in the client, where the drafts are: the agent calls it and continues with its result. A failed
 * tool gives an error result. The server's own tool still needs an approval.
 * Run: npx tsx --conditions=holdpoint-source examples/03-client-tools/client.ts
 */
import { approve, createClient, reject } from 'holdpoint/client';
import type { ClientTool, ResumeEntry } from 'holdpoint/client';
import { ask, check, reach, said, willAnswer } from '../console.ts';
import * as server from './server.ts';

const drafts = new Map([
  ['poem', 'Roses are red.'],
  ['diary', 'Dear diary, nobody must ever read this.'],
]);
const read: string[] = [];

const readDraft: ClientTool = {
  name: 'readDraft',
  description: 'Reads a draft on the computer of the user.',
  parameters: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  run(input) {
    const { name } = input as { name: string };
    console.log(`  … reading ${name} on this computer`);
    read.push(name);
    const draft = drafts.get(name);
    if (draft === undefined) throw new Error(`There is no draft named ${name}.`);
    return draft;
  },
};

willAnswer('publish my poem', 'yes', 'publish my diary', 'no', 'publish my novel');
const { url, close } = await reach(server);
const client = createClient({ url: `${url}/agents/editor`, tools: [readDraft] });
const threadId = crypto.randomUUID();
const replies: unknown[] = [];

for await (const message of said('publish my poem', 'publish my diary', 'publish my novel')) {
  let run = client.run({ threadId, messages: message });
  let { interrupts } = await run.finished;
  while (interrupts.length > 0) {
    const answers: ResumeEntry[] = [];
    for (const interrupt of interrupts) {
      const said = await ask(interrupt.message ?? 'May it?', ['yes', 'no']);
      answers.push(said === 'yes' ? approve(interrupt) : reject(interrupt, 'It is private.'));
    }
    run = client.resume(run, answers);
    ({ interrupts } = await run.finished);
  }
  const { messages } = await run.finished;
  replies.push(messages.at(-1)?.content);
  console.log(replies.at(-1));
}

check(read, ['poem', 'diary', 'novel']);
check(server.published, ['Roses are red.']);
check(replies, [
  'It is out in the world.',
  'Tool call invocation rejected. It is private.',
  'Error: There is no draft named novel.',
]);
await close();
