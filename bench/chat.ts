/**
 * `npm run bench:chat`: what one text delta costs in a real browser, in conversations of different lengths: rendering the
 * messages, and the layout of the page. Prints the figures without a verdict; they should not grow with the conversation.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHost } from '../src/host/index.ts';
import { serve, staticPages } from '../src/host/node/index.ts';
import { memoryStore } from '../src/store/memory/index.ts';
import { browserAgent } from '../test/browser/agent.ts';
import { startBrowser } from '../test/browser/start-browser.ts';

const LENGTHS = [20, 200, 2000, 5000];
const DELTAS = 300;

/** Streams deltas into the last of `length` messages, and resolves to the median time of one in milliseconds. */
const streamInto = (length: number) => `(async () => {
  const messages = Array.from({ length: ${length} }, (_, n) => n % 2 === 0
    ? { id: 'm' + n, role: 'user', content: 'Message ' + n }
    : { id: 'm' + n, role: 'assistant', content: 'Answer ' + n + ' with **some** words.' });
  const element = document.createElement('holdpoint-messages');
  element.messages = messages;
  element.running = true;
  document.querySelector('.hp-chat-column').replaceChildren(element);
  await element.updateComplete;
  const scroll = document.querySelector('.hp-chat-scroll');
  scroll.scrollTop = scroll.scrollHeight;
  let last = { id: 'last', role: 'assistant', content: '' };
  const times = [];
  for (let delta = 0; delta < ${DELTAS}; delta += 1) {
    last = { ...last, content: last.content + 'word ' };
    const begin = performance.now();
    element.messages = [...messages, last];
    await element.updateComplete;
    scroll.scrollTop = scroll.scrollHeight;
    element.getBoundingClientRect();
    times.push(performance.now() - begin);
    if (delta % 20 === 0) await new Promise(requestAnimationFrame);
  }
  return times.toSorted((a, b) => a - b)[times.length >> 1];
})()`;

const folder = mkdtempSync(join(tmpdir(), 'holdpoint-chat-'));
const pages = join(folder, 'ui');
spawnSync(process.execPath, [join(import.meta.dirname, '../ui/build.mjs'), pages], { stdio: 'ignore' });
const agents = [browserAgent(join(folder, 'outside'))];
const host = createHost({ agents, store: memoryStore(), logger: false, pages: staticPages(pages) });
const { url, close } = await serve(host, { port: 0 });
const browser = await startBrowser();
try {
  for (const length of LENGTHS) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    const page = await context.newPage();
    await page.goto(url);
    await page.getByLabel('Message', { exact: true }).waitFor();
    const time = await page.evaluate<number>(streamInto(length));
    process.stdout.write(`${String(length).padStart(5)} messages: ${time.toFixed(2)} ms for a delta\n`);
    await context.close();
  }
} finally {
  await browser.close();
  await close({ withinMs: 1000 });
  rmSync(folder, { recursive: true, force: true });
}
