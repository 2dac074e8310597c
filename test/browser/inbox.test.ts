import { describe, expect, it } from 'vitest';
import * as travel from '../../examples/17-a2a/server.ts';
import { staticPages } from '../../src/host/node/index.ts';
import { IS_DEEP } from '../size.ts';
import type { Page } from './browser-types.ts';
import { APPROVAL, inboxRequests } from './inbox-requests.ts';
import { accessibilityProblems } from './start-browser.ts';
import { button, card, decideByKey, focused, say, useApp } from './use-app.ts';

/** `npm test` runs the tests outside `if (IS_DEEP)`; `npm run test:browser` runs all. */
const app = useApp();
const done = (start: string) => app.server.done().filter((line) => line.startsWith(start));
const rows = (page: Page) => page.locator('.hp-row');
const place = (page: Page) => page.locator('.inbox-place');
const threadOf = (page: Page) => /\/chat\/([^/?]+)/.exec(page.url())?.[1] ?? '';
const { ask, answer, empty: emptyInbox } = inboxRequests(app);

describe('the inbox', () => {
  it('decides by keys from the start: the next request opens, and u takes a decision back', async () => {
    await emptyInbox();
    for (const text of ['transfer', 'email', 'confirm']) await ask(text);
    const before = done('').length;
    const page = await app.open('/inbox');
    await place(page).getByText('1 of 3').waitFor();
    await expect.poll(() => page.title()).toBe('(3) Inbox · Holdpoint');
    await page.keyboard.press('a');
    await page.locator('.inbox-notice').getByText('Approved: Transfer money.').waitFor();
    await place(page).getByText('1 of 2').waitFor();
    await card(page).getByText('Shall this e-mail go out?').waitFor();
    expect(await focused<boolean>(page, `focused.matches('.hp-card')`)).toBe(true);
    await page.keyboard.press('u');
    await page.locator('.inbox-notice').getByText('Taken back: Transfer money.').waitFor();
    await place(page).getByText('1 of 3').waitFor();
    await page.keyboard.press('j');
    await place(page).getByText('2 of 3').waitFor();
    await page.waitForURL(/\/inbox\/asked-/);
    await page.keyboard.press('r');
    expect(await focused<string>(page, 'focused.labels[0].innerText')).toBe('Reason (optional)');
    await page.keyboard.type('Not today');
    await page.keyboard.press('Enter');
    await page
      .locator('.inbox-notice')
      .getByText(/^Rejected: /)
      .waitFor();
    await place(page).getByText('2 of 2').waitFor();
    await page.keyboard.press('k');
    await place(page).getByText('1 of 2').waitFor();
    expect(done('')).toHaveLength(before);
  });

  it('shows the loser of a race the winner and both answers, and keeps the focus in the card', async () => {
    await emptyInbox();
    const thread = await ask('transfer');
    const page = await app.open('/inbox');
    await place(page).getByText('1 of 1').waitFor();
    await card(page).getByText('ABC123').waitFor();
    // The page learns of the answer too late.
    await page.evaluate(`window.fetch = ((fetch) => (...request) =>
      String(request[0]).endsWith('/answer') ? fetch(...request) : new Promise(() => {}))(window.fetch)`);
    await answer(thread, APPROVAL);
    for (const key of ['r', 'Enter']) await page.keyboard.press(key);
    await page.getByText(/Approved.*Your answer was not used/).waitFor();
    await page.getByText('Yours').waitFor();
    expect(await focused<boolean>(page, `focused.closest('.hp-card') !== null`)).toBe(true);
  });

  it('scrolls a long list within itself, keeps filters in the address, and loads the list once', async () => {
    await emptyInbox();
    for (let n = 0; n < 25; n += 1) await ask(n % 5 === 0 ? 'confirm' : 'email');
    const page = await app.open('/inbox?kind=tool_call');
    await page.getByText('20 of 25 open requests').waitFor();
    await page.keyboard.press('Tab');
    for (const key of ['PageDown', 'End']) await page.keyboard.press(key);
    await page.evaluate(`document.querySelector('.hp-list').scrollTo(0, 100000)`);
    const isInPlace = `document.querySelector('.app-head').getBoundingClientRect().top === 0 &&
      document.documentElement.scrollHeight <= innerHeight && document.documentElement.scrollWidth <= innerWidth`;
    expect(await page.evaluate(isInPlace)).toBe(true);
    const lists = `performance.getEntriesByType('resource').filter(({ name }) =>
      /\\/interrupts(\\?|$)/.test(name) && !/status=(all|answered)/.test(name)).length`;
    expect(await page.evaluate(lists)).toBe(0);
    await rows(page).last().click();
    await page.waitForURL(/\/inbox\/asked-\d+\/.+\?kind=tool_call$/);
    await page.evaluate('history.back()');
    await page.waitForURL(/\/inbox\?kind=tool_call$/);
    await page.getByText('20 of 25 open requests').waitFor();
  });

  if (IS_DEEP) {
    it('a list that is scrolled up and down keeps no nodes of the rows that left it', async () => {
      await emptyInbox();
      for (let n = 0; n < 60; n += 1) await ask('email');
      const page = await app.open('/inbox', { viewport: { width: 1280, height: 500 } });
      await rows(page).first().waitFor();
      const scroll = async (top: number, position: number) => {
        await page.evaluate(`document.querySelector('.hp-list').scrollTo(0, ${top})`);
        await page.locator(`.hp-row[aria-posinset="${position}"]`).waitFor();
        return page.evaluate<number>(`document.querySelector('.hp-rows').childNodes.length`);
      };
      const counts: number[] = [];
      for (let round = 0; round < 3; round += 1) {
        await scroll(100_000, 60);
        counts.push(await scroll(0, 1));
      }
      expect(new Set(counts).size).toBe(1);
    });

    it('gives the title of a row without an amount the room of the amount', async () => {
      await emptyInbox();
      for (const text of ['transfer', 'email']) await ask(text);
      const page = await app.open('/inbox');
      await rows(page).nth(1).waitFor();
      const ends = await page.evaluate<readonly number[]>(
        `[...document.querySelectorAll('.hp-row-title')].map((one) => Math.round(one.getBoundingClientRect().right))`,
      );
      const amounts = await page.evaluate<readonly string[]>(
        `[...document.querySelectorAll('.hp-row-amount')].map((one) => one.textContent.trim())`,
      );
      const [withAmount = 0, without = 0] = [true, false].map(
        (has) => ends[amounts.findIndex((text) => (text !== '') === has)],
      );
      expect(without - withAmount).toBeGreaterThan(30);
    });

    it('continues the run 5 seconds after an answer, also when the page is closed', async () => {
      await emptyInbox();
      const chat = await app.open('/');
      await say(chat, 'transfer');
      await card(chat).waitFor();
      const before = done('transfer').length;
      const inbox = await app.open('/inbox');
      await place(inbox).getByText('1 of 1').waitFor();
      await inbox.keyboard.press('a');
      await inbox.locator('.inbox-notice').waitFor();
      expect(done('transfer')).toHaveLength(before);
      await inbox.goto('about:blank');
      await chat.getByText(/Result: .*DONE/).waitFor();
      expect(done('transfer')).toHaveLength(before + 1);
    });

    it('orders, searches and loads more on the server, with more than a page of requests', async () => {
      await emptyInbox();
      const first = await ask('confirm');
      for (let n = 0; n < 120; n += 1) await ask('email');
      const last = await ask('transfer');
      const page = await app.open('/inbox?order=newest');
      await page.getByText('100 open requests and more', { exact: true }).waitFor();
      await rows(page).first().locator(`a[href*="${last}"]`).waitFor();
      await page.evaluate(`document.querySelector('.hp-list').scrollTo(0, 100000)`);
      await page.getByText('122 open requests').waitFor();
      await page.evaluate(`document.querySelector('.hp-list').scrollTo(0, 100000)`);
      await page.locator(`.hp-row a[href*="/${first}/"]`).waitFor();
      await page.keyboard.press('/');
      await page.keyboard.type('abc123');
      await page.getByText('1 found', { exact: true }).waitFor();
      await page.waitForURL(/q=abc123/);
      await rows(page).first().locator(`a[href*="${last}"]`).waitFor();
      await page.locator('.hp-search input').fill('nothing has this');
      await button(page, 'Show all requests').click();
      await page.getByText('100 open requests and more', { exact: true }).waitFor();
    });

    it('decides several requests together, with one reason, and undoes them', async () => {
      await emptyInbox();
      for (let n = 0; n < 3; n += 1) await ask('transfer');
      await ask('delete users');
      const before = done('transfer').length;
      const page = await app.open('/inbox');
      await page.getByLabel('Select all 4').check();
      await page.getByText('4 requests selected.').waitFor();
      expect(await page.evaluate(`document.querySelector('[data-action=approve-all]').disabled`)).toBe(true);
      await page
        .locator('.hp-selection')
        .getByText(/“Delete 1,245 users .*” is permanent\./)
        .waitFor();
      await page.locator('.hp-row[data-fault]').getByText('Delete 1,245 users').first().waitFor();
      expect(await page.locator('.hp-row[data-fault]').count()).toBe(1);
      await button(page, 'Reject 4 …').click();
      await expect.poll(() => page.locator('.hp-selection li').count()).toBe(4);
      await page.getByLabel('Reason for all 4').fill('Not today');
      await button(page, 'Yes, reject 4').click();
      await page.locator('.inbox-notice').getByText('4 requests rejected.').waitFor();
      await page.getByText('No request is waiting for you.').waitFor();
      await page.keyboard.press('u');
      await page.locator('.inbox-notice').getByText('4 decisions taken back.').waitFor();
      await page.getByText('4 requests selected.').waitFor();
      await rows(page).filter({ hasText: 'Delete' }).getByRole('checkbox').click();
      await button(page, 'Approve 3 …').click();
      await button(page, 'Yes, approve 3').click();
      await page.locator('.inbox-notice').getByText('3 requests approved.').waitFor();
      await expect.poll(() => done('transfer').length).toBe(before + 3);
    });

    it('undoes decisions one by one, offers to select identical requests, and ignores a held key', async () => {
      await emptyInbox();
      for (const text of ['transfer', 'email', 'transfer']) await ask(text);
      const page = await app.open('/inbox');
      await page.getByText('2 requests ask for exactly this.').waitFor();
      await button(page, 'Select all 2').click();
      await page.getByText('2 requests selected.').waitFor();
      await button(page, 'Clear selection').click();
      await page.evaluate(`document.dispatchEvent(new KeyboardEvent('keydown', { key: 'a', repeat: true }))`);
      await page.keyboard.press('a');
      await place(page).getByText('1 of 2').waitFor();
      for (const key of ['r', 'Enter']) await page.keyboard.press(key);
      await place(page).getByText('1 of 1').waitFor();
      await page.keyboard.press('u');
      await place(page).getByText('1 of 2').waitFor();
      // The bar offers the next undo, and says of what.
      const bar = page.locator('.inbox-notice');
      await bar.getByText(/^Taken back: /).waitFor();
      await bar.getByText('Approved: Transfer money.').waitFor();
      await button(page, /^Undo/).click();
      await place(page).getByText('1 of 3').waitFor();
      await expect.poll(() => button(page, /^Undo/).count()).toBe(0);
      expect(await focused<string>(page, 'focused.tagName')).not.toBe('BODY');
      await page.keyboard.press('j');
      await place(page).getByText('2 of 3').waitFor();
      expect(await focused<boolean>(page, `focused.matches('.hp-card')`)).toBe(true);
    });

    it('approves all requests of one turn, and counts an answer that waits for the others', async () => {
      await emptyInbox();
      await ask('do both');
      const before = done('transfer 2000').length;
      const page = await app.open('/inbox');
      await page.getByText('This turn asks for 2 decisions.').waitFor();
      await page.keyboard.press('a');
      await page
        .locator('.inbox-notice')
        .getByText(/other requests are answered/)
        .waitFor();
      // The second request says what its answer, or its end, sets free.
      const waiting = page.locator('[data-waiting-calls]');
      await waiting.getByText(/^Approved, but not run yet:/).waitFor();
      await waiting.getByText('It runs when this request is answered or cancelled.').waitFor();
      expect(await waiting.locator('li').textContent()).toBe('Shall this e-mail go out?');
      await page.keyboard.press('u');
      await waiting.waitFor({ state: 'detached' });
      await button(page, 'Approve all 2 …').click();
      await page.locator('.hp-selection').getByText('Approve 2 requests?').waitFor();
      expect(await page.locator('.hp-selection li').count()).toBe(2);
      await button(page, 'Yes, approve 2').click();
      await page
        .locator('.inbox-notice')
        .getByText(/2 requests approved/)
        .waitFor();
      await expect.poll(() => done('transfer 2000').length).toBe(before + 1);
    });

    it('shows the words before a request, earlier decisions and the history', async () => {
      await emptyInbox();
      const thread = await ask('transfer');
      await answer(thread, { status: 'resolved', payload: { approved: false, reason: 'Wrong account' } });
      await ask('transfer');
      const page = await app.open('/inbox');
      await page.locator('.pane-said').getByText('transfer').waitFor();
      await page
        .locator('.pane-decisions')
        .getByText(/Rejected by .*: Wrong account/)
        .first()
        .waitFor();
      await page.getByText('History', { exact: true }).click();
      await page.locator('.hp-history').getByText('Asked').waitFor();
      await page.locator('.pane-decisions a').first().click();
      await card(page)
        .getByText(/Rejected/)
        .first()
        .waitFor();
      await page.getByText('History', { exact: true }).click();
      await page.locator('.hp-history').getByText('Closed without the call').waitFor();
    });

    it('keeps the text and the focus of a card that is answered elsewhere, and says by whom', async () => {
      await emptyInbox();
      const thread = await ask('transfer');
      const page = await app.open('/inbox');
      await page.getByText('Add a reason').click();
      await page.getByLabel(/^Reason/).fill('I have to ask the');
      await answer(thread, APPROVAL);
      await card(page)
        .getByText(/^Approved/)
        .first()
        .waitFor();
      expect(await page.getByLabel('Reason (not sent)').inputValue()).toBe('I have to ask the');
      expect(await focused<boolean>(page, `focused.closest('.hp-card') !== null`)).toBe(true);
    });

    it('says who may answer to the asker, who may only withdraw', async () => {
      await emptyInbox();
      await ask('transfer');
      const page = await app.open('/inbox');
      await card(page).waitFor();
      await page.evaluate(`document.querySelector('holdpoint-interrupt').waitingFor = 'finance'`);
      await card(page).getByText('Waiting for finance.').waitFor();
      await card(page).getByRole('button', { name: 'Withdraw' }).waitFor();
      await expect.poll(() => card(page).getByRole('button').count()).toBe(1);
    });

    it('keeps the place of the list on a narrow screen, and shows deceiving characters by their code', async () => {
      await emptyInbox();
      for (let n = 0; n < 20; n += 1) await ask('email');
      for (const text of ['hostile', 'backwards']) await ask(text);
      const page = await app.open('/inbox', { viewport: { width: 390, height: 800 } });
      await page.getByText('22 open requests').waitFor();
      await page.evaluate(`document.querySelector('.hp-list').scrollTo(0, 100000)`);
      const row = rows(page).last();
      await row.getByText(/U\+202E/).waitFor();
      const top = await page.evaluate<number>(`document.querySelector('.hp-list').scrollTop`);
      await row.locator('a').click();
      await card(page)
        .getByText(/U\+202E/)
        .first()
        .waitFor();
      await page.getByRole('link', { name: 'Inbox', exact: true }).last().click();
      await row.waitFor();
      expect(await page.evaluate<number>(`document.querySelector('.hp-list').scrollTop`)).toBe(top);
      expect(await page.evaluate('window.hacked')).toBeUndefined();
    });

    it('shows a notification for a new request while the page is in the background', async () => {
      await emptyInbox();
      const page = await app.open('/inbox');
      await page.getByText('No request is waiting for you.').waitFor();
      await page.evaluate(`window.Notification = class extends EventTarget {
        static permission = 'default';
        static async requestPermission() { return (this.permission = 'granted'); }
        constructor(title, { body }) { super(); window.shown = title + ': ' + body; }
      };
      document.querySelector('holdpoint-inbox-page').requestUpdate()`);
      await button(page, 'Notify me').click();
      await button(page, 'Notifications are on').waitFor();
      await page.evaluate(`Object.defineProperty(document, 'visibilityState', { get: () => 'hidden' })`);
      await ask('transfer');
      await expect
        .poll(() => page.evaluate<string>('window.shown ?? ""'))
        .toBe('1 request is waiting for you.: Transfer money');
    });

    it('shows the request of an A2A agent and sends the answer to it', async () => {
      const { url, close } = await travel.start(0, staticPages(app.server.pages));
      try {
        const chat = await app.open(`${url}/`);
        await say(chat, 'a flight to Lisbon');
        await card(chat).getByText('Book the flight to Lisbon?').first().waitFor();
        const inbox = await app.open(`${url}/inbox`);
        await inbox.locator(`a[href^="/inbox/${threadOf(chat)}/"]`).click();
        await card(inbox).waitFor();
        await inbox.keyboard.press('a');
        await inbox
          .locator('.inbox-notice')
          .getByText(/^Approved/)
          .waitFor();
        await chat.getByText('The flight to Lisbon is booked.').waitFor();
        expect(travel.booked).toEqual(['Lisbon']);
      } finally {
        await close();
      }
    });

    it('edits, sends, undoes and sends again with the keyboard alone, and keeps the edits', async () => {
      await emptyInbox();
      await ask('email');
      const page = await app.open('/inbox');
      await card(page).waitFor();
      await page.keyboard.press('e');
      await page.getByLabel('Subject').focus();
      await page.keyboard.type('!');
      await page.keyboard.press('Escape');
      await decideByKey(page, 'Control+Enter');
      await page
        .locator('.inbox-notice')
        .getByText(/Approved with /)
        .waitFor();
      await page.keyboard.press('u');
      await page.getByLabel('Subject').waitFor();
      expect(await page.getByLabel('Subject').inputValue()).toContain('!');
      await decideByKey(page, 'Control+Enter');
      await page
        .locator('.inbox-notice')
        .getByText(/Approved with /)
        .waitFor();
      expect(await focused<string>(page, 'focused.tagName')).not.toBe('BODY');
      await expect.poll(() => done('email').at(-1) ?? '').toContain('!');
    });

    it('marks the list as old while the server cannot be reached, and keeps the text of the card', async () => {
      await emptyInbox();
      await ask('transfer');
      const page = await app.open('/inbox');
      // Without its regular load, the list learns of the lost connection from its stream.
      await page.addInitScript({
        content: `window.setInterval = ((set) => (run, ms) => (ms === 10000 ? 0 : set(run, ms)))(window.setInterval)`,
      });
      await page.reload();
      await card(page).waitFor();
      await page.locator('.hp-updated-at').getByText('updated just now').waitFor();
      await app.server.kill();
      await page.getByText('The server cannot be reached: this list may be old.').waitFor();
      await page
        .locator('.hp-updated-at')
        .getByText(/^offline, last updated \d?\d:\d\d/)
        .waitFor();
      await page.keyboard.press('a');
      await page.getByText('The server could not be reached. Try again.').waitFor();
      await app.server.start();
      await page.getByText('The server can be reached again. Your answer was not sent.').waitFor();
      await page.locator('.hp-updated-at').getByText('updated').waitFor();
      expect(await page.getByText('could not be reached').count()).toBe(0);
      await button(page, 'Retry').click();
      await page
        .locator('.inbox-notice')
        .getByText(/^Approved/)
        .waitFor();
      expect(await page.getByText('Your answer was not sent').count()).toBe(0);
    });
  }
});

if (IS_DEEP) {
  describe('the audit page', () => {
    it('lists the newest decision first, shows changes and result, filters and saves', async () => {
      await emptyInbox();
      const first = await ask('email');
      const second = await ask('transfer');
      for (const thread of [second, first]) {
        const editedArgs = { to: 'a@b.com', subject: 'Changed', body: 'x', copies: 1 };
        const payload = { approved: true, ...(thread === first ? { editedArgs } : {}) };
        await answer(thread, { status: 'resolved', payload });
      }
      const page = await app.open('/audit');
      const entries = page.locator('.audit-entry');
      await entries.first().getByText('Shall this e-mail go out?').first().waitFor();
      await entries.nth(1).getByText('Transfer money').waitFor();
      await entries.first().locator('summary').click();
      await entries.first().getByText('Changed').first().waitFor();
      await entries.first().locator('.pane-part dt').getByText('Sent').waitFor();
      expect(await entries.first().textContent()).not.toContain('{');
      await page.getByLabel('Search').fill('abc123');
      await page.waitForURL(/q=abc123/);
      await expect.poll(() => entries.filter({ hasText: 'e-mail' }).count()).toBe(0);
      await page.evaluate(`URL.createObjectURL = (blob) => {
        blob.text().then((text) => (window.saved = text));
        return '#';
      }`);
      await button(page, 'Save as CSV').click();
      await expect.poll(() => page.evaluate<string>('window.saved ?? ""')).toContain('transferMoney');
      expect(await page.evaluate<string>('window.saved')).not.toContain('sendEmail');
    });

    it('filters by approved and rejected decisions', async () => {
      await emptyInbox();
      for (const [text, approved] of [
        ['transfer', false],
        ['email', true],
      ] as const) {
        const thread = await ask(text);
        await answer(thread, { status: 'resolved', payload: { approved } });
      }
      const page = await app.open('/audit?status=rejected');
      const decisions = page.locator('.audit-decision');
      await decisions.first().waitFor();
      const words = () =>
        page.evaluate<string>(
          `[...document.querySelectorAll('.audit-decision')].map((one) => one.innerText.trim()).join()`,
        );
      expect(await words()).toMatch(/^Rejected[^,]*(?:,Rejected[^,]*)*$/);
      await page.getByLabel('Status').selectOption('approved');
      await page.waitForURL(/status=approved/);
      await expect.poll(words).toMatch(/^Approved[^,]*(?:,Approved[^,]*)*$/);
    });

    it('shows a page for an unknown path', async () => {
      const page = await app.open('/nowhere');
      await page.getByRole('heading', { name: 'There is no page at this address' }).waitFor();
    });
  });

  describe('the inbox and the audit page', () => {
    it.each(['light', 'dark'] as const)(
      'the inbox and the audit page have no axe violation in %s',
      async (colorScheme) => {
        const options = { colorScheme, reducedMotion: 'reduce' } as const;
        await emptyInbox();
        for (const text of ['delete users', 'email', 'soon', 'do both']) await ask(text);
        const page = await app.open('/inbox', options);
        await rows(page).first().getByRole('checkbox').check();
        await card(page).waitFor();
        await page.getByText('History', { exact: true }).click();
        expect(await accessibilityProblems(page)).toEqual([]);
        await page.keyboard.press('j');
        await button(page, /^Reject 1/).click();
        expect(await accessibilityProblems(page)).toEqual([]);
        const audit = await app.open('/audit', options);
        await audit.locator('.audit-entry summary').first().click();
        await audit.getByText('Proposal').first().waitFor();
        expect(await accessibilityProblems(audit)).toEqual([]);
      },
    );

    it.each([320, 390])('fit %i px, with targets that a finger hits', async (width) => {
      await emptyInbox();
      await answer(await ask('transfer'), APPROVAL);
      for (const text of ['delete users', 'email', 'soon']) await ask(text);
      const page = await app.open('/inbox', { viewport: { width, height: 800 } });
      const fits = `document.documentElement.scrollWidth <= innerWidth &&
        document.documentElement.scrollHeight <= innerHeight`;
      const small = `[...document.querySelectorAll('main button, main .hp-input, .hp-row-link')]
        .filter((one) => one.offsetParent !== null && one.getBoundingClientRect().height < 44)
        .map((one) => one.outerHTML)`;
      await rows(page).first().waitFor();
      expect([await page.evaluate(fits), await page.evaluate(small)]).toEqual([true, []]);
      const overlaps = `[...document.querySelectorAll('.hp-row-link')].filter((row) =>
        row.querySelector('.hp-row-text').getBoundingClientRect().right >
        row.lastElementChild.getBoundingClientRect().left).length`;
      expect(await page.evaluate(overlaps)).toBe(0);
      await rows(page).nth(1).locator('a').click();
      await card(page).waitFor();
      expect([await page.evaluate(fits), await page.evaluate(small)]).toEqual([true, []]);
      const placeHeight = `document.querySelector('.inbox-place').getBoundingClientRect().height`;
      expect(await page.evaluate<number>(placeHeight)).toBeLessThan(30);
      const audit = await app.open('/audit', { viewport: { width, height: 800 } });
      await audit.locator('.audit-entry summary').first().click();
      const isInside = `document.querySelector('holdpoint-audit-page').scrollWidth <= innerWidth`;
      expect([await audit.evaluate(isInside), await audit.evaluate(small)]).toEqual([true, []]);
    });
  });
}
