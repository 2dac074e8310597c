/** The process of a host with its web app, and of a browser: the inbox page with many open requests, and a chat that streams. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { createHost } from '../../src/host/index.ts';
import { serve, staticPages } from '../../src/host/node/index.ts';
import { sqliteStore } from '../../src/store/sqlite/index.ts';
import { browserAgent } from '../../test/browser/agent.ts';
import { startBrowser } from '../../test/browser/start-browser.ts';

export interface BrowserPagesOptions {
  readonly folder: string;
  /** Open requests in the inbox. */
  readonly requests: number;
}

const AT_ONCE = 32;
const DELTAS = 300;

/** Resolves to the time of the first painted row, since the navigation. */
const FIRST_ROW = `new Promise((resolve) => {
  const look = () => requestAnimationFrame(() =>
    document.querySelector('.hp-row') === null ? look() : requestAnimationFrame(() => resolve(performance.now())));
  look();
})`;

/** Scrolls to the end of the list, page after page, and resolves to the time of each frame. */
const SCROLL = `new Promise((resolve) => {
  const list = document.querySelector('.hp-list');
  const frames = [];
  let before = performance.now();
  let still = 0;
  const step = (now) => {
    frames.push(now - before);
    before = now;
    const top = list.scrollTop;
    list.scrollTop += 400;
    still = list.scrollTop === top ? still + 1 : 0;
    if (still > 120) resolve(frames.slice(1, -120));
    else requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
})`;

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

export async function open({ folder, requests }: BrowserPagesOptions) {
  const browser = await startBrowser();
  const pages = join(folder, 'ui');
  spawnSync(process.execPath, [join(import.meta.dirname, '../../ui/build.mjs'), pages], { stdio: 'ignore' });
  const host = createHost({
    agents: [browserAgent(join(folder, 'outside'))],
    store: sqliteStore(join(folder, 'pages.db'), { synchronous: 'NORMAL' }),
    logger: false,
    pages: staticPages(pages),
    limits: {
      requestsPerMinute: 10_000_000,
      perPrincipal: { openInterrupts: requests, concurrentRuns: AT_ONCE },
      perScope: { openInterrupts: requests },
    },
  });
  const { url, close } = await serve(host, { port: 0 });
  await raiseRequests(host, url, requests);
  const withPage = async <T>(path: string, use: (page: Page) => Promise<T>): Promise<T> => {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    try {
      const page = await context.newPage();
      await page.goto(`${url}${path}`);
      return await use(page);
    } finally {
      await context.close();
    }
  };
  return {
    firstRow: () => withPage('/inbox', (page) => page.evaluate<number>(FIRST_ROW)),
    scroll: () =>
      withPage('/inbox', async (page) => {
        await page.evaluate<number>(FIRST_ROW);
        return page.evaluate<number[]>(SCROLL);
      }),
    delta: (length: number) =>
      withPage('/', async (page) => {
        await page.getByLabel('Message', { exact: true }).waitFor();
        return page.evaluate<number>(streamInto(length));
      }),
    async close() {
      await browser.close();
      await close({ withinMs: 1000 });
    },
  };
}

type Page = Awaited<
  ReturnType<Awaited<ReturnType<Awaited<ReturnType<typeof startBrowser>>['newContext']>>['newPage']>
>;

/** Raises requests, each on a thread of its own. */
async function raiseRequests(host: ReturnType<typeof createHost>, url: string, count: number): Promise<void> {
  let next = 0;
  const lane = async () => {
    for (let n = next++; n < count; n = next++) {
      const messages = [{ id: `m-${n}`, role: 'user', content: n % 3 === 0 ? 'transfer' : 'email' }];
      const input = { threadId: `bench-${n}`, runId: `r-${n}`, messages, tools: [], context: [], state: {} };
      const response = await host.fetch(
        new Request(`${url}/agents/assistant`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ ...input, forwardedProps: {} }),
        }),
      );
      await response.text();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
}
