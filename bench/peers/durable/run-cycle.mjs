import { FINAL_TEXT } from '../scenario.mjs';
import { promptFor } from './scenario.mjs';

let accounts = 100_000;

/**
 * One cycle on a thread: interrupt, then answer as if in another request. Only the interrupt, as JSON, goes from one to the other. Throws
 * unless the tool waited, ran exactly once, and the final text came back.
 */
export async function runCycle({ name, work, ask, answer }, thread) {
  accounts += 1;
  const account = `ABC${accounts}`;
  const interrupt = JSON.parse(JSON.stringify(await ask(thread, promptFor(account))));
  if (work.timesFor(account) !== 0) throw new Error(`${name}: the tool ran before the approval.`);
  const text = await answer(thread, interrupt);
  const times = work.timesFor(account);
  if (times !== 1 || text !== FINAL_TEXT) {
    throw new Error(`${name}: the tool ran ${times} times for one approval, and the text was "${text}".`);
  }
  work.forget(account);
}
