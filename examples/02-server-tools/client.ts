/**
 * Shows the text and the tool calls of the agent live, and asks before the tool that needs an approval.
 * Run: npx tsx --conditions=holdpoint-source examples/02-server-tools/client.ts
 */
import { approve, createClient, reject } from 'holdpoint/client';
import type { ResumeEntry } from 'holdpoint/client';
import { ask, check, reach, said, willAnswer } from '../console.ts';
import * as server from './server.ts';

willAnswer('weather in Seattle', 'wake me at 7:00', 'yes', 'wake me at 4:00', 'no');
const { url, close } = await reach(server);
const client = createClient({ url: `${url}/agents/helper` });
const threadId = crypto.randomUUID();
const calls: string[] = [];

for await (const message of said('weather in Seattle', 'wake me at 7:00')) {
  let run = client.run({ threadId, messages: message });
  for (;;) {
    for await (const { contents } of run) {
      for (const part of contents) {
        if (part.type === 'text') process.stdout.write(part.text);
        if (part.type === 'functionCall') {
          calls.push(part.name);
          console.log(`  … ${part.name}(${JSON.stringify(part.arguments)})`);
        }
      }
    }
    const { interrupts } = await run.finished;
    if (interrupts.length === 0) break;
    const answers: ResumeEntry[] = [];
    for (const interrupt of interrupts) {
      const said = await ask(interrupt.message ?? 'May it?', ['yes', 'no']);
      answers.push(said === 'yes' ? approve(interrupt) : reject(interrupt, 'The user wants to sleep.'));
    }
    run = client.resume(run, answers);
  }
  console.log();
}

const { messages } = client.thread(threadId).getSnapshot();
check(calls, ['getWeather', 'setAlarm', 'setAlarm']);
check(server.alarms, ['7:00']);
check(messages.at(-1)?.content, 'Tool call invocation rejected. The user wants to sleep.');
await close();
