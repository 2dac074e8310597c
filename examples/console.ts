/** Asks on a terminal; with `--check` the answers are fixed and the program checks its own result. */
import { strict as assert } from 'node:assert';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { ServedHost } from 'holdpoint/node';

export const checking = process.argv.includes('--check');
const fixedAnswers: string[] = [];

/** Adds the fixed answers of `--check`, in order. */
export function willAnswer(...answers: string[]): void {
  fixedAnswers.push(...answers);
}

/** Asks and returns the typed text; with choices, the chosen one. */
export async function ask(question: string, choices: readonly string[] = []): Promise<string> {
  const hint = choices.length === 0 ? '' : ` [${choices.join(' / ')}]`;
  for (;;) {
    const text = checking ? (fixedAnswers.shift() ?? '') : await typed(`${question}${hint} `);
    if (text === undefined) {
      console.error('\nThe input ended before this question had an answer.');
      return process.exit(1);
    }
    if (checking) console.log(`${question}${hint} ${text}`);
    const choice = choices.find(
      (one) => one.toLowerCase().startsWith(text.trim().toLowerCase()) && text !== '',
    );
    if (choices.length === 0 || choice !== undefined) return choice ?? text;
    assert(!checking, `--check has no answer for: ${question}`);
    console.log(`Type one of: ${choices.join(', ')}.`);
  }
}

/** Yields the user's messages, line by line, until an empty one. Shows the examples first. */
export async function* said(...examples: string[]): AsyncGenerator<string, void, undefined> {
  console.log(`Try “${examples.join('” or “')}”. An empty line ends it.`);
  for (;;) {
    const text = checking ? fixedAnswers.shift() : await typed('\nYou: ');
    if (text === undefined || text.trim() === '') return;
    if (checking) console.log(`\nYou: ${text}`);
    yield text;
  }
}

let lines: AsyncIterator<string> | undefined;

/** Keeps lines that were typed or piped ahead; the program may end while no prompt is open. */
async function typed(prompt: string): Promise<string | undefined> {
  lines ??= createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  process.stdout.write(prompt);
  process.stdin.ref();
  const { value, done } = await lines.next();
  process.stdin.unref();
  return done === true ? undefined : value;
}

/** With `--check`, fails the program unless the two values are equal. */
export function check<Value>(actual: Value, expected: Value): void {
  if (checking) assert.deepEqual(actual, expected);
}

/** True when a module is the started program, not an imported one. */
export function isMain(moduleUrl: string): boolean {
  return process.argv[1] === fileURLToPath(moduleUrl);
}

type Reached = Pick<ServedHost, 'url' | 'close'>;

/** The server of an example: the one that runs at its port, else (and with `--check`) a new one. */
export async function reach(server: {
  port: number;
  start(port: number): Promise<Reached>;
}): Promise<Reached> {
  const url = `http://127.0.0.1:${server.port}`;
  if (checking) return server.start(0);
  const found = await fetch(`${url}/healthz`).catch(() => undefined);
  return found?.ok === true ? { url, close: async () => undefined } : server.start(server.port);
}
