/**
 * `npm run bench:inbox`: the inbox page in a real browser with 10,000 open requests on SQLite: the time from the navigation to the
 * first painted row, and the frames while the whole list is scrolled through. Prints the figures without a verdict.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHost } from '../src/host/index.ts';
import { serve, staticPages } from '../src/host/node/index.ts';
import { sqliteStore } from '../src/store/sqlite/index.ts';
import { browserAgent } from '../test/browser/agent.ts';
import { startBrowser } from '../test/browser/start-browser.ts';

const REQUESTS = Number(process.env['BENCH_REQUESTS'] ?? 10_000);
const AT_ONCE = 32;
const LOADS = 5;

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

const folder = mkdtempSync(join(tmpdir(), 'holdpoint-inbox-'));
const pages = join(folder, 'ui');
spawnSync(process.execPath, [join(import.meta.dirname, '../ui/build.mjs'), pages], { stdio: 'ignore' });
const store = sqliteStore(join(folder, 'bench.db'), { synchronous: 'NORMAL' });
const host = createHost({
  agents: [browserAgent(join(folder, 'outside'))],
  store,
  logger: false,
  pages: staticPages(pages),
  limits: { requestsPerMinute: 10_000_000 },
});
const { url, close } = await serve(host, { port: 0 });

await fill();
const browser = await startBrowser();
try {
  const loads: number[] = [];
  for (let load = 0; load < LOADS; load += 1) {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    const page = await context.newPage();
    await page.goto(`${url}/inbox`);
    loads.push(await page.evaluate<number>(FIRST_ROW));
    if (load === LOADS - 1) report('frames while scrolling', await page.evaluate<number[]>(SCROLL));
    await context.close();
  }
  report('first row painted after', loads);
} finally {
  await browser.close();
  await close();
  await store.close();
  rmSync(folder, { recursive: true, force: true });
}

/** Raises the requests, each on a thread of its own. */
async function fill(): Promise<void> {
  const started = performance.now();
  let next = 0;
  const work = async () => {
    for (let n = next++; n < REQUESTS; n = next++) {
      const threadId = `bench-${n}`;
      const messages = [{ id: `m-${n}`, role: 'user', content: n % 3 === 0 ? 'transfer' : 'email' }];
      const input = { threadId, runId: `r-${n}`, messages, tools: [], context: [], state: {} };
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
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const seconds = Math.round((performance.now() - started) / 1000);
  process.stdout.write(`${REQUESTS} open requests, raised in ${seconds} s\n`);
}

function report(name: string, milliseconds: readonly number[]): void {
  const sorted = milliseconds.toSorted((one, other) => one - other);
  const at = (share: number) => (sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(1);
  process.stdout.write(
    `${name}: median ${at(0.5)} ms, p95 ${at(0.95)} ms, longest ${at(1)} ms (${sorted.length} samples)\n`,
  );
}
