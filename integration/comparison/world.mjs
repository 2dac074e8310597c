/** The script of every probe: what the mock models say, and a file in which each effect leaves a line. */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The effects of the tools. If the folder has a file `kill`, the process dies after the start of a payment, as by a power cut. */
export function openWorld(folder) {
  return {
    pay(amount) {
      appendFileSync(join(folder, 'payments'), `${amount}\n`);
      if (existsSync(join(folder, 'kill'))) process.kill(process.pid, 'SIGKILL');
      return `paid ${amount}`;
    },
  };
}

/** How often a payment of this amount was started. */
export function countPayments(folder, amount) {
  const file = join(folder, 'payments');
  if (!existsSync(file)) return 0;
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line === String(amount)).length;
}

/**
 * The next turn of a mock model: `pay 1 then 2` makes two payments, one after the other; `sign up` asks for an e-mail. After that it
 * repeats the results.
 */
export function nextTurn(prompt, results) {
  if (prompt.startsWith('sign up') && results.length === 0) return { name: 'askEmail', args: {} };
  const amounts = prompt.startsWith('pay') ? prompt.match(/\d+/g).map(Number) : [];
  const amount = amounts[results.length];
  return amount === undefined
    ? { text: `Results: ${results.join('; ')}` }
    : { name: 'pay', args: { amount } };
}

/** The files of a caller of a library without a store: what the library gives it to keep, by thread. */
export function callerFiles(folder) {
  const path = (thread) => join(folder, `${thread}.json`);
  return {
    read: (thread) => (existsSync(path(thread)) ? JSON.parse(readFileSync(path(thread), 'utf8')) : undefined),
    write: (thread, value) => writeFileSync(path(thread), JSON.stringify(value)),
  };
}
