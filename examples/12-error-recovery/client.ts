/**
 * Something went wrong on the server, and the question says what: try again, try something else, go on without, or stop.
 * The same question comes after a crash, for a call of which nobody knows whether it was made.
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
const told: unknown[] = [];

async function recover(question: Interrupt): Promise<ResumeEntry> {
  console.log(question.message ?? 'Something went wrong.');
  const choice = await ask('What now?', ['retry', 'another hotel', 'skip', 'abort']);
  if (choice === 'another hotel') {
    const hotel = await ask('Which hotel?');
    return answer(question, { action: 'retry', editedArgs: { hotel } });
  }
  if (choice === 'skip') return answer(question, { action: 'skip', result: 'No room was booked.' });
  return answer(question, { action: choice }); // abort ends the run as cancelled, without the model
}

for await (const message of said('book the Ritz', 'book the Grand')) {
  let run = client.run({ threadId, messages: message });
  let { interrupts } = await run.finished;
  while (interrupts.length > 0) {
    const answers: ResumeEntry[] = [];
    for (const question of interrupts) answers.push(await recover(question));
    run = client.resume(run, answers);
    ({ interrupts } = await run.finished);
  }
  const { outcome, messages } = await run.finished;
  told.push(`${outcome}: ${String(messages.at(-1)?.content)}`);
  console.log(told.at(-1));
}

check(server.booked, ['Ritz', 'Plaza']);
check(told, [
  'success: A room at the Ritz is yours.',
  'success: A room at the Plaza is yours.',
  'success: No room was booked.',
  'cancelled: Aborted.',
]);
await close();
