import { describe, expect, it } from 'vitest';
import { IS_DEEP } from '../size.ts';
import type { Page } from './browser-types.ts';
import { accessibilityProblems } from './start-browser.ts';
import { inboxRequests } from './inbox-requests.ts';
import { button, card, focused, rejectRequest, say, useApp } from './use-app.ts';

const app = useApp();
const call = (page: Page) => page.locator('.hp-call summary');
const done = (start: string) => app.server.done().filter((line) => line.startsWith(start));

/** Starts threads by HTTP, each with one message. */
async function startThreads(page: Page, count: number): Promise<void> {
  await page.evaluate(`(async () => {
    for (let n = 1; n <= ${count}; n += 1) {
      const id = crypto.randomUUID();
      const message = { id: 'm-' + id, role: 'user', content: 'Topic ' + n + '.' };
      const response = await fetch('/agents/assistant', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ threadId: id, runId: 'r-' + id, messages: [message], tools: [], context: [], state: {}, forwardedProps: {} }),
      });
      await response.text();
    }
  })()`);
}

/** True when the frame of the app is where it belongs and the document does not scroll. */
const isFrameInPlace = (page: Page) =>
  page.evaluate<boolean>(`(() => {
    for (const element of [document.scrollingElement, document.body]) element.scrollTop = 10000;
    const root = document.documentElement;
    return document.querySelector('.app-head').getBoundingClientRect().top === 0
      && root.scrollHeight <= innerHeight && root.scrollWidth <= innerWidth;
  })()`);

describe('a decision in the chat', () => {
  it('a decision in the chat stays as a record with the same words live and after a reload, and a rejection is not shown as a success', async () => {
    const page = await app.open('/');
    await say(page, 'transfer');
    await rejectRequest(page, 'Too much');
    await page.getByText(/^Result: .*rejected/).waitFor();
    const words = () => call(page).first().textContent();
    await expect.poll(words).toMatch(/Rejected\s+You rejected: Too much · \d?\d:\d\d/);
    const live = await words();
    await page.reload();
    await page.getByText(/^Result: .*rejected/).waitFor();
    await expect.poll(words).toBe(live);
    await call(page).first().click();
    await page.locator('.hp-record').getByText('Transfer money').waitFor();
    await page.locator('.hp-args').getByText('ABC123').waitFor();
    // Nothing was sent, so "Answer again" has nothing to warn about.
    await button(page, 'Answer again').click();
    await page.getByText('From an earlier answer:').waitFor();
    expect(await page.getByText('still done').count()).toBe(0);
  });

  it('asks before "Answer again" repeats a call that was made, and keeps that call visible', async () => {
    const page = await app.open('/');
    await say(page, 'small');
    await page.getByText(/^Result: .*50/).waitFor();
    const before = done('paid').length;
    await button(page, 'Answer again').click();
    await page.locator('.hp-chat-again-notice').getByText('Pay $50 to SMALL').waitFor();
    expect(await focused(page, 'focused.textContent.trim()')).toBe('Keep this answer');
    await page.keyboard.press('Enter');
    await button(page, 'Answer again').click();
    expect(done('paid')).toHaveLength(before);
    await button(page, 'Answer again anyway').click();
    await page.getByText('Done for an earlier answer').waitFor();
    await expect.poll(() => done('paid').length).toBe(before + 1);
    await page.reload();
    await page.getByText('Done for an earlier answer').waitFor();
    await expect.poll(() => call(page).count()).toBe(2);
  });

  it('a decision in the chat that another window makes leaves the typed text and the focus where they are, and says so', async () => {
    const one = await app.open('/');
    await say(one, 'transfer');
    await one.getByText('Add a reason').click();
    await one.getByLabel('Reason').fill('Let me think');
    const other = await app.open(new URL(one.url()).pathname);
    await rejectRequest(other);
    await one.getByText(/Rejected just now, in another window/).waitFor();
    expect(await focused(one, 'focused.value')).toBe('Let me think');
    expect(await one.getByLabel('Reason').inputValue()).toBe('Let me think');
    await button(one, 'Close').click();
    await expect.poll(() => card(one).count()).toBe(0);
    expect(await focused(one, 'focused.tagName')).toBe('TEXTAREA');
  });

  it('shows a text that runs backwards by its characters, with a warning', async () => {
    const page = await app.open('/');
    await say(page, 'backwards');
    await card(page).getByText('[U+202E]321CBA').waitFor();
    await card(page)
      .getByText(/change the reading direction: U\+202E/)
      .waitFor();
    await expect.poll(async () => (await page.content()).includes('\u202E')).toBe(false);
  });

  if (IS_DEEP) {
    it('a decision in the inbox that can still be undone is shown in the chat as approved, and starts in a moment', async () => {
      const page = await app.open('/');
      await say(page, 'transfer');
      await button(page, 'Approve').waitFor();
      const [, thread = ''] = /chat\/([^/]+)$/.exec(new URL(page.url()).pathname) ?? [];
      const path = `/threads/${thread}/interrupts`;
      const { interrupts } = await page.evaluate<{ interrupts: [{ interrupt: { id: string } }] }>(
        `fetch('/interrupts?thread=${thread}').then((response) => response.json())`,
      );
      const { id } = interrupts[0].interrupt;
      const send = (method: string, body?: object) =>
        page.evaluate(`fetch('${path}/${id}/answer', { method: '${method}',
          headers: { 'content-type': 'application/json' }, body: ${JSON.stringify(body && JSON.stringify(body))} })`);
      await send('POST', { status: 'resolved', payload: { approved: true }, undoMs: 60_000 });
      await expect
        .poll(() => call(page).first().textContent())
        .toMatch(/Starts in a moment\s+You approved · \d?\d:\d\d/);
      expect(await button(page, 'Answer again').count()).toBe(0);
      await page.reload();
      await call(page).getByText('Starts in a moment').waitFor();
      await send('DELETE');
      await button(page, 'Approve').click();
      await page.getByText(/^Result: .*DONE/).waitFor();
    });

    it.each([
      ['approved', { status: 'resolved', payload: { approved: true } }, 'Waits for the other requests'],
      ['rejected', { status: 'resolved', payload: { approved: false } }, 'Rejected'],
    ])(
      'a request of a turn that is %s in the inbox says so in the chat, and what is still waited for',
      async (decision, entry, state) => {
        const page = await app.open('/');
        await say(page, 'do both');
        await page.locator('.hp-composer-note').getByText('2 requests are waiting for you.').waitFor();
        const thread = new URL(page.url()).pathname.split('/').at(-1) ?? '';
        await inboxRequests(app).answer(thread, entry);
        for (const isReloaded of [false, true]) {
          if (isReloaded) await page.reload();
          await page.locator('.hp-composer-note').getByText('1 request is waiting for you.').waitFor();
          const calls = page.locator('.hp-call').filter({ hasText: `You ${decision}` });
          await calls.getByText(state, { exact: true }).waitFor();
          await page.locator('.hp-call').getByText('Waiting for an answer').waitFor();
          const shown = page.locator('.hp-card:not([data-state="answered"])');
          await expect.poll(() => shown.count()).toBe(1);
          // The open card says what its answer, or its end, sets free.
          const waiting = page.locator('.hp-chat-cards [data-waiting-calls]');
          await expect.poll(() => waiting.count()).toBe(decision === 'approved' ? 1 : 0);
          if (decision === 'approved')
            await waiting.getByText('It runs when this request is answered or cancelled.').waitFor();
        }
        await page.locator('.hp-card').getByRole('button', { name: 'Reject' }).first().waitFor();
      },
    );

    it('a decision in the chat that came too late shows both answers', async () => {
      const one = await app.open('/');
      await say(one, 'transfer');
      await button(one, 'Approve').waitFor();
      const other = await app.open(new URL(one.url()).pathname);
      await button(other, 'Reject').waitFor();
      // The first window is not told: its streams are cut off before the answer is given.
      await one.evaluate(`window.fetch = ((fetch) => (...request) =>
        String(request[0]).includes('/events') || String(request[0]).includes('/interrupts') && !String(request[0]).includes('/threads/')
          ? new Promise(() => {}) : fetch(...request))(window.fetch);
        document.dispatchEvent(new Event('visibilitychange'))`);
      await one.evaluate(
        `Object.defineProperty(document, 'visibilityState', { get: () => 'hidden' }), document.dispatchEvent(new Event('visibilitychange'))`,
      );
      await rejectRequest(other);
      await other.getByText(/^Result: .*rejected/).waitFor();
      await button(one, 'Approve').click();
      await one.getByText(/Rejected .*in another window.*Your answer was not used/).waitFor();
      await one.getByText('This window').waitFor();
    });

    it('a decision with changes, a cancellation and a failure each have their own words in the chat', async () => {
      const page = await app.open('/');
      await say(page, 'email');
      await button(page, 'Edit').click();
      await page.getByLabel('Subject').fill('Good morning');
      await page.getByLabel('Copies').fill('2');
      await button(page, 'Approve with 2 changes').click();
      await page.getByText(/^Result: .*sent/).waitFor();
      const words = () => call(page).last().textContent();
      await expect.poll(words).toMatch(/Done\s+You approved with 2 changes · \d?\d:\d\d/);
      await call(page).last().click();
      await page.locator('.hp-record').getByText('Good morning').waitFor();
      // The arguments are those that ran.
      await page.locator('.hp-call .hp-args').first().getByText('Good morning').waitFor();
      await say(page, 'choose');
      await button(page, 'Cancel question').click();
      await expect.poll(words).toMatch(/Cancelled\s+You cancelled · \d?\d:\d\d/);
      await page.reload();
      await expect.poll(words).toMatch(/Cancelled\s+You cancelled · \d?\d:\d\d/);
      await say(page, 'break it');
      await page.getByText('Skip it').click();
      await button(page, 'Send decision').click();
      await expect.poll(words).toMatch(/You skipped it/);
    });
  }
});

describe('the frame of the app', () => {
  it('the frame of the app stays in place with many conversations, the newest first, and loads more of them', async () => {
    const page = await app.open('/', { viewport: { width: 1280, height: 600 } });
    await page.getByLabel('Message', { exact: true }).waitFor();
    await startThreads(page, 45);
    await page.reload();
    const titles = page.locator('.threads-title');
    await titles.getByText('Topic 45.').waitFor();
    expect(await titles.first().textContent()).toBe('Topic 45.');
    await page.locator('.chat-side').focus();
    expect(await isFrameInPlace(page)).toBe(true);
    await page.evaluate(`document.querySelector('.chat-side').scrollTop = 100000`);
    await titles.getByText('Topic 1.', { exact: true }).waitFor();
    await page.getByLabel('Search conversations').fill('topic 31');
    await titles.getByText('Topic 31.').waitFor();
    await expect.poll(() => titles.count()).toBe(1);
  });

  if (IS_DEEP) {
    it('fits 320 px', async () => {
      const page = await app.open('/', { viewport: { width: 320, height: 640 } });
      await say(page, 'email');
      await button(page, 'Edit').click();
      await button(page, 'Actions of this conversation').click();
      for (const name of ['Rename', 'Delete', 'Erase'])
        expect(await button(page, name).textContent()).toContain(name);
      await page.keyboard.press('Escape');
      expect(await button(page, 'Erase').count()).toBe(0);
      expect(await isFrameInPlace(page)).toBe(true);
      expect(await page.evaluate(`document.querySelector('.hp-chat-scroll').scrollWidth <= 320`)).toBe(true);
    });

    it('the list says when a conversation was started, by which it is ordered', async () => {
      const page = await app.open('/');
      await say(page, 'hello');
      await page.locator('.threads-age').first().getByText('started just now').waitFor();
    });

    it('renames a conversation, for every window', async () => {
      const page = await app.open('/');
      await say(page, 'hello there');
      await page.getByRole('heading', { name: 'hello there' }).waitFor();
      await button(page, 'Rename').click();
      await page.getByLabel('Name of the conversation').fill('Rent for May');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Rent for May' }).waitFor();
      expect(await focused(page, 'focused.id')).toBe('rename');
      const other = await app.open('/');
      await other.locator('.threads-title').getByText('Rent for May').waitFor();
    });

    it('says in three lines what to try', async () => {
      const page = await app.open('/');
      await page.getByText('Choose a sentence below').waitFor();
      await expect.poll(() => page.locator('.chat-steps li').count()).toBe(3);
    });
  }
});

if (IS_DEEP) {
  describe('a card', () => {
    it('a card that is taller than the screen opens at its top, with its risk and its buttons in sight', async () => {
      const page = await app.open('/', { viewport: { width: 1280, height: 520 } });
      await say(page, 'wipe');
      const inSight = (selector: string) =>
        page.evaluate<boolean>(`(() => {
          const { top, bottom } = document.querySelector('${selector}').getBoundingClientRect();
          const scroll = document.querySelector('.hp-chat-scroll').getBoundingClientRect();
          return top >= scroll.top && bottom <= scroll.bottom;
        })()`);
      await expect.poll(() => inSight('.hp-risk')).toBe(true);
      expect(await inSight('[data-action=approve]')).toBe(true);
      // On a phone too: no button to approve without those beside it.
      const phone = await app.open('/', {
        viewport: { width: 390, height: 700 },
        hasTouch: true,
        isMobile: true,
      });
      await say(phone, 'delete users');
      const cut = `(() => {
        const { bottom } = document.querySelector('.hp-chat-scroll').getBoundingClientRect();
        const buttons = [...document.querySelectorAll('.hp-actions button')];
        return buttons.length === 0 || buttons.some((one) => one.getBoundingClientRect().bottom > bottom + 1);
      })()`;
      await expect.poll(() => phone.evaluate(cut)).toBe(false);
    });

    it('keeps the focus through a second look, a missing reason and the steps of a wizard', async () => {
      const page = await app.open('/');
      await say(page, 'wipe');
      await button(page, 'Approve').click();
      await page.getByText('This cannot be undone.').waitFor();
      expect(await focused(page, 'focused.dataset.action')).toBe('back');
      await page.keyboard.press('Enter');
      expect(await focused(page, 'focused.dataset.action')).toBe('approve');
      await button(page, 'Cancel request').click();
      await expect.poll(() => focused(page, 'focused.id')).toMatch(/^hp-message-/);
      await button(page, 'Send').waitFor();
      await say(page, 'delete users');
      await rejectRequest(page);
      await page.getByText('Say why, so that the agent can do better.').waitFor();
      expect(await focused(page, 'focused.getAttribute("aria-invalid")')).toBe('true');
      await button(page, 'Back').click();
      await button(page, 'Cancel request').click();
      await card(page).waitFor({ state: 'detached' });
      await button(page, 'Send').waitFor();
      await say(page, 'wizard');
      await page.getByLabel('From').fill('Oslo');
      await page.getByLabel('To', { exact: true }).fill('Rome');
      await button(page, 'Next').click();
      await page.getByText('step 2 of 3').waitFor();
      expect(await focused(page, 'focused.className')).toBe('hp-step');
    });

    it('a card whose answer cannot be sent has the focus on Retry', async () => {
      const page = await app.open('/');
      await say(page, 'transfer');
      await button(page, 'Approve').waitFor();
      await app.server.kill();
      await button(page, 'Approve').click();
      await page.getByText('The server could not be reached. Try again.').waitFor();
      await expect.poll(() => focused(page, 'focused.dataset.action')).toBe('retry');
      await app.server.start();
      await page.getByText('The server can be reached again.').waitFor();
      await page.keyboard.press('Enter');
      await page.getByText(/Result: .*DONE/).waitFor();
      await expect.poll(() => page.locator('.hp-bad').count()).toBe(0);
    });

    it('refuses a file of another type', async () => {
      const page = await app.open('/');
      await say(page, 'upload');
      const file = { name: 'film.mp4', mimeType: 'video/mp4', buffer: Buffer.from('film') };
      await page.locator('input[type=file]').setInputFiles(file);
      const refusal = page.getByText('“film.mp4” is video/mp4. Choose a file of this kind: plain text.');
      await refusal.waitFor();
      await button(page, 'Send answer').click();
      await page.locator('input[aria-invalid]').waitFor();
      await refusal.waitFor();
      expect(await page.getByText('Choose a file.').count()).toBe(0);
      const deceiving = { ...file, name: 'invoice\u202Efdp.exe' };
      await page.locator('input[type=file]').setInputFiles(deceiving);
      await page.getByText('“invoice[U+202E]fdp.exe” is video/mp4.').waitFor();
      const receipt = { name: 'receipt.txt', mimeType: 'text/plain', buffer: Buffer.from('12 euros') };
      await page.locator('input[type=file]').setInputFiles(receipt);
      await button(page, /^Remove/).waitFor();
      await expect.poll(() => page.getByText('video/mp4').count()).toBe(0);
    });

    it('shows hostile texts, deep values and long ones as text, and runs none of them', async () => {
      const page = await app.open('/');
      await say(page, 'hostile');
      await card(page).getByText('<script>window.hacked = true</script>').waitFor();
      await button(page, 'Approve').click();
      await page.getByText(/^Result: .*sent/).waitFor();
      await say(page, 'deep');
      await card(page).getByText('Show all 200,000 characters').click();
      await expect
        .poll(() => page.evaluate<number>(`document.querySelector('.hp-card').textContent.length`))
        .toBeGreaterThan(200_000);
      expect(await page.evaluate(`window.hacked`)).toBe(undefined);
      expect(
        await page.evaluate(`document.querySelectorAll('[href^="javascript:"], .hp-card img').length`),
      ).toBe(0);
    });

    it.each(['light', 'dark'] as const)('a card has no axe violation in %s', async (colorScheme) => {
      const page = await app.open('/', { colorScheme, reducedMotion: 'reduce' });
      await say(page, 'email');
      await button(page, 'Edit').click();
      await page.getByLabel('Subject').fill('Good morning');
      await button(page, 'Approve with 1 change').waitFor();
      expect(await accessibilityProblems(page)).toEqual([]);
      await button(page, /^Approve/).click();
      await page.getByText(/^Result: .*sent/).waitFor();
      await call(page).first().click();
      await button(page, 'Answer again').click();
      expect(await accessibilityProblems(page)).toEqual([]);
    });
  });

  describe('the conversation', () => {
    it('shows a Markdown table as a table', async () => {
      const page = await app.open('/');
      await say(page, 'table');
      await page.getByText('That is all.').waitFor();
      const cells = `[...document.querySelectorAll('.hp-table tr')].map((row) => [...row.cells].map((cell) => cell.textContent))`;
      expect(await page.evaluate(cells)).toEqual([
        ['city', 'degrees'],
        ['Oslo', '7'],
        ['Rome', '21'],
      ]);
    });

    it('keeps a message that is entered during a run, says that it stops, and then sends the message', async () => {
      const page = await app.open('/');
      await say(page, 'slow');
      await page.getByText('Running').waitFor();
      await say(page, 'tab');
      const note = page.getByText('Your message is sent when the run has ended.');
      await note.waitFor();
      // What is typed after Enter is a line of its own, and nothing is sent before the next Enter.
      const input = page.getByLabel('Message', { exact: true });
      await page.keyboard.type('le');
      expect(await input.inputValue()).toBe('tab\nle');
      await page.getByText('Not sent yet, because you went on writing. Enter sends it.').waitFor();
      expect(await note.count()).toBe(0);
      await input.fill('table');
      await page.keyboard.press('Enter');
      await note.waitFor();
      expect(await page.getByText('Not sent yet').count()).toBe(0);
      await button(page, 'Stop').click();
      await page.getByText('Stopping. A call that is already running is finished first.').waitFor();
      const other = await app.open('/');
      await say(other, 'release');
      await page.getByText('That is all.').waitFor();
      await button(page, 'Send').waitFor();
      expect(await page.getByText(/^Stopping/).count()).toBe(0);
      expect(await note.count()).toBe(0);
      expect(await page.getByLabel('Message', { exact: true }).inputValue()).toBe('');
    });

    it('a message that did not reach the server is in the field again after a reload, and is sent once', async () => {
      const page = await app.open('/');
      const input = page.getByLabel('Message', { exact: true });
      const lost = page.getByText('The server could not be reached. What you entered is kept; try again.');
      await input.waitFor();
      // The first message begins the conversation.
      for (const sent of [1, 2]) {
        await app.server.kill();
        await say(page, 'weather');
        await lost.waitFor();
        expect(await input.inputValue()).toBe('');
        await app.server.start();
        await page.reload();
        await expect.poll(() => input.inputValue()).toBe('weather');
        await button(page, 'Send').click();
        const results = page.getByText(/^Result: .*sunny/);
        await expect.poll(() => results.count()).toBe(sent);
        expect(await page.locator('.hp-user').count()).toBe(sent);
        await page.reload();
        await expect.poll(() => results.count()).toBe(sent);
        expect(await input.inputValue()).toBe('');
      }
    });

    it('takes the error away when the retry works', async () => {
      const page = await app.open('/');
      await say(page, 'fail once');
      await page.getByText('The model failed. Try again.').waitFor();
      await button(page, 'Try again').click();
      await page.getByText('It works now.').waitFor();
      await expect.poll(() => page.locator('.hp-bad').count()).toBe(0);
      await app.server.kill();
      await say(page, 'weather');
      await page.getByText('The server could not be reached. What you entered is kept; try again.').waitFor();
      await app.server.start();
      await page.locator('.hp-notice').getByRole('button', { name: 'Try again' }).click();
      await page.getByText(/^Result: .*sunny/).waitFor();
      await expect.poll(() => page.locator('.hp-bad').count()).toBe(0);
    });
  });
}
