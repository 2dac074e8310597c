/** Asking on a terminal; with `--check` the answers are given and the program checks its own result. */
import { strict as assert } from 'node:assert';
import { createInterface } from 'node:readline';

export const checking = process.argv.includes('--check');
let given: string[] = [];

/** The answers that `--check` gives, in order. */
export function willAnswer(...answers: string[]): void {
  given = answers;
}

/** Asks, and gives what is typed; with choices, the one that is meant. */
export async function ask(question: string, choices: readonly string[] = []): Promise<string> {
  const hint = choices.length === 0 ? '' : ` [${choices.join(' / ')}]`;
  for (;;) {
    const text = checking ? (given.shift() ?? '') : await typed(`${question}${hint} `);
    if (checking) console.log(`${question}${hint} ${text}`);
    const choice = choices.find(
      (one) => one.toLowerCase().startsWith(text.trim().toLowerCase()) && text !== '',
    );
    if (choices.length === 0 || choice !== undefined) return choice ?? text;
    assert(!checking, `nothing was given for: ${question}`);
    console.log(`Please say one of ${choices.join(', ')}.`);
  }
}

let lines: AsyncIterator<string> | undefined;

/** Lines that were typed, or piped, ahead are kept; while nobody is asked, the program may end. */
async function typed(prompt: string): Promise<string> {
  lines ??= createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  process.stdout.write(prompt);
  process.stdin.ref();
  const { value, done } = await lines.next();
  process.stdin.unref();
  if (done !== true) return value;
  console.error('\nThere is nobody to answer.');
  return process.exit(1);
}

/** With `--check`, fails the program unless the two are the same. */
export function check<Value>(actual: Value, expected: Value): void {
  if (checking) assert.deepEqual(actual, expected);
}
