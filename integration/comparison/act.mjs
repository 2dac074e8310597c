/**
 * One act of a person, in a process of its own: `ask` starts a thread, `answer` answers what waits there. The setting is JSON; the result
 * is a line of JSON. With `gate`, the process loads everything, says `ready` and acts when its input ends.
 */
import { writeSync } from 'node:fs';
import { openWorld } from './world.mjs';

const { peer, folder, action, thread, prompt, waiting, value, gate } = JSON.parse(process.argv[2]);
const { open } = await import(`./peers/${peer}.mjs`);
const contender = await open(folder, openWorld(folder));
const say = (result) => writeSync(1, `\n${JSON.stringify(result)}\n`);
if (gate) {
  say({ ready: true });
  for await (const _ of process.stdin);
}
let result;
try {
  result =
    action === 'ask' ? await contender.ask(thread, prompt) : await contender.answer(thread, waiting, value);
} catch (error) {
  result = {
    error: String(error?.code ?? error?.name ?? error),
    message: String(error?.message).slice(0, 200),
  };
}
say(result);
// A killed process proves more than one that ends by itself: nothing is written after the pause was shown.
process.kill(process.pid, 'SIGKILL');
