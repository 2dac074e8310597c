/**
 * Asked today, answered tomorrow by another person from another process: the first command asks and exits, the
 * second one answers the inbox until it is empty. With --check two servers run, one after the other, over one file.
 * Run: npx tsx --conditions=holdpoint-source examples/13-async-approval/client.ts
 *      npx tsx --conditions=holdpoint-source examples/13-async-approval/client.ts --inbox
 */
import { rmSync } from 'node:fs';
import { approve, createClient, reject } from 'holdpoint/client';
import type { InboxItem } from 'holdpoint/client';
import { ask, check, checking, reach, said, willAnswer } from '../console.ts';
import * as server from './server.ts';

async function today(): Promise<void> {
  const { url, close } = await reach(server);
  const client = createClient({ url: `${url}/agents/office` });
  for await (const message of said('a laptop for Ana', 'a laptop for Rex')) {
    const { outcome, messages } = await client.run({ messages: message }).finished;
    if (outcome === 'interrupt') console.log('The request is in the inbox. You can close this program.');
    else console.log(messages.at(-1)?.content);
  }
  await close();
}

async function tomorrow(): Promise<string[]> {
  const { url, close } = await reach(server);
  const client = createClient({ url: `${url}/agents/office` });
  const replies: string[] = [];

  async function decide(item: InboxItem): Promise<void> {
    const { threadId, interrupt } = item;
    const yes = (await ask(interrupt.message ?? interrupt.reason, ['yes', 'no'])) === 'yes';
    let text = '';
    for await (const { contents, event } of client.watch(threadId)) {
      for (const part of contents) if (part.type === 'text') text += part.text;
      if (event.type !== 'RUN_FINISHED') continue;
      // The first events show the interrupted thread; after the answer, any server process continues it.
      if (client.thread(threadId).getSnapshot().interrupts.length === 0) break;
      await client.inbox.answer(threadId, yes ? approve(item) : reject(item, 'Not this year.'));
    }
    const history = await client.inbox.history(threadId, interrupt.id);
    console.log(`${text} (${history.map(({ what }) => String(what)).join(' → ')})`);
    replies.push(text);
  }

  for (;;) {
    const { interrupts } = await client.inbox.list();
    if (interrupts.length === 0) break;
    console.log(`${interrupts.length} in the inbox.`);
    for (const item of interrupts) await decide(item);
  }
  console.log('The inbox is empty.');
  await close();
  return replies;
}

if (checking) {
  willAnswer('a laptop for Ana', 'a laptop for Rex');
  await today();
  check(server.ordered, []);
  willAnswer('yes', 'no');
  check(await tomorrow(), [
    'The laptop for Ana is ordered.',
    'Tool call invocation rejected. Not this year.',
  ]);
  check(server.ordered, ['Ana']);
  for (const end of ['', '-shm', '-wal']) rmSync(server.file + end, { force: true });
} else if (process.argv.includes('--inbox')) await tomorrow();
else await today();
