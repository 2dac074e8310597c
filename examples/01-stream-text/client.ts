/**
 * Reads the answer with the official AG-UI client and prints it as it comes.
 * Run: npx tsx --conditions=holdpoint-source examples/01-stream-text/client.ts [--url URL] [--check] [message]
 * With --check it prints a verdict instead, and exits with 0 or 1.
 */
import assert from 'node:assert/strict';
import { parseArgs } from 'node:util';

import { HttpAgent } from '@ag-ui/client';

const options = {
  url: { type: 'string', default: 'http://127.0.0.1:4680/agent' },
  check: { type: 'boolean', default: false },
} as const;
let given: ReturnType<typeof parseArgs<{ options: typeof options; allowPositionals: true }>>;
try {
  given = parseArgs({ options, allowPositionals: true });
} catch {
  console.error('The options are --url with an address and --check; everything else is the message.');
  process.exit(2);
}
const { url, check } = given.values;
const question = given.positionals.join(' ') || 'hello';

/** Runs the agent once; gives what it said and the types of the events it sent. */
async function ask(): Promise<{ text: string; types: string[] }> {
  const agent = new HttpAgent({ url });
  agent.addMessage({ id: crypto.randomUUID(), role: 'user', content: question });
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

try {
  const { text, types } = await ask();
  if (check) {
    const counted = types.filter((type) => type === 'TEXT_MESSAGE_CONTENT').length;
    assert.ok(counted > 20, `only ${counted} pieces of text came`);
    assert.ok(text.includes(`“${question}”`), 'the answer does not mention the question');
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
}
