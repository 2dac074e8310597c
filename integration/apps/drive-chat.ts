import assert from 'node:assert/strict';
import type { Browser, BrowserContext, Finder, Locator, Page } from '../../test/browser/browser-types.ts';
import { whenConnected } from '../when-connected.ts';

/** A chat as a person sees it. */
export interface Chat {
  /** Loads the page, and waits until a message can be sent. */
  readonly loaded: (page: Page, load: () => Promise<unknown>) => Promise<void>;
  readonly composer: (page: Page) => Locator;
  /** The part of the page with the words of the agent. */
  readonly replies: (page: Page) => Finder;
  /** True when the page shows the answers of other tabs without a reload. */
  readonly isLive: boolean;
  /** The words of the page after an answer that came too late. */
  readonly lost: RegExp;
}

/** `<holdpoint-chat>` and `<Chat>`. */
export const HOLDPOINT_CHAT: Chat = {
  async loaded(page, load) {
    await load();
    await HOLDPOINT_CHAT.composer(page).waitFor();
  },
  composer: (page) => page.getByLabel('Message', { exact: true }),
  replies: (page) => page.locator('.hp-assistant .hp-text'),
  isLive: true,
  lost: /Your answer was not used/,
};

/** The chat of another library with the cards of Holdpoint. It drops a message that is sent before its thread is loaded. */
export const LIBRARY_CHAT: Chat = {
  async loaded(page, load) {
    await whenConnected(page, load);
    await LIBRARY_CHAT.composer(page).waitFor();
  },
  composer: (page) => page.getByRole('textbox').last(),
  replies: (page) => page,
  isLive: false,
  lost: /has already given another answer/,
};

/** What a person does in the chat of an app, in tabs of one browser. Every payment has a number, so a second one would show. */
export async function driveChat(browser: Browser, url: string, chat: Chat): Promise<void> {
  const context = await browser.newContext({ viewport: { width: 1000, height: 800 } });
  const errors: string[] = [];
  try {
    const open = (address: string) => openTab(context, address, chat, errors);
    const page = await open(url);
    await approveTwice(page, chat);
    await rejectAndEdit(page, chat);
    await answerTwoAtOnce(page, chat);
    await reloadWhilePending(page, chat);
    await answerInOneOfTwoTabs(page, await pendingInTwoTabs(page, open, chat), chat);
    await loseRace(page, await pendingInTwoTabs(page, open, chat), chat);
    // Only the approved payments were made.
    await say(page, 'send 90 to Ida', chat);
    await press(page, /^Send \$90/).click();
    await reply(page, /Payment 7: \$90 to Ida/, chat).waitFor();
    assert.deepEqual(errors, []);
  } finally {
    await context.close();
  }
}

async function openTab(context: BrowserContext, url: string, chat: Chat, errors: string[]): Promise<Page> {
  const page = await context.newPage();
  page.on('pageerror', (error) => errors.push(String(error)));
  await chat.loaded(page, () => page.goto(url));
  return page;
}

async function say(page: Page, text: string, chat: Chat): Promise<void> {
  await chat.composer(page).fill(text);
  await page.keyboard.press('Enter');
}

const cards = (page: Page) => page.locator('.hp-card');
const press = (page: Page, name: string | RegExp) => cards(page).getByRole('button', { name }).first();
/** Rejects the first request: the first press asks for a reason, the second sends. */
async function rejectRequest(page: Page): Promise<void> {
  await press(page, 'Reject').click();
  await page.locator('[data-rejecting]').getByRole('button', { name: 'Reject' }).click();
}
const reply = (page: Page, text: RegExp, chat: Chat) => chat.replies(page).getByText(text).last();

async function approveTwice(page: Page, chat: Chat): Promise<void> {
  await say(page, 'send 10 to Ana', chat);
  await press(page, /^Send \$10/).dblclick();
  await reply(page, /Payment 1: \$10 to Ana/, chat).waitFor();
}

async function rejectAndEdit(page: Page, chat: Chat): Promise<void> {
  await say(page, 'send 20 to Bob', chat);
  await rejectRequest(page);
  await reply(page, /rejected/, chat).waitFor();
  await say(page, 'send 30 to Cem', chat);
  await press(page, 'Edit').click();
  await cards(page).getByLabel('Amount').fill('31');
  await press(page, /with 1 change/).click();
  await reply(page, /Payment 2: \$31 to Cem/, chat).waitFor();
}

async function answerTwoAtOnce(page: Page, chat: Chat): Promise<void> {
  await say(page, 'send 40 to Dora and 50 to Eli', chat);
  await press(page, /^Send \$40/).click();
  await cards(page).getByText('It goes with the other answers').waitFor();
  await press(page, /^Send \$50/).click();
  await reply(page, /Payment 3.*Payment 4/, chat).waitFor();
}

async function reloadWhilePending(page: Page, chat: Chat): Promise<void> {
  await say(page, 'send 60 to Fay', chat);
  await cards(page).waitFor();
  await chat.loaded(page, () => page.reload());
  await reply(page, /Payment 3.*Payment 4/, chat).waitFor();
  await press(page, /^Send \$60/).click();
  await reply(page, /Payment 5: \$60 to Fay/, chat).waitFor();
}

/** Asks for a payment, and opens the thread in a second tab, which shows the same card. */
async function pendingInTwoTabs(page: Page, open: (url: string) => Promise<Page>, chat: Chat): Promise<Page> {
  await say(page, 'send 70 to Gus', chat);
  await cards(page).waitFor();
  const other = await open(page.url());
  await cards(other).waitFor();
  return other;
}

async function answerInOneOfTwoTabs(page: Page, other: Page, chat: Chat): Promise<void> {
  await press(page, /^Send \$70/).click();
  await reply(page, /Payment 6: \$70 to Gus/, chat).waitFor();
  if (!chat.isLive) await chat.loaded(other, () => other.reload());
  await reply(other, /Payment 6: \$70 to Gus/, chat).waitFor();
  await cards(other).waitFor({ state: 'detached' });
}

async function loseRace(page: Page, other: Page, chat: Chat): Promise<void> {
  // The answer of the first tab is on its way while the second one answers.
  await page.evaluate(`(() => {
    const real = window.fetch;
    const released = new Promise((resolve) => (window.release = resolve));
    window.sent = new Promise((resolve) => {
      window.fetch = async (url, init) => {
        if (String(init?.body).includes('"resume"')) {
          resolve();
          await released;
        }
        return real(url, init);
      };
    });
  })()`);
  await press(page, /^Send \$70/).click();
  await page.evaluate('window.sent');
  await rejectRequest(other);
  await cards(other).waitFor({ state: 'detached' });
  await page.evaluate('window.release()');
  await page.getByText(chat.lost).waitFor();
}
