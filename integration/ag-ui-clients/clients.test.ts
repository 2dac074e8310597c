/** Pages of unmodified CopilotKit and assistant-ui in a real browser, against a host. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import type { Browser, BrowserContext, Locator, Page } from '../../test/browser/browser-types.ts';
import { startBrowser } from '../../test/browser/start-browser.ts';
import { whenConnected } from '../when-connected.ts';
import type { Pages } from './start-pages.ts';
import { startPages } from './start-pages.ts';

/** A page, and how it reaches the host. */
interface Subject {
  readonly title: string;
  readonly page: string;
  readonly runtime?: true;
  /** The agent for several interrupts at once; default `assistant`. The first API of CopilotKit answers only the first of them. */
  readonly batchAgent?: string;
  /** The page shows the cards of Holdpoint in place of its own. */
  readonly cards?: true;
}

const SUBJECTS: readonly Subject[] = [
  { title: 'CopilotKit', page: 'copilotkit-v2' },
  { title: 'CopilotKit with its runtime', page: 'copilotkit-v2', runtime: true },
  {
    title: 'CopilotKit with its first API',
    page: 'copilotkit-v1',
    runtime: true,
    batchAgent: 'one-at-a-time',
  },
  { title: 'assistant-ui', page: 'assistant-ui' },
  { title: 'CopilotKit with the cards of Holdpoint', page: 'copilotkit-v2', cards: true },
  { title: 'assistant-ui with the cards of Holdpoint', page: 'assistant-ui', cards: true },
];

let browser: Browser;
let pages: Pages;
before(async () => {
  pages = await startPages();
  browser = await startBrowser();
});
after(async () => {
  await browser.close();
  await pages.close();
});

const cards = (page: Page) => page.locator('.hp-card');
const button = (within: Page | Locator, name: string) => within.getByRole('button', { name, exact: true });
const says = (page: Page, text: string) => page.getByText(text).first().waitFor();

async function say(page: Page, text: string): Promise<void> {
  await page.locator('textarea').first().fill(text);
  await page.keyboard.press('Enter');
}

/** Answers the only card with a text, and waits until it is gone. */
async function answerWith(page: Page, message: string, text: string): Promise<void> {
  const card = cards(page).filter({ hasText: message });
  await card.getByRole('textbox').fill(text);
  await button(card, 'Send answer').click();
  await card.waitFor({ state: 'detached' });
}

for (const { title, page: name, runtime, batchAgent, cards: ownCards } of SUBJECTS) {
  void describe(title, { timeout: 300_000 }, () => {
    const contexts: BrowserContext[] = [];
    const errors: string[] = [];
    const open = async (thread: string, agent = 'assistant'): Promise<Page> => {
      const context = await browser.newContext();
      contexts.push(context);
      const page = await context.newPage();
      page.on('pageerror', (error) => errors.push(String(error)));
      const query = new URLSearchParams({
        thread,
        agent,
        ...(runtime && { runtime: pages.runtimeUrl }),
        ...(ownCards && { cards: 'holdpoint' }),
      });
      await whenConnected(page, () => page.goto(`${pages.url}/pages/${name}?${query}`));
      return page;
    };
    /** The payments since the start of the test. */
    const payments = () => {
      const start = pages.paid.length;
      return () => pages.paid.slice(start);
    };
    /** Rejects a request. The cards of Holdpoint ask for a reason first; a second press sends. */
    const rejectRequest = async (card: Locator) => {
      await button(card, 'Reject').click();
      if (ownCards) await button(card.locator('[data-rejecting]'), 'Reject').click();
    };
    let threads = 0;
    /** A new thread for each test. */
    const newThread = () => `${title}-${(threads += 1)}`.replaceAll(' ', '-');
    afterEach(() => assert.deepEqual(errors.splice(0), []));
    after(() => Promise.all(contexts.map((context) => context.close())));

    void it('runs an approved call', async () => {
      const page = await open(newThread());
      const paid = payments();
      await say(page, 'pay');
      await button(cards(page), 'Approve').click();
      await says(page, 'Result: paid 10.');
      assert.deepEqual(paid(), [10]);
    });

    void it('runs no rejected call', async () => {
      const page = await open(newThread());
      const paid = payments();
      await say(page, 'pay');
      await rejectRequest(cards(page));
      await says(page, 'Result: Tool call invocation rejected.');
      assert.deepEqual(paid(), []);
    });

    void it('takes one answer for each of two calls', async () => {
      const page = await open(newThread(), batchAgent);
      const paid = payments();
      await say(page, 'pay twice');
      await rejectRequest(cards(page).filter({ hasText: 'Pay 20?' }));
      await button(cards(page).filter({ hasText: 'Pay 30?' }), 'Approve').click();
      await says(page, 'paid 30.');
      assert.deepEqual(paid(), [30]);
    });

    void it('asks the second question of a call after the first answer', async () => {
      const page = await open(newThread());
      await say(page, 'onboard');
      await answerWith(page, 'Your name?', 'Ada');
      await answerWith(page, 'Your city?', 'London');
      await says(page, 'Result: Ada from London.');
    });

    void it('runs a call once after a double click', async () => {
      const page = await open(newThread());
      const paid = payments();
      await say(page, 'pay');
      await button(cards(page), 'Approve').dblclick();
      await says(page, 'Result: paid 10.');
      await say(page, 'hello');
      await says(page, 'You said hello.');
      assert.deepEqual(paid(), [10]);
    });

    void it('shows the conversation and the card again after a reload', async () => {
      const page = await open(newThread());
      const paid = payments();
      await say(page, 'hello');
      await says(page, 'You said hello.');
      await say(page, 'pay');
      await cards(page).waitFor();
      await whenConnected(page, () => page.reload());
      await says(page, 'You said hello.');
      await button(cards(page), 'Approve').click();
      await says(page, 'Result: paid 10.');
      assert.deepEqual(paid(), [10]);
    });

    void it('drops the card of a second tab whose answer comes too late', async () => {
      const thread = newThread();
      const first = await open(thread);
      const paid = payments();
      await say(first, 'pay');
      await cards(first).waitFor();
      const second = await open(thread);
      await cards(second).waitFor();
      await button(cards(first), 'Approve').click();
      await says(first, 'Result: paid 10.');
      await rejectRequest(cards(second));
      await cards(second).waitFor({ state: 'detached' });
      await says(second, 'Result: paid 10.');
      assert.deepEqual(paid(), [10]);
    });

    if (ownCards) {
      void it('runs a call with edited arguments', async () => {
        const page = await open(newThread());
        const paid = payments();
        await say(page, 'pay');
        await button(cards(page), 'Edit').click();
        await cards(page).getByLabel('Amount').fill('11');
        await cards(page)
          .getByRole('button', { name: /^Approve/ })
          .click();
        await says(page, 'Result: paid 11.');
        assert.deepEqual(paid(), [11]);
      });

      const REFUSALS = {
        'an HTTP error': `new Response('{}', { status: 503 })`,
        'a run error': `new Response('data: {"type":"RUN_ERROR","message":"Closing."}\\n\\n', { headers: { 'content-type': 'text/event-stream' } })`,
      };
      for (const [kind, response] of Object.entries(REFUSALS))
        void it(`asks again on a reload after ${kind} in place of the answer`, async () => {
          const page = await open(newThread());
          const paid = payments();
          await say(page, 'pay');
          await cards(page).waitFor();
          await page.evaluate(`(() => {
            const real = window.fetch;
            window.refused = new Promise((resolve) => {
              window.fetch = async (url, init) => {
                if (!String(init?.body).includes('"resume"')) return real(url, init);
                window.fetch = real;
                resolve();
                return ${response};
              };
            });
          })()`);
          await button(cards(page), 'Approve').click();
          await page.evaluate('window.refused');
          // CopilotKit keeps the card after a run error, and takes no second answer. Otherwise the card is gone.
          if (name === 'copilotkit-v2' && kind === 'a run error')
            await cards(page).getByText('Reload the page').waitFor();
          await whenConnected(page, () => page.reload());
          await button(cards(page), 'Approve').click();
          await says(page, 'Result: paid 10.');
          assert.deepEqual(paid(), [10]);
        });
      // The rest does not depend on cards.
      return;
    }

    void it('shows the words of the agent', async () => {
      const page = await open(newThread());
      await say(page, 'hello');
      await says(page, 'You said hello.');
    });

    void it('runs a tool of the page', async () => {
      const page = await open(newThread());
      await say(page, 'colour');
      await says(page, 'Result: the page is red.');
      assert.equal(await page.evaluate('document.body.dataset.colour'), 'red');
    });

    void it('waits for a person in a tool of the page', async () => {
      const page = await open(newThread());
      await say(page, 'time');
      await button(page, 'Noon').click();
      await says(page, 'Result: at noon.');
    });

    void it('takes an approval and the result of a tool of the page in one turn', async () => {
      const page = await open(newThread());
      const paid = payments();
      await say(page, 'pay and colour');
      await button(cards(page), 'Approve').click();
      await says(page, 'Result: paid 40, the page is blue.');
      assert.deepEqual(paid(), [40]);
    });

    void it('waits again for a person in a tool of the page after a reload', async () => {
      const page = await open(newThread());
      await say(page, 'time');
      await button(page, 'Noon').waitFor();
      await whenConnected(page, () => page.reload());
      await button(page, 'Noon').click();
      await says(page, 'Result: at noon.');
    });
  });
}
