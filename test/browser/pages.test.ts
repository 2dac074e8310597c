import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createHost } from '../../src/host/index.ts';
import { serve } from '../../src/host/node/index.ts';
import { memoryStore } from '../../src/store/memory/index.ts';
import { german } from '../../src/elements/index.ts';
import { IS_DEEP } from '../size.ts';
import type { Browser, BrowserContext, Page } from './browser-types.ts';
import { accessibilityProblems, startBrowser } from './start-browser.ts';
import type { TestServer } from './start-server.ts';
import { startServer } from './start-server.ts';
import { rejectRequest } from './use-app.ts';

/** `npm test` runs the tests outside `if (IS_DEEP)`; `npm run test:browser` runs all. */
let browser: Browser;
let server: TestServer;
let contexts: BrowserContext[] = [];
let troubles: string[] = [];

beforeAll(async () => {
  browser = await startBrowser();
  server = await startServer();
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

/** A page of a fresh browser profile; an error on it fails the test. */
async function openPage(path: string, options: Parameters<Browser['newContext']>[0] = {}): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  contexts.push(context);
  const page = await context.newPage();
  page.on('pageerror', (error) => troubles.push(String(error)));
  page.on('console', (message) => {
    const isNetwork =
      message.text().includes('net::ERR') || message.text().includes('Failed to load resource');
    if (message.type() === 'error' && !isNetwork) troubles.push(message.text());
  });
  await page.goto(new URL(path, server.url).href);
  return page;
}
async function say(page: Page, text: string): Promise<void> {
  await page.getByLabel('Message', { exact: true }).fill(text);
  await page.keyboard.press('Enter');
}
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });
const bubble = (page: Page, text: string) => page.locator('.hp-bubble').getByText(text, { exact: true });
const card = (page: Page) => page.locator('.hp-card');
const done = (start: string) => server.done().filter((line) => line.startsWith(start));
const threadOf = (page: Page) => /\/chat\/([^/?]+)/.exec(page.url())?.[1] ?? '';

describe('the chat', () => {
  it('streams text, shows a tool call, and transfers once after a double click on Approve', async () => {
    const before = done('transfer 1000').length;
    const page = await openPage('/');
    await say(page, 'transfer');
    await card(page).getByText('ABC123').waitFor();
    await page.waitForURL(/\/chat\/.+/);
    await page.getByText('Waiting for an answer').waitFor();
    await expect.poll(() => page.title()).toMatch(/^\(\d+\) /);
    await button(page, /^Approve/).dblclick();
    await page.getByText(/Result: .*DONE/).waitFor();
    await card(page).waitFor({ state: 'detached' });
    expect(done('transfer 1000')).toHaveLength(before + 1);
  });

  it('keeps 1 of 2 answers of a batch over a reload, and continues after the second', async () => {
    const before = done('transfer 2000').length;
    const page = await openPage('/');
    await say(page, 'do both');
    await page.getByText('0 of 2 answered', { exact: true }).waitFor();
    await button(page, 'Approve').first().click();
    await page.getByText('1 of 2 answered', { exact: true }).waitFor();
    await page.reload();
    await page.getByText('1 of 2 answered', { exact: true }).waitFor();
    expect(done('transfer 2000')).toHaveLength(before);
    await button(page, 'Approve').click();
    await page.getByText(/^Result:/).waitFor();
    expect(done('transfer 2000')).toHaveLength(before + 1);
    await expect.poll(() => card(page).count()).toBe(0);
  });

  it('escapes HTML in Markdown', async () => {
    const page = await openPage('/');
    await say(page, 'markdown');
    await page.getByText('<img src=x onerror=alert(1)>').waitFor();
    await expect.poll(() => page.locator('.hp-text img').count()).toBe(0);
    await page.getByText('and 2 * 3 * 4.').waitFor();
    await expect.poll(() => page.getByRole('link', { name: 'a link (example.com)' }).count()).toBe(1);
  });

  if (IS_DEEP) {
    it('shows messages, regenerated replies and answers of another window', async () => {
      const one = await openPage('/');
      await say(one, 'hello');
      await one.waitForURL(/\/chat\/.+/);
      const other = await openPage(new URL(one.url()).pathname);
      await bubble(other, 'hello').waitFor();
      for (const page of [one, other])
        await page.evaluate(`document.querySelector('.hp-text').setAttribute('data-old', '')`);
      await button(one, 'Answer again').click();
      for (const page of [one, other]) await page.locator('[data-old]').waitFor({ state: 'detached' });
      await one.locator('[role=log][aria-busy=false]').waitFor();
      await say(one, 'transfer');
      await bubble(other, 'transfer').waitFor();
      for (const page of [one, other]) expect(await page.locator('.hp-text').count()).toBe(1);
      await button(other, 'Approve').click();
      await one.getByText(/Result: .*DONE/).waitFor();
    });

    it('shows a diff of edited arguments and sends them with their types', async () => {
      const before = done('email').length;
      const page = await openPage('/');
      await say(page, 'email');
      await button(page, 'Edit').click();
      await page.getByLabel('Subject').fill('Good morning');
      await page.getByLabel('Copies').fill('two');
      await button(page, /^Approve/).click();
      await page.getByText('Write a whole number, such as 12.').waitFor();
      expect(await page.evaluate(`document.activeElement.getAttribute('aria-invalid')`)).toBe('true');
      await page.getByLabel('Copies').fill('9');
      await button(page, /^Approve/).click();
      await page.getByText('Expected at most 5.').waitFor();
      await page.getByLabel('Copies').fill('2');
      await button(page, 'Approve with 2 changes').click();
      await page.getByText(/Result: .*sent/).waitFor();
      expect(done('email').slice(before)).toEqual([
        `email ${JSON.stringify({ to: 'a@b.com', subject: 'Good morning', body: 'See you\non Monday', copies: 2 })}`,
      ]);
    });

    it('sends the reason of a rejection to the agent', async () => {
      const before = done('transfer').length;
      const page = await openPage('/');
      await say(page, 'transfer');
      await rejectRequest(page, 'Too much');
      await page.getByText(/^Result: .*rejected.*Too much/).waitFor();
      expect(done('transfer')).toHaveLength(before);
    });

    it('requires a phrase and a reason if the interrupt asks for them', async () => {
      const page = await openPage('/');
      await say(page, 'delete users');
      await button(page, 'Approve').click();
      await page.getByText('Type “delete users” exactly as it is written.').waitFor();
      await rejectRequest(page);
      await page.getByText('Say why, so that the agent can do better.').waitFor();
      await button(page, 'Back').click();
      await page.getByLabel(/to approve$/).fill('delete users');
      await button(page, 'Approve').click();
      await page.getByText(/Result: .*1245/).waitFor();
    });

    it('renders a schema as a form, keeps the draft over a reload, and shows validation errors', async () => {
      const page = await openPage('/');
      await say(page, 'form');
      await page.getByLabel('Full name').fill('A');
      await page.reload();
      await page.getByLabel('Full name').waitFor();
      expect(await page.getByLabel('Full name').inputValue()).toBe('A');
      await page.getByLabel('Email').fill('ada');
      await page.getByLabel('Age', { exact: true }).fill('36');
      await page.getByLabel('Pro').check();
      await page.getByLabel('offers').check();
      await page.getByLabel('I agree to the terms').check();
      await button(page, 'Send answer').click();
      await page.getByText('Expected at least 2 characters.').waitFor();
      await page.getByText('Expected an email address.').waitFor();
      await page.getByLabel('Full name').fill('Ada');
      await page.getByLabel('Email').fill('ada@example.com');
      await button(page, 'Send answer').click();
      const answer = {
        name: 'Ada',
        email: 'ada@example.com',
        age: 36,
        plan: 'pro',
        topics: ['offers'],
        terms: true,
      };
      await page.getByText(`Result: ${JSON.stringify(answer)}`).waitFor();
    });

    it('goes back in a form of several pages without losing values, and shows a review', async () => {
      const page = await openPage('/');
      await say(page, 'wizard');
      await page.getByLabel('From').fill('Oslo');
      await page.getByLabel('To', { exact: true }).fill('Rome');
      await button(page, 'Next').click();
      await page.getByLabel('Seats').fill('2');
      await button(page, 'Back').click();
      expect(await page.getByLabel('From').inputValue()).toBe('Oslo');
      await button(page, 'Next').click();
      await button(page, 'Next').click();
      await page.getByText('step 3 of 3').waitFor();
      await button(page, 'Send answer').click();
      await page.getByText('Result: {"from":"Oslo","to":"Rome","seats":2}').waitFor();
    });

    it('uploads a file, and offers actions for a failed call', async () => {
      const page = await openPage('/');
      await say(page, 'upload');
      await page
        .locator('input[type=file]')
        .setInputFiles({ name: 'film.txt', mimeType: 'text/plain', buffer: Buffer.alloc(2000) });
      await page.getByText('“film.txt” is 2 kB; the limit is 1 kB. Choose a smaller file.').waitFor();
      const buffer = Buffer.from('12 euros');
      await page
        .locator('input[type=file]')
        .setInputFiles({ name: 'receipt.txt', mimeType: 'text/plain', buffer });
      await button(page, /^Remove/).waitFor();
      await button(page, 'Send answer').click();
      await page.getByText('Result: {"got":"receipt.txt"}').waitFor();
      await say(page, 'break it');
      await page.getByText('Skip it').click();
      await button(page, 'Send decision').click();
      await page
        .getByText(/^Result:/)
        .last()
        .waitFor();
      await card(page).waitFor({ state: 'detached' });
    });

    it('offers to answer or cancel if a message is written while an interrupt is open', async () => {
      const page = await openPage('/');
      await say(page, 'choose');
      await page.getByText('green').waitFor();
      await say(page, 'weather');
      await button(page, 'Cancel it and send').click();
      await page.getByText(/Result: .*sunny/).waitFor();
      await expect.poll(() => card(page).count()).toBe(0);
    });

    it('sends the given answers of a turn with a new message, and cancels only its open requests', async () => {
      const [emails, transfers] = [done('email').length, done('transfer 2000').length];
      const page = await openPage('/');
      await say(page, 'do both');
      await button(page, 'Approve').first().click();
      await page.getByText('1 of 2 answered', { exact: true }).waitFor();
      await page.getByText('1 request is waiting for you.').waitFor();
      await say(page, 'weather');
      await button(page, 'Cancel it and send').click();
      await page.getByText(/Result: .*Oslo/).waitFor();
      expect([done('email').length, done('transfer 2000').length]).toEqual([emails + 1, transfers]);
      // Live, and after a reload.
      for (let look = 0; look < 2; look += 1) {
        const records = page.locator('.hp-call summary');
        await expect.poll(() => records.nth(0).textContent()).toContain('You approved');
        await expect.poll(() => records.nth(1).textContent()).toContain('You cancelled');
        await page.reload();
      }
    });

    it('shows a button for each choice of an enum and for each suggestion of the agent', async () => {
      const page = await openPage('/');
      await say(page, 'hello');
      const lastId = () =>
        page.evaluate<string>(
          `fetch('/threads/${threadOf(page)}').then((one) => one.json()).then((thread) => thread.messages.at(-1).id)`,
        );
      await button(page, 'Answer again').waitFor();
      const before = await lastId();
      await button(page, 'Answer again').click();
      await expect.poll(lastId).not.toBe(before);
      await page.locator('.hp-assistant').nth(1).waitFor({ state: 'detached' });
      await page.reload();
      await button(page, 'weather').waitFor();
      await expect.poll(() => page.locator('.hp-assistant').count()).toBe(1);
      await button(page, 'weather').click();
      await page.getByText(/Result: .*Oslo/).waitFor();
      await say(page, 'confirm');
      await page.getByText('Add a reason').click();
      await page.getByLabel(/^Reason/).fill('fresh air');
      await button(page, 'Approve').click();
      await page.getByText('Result: {"reason":"fresh air","status":"APPROVED"}').waitFor();
    });

    it('offers to ask again after an interrupt expired, and shows the failure', async () => {
      const page = await openPage('/');
      await say(page, 'brief');
      await page.getByText('This request expired without an answer.').waitFor();
      await expect.poll(() => button(page, 'Approve').count()).toBe(0);
      for (const isReloaded of [false, true]) {
        if (isReloaded) await page.reload();
        await page.locator('.hp-call .hp-badge').getByText('Expired').waitFor();
        await page.locator('.hp-composer-note').getByText('1 request has expired.').waitFor();
      }
      await button(page, 'Ask again').click();
      await button(page, 'Approve').waitFor();
      await page.locator('.hp-call .hp-badge').getByText('Waiting for an answer').waitFor();
      // A click in the first moment of a request that was asked again would not count; a key does.
      await button(page, 'Approve').press('Enter');
      await page.getByText('Result: served').waitFor();
      // No card stays of the request that expired.
      await expect.poll(() => card(page).count()).toBe(0);
      await say(page, 'fail');
      await page.getByText('The model failed. Try again.').waitFor();
      await button(page, 'Try again').waitFor();
    });
  }
});

describe('a killed server', () => {
  it('shows the working card again after its restart, on the open page and after a reload', async () => {
    const page = await openPage('/');
    await say(page, 'transfer');
    await button(page, 'Approve').waitFor();
    await server.kill();
    await button(page, 'Approve').click();
    await page.getByText('The server could not be reached. Try again.').waitFor();
    await server.start();
    await button(page, 'Retry').click();
    await page.getByText(/Result: .*DONE/).waitFor();
    await say(page, 'email');
    await button(page, 'Approve').waitFor();
    await server.kill();
    await server.start();
    await page.reload();
    await button(page, 'Approve').click();
    await page.getByText(/Result: .*sent/).waitFor();
  });
});

if (IS_DEEP) {
  describe('a German browser', () => {
    /** Every text of the page that is a text of the English set and differs in German. Names of values are data. */
    const english = async (page: Page): Promise<readonly string[]> => {
      const texts = await page.evaluate<
        readonly string[]
      >(`[...document.querySelectorAll(':not(.hp-args *)')].flatMap((one) => [
        ...[...one.childNodes].flatMap((node) => (node.nodeType === 3 ? [node.data.trim()] : [])),
        ...['aria-label', 'title', 'placeholder'].map((name) => one.getAttribute(name) ?? ''),
      ])`);
      const known = new Set(Object.entries(german).flatMap(([text, own]) => (text === own ? [] : [text])));
      return texts.filter((text) => known.has(text));
    };

    it('shows chat, card, inbox and audit in German', async () => {
      const page = await openPage('/', { locale: 'de-DE' });
      await page.getByLabel('Nachricht', { exact: true }).fill('email');
      await page.keyboard.press('Enter');
      await button(page, 'Bearbeiten').click();
      await page.getByLabel('Copies').fill('9');
      await button(page, /^Genehmigen/).click();
      await page.getByText('Höchstens 5 erwartet.').waitFor();
      expect(await english(page)).toEqual([]);
      await page.goto(new URL('/inbox', server.url).href);
      await page
        .getByText(/offene Anfrage/)
        .first()
        .waitFor();
      await page.locator('.hp-row').filter({ hasText: 'e-mail' }).first().click();
      await button(page, 'Ablehnen').click();
      expect(await english(page)).toEqual([]);
      await page.locator('[data-rejecting]').getByRole('button', { name: 'Ablehnen' }).click();
      await button(page, /^Rückgängig/).waitFor();
      expect(await english(page)).toEqual([]);
      await page.goto(new URL('/audit', server.url).href);
      await page.locator('.audit-decision').getByText('Abgelehnt').first().waitFor();
      expect(await english(page)).toEqual([]);
    });
  });

  describe('accessibility', () => {
    it.each(['light', 'dark'] as const)('no page has an axe violation in %s', async (colorScheme) => {
      const options = { colorScheme, reducedMotion: 'reduce' } as const;
      const chat = await openPage('/', options);
      await chat.getByLabel('Message', { exact: true }).waitFor();
      expect(await accessibilityProblems(chat)).toEqual([]);
      await say(chat, 'delete users');
      await button(chat, 'Approve').click();
      await chat.getByText('Type “delete users” exactly as it is written.').waitFor();
      expect(await accessibilityProblems(chat)).toEqual([]);
      const form = await openPage('/', options);
      await say(form, 'form');
      await button(form, 'Send answer').click();
      await form.getByText('Fill this in.').first().waitFor();
      expect(await accessibilityProblems(form)).toEqual([]);
    });

    it('fits 390 px without horizontal scrolling, with touch targets that are large enough', async () => {
      const page = await openPage('/', { viewport: { width: 390, height: 844 } });
      await say(page, 'email');
      await button(page, 'Edit').click();
      const width = 'document.documentElement.scrollWidth';
      expect(await page.evaluate(width)).toBe(390);
      expect(await page.evaluate(`document.querySelector('.hp-chat-scroll').scrollWidth <= 390`)).toBe(true);
      const small = `[...document.querySelectorAll('button, .hp-input')].filter((one) => one.offsetParent !== null
      && one.getBoundingClientRect().height < 44).map((one) => one.outerHTML)`;
      expect(await page.evaluate(small)).toEqual([]);
    });
  });
}

if (IS_DEEP) {
  describe('a page of another origin', () => {
    it('calls a host that lists its origin, with a preflight and a cookie, and cannot read another host', async () => {
      const blank = createServer((_request, response) => {
        response.setHeader('content-type', 'text/html').end('<title>Page</title>');
      });
      await new Promise<void>((resolve) => {
        blank.listen(0, '127.0.0.1', resolve);
      });
      const origin = `http://127.0.0.1:${(blank.address() as AddressInfo).port}`;
      const serveHost = (origins: readonly string[]) => {
        const host = createHost({
          agents: { echo: echoAgent },
          store: memoryStore(),
          logger: false,
          authenticate: ({ headers }) =>
            headers.get('cookie') === 'session=ana' ? { id: 'ana', scope: 's' } : null,
          cors: { origins, credentials: true },
        });
        return serve(host, { port: 0 });
      };
      const [listed, other] = [await serveHost([origin]), await serveHost(['https://app.example'])];
      const context = await browser.newContext();
      contexts.push(context);
      const page = await context.newPage();
      await page.goto(origin);
      const call = (url: string) =>
        page.evaluate<string>(`(async () => {
          document.cookie = 'session=ana';
          const body = JSON.stringify({ threadId: 't', runId: 'r', messages: [{ id: 'm', role: 'user', content: 'hi' }] });
          const headers = { 'content-type': 'application/json' };
          try {
            const response = await fetch('${url}/agents/echo', { method: 'POST', headers, body, credentials: 'include' });
            return response.status + ' ' + (await response.text());
          } catch (error) {
            return error.name;
          }
        })()`);
      expect(await call(listed.url)).toMatch(/^200 [^]*RUN_FINISHED/);
      expect(await call(other.url)).toBe('TypeError');
      await Promise.all([listed.close(), other.close()]);
      blank.closeAllConnections();
      blank.close();
    });
  });
}

async function* echoAgent({ threadId, runId }: { readonly threadId: string; readonly runId: string }) {
  yield { type: 'RUN_STARTED', threadId, runId };
  yield { type: 'RUN_FINISHED', threadId, runId };
}
