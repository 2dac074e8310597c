/** Asking on a terminal; with `--check` the answers are given and the program checks its own result. */
import { strict as assert } from 'node:assert';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { ServedHost } from 'holdpoint/node';

export const checking = process.argv.includes('--check');
const given: string[] = [];

/** What `--check` says and answers, in order, after what was given before. */
export function willAnswer(...answers: string[]): void {
  given.push(...answers);
}

/** Asks, and gives what is typed; with choices, the one that is meant. */
export async function ask(question: string, choices: readonly string[] = []): Promise<string> {
  const hint = choices.length === 0 ? '' : ` [${choices.join(' / ')}]`;
  for (;;) {
    const text = checking ? (given.shift() ?? '') : await typed(`${question}${hint} `);
    if (text === undefined) {
      console.error('\nThere is nobody to answer.');
      return process.exit(1);
    }
    if (checking) console.log(`${question}${hint} ${text}`);
    const choice = choices.find(
      (one) => one.toLowerCase().startsWith(text.trim().toLowerCase()) && text !== '',
    );
    if (choices.length === 0 || choice !== undefined) return choice ?? text;
    assert(!checking, `nothing was given for: ${question}`);
    console.log(`Please say one of ${choices.join(', ')}.`);
  }
}

/** What the user says, line by line, until one is empty. The examples are shown first. */
export async function* said(...examples: string[]): AsyncGenerator<string, void, undefined> {
  console.log(`Try “${examples.join('” or “')}”. An empty line ends it.`);
  for (;;) {
    const text = checking ? given.shift() : await typed('\nYou: ');
    if (text === undefined || text.trim() === '') return;
    if (checking) console.log(`\nYou: ${text}`);
    yield text;
  }
}

let lines: AsyncIterator<string> | undefined;

/** Lines that were typed, or piped, ahead are kept; while nobody is asked, the program may end. */
async function typed(prompt: string): Promise<string | undefined> {
  lines ??= createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  process.stdout.write(prompt);
  process.stdin.ref();
  const { value, done } = await lines.next();
  process.stdin.unref();
  return done === true ? undefined : value;
}

/** With `--check`, fails the program unless the two are the same. */
export function check<Value>(actual: Value, expected: Value): void {
  if (checking) assert.deepEqual(actual, expected);
}

/** Whether a module is the program that was started, and not one that another imported. */
export function isMain(moduleUrl: string): boolean {
  return process.argv[1] === fileURLToPath(moduleUrl);
}

type Reached = Pick<ServedHost, 'url' | 'close'>;

/** The server of an example: the one that runs at its port; else, and with `--check`, one that is started here. */
export async function reach(server: {
  port: number;
  start(port: number): Promise<Reached>;
}): Promise<Reached> {
  const url = `http://127.0.0.1:${server.port}`;
  if (checking) return server.start(0);
  const found = await fetch(`${url}/healthz`).catch(() => undefined);
  return found?.ok === true ? { url, close: async () => undefined } : server.start(server.port);
}
