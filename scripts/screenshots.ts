/**
 * Takes a picture of every kind of card and of every page, in both themes and three widths, into a folder:
 * `npm run screenshots [folder]`. `--quick`: in one theme and one width. `--readme`: makes the pictures of the README instead.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { demoAgent } from '../src/cli/demo/demo-agent.ts';
import { demoCaller } from '../src/cli/demo/roles.ts';
import { createHost } from '../src/host/index.ts';
import { serve, staticPages } from '../src/host/node/index.ts';
import { memoryStore } from '../src/store/memory/index.ts';
import type { Browser, Page } from '../test/browser/browser-types.ts';
import { startBrowser } from '../test/browser/start-browser.ts';
import { writeAnimation } from './write-animation.ts';

type Scene = (page: Page) => Promise<void>;

const WIDTHS = [
  { name: 'wide', width: 1440, height: 900 },
  { name: 'tablet', width: 820, height: 1100 },
  { name: 'phone', width: 390, height: 844 },
];

const say = async (page: Page, text: string) => {
  await page.getByLabel('Message', { exact: true }).fill(text);
  await page.keyboard.press('Enter');
};
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });
const cardOf =
  (phrase: string, then: Scene = async () => undefined): Scene =>
  async (page) => {
    await say(page, phrase);
    await page.locator('.hp-card').first().waitFor();
    await then(page);
  };

/** Each picture: the page to open, and what to do there. */
const SCENES: Readonly<Record<string, { readonly path?: string; readonly scene: Scene }>> = {
  'chat-empty': { scene: (page) => page.getByText('Choose a sentence below').waitFor() },
  'card-transfer': { scene: cardOf('transfer 1000 to ABC123') },
  'card-hidden-characters': { scene: cardOf('transfer 1000 to \u202E321CBA') },
  'card-email': { scene: cardOf('email a@b.com hello') },
  'card-email-edited': {
    scene: cardOf('email a@b.com hello', async (page) => {
      await button(page, 'Edit').click();
      await page.getByLabel('Subject').fill('Lunch on Friday');
      await page.getByText('1 change', { exact: true }).waitFor();
    }),
  },
  'card-question': { scene: cardOf('sign me up') },
  'card-choices': { scene: cardOf('ask me') },
  'card-database': { scene: cardOf('delete old users') },
  'card-second-look': {
    scene: cardOf('delete old users', async (page) => {
      await button(page, 'Delete 42 users').click();
      await page.getByText('This cannot be undone.').waitFor();
    }),
  },
  'card-upload': { scene: cardOf('upload') },
  'card-recovery': { scene: cardOf('break it') },
  'card-several': { scene: cardOf('do both') },
  'chat-records': {
    scene: async (page) => {
      await cardOf('transfer 1000 to ABC123')(page);
      await button(page, /^Send \$1,000/).click();
      await page.getByText(/^Sent\. /).waitFor();
      await cardOf('email a@b.com hello')(page);
      await button(page, 'Reject').click();
      await page.getByLabel('Reason').fill('Wrong address');
      await page.keyboard.press('Enter');
      await page.getByText(/^It was rejected/).waitFor();
      await page.locator('.hp-call summary').first().click();
    },
  },
  'chat-answer-again': {
    scene: async (page) => {
      await say(page, 'transfer 50 to SMALL');
      await page.getByText(/^Sent\. /).waitFor();
      await button(page, 'Answer again').click();
      await page.getByText('This answer has already made these calls:').waitFor();
    },
  },
  audit: { path: '/audit', scene: (page) => page.getByRole('heading', { name: 'Audit' }).waitFor() },
  inbox: { path: '/inbox', scene: (page) => page.locator('.hp-row').first().waitFor() },
  'inbox-request': {
    path: '/inbox',
    scene: async (page) => {
      await page.locator('.hp-row').first().waitFor();
      await page.locator('.hp-row a').first().click();
      await page.locator('.hp-card').waitFor();
    },
  },
};

async function takeAll(browser: Browser, url: string, folder: string): Promise<void> {
  for (const colorScheme of isQuick ? (['light'] as const) : (['light', 'dark'] as const)) {
    for (const { name: size, ...viewport } of isQuick ? WIDTHS.slice(0, 1) : WIDTHS) {
      for (const [name, { path = '/', scene }] of Object.entries(SCENES)) {
        const context = await browser.newContext({ viewport, colorScheme, reducedMotion: 'reduce' });
        const page = await context.newPage();
        await page.goto(new URL(path, url).href);
        await scene(page);
        await page.screenshot({ path: join(folder, `${name}-${size}-${colorScheme}.png`) });
        await context.close();
      }
    }
    process.stdout.write(`${Object.keys(SCENES).length} scenes in ${colorScheme}\n`);
  }
}

/** The pictures of the README: a request in the chat, the inbox, and the way from a message to a record. */
async function takeForReadme(browser: Browser, url: string, folder: string): Promise<void> {
  const viewport = { width: 880, height: 560 };
  const context = await browser.newContext({ viewport, colorScheme: 'light', reducedMotion: 'reduce' });
  const page = await context.newPage();
  const frames: Buffer[] = [];
  const frame = async () => void frames.push(await page.screenshot());
  await page.goto(url);
  await page.getByText('Choose a sentence below').waitFor();
  await page.getByLabel('Message', { exact: true }).fill('transfer 1000 to ABC123');
  await frame();
  await page.keyboard.press('Enter');
  await page.locator('.hp-card').waitFor();
  await frame();
  await button(page, /^Send \$1,000/).focus();
  await frame();
  await button(page, /^Send \$1,000/).click();
  await page.getByText(/^Sent\. /).waitFor();
  await frame();
  await page.locator('.hp-call summary').first().click();
  await frame();
  writeAnimation(join(folder, 'approve.png'), frames, { frameMs: 1600 });
  const tall = await browser.newContext({ viewport: { width: 880, height: 860 }, reducedMotion: 'reduce' });
  const card = await tall.newPage();
  await card.goto(url);
  await cardOf('delete old users')(card);
  await card.screenshot({ path: join(folder, 'card.png') });
  for (const phrase of ['email a@b.com hello', 'transfer 2500 to XYZ789', 'upload', 'sign me up']) {
    await page.goto(url);
    await cardOf(phrase)(page);
  }
  const wide = await browser.newContext({ viewport: { width: 1200, height: 640 }, reducedMotion: 'reduce' });
  const inbox = await wide.newPage();
  await inbox.goto(new URL('/inbox', url).href);
  await inbox.locator('.hp-row').nth(3).waitFor();
  await inbox.screenshot({ path: join(folder, 'inbox.png') });
}

const args = process.argv.slice(2);
const isReadme = args.includes('--readme');
const isQuick = args.includes('--quick');
const folder = resolve(
  args.find((one) => !one.startsWith('--')) ?? (isReadme ? 'docs/pictures' : 'screenshots'),
);
mkdirSync(folder, { recursive: true });
const pages = mkdtempSync(join(tmpdir(), 'holdpoint-pages-'));
execFileSync(process.execPath, [join(import.meta.dirname, '../ui/build.mjs'), pages]);
const store = memoryStore();
const host = createHost({
  agents: [demoAgent(store)],
  store,
  authenticate: demoCaller,
  pages: staticPages(pages),
  logger: false,
});
const { url, close } = await serve(host, { port: 0 });
const browser = await startBrowser();
try {
  await (isReadme ? takeForReadme : takeAll)(browser, url, folder);
  process.stdout.write(`The pictures are in ${folder}.\n`);
} finally {
  await browser.close();
  await close({ withinMs: 1000 });
  rmSync(pages, { recursive: true, force: true });
}
