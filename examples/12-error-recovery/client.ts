/**
 * A tool failed on the server, and the interrupt offers: retry, retry with other arguments, skip, or stop. The same
 * interrupt comes after a crash, for a call whose outcome is unknown.
 * Run: npx tsx --conditions=holdpoint-source examples/12-error-recovery/client.ts
 */
import { answer, createClient } from 'holdpoint/client';
import type { Interrupt, ResumeEntry } from 'holdpoint/client';
import { ask, check, reach, said, willAnswer } from '../console.ts';
import * as server from './server.ts';

willAnswer('book the Ritz', 'retry', 'book the Grand', 'another', 'Plaza');
willAnswer('book the Grand', 'skip', 'book the Grand', 'abort');
const { url, close } = await reach(server);
const client = createClient({ url: `${url}/agents/travel` });
const threadId = crypto.randomUUID();
const replies: unknown[] = [];

async function recover(interrupt: Interrupt): Promise<ResumeEntry> {
  console.log(interrupt.message ?? 'Something went wrong.');
  const choice = await ask('What now?', ['retry', 'another hotel', 'skip', 'abort']);
  if (choice === 'another hotel') {
    const hotel = await ask('Which hotel?');
    return answer(interrupt, { action: 'retry', editedArgs: { hotel } });
  }
  if (choice === 'skip') return answer(interrupt, { action: 'skip', result: 'No room was booked.' });
  return answer(interrupt, { action: choice }); // abort ends the run as cancelled, without the model
}

for await (const message of said('book the Ritz', 'book the Grand')) {
  let run = client.run({ threadId, messages: message });
  let { interrupts } = await run.finished;
  while (interrupts.length > 0) {
    const answers: ResumeEntry[] = [];
    for (const interrupt of interrupts) answers.push(await recover(interrupt));
    run = client.resume(run, answers);
    ({ interrupts } = await run.finished);
  }
  const { outcome, messages } = await run.finished;
  replies.push(`${outcome}: ${String(messages.at(-1)?.content)}`);
  console.log(replies.at(-1));
}

check(server.booked, ['Ritz', 'Plaza']);
check(replies, [
  'success: A room at the Ritz is yours.',
  'success: A room at the Plaza is yours.',
  'success: No room was booked.',
  'cancelled: Aborted.',
]);
await close();
