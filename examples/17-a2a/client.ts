/**
 * Talks to an A2A agent through a host, and answers its requests in the host's inbox: the agent knows nothing of
 * AG-UI.
 * Run: npx tsx --conditions=holdpoint-source examples/17-a2a/client.ts
 */
import { approve, createClient, reject } from 'holdpoint/client';
import { ask, check, reach, said, willAnswer } from '../console.ts';
import * as server from './server.ts';

willAnswer('a flight to Rome', 'yes', 'a flight to Nice', 'no');
const { url, close } = await reach(server);
const client = createClient({ url: `${url}/agents/travel` });

for await (const text of said('a flight to Rome', 'a flight to Nice')) {
  const run = client.run({ messages: text });
  await run.finished;
  for (;;) {
    const { interrupts } = await client.inbox.list();
    const [item] = interrupts;
    if (item === undefined) break;
    console.log(`In the inbox, from the A2A agent: ${item.interrupt.message ?? item.interrupt.reason}`);
    const yes = (await ask('Go ahead?', ['yes', 'no'])) === 'yes';
    await client.inbox.answer(item.threadId, yes ? approve(item) : reject(item, 'Too far.'));
    // The host sends the answer to the agent; a watching client sees the run continue.
    for await (const { event } of client.watch(item.threadId)) {
      if (event.type === 'RUN_FINISHED' || event.type === 'RUN_ERROR') break;
    }
    console.log(client.thread(item.threadId).getSnapshot().messages.at(-1)?.content);
  }
}
check(server.booked, ['Rome']);
await close();
