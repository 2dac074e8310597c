import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import type { Browser, BrowserContext, Locator, Page } from './browser-types.ts';
import { startBrowser } from './start-browser.ts';
import type { ServerOptions, TestServer } from './start-server.ts';
import { startServer } from './start-server.ts';

/** A browser, a server, and the pages of one test; an error in a page fails the test. */
export interface App {
  readonly server: TestServer;
  open(path: string, options?: Parameters<Browser['newContext']>[0]): Promise<Page>;
}

/** Starts a browser and a server for the tests of a file. */
export function useApp(options: ServerOptions = {}): App {
  let browser: Browser | undefined;
  let server: TestServer | undefined;
  let contexts: BrowserContext[] = [];
  let troubles: string[] = [];
  beforeAll(async () => {
    browser = await startBrowser();
    server = await startServer(options);
  }, 180_000);
  afterEach(async () => {
    await Promise.all(contexts.map((context) => context.close()));
    contexts = [];
    const found = troubles;
    troubles = [];
    expect(found).toEqual([]);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.dispose();
  });
  const started = <Part>(part: Part | undefined): Part => {
    if (part === undefined) throw new Error('The browser and the server are started before the first test.');
    return part;
  };
  return {
    get server() {
      return started(server);
    },
    async open(path, options = {}) {
      const context = await started(browser).newContext({
        viewport: { width: 1280, height: 900 },
        ...options,
      });
      contexts.push(context);
      const page = await context.newPage();
      page.on('pageerror', (error) => troubles.push(String(error)));
      page.on('console', (message) => {
        const isNetwork =
          message.text().includes('net::ERR') || message.text().includes('Failed to load resource');
        if (message.type() === 'error' && !isNetwork) troubles.push(message.text());
      });
      await page.goto(new URL(path, started(server).url).href);
      return page;
    },
  };
}

/** Sends a message in the chat. */
export async function say(page: Page, text: string): Promise<void> {
  await page.getByLabel('Message', { exact: true }).fill(text);
  await page.keyboard.press('Enter');
}

export const button = (page: Page, name: string | RegExp): Locator => page.getByRole('button', { name });
/** Rejects the only request: the first press asks for a reason, the second sends. */
export async function rejectRequest(page: Page, reason = ''): Promise<void> {
  await button(page, 'Reject').click();
  if (reason !== '') await page.getByLabel('Reason').fill(reason);
  await page.locator('[data-rejecting]').getByRole('button', { name: 'Reject' }).click();
}

/** Waits until the request of the inbox takes decisions. */
export const untilDecidable = (page: Page): Promise<void> =>
  page.locator('.inbox-request:not([data-guarded], :has([data-unread]))').waitFor();
/** Presses a key that decides the request of the inbox, once the request takes decisions. */
export async function decideByKey(page: Page, key: 'a' | 'Control+Enter'): Promise<void> {
  await untilDecidable(page);
  await page.keyboard.press(key);
}

export const card = (page: Page): Locator => page.locator('.hp-card');
/** Evaluates an expression about the focused element, named `focused`. */
export const focused = <Value>(page: Page, expression: string): Promise<Value> =>
  page.evaluate<Value>(`((focused) => ${expression})(document.activeElement)`);
