import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { build } from 'esbuild';
import { createHost } from '../../src/host/index.ts';
import { serve } from '../../src/host/node/index.ts';
import { memoryStore } from '../../src/store/memory/index.ts';
import { browserAgent } from '../../test/browser/agent.ts';
import type { Browser } from '../../test/browser/browser-types.ts';
import { startBrowser } from '../../test/browser/start-browser.ts';

const modules = join(import.meta.dirname, 'node_modules');
const PAGE =
  '<!doctype html><title>React 18</title><link rel="icon" href="data:,"><script type="module" src="/app.js"></script>';

/** The page of this folder, bundled with React 18. */
async function bundlePage(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'page.tsx')],
    alias: { react: join(modules, 'react'), 'react-dom': join(modules, 'react-dom') },
    bundle: true,
    format: 'esm',
    jsx: 'automatic',
    write: false,
    conditions: ['holdpoint-source'],
    define: { 'process.env.NODE_ENV': '"development"' },
  });
  return outputFiles[0]?.text ?? '';
}

void describe('holdpoint/react with React 18', () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-react-18-'));
  const outside = join(folder, 'outside');
  let browser: Browser | undefined;
  let server: Awaited<ReturnType<typeof serve>> | undefined;

  before(async () => {
    const script = await bundlePage();
    assert.match(script, /18\.\d+\.\d+/);
    const host = createHost({
      logger: false,
      agents: [browserAgent(outside)],
      store: memoryStore(),
      pages(request) {
        const isScript = new URL(request.url).pathname === '/app.js';
        const type = isScript ? 'text/javascript' : 'text/html';
        return new Response(isScript ? script : PAGE, { headers: { 'content-type': type } });
      },
    });
    [browser, server] = await Promise.all([startBrowser(), serve(host, { port: 0 })]);
  });
  after(async () => {
    await browser?.close();
    await server?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  void it('runs a call once after a double click, and answers with a card of its own', async () => {
    const context = await browser?.newContext();
    const page = await context?.newPage();
    if (page === undefined) throw new Error('The browser is started before the first test.');
    await page.goto(`${server?.url}/`);
    const say = async (text: string) => {
      await page.getByLabel('Message', { exact: true }).fill(text);
      await page.keyboard.press('Enter');
    };
    await say('transfer');
    await page.getByRole('button', { name: /^Approve/ }).dblclick();
    await page.getByText(/Result: .*DONE/).waitFor();
    await say('email');
    await page.getByRole('button', { name: 'Reject' }).waitFor();
    await page.goto(`${server?.url}/#cards`);
    await page.reload();
    // The first press asks for a reason, the second sends.
    await page.getByRole('button', { name: 'Reject' }).click();
    await page.locator('[data-rejecting]').getByRole('button', { name: 'Reject' }).click();
    await page.getByRole('button', { name: 'Reject' }).waitFor({ state: 'detached' });
    const done = readFileSync(outside, 'utf8').split('\n').filter(Boolean);
    assert.equal(done.filter((line) => line.startsWith('transfer')).length, 1);
    assert.equal(done.filter((line) => line.startsWith('email')).length, 0);
  });
});
