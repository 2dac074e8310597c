import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { afterAll, describe, expect, it } from 'vitest';
import { IS_DEEP } from '../size.ts';
import type { Page } from './browser-types.ts';
import { button, card, rejectRequest, say, useApp } from './use-app.ts';

const root = resolve(import.meta.dirname, '../..');
const folder = mkdtempSync(join(import.meta.dirname, 'node_modules/.react-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const app = useApp({ buildPages: buildPage });

/** The first example of the page about React, for the thread in the address, under StrictMode. */
const [, documented = ''] =
  /```tsx\n([\s\S]*?)```/.exec(readFileSync(join(root, 'docs/react.md'), 'utf8')) ?? [];
const program = documented
  .replace('threadId="order-17"', 'threadId={location.hash.slice(1)}')
  .replace('<HoldpointProvider', '<StrictMode><HoldpointProvider')
  .replace('</HoldpointProvider>', '</HoldpointProvider></StrictMode>')
  .replace(/^/, "import { StrictMode } from 'react';\n");

async function buildPage(): Promise<string> {
  mkdirSync(join(folder, 'assets'));
  await build({
    stdin: { contents: program, loader: 'tsx', resolveDir: root },
    outfile: join(folder, 'assets/app.js'),
    bundle: true,
    format: 'esm',
    jsx: 'automatic',
    conditions: ['holdpoint-source'],
    define: { 'process.env.NODE_ENV': '"development"' },
  });
  writeFileSync(
    join(folder, 'index.html'),
    `<!doctype html><html lang="en"><head><title>Chat</title><link rel="icon" href="data:," />
    <link rel="stylesheet" href="/assets/app.css" /></head>
    <body><script type="module" src="/assets/app.js"></script></body></html>`,
  );
  return folder;
}

const did = (start: string) => app.server.done().filter((line) => line.startsWith(start)).length;
let threads = 0;
/** Opens a thread of its own and sends a message. */
async function ask(text: string): Promise<{ readonly page: Page; readonly path: string }> {
  threads += 1;
  const path = `/#react-${threads}`;
  const page = await app.open(path);
  await say(page, text);
  await card(page).first().waitFor();
  return { page, path };
}

describe('the React chat of the documentation', () => {
  it('has at most ten lines', () => {
    expect(documented.trim().split('\n').length).toBeLessThanOrEqual(10);
  });

  it('transfers once after a double click on Approve, and again after a reload while pending', async () => {
    const before = did('transfer');
    const { page } = await ask('transfer');
    await button(page, /^Approve/).dblclick();
    await page.getByText(/Result: .*DONE/).waitFor();
    expect(did('transfer')).toBe(before + 1);
    await say(page, 'transfer');
    await card(page).waitFor();
    await page.reload();
    await page
      .getByText(/You approved/)
      .first()
      .waitFor();
    await button(page, /^Approve/).click();
    await page
      .getByText(/Result: .*DONE/)
      .nth(1)
      .waitFor();
    expect(did('transfer')).toBe(before + 2);
  });

  // `npm run test:browser` runs these.
  if (IS_DEEP) {
    it('sends edited arguments with their types, and a rejection with its reason', async () => {
      const before = did('email');
      const { page } = await ask('email');
      await button(page, 'Edit').click();
      await page.getByLabel('Copies').fill('2');
      await button(page, 'Approve with 1 change').click();
      await page.getByText(/Result: .*sent/).waitFor();
      expect(app.server.done().some((line) => line.startsWith('email') && line.includes('"copies":2'))).toBe(
        true,
      );
      await say(page, 'email');
      await rejectRequest(page, 'too late');
      await page
        .getByText(/You rejected: too late/)
        .first()
        .waitFor();
      expect(did('email')).toBe(before + 1);
    });

    it('sends two answers of one turn together', async () => {
      const before = did('transfer');
      const { page } = await ask('do both');
      await page.getByText('0 of 2 answered', { exact: true }).waitFor();
      await button(page, 'Approve').first().click();
      await page.getByText('1 of 2 answered', { exact: true }).waitFor();
      expect(did('transfer')).toBe(before);
      await button(page, 'Approve').click();
      await page.getByText(/^Result:/).waitFor();
      expect(did('transfer')).toBe(before + 1);
    });

    it('shows an answer of another tab, and says who was first after a lost race', async () => {
      const before = did('transfer');
      const { page, path } = await ask('transfer');
      const other = await app.open(path);
      await card(other).waitFor();
      await rejectRequest(other);
      await page
        .getByText(/rejected/i)
        .first()
        .waitFor();
      expect(did('transfer')).toBe(before);
      const { page: one, path: same } = await ask('transfer');
      const two = await app.open(same);
      await card(two).waitFor();
      // The answer of the first window is on its way while the second one answers.
      await one.evaluate(`(() => {
        const real = window.fetch;
        const released = new Promise((resolve) => (window.release = resolve));
        window.fetch = async (url, init) => {
          if (String(init?.body).includes('"resume"')) await released;
          return real(url, init);
        };
      })()`);
      await button(one, 'Approve').click();
      await one.getByText('Sending').waitFor();
      await rejectRequest(two);
      await two
        .getByText(/You rejected/)
        .first()
        .waitFor();
      await one.evaluate('window.release()');
      await one.getByText('Your answer was not used').waitFor();
      expect(did('transfer')).toBe(before);
    });
  }
});
