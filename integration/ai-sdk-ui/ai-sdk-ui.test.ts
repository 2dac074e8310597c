/** Pages of the unmodified `useChat` of AI SDK 6 and 7 in a real browser, against a host. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { LanguageModel } from 'ai-v6';
import { tool, ToolLoopAgent } from 'ai-v6';
import { build } from 'esbuild';
import { z } from 'zod';
import { fromAiSdkAgent } from '../../src/adapters/ai-sdk/index.ts';
import { createHost } from '../../src/host/index.ts';
import { serve } from '../../src/host/node/index.ts';
import { demoAgent } from '../../src/host/testing-support/demo-agent.ts';
import { sqliteStore } from '../../src/store/sqlite/index.ts';
import type { Browser, Page } from '../../test/browser/browser-types.ts';
import { startBrowser } from '../../test/browser/start-browser.ts';
import { scriptedModel } from '../ai-sdk/scripted-model.ts';

const modules = join(import.meta.dirname, 'node_modules');
const PAGE =
  '<!doctype html><title>useChat</title><link rel="icon" href="data:,"><body><script type="module" src="/app.js"></script>';

/** The page of this folder, bundled with the packages of one version. */
async function bundlePage(packages: Readonly<Record<string, string>>): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'page.tsx')],
    alias: Object.fromEntries(
      Object.entries(packages).map(([name, folder]) => [name, join(modules, folder)]),
    ),
    bundle: true,
    format: 'esm',
    jsx: 'automatic',
    target: 'es2022',
    write: false,
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  return outputFiles[0]?.text ?? '';
}

/** An agent of AI SDK 6 that pays. */
function sdkAgent(done: string[]) {
  const pay = tool({
    description: 'Pays.',
    inputSchema: z.object({ amount: z.number() }),
    needsApproval: true,
    execute: ({ amount }) => `paid ${done.push(`paid ${amount}`) && amount}`,
  });
  return fromAiSdkAgent(
    new ToolLoopAgent({ model: scriptedModel as unknown as LanguageModel, tools: { pay } }),
  );
}

const versionOf = (folder: string) =>
  (JSON.parse(readFileSync(join(modules, folder, 'package.json'), 'utf8')) as { version: string }).version;

let browser: Browser;
before(async () => {
  browser = await startBrowser();
});
after(() => browser.close());

for (const packages of [
  { '@ai-sdk/react': 'react-v6', ai: 'ai-v6' },
  { '@ai-sdk/react': '@ai-sdk/react', ai: 'ai' },
]) {
  void describe(
    `useChat of @ai-sdk/react ${versionOf(packages['@ai-sdk/react'])}`,
    { timeout: 300_000 },
    () => {
      const folder = mkdtempSync(join(tmpdir(), 'holdpoint-ai-sdk-ui-'));
      const outside = { done: [] as string[] };
      let posts = 0;
      let server: Awaited<ReturnType<typeof serve>> | undefined;
      before(async () => {
        const script = await bundlePage(packages);
        const host = createHost({
          logger: false,
          agents: { assistant: demoAgent(outside), sdk: sdkAgent(outside.done) },
          authenticate(request) {
            if (request.method === 'POST') posts += 1;
            return { id: 'ana', scope: 'acme' };
          },
          store: sqliteStore(join(folder, 'holdpoint.db')),
          pages(request) {
            const { pathname } = new URL(request.url);
            if (pathname !== '/' && pathname !== '/app.js') return undefined;
            const [body, type] = pathname === '/' ? [PAGE, 'text/html'] : [script, 'text/javascript'];
            return new Response(body, { headers: { 'content-type': type } });
          },
        });
        server = await serve(host, { port: 0 });
      });
      after(async () => {
        await server?.close();
        rmSync(folder, { recursive: true, force: true });
      });

      const open = async (chat: string, agent = 'assistant'): Promise<Page> => {
        const page = await (await browser.newContext()).newPage();
        posts = 0;
        await page.goto(`${server?.url}/?chat=${chat}&agent=${agent}`);
        await page.locator('form').waitFor();
        return page;
      };
      const say = async (page: Page, text: string) => {
        await page.locator('input').fill(text);
        await page.keyboard.press('Enter');
      };
      const click = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
      const says = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor();
      const isReady = (page: Page) => page.locator('form[aria-label=ready]').waitFor();

      void it('approves a call, which runs once, and goes on', async () => {
        const page = await open('approve');
        await say(page, 'email');
        await click(page, 'Approve');
        await says(page, 'Result: {"sent":true}');
        await isReady(page);
        assert.deepEqual(outside.done.splice(0), ['a@b.c: hello']);
        assert.equal(await page.locator('section[data-state=output-available]').count(), 1);
        await say(page, 'thanks');
        await says(page, 'You said thanks.');
        await isReady(page);
        // The reply stays one message: the SDK continues it.
        assert.equal(await page.locator('[data-role=assistant]').count(), 2);
        assert.equal(posts, 3);
      });

      void it('denies a call, and the model hears the reason', async () => {
        const page = await open('deny');
        await say(page, 'email');
        await click(page, 'Deny');
        await says(page, /Result: .*over budget/);
        await isReady(page);
        assert.equal(await page.locator('section[data-state=output-denied]').count(), 1);
        assert.deepEqual([outside.done, posts], [[], 2]);
      });

      void it('shows what waits after a reload, in another browser too', async () => {
        const first = await open('reload');
        await say(first, 'email');
        await first.getByRole('button', { name: 'Approve' }).waitFor();
        await first.reload();
        await first.getByRole('button', { name: 'Approve' }).waitFor();
        assert.equal(await first.locator('[data-role=user]').count(), 1);
        assert.equal(await first.locator('[data-role=assistant]').count(), 1);
        const second = await open('reload');
        await click(second, 'Approve');
        await says(second, 'Result: {"sent":true}');
        assert.equal(outside.done.splice(0).length, 1);
        // The first page decides otherwise, too late.
        await click(first, 'Deny');
        await first.getByRole('alert').waitFor();
        assert.equal(await first.locator('section[data-state=output-available]').count(), 1);
        assert.deepEqual(outside.done, []);
      });

      void it('gives a decision and an output together', async () => {
        const page = await open('both');
        await say(page, 'both');
        await click(page, 'Approve');
        await click(page, 'Red');
        await says(page, /Result: /);
        await isReady(page);
        assert.equal(await page.locator('section[data-state=output-available]').count(), 3);
        assert.deepEqual([outside.done.splice(0).length, posts], [1, 2]);
        await say(page, 'thanks');
        await says(page, 'You said thanks.');
      });

      void it('approves a call of an agent of the AI SDK behind the host', async () => {
        const page = await open('sdk', 'sdk');
        await say(page, 'pay 101');
        await click(page, 'Approve');
        await says(page, /Results: .*paid 101/);
        await isReady(page);
        await say(page, 'thanks');
        await says(page, 'You said thanks.');
        assert.deepEqual([outside.done.splice(0), posts], [['paid 101'], 3]);
      });

      void it('says why a message is refused while a request waits', async () => {
        const page = await open('refused');
        await say(page, 'email');
        await page.getByRole('button', { name: 'Approve' }).waitFor();
        await say(page, 'hello');
        await page.getByRole('alert').waitFor();
        assert.deepEqual(outside.done, []);
      });
    },
  );
}
