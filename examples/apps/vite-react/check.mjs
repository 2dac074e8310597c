// Checks the running app: it has a page, it makes an approved payment once, and it does not make a rejected one.
import assert from 'node:assert/strict';
import { approve, createClient, reject } from 'holdpoint/client';
import { runToEnd } from 'holdpoint/testing';

const origin = `http://127.0.0.1:${process.env.PORT ?? 4690}`;
const page = await fetch(origin);
assert.match(page.headers.get('content-type') ?? '', /^text\/html/);

// Next.js has its host below a prefix.
const client = createClient({ url: `${origin}${process.argv[2] ?? ''}/agents/assistant` });
/** Says something, gives an answer to each request, and returns the last message of the agent. */
async function say(messages, answer) {
  const end = await runToEnd(client, { messages }, answer);
  assert.equal(end.asked.length, 1);
  return String(end.messages.at(-1)?.content);
}
const numberOf = (text) => Number(/^Payment (\d+): \$1 to Ana\.$/.exec(text)?.[1]);

const first = await say('send 1 to Ana', (interrupt) => approve(interrupt));
assert.match(await say('send 1 to Bob', (interrupt) => reject(interrupt)), /rejected/);
const second = await say('send 1 to Ana', (interrupt) => approve(interrupt));
assert.equal(numberOf(second), numberOf(first) + 1);
console.log('The app asks before it pays, and pays once.');
