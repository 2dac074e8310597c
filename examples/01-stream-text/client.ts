/**
 * Reads the answer with the official AG-UI client and prints it as it comes. Starts the server if none runs.
 * Run: npx tsx --conditions=holdpoint-source examples/01-stream-text/client.ts [--url URL] [--check] [message]
 * With --check it checks the result instead, and exits with 0 or 1.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { HttpAgent } from '@ag-ui/client';

const options = {
  url: { type: 'string' },
  check: { type: 'boolean', default: false },
} as const;
let parsed: ReturnType<typeof parseArgs<{ options: typeof options; allowPositionals: true }>>;
try {
  parsed = parseArgs({ options, allowPositionals: true });
} catch {
  console.error('The only options are --url with a URL, and --check; all other arguments are the message.');
  process.exit(2);
}
const { check } = parsed.values;
const message = parsed.positionals.join(' ') || 'hello';

/** The given server, or the one at the usual port, else a new one in a process of its own. */
async function reach(given?: string): Promise<{ url: string; close?: () => void }> {
  if (given !== undefined) return { url: given };
  const found = await fetch('http://127.0.0.1:4680/icon.svg').catch(() => undefined);
  if (found?.ok) return { url: 'http://127.0.0.1:4680/agent' };
  const program = join(import.meta.dirname, 'server.ts');
  const server = spawn(process.execPath, [...process.execArgv, program, '--port', '0']);
  const [line] = await once(server.stdout, 'data');
  return { url: `${String(line).trim().split(' ').at(-1)}/agent`, close: () => server.kill() };
}

/** Runs the agent once; returns its text and the types of its events. */
async function ask(url: string): Promise<{ text: string; types: string[] }> {
  const agent = new HttpAgent({ url });
  agent.addMessage({ id: crypto.randomUUID(), role: 'user', content: message });
  const types: string[] = [];
  let text = '';
  await agent.runAgent(
    {},
    {
      onEvent: ({ event }) => {
        types.push(event.type);
      },
      onTextMessageContentEvent: ({ event }) => {
        text += event.delta;
        if (!check) process.stdout.write(event.delta);
      },
    },
  );
  return { text, types };
}

const { url, close } = await reach(parsed.values.url);
try {
  const { text, types } = await ask(url);
  if (check) {
    const counted = types.filter((type) => type === 'TEXT_MESSAGE_CONTENT').length;
    assert.ok(counted > 20, `only ${counted} pieces of text came`);
    assert.ok(text.includes(`“${message}”`), 'the answer does not contain the message');
    assert.deepEqual(
      types.filter((type) => type !== 'TEXT_MESSAGE_CONTENT'),
      ['RUN_STARTED', 'TEXT_MESSAGE_START', 'TEXT_MESSAGE_END', 'RUN_FINISHED'],
    );
    console.log(`OK: ${counted} pieces of text, from RUN_STARTED to RUN_FINISHED.`);
  } else {
    console.log();
  }
} catch (error) {
  console.error(`Failed: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
} finally {
  close?.();
}
