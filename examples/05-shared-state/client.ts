/**
 * Shows a state that client and agent share: each change live, the same state during an interrupt and in a second
 * client, and a change by the client, which is sent with the next message.
 * Run: npx tsx --conditions=holdpoint-source examples/05-shared-state/client.ts
 */
import { approve, createClient, reject } from 'holdpoint/client';
import type { ResumeEntry } from 'holdpoint/client';
import { ask, check, reach, said, willAnswer } from '../console.ts';
import type { Basket } from './server.ts';
import * as server from './server.ts';

willAnswer('add milk and eggs', 'remove eggs', 'add jam', 'order', 'no', 'order', 'yes');
const { url, close } = await reach(server);
const open = () => createClient({ url: `${url}/agents/shop` });
const client = open();
const threadId = crypto.randomUUID();
let state: Basket = { items: [], ordered: [] };
const after: Basket[] = [];

function show(next: unknown): void {
  state = next as Basket; // the shop's own
  console.log(`  basket: ${state.items.join(', ')}; ordered: ${state.ordered.join(', ')}`);
}

for await (const message of said('add milk and eggs', 'remove eggs', 'order')) {
  const [, gone] = /^remove (.+)/i.exec(message) ?? [];
  if (gone !== undefined) {
    // This needs no run: the client may change the basket, too.
    show({ ...state, items: state.items.filter((item) => item !== gone) });
    continue;
  }
  let run = client.run({ threadId, messages: message, state });
  for (;;) {
    for await (const update of run) if (update.state !== undefined) show(update.state);
    const { interrupts } = await run.finished;
    if (interrupts.length === 0) break;
    // A page that opens now sees the same basket and the same interrupt.
    const elsewhere = await open().connect(threadId).finished;
    check(elsewhere.state, state as unknown);
    check(elsewhere.interrupts, interrupts);
    const answers: ResumeEntry[] = [];
    for (const interrupt of interrupts) {
      const said = await ask(interrupt.message ?? 'May it?', ['yes', 'no']);
      answers.push(said === 'yes' ? approve(interrupt) : reject(interrupt));
    }
    run = client.resume(run, answers);
  }
  console.log((await run.finished).messages.at(-1)?.content);
  after.push((await run.finished).state as Basket);
}

check(after, [
  { items: ['milk', 'eggs'], ordered: [] },
  { items: ['milk', 'jam'], ordered: [] },
  { items: ['milk', 'jam'], ordered: [] },
  { items: [], ordered: ['milk', 'jam'] },
]);
await close();
