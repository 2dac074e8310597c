import assert from 'node:assert/strict';
import type { Browser, BrowserContext, Page } from '../../test/browser/browser-types.ts';

/** What a person does in the chat of an app, in tabs of one browser. Every payment has a number, so a second one would show. */
export async function driveChat(browser: Browser, url: string): Promise<void> {
  const context = await browser.newContext({ viewport: { width: 1000, height: 800 } });
  try {
    const page = await openThread(context, url);
    await approveTwice(page);
    await rejectAndEdit(page);
    await answerTwoAtOnce(page);
    await reloadWhilePending(page);
    await loseRace(context, page);
  } finally {
    await context.close();
  }
}

async function openThread(context: BrowserContext, url: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(url);
  await page.getByLabel('Message', { exact: true }).waitFor();
  return page;
}

async function say(page: Page, text: string): Promise<void> {
  await page.getByLabel('Message', { exact: true }).fill(text);
  await page.keyboard.press('Enter');
}

const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first();
const cards = (page: Page) => page.locator('.hp-card');
const reply = (page: Page, text: RegExp) => page.locator('.hp-assistant .hp-text').getByText(text).last();

async function approveTwice(page: Page): Promise<void> {
  await say(page, 'send 10 to Ana');
  await press(page, /^Send \$10/).dblclick();
  await reply(page, /Payment 1: \$10 to Ana/).waitFor();
}

async function rejectAndEdit(page: Page): Promise<void> {
  await say(page, 'send 20 to Bob');
  await press(page, 'Reject').click();
  await reply(page, /rejected/).waitFor();
  await say(page, 'send 30 to Cem');
  await press(page, 'Edit').click();
  await page.getByLabel('Amount').fill('31');
  await press(page, /with 1 change/).click();
  await reply(page, /Payment 2: \$31 to Cem/).waitFor();
}

async function answerTwoAtOnce(page: Page): Promise<void> {
  await say(page, 'send 40 to Dora and 50 to Eli');
  await page.getByText('0 of 2 answered').waitFor();
  await press(page, /^Send \$40/).click();
  await page.getByText('1 of 2 answered').waitFor();
  await press(page, /^Send \$50/).click();
  await reply(page, /Payment 3.*Payment 4/).waitFor();
}

async function reloadWhilePending(page: Page): Promise<void> {
  await say(page, 'send 60 to Fay');
  await cards(page).waitFor();
  await page.reload();
  await press(page, /^Send \$60/).click();
  await reply(page, /Payment 5: \$60 to Fay/).waitFor();
}

async function loseRace(context: BrowserContext, page: Page): Promise<void> {
  await say(page, 'send 70 to Gus');
  await cards(page).waitFor();
  const other = await openThread(context, page.url());
  await cards(other).waitFor();
  // The answer of the first tab is on its way while the second one answers.
  await page.evaluate(`(() => {
    const real = window.fetch;
    const released = new Promise((resolve) => (window.release = resolve));
    window.fetch = async (url, init) => {
      if (String(init?.body).includes('"resume"')) await released;
      return real(url, init);
    };
  })()`);
  await press(page, /^Send \$70/).click();
  await page.getByText('Sending').waitFor();
  await press(other, 'Reject').click();
  await cards(other).waitFor({ state: 'detached' });
  await page.evaluate('window.release()');
  await page.getByText('Your answer was not used').waitFor();
  assert.equal(await page.getByText(/Payment 6/).count(), 0);
}
