import { describe, expect, it } from 'vitest';
import type { Page } from './browser-types.ts';
import { APPROVAL, inboxRequests, REJECTION } from './inbox-requests.ts';
import { button, card, decideByKey, focused, say, untilDecidable, useApp } from './use-app.ts';

const app = useApp();
const { ask, answer, takeBack, empty } = inboxRequests(app);
const done = (start: string) => app.server.done().filter((line) => line.startsWith(start));
const rows = (page: Page) => page.locator('.hp-row');
const place = (page: Page) => page.locator('.inbox-place');
const notice = (page: Page) => page.locator('.inbox-notice');
const titles = (page: Page) =>
  page.evaluate<readonly string[]>(
    `[...document.querySelectorAll('.hp-row-title')].map((one) => one.textContent)`,
  );

/** Approves the first request of the inbox, and opens the address of that request. */
async function approveAndOpen(): Promise<Page> {
  const page = await app.open('/inbox');
  await card(page).waitFor();
  const path = new URL(await page.evaluate<string>(`document.querySelector('.hp-row-link').href`)).pathname;
  await page.keyboard.press('a');
  await notice(page)
    .getByText(/^Approved/)
    .waitFor();
  await page.goto(new URL(path, app.server.url).href);
  return page;
}

/** Rejects the first two requests together with a reason, and takes that back. */
async function rejectTwoAndUndo(page: Page): Promise<void> {
  const bar = page.locator('.hp-selection');
  for (const key of ['x', 'j', 'x', 'r']) await page.keyboard.press(key);
  await bar.getByText('Reject 2 requests?').waitFor();
  await page.keyboard.type('Not today');
  await page.keyboard.press('Enter');
  await notice(page).getByText('2 requests rejected.').waitFor();
  await page.keyboard.press('u');
  await bar.getByText('2 requests selected.').waitFor();
}

describe('the keys of the inbox', () => {
  it('the keys of the inbox select with x, help with ?, and do nothing in an input, a dialog, or for Escape', async () => {
    await empty();
    for (const text of ['transfer', 'email', 'confirm']) await ask(text);
    const before = done('').length;
    const page = await app.open('/inbox');
    await place(page).getByText('1 of 3').waitFor();
    await page.keyboard.press('x');
    await page.locator('.hp-selection').getByText('1 request selected.').waitFor();
    await page.keyboard.press('x');
    await expect.poll(() => page.locator('.hp-selection').count()).toBe(0);
    await page.keyboard.press('?');
    await page.getByRole('heading', { name: 'Keys' }).waitFor();
    await page.getByText('Reject it: opens a field for the reason').waitFor();
    await page.getByText(/With requests selected, a and r decide those/).waitFor();
    await page.getByText(/“Cancel request” ends the request: the agent gets no answer/).waitFor();
    for (const key of ['a', 'r', 'j', 'Escape']) await page.keyboard.press(key);
    await page.getByRole('heading', { name: 'Keys' }).waitFor({ state: 'hidden' });
    await place(page).getByText('1 of 3').waitFor();
    await page.keyboard.press('/');
    expect(await focused(page, 'focused.type')).toBe('search');
    await page.keyboard.type('rea');
    await page.waitForURL(/q=rea/);
    await page.getByText('1 of 3 open requests', { exact: true }).waitFor();
    await page.keyboard.press('Enter');
    expect(await focused<boolean>(page, `focused.matches('.hp-row-link')`)).toBe(true);
    await page.keyboard.press('/');
    await page.locator('.hp-search input').fill('');
    await place(page).getByText('1 of 3').waitFor();
    await page.keyboard.press('Escape');
    expect(await focused<boolean>(page, `focused.matches('.hp-row-link')`)).toBe(true);
    await card(page).focus();
    await page.keyboard.press('Escape');
    await page.getByText('Add a reason').click();
    await page.getByLabel('Reason').focus();
    await page.keyboard.type('are');
    await page.keyboard.press('Escape');
    expect(await page.getByLabel('Reason').inputValue()).toBe('are');
    await page.getByText('3 open requests', { exact: true }).waitFor();
    expect([await notice(page).count(), done('').length]).toEqual([0, before]);
  });

  it('the keys of the inbox open the focused row before they decide it, and x selects it', async () => {
    await empty();
    for (const text of ['transfer', 'email', 'confirm']) await ask(text);
    const before = done('').length;
    const page = await app.open('/inbox');
    await rows(page).first().locator('a').click();
    await expect.poll(() => focused<boolean>(page, `focused.matches('.hp-card')`)).toBe(true);
    await place(page).getByText('1 of 3').waitFor();
    const focus = (row: number, part: string) =>
      page.evaluate(`document.querySelectorAll('.hp-row')[${row}].querySelector('${part}').focus()`);
    await focus(1, 'input');
    await page.keyboard.press('x');
    await page.locator('.hp-row[data-selected]:not([data-current])').waitFor();
    await page.keyboard.press('x');
    await expect.poll(() => page.locator('.hp-row[data-selected]').count()).toBe(0);
    for (const [key, row, part] of [
      ['a', 1, 'input'],
      ['r', 2, 'a'],
      ['e', 1, 'a'],
    ] as const) {
      await focus(row, part);
      await page.keyboard.press(key);
      await place(page)
        .getByText(`${row + 1} of 3`)
        .waitFor();
      await expect.poll(() => focused<boolean>(page, `focused.matches('.hp-card')`)).toBe(true);
    }
    expect([await notice(page).count(), done('').length]).toEqual([0, before]);
    await decideByKey(page, 'a');
    await notice(page).getByText('Approved: Shall this e-mail go out?').waitFor();
  });

  it('the keys of the inbox keep edits: e goes to the first field of the open form, and only Discard edits discards them', async () => {
    await empty();
    for (const text of ['email', 'transfer']) await ask(text);
    const page = await app.open('/inbox');
    await place(page).getByText('1 of 2').waitFor();
    await page.keyboard.press('e');
    await page.getByLabel('Subject').fill('Changed');
    await button(page, 'Next').click();
    await place(page).getByText('2 of 2').waitFor();
    await button(page, 'Previous').click();
    await card(page).getByText('1 change', { exact: true }).waitFor();
    const isFirstField = () =>
      focused<boolean>(page, `focused === document.querySelector('[data-form=edits] input')`);
    // The inbox gets the key first, and the card when it has the focus.
    for (const target of ['body', '.hp-card']) {
      await page.evaluate(`document.activeElement.blur(); document.querySelector('${target}').focus()`);
      await page.keyboard.press('e');
      await expect.poll(isFirstField).toBe(true);
    }
    await decideByKey(page, 'Control+Enter');
    await notice(page).getByText('Approved with 1 change: Subject: Changed.').waitFor();
    await page.keyboard.press('u');
    await card(page).getByText('1 change', { exact: true }).waitFor();
    await expect.poll(() => focused<boolean>(page, `focused.matches('.hp-card')`)).toBe(true);
    await page.keyboard.press('e');
    await expect.poll(isFirstField).toBe(true);
    expect(await page.getByLabel('Subject').inputValue()).toBe('Changed');
    await button(page, 'Discard edits').click();
    await expect.poll(() => page.locator('[data-form="edits"]').count()).toBe(0);
    await button(page, 'Edit').click();
    await expect.poll(() => page.getByLabel('Subject').inputValue()).toBe('Hello');
  });

  it('words typed outside a field, and the second click of a double click, decide nothing', async () => {
    await empty();
    for (let n = 0; n < 3; n += 1) await ask('email');
    const page = await app.open('/inbox');
    await place(page).getByText('1 of 3').waitFor();
    for (const key of ['r', 'Enter']) await page.keyboard.press(key);
    await place(page).getByText('1 of 2').waitFor();
    await page.keyboard.type('No invoice attached, are we sure.');
    await page.getByText('2 open requests', { exact: true }).waitFor();
    await page.getByText('Add a reason').click();
    await page.keyboard.type('are');
    expect(await page.getByLabel('Reason').inputValue()).toBe('are');
    await decideByKey(page, 'Control+Enter');
    await place(page).getByText('1 of 1').waitFor();
    // The next card has its button in the same place; a browser counts the clicks there.
    await page.evaluate(
      `document.querySelector('[data-action=approve]').dispatchEvent(new MouseEvent('click', { detail: 2, bubbles: true }))`,
    );
    await page.reload();
    await page.getByText('1 open request', { exact: true }).waitFor();
  });

  it('the keys of the inbox open a request with Enter, and ask again before a destructive one', async () => {
    await empty();
    for (const text of ['email', 'wipe']) await ask(text);
    const page = await app.open('/inbox', { viewport: { width: 390, height: 800 } });
    await rows(page).nth(1).waitFor();
    for (const key of ['j', 'j', 'Enter']) await page.keyboard.press(key);
    await page.waitForURL(/\/inbox\/asked-\d+\/.+/);
    await card(page).getByText('Empty these tables?').waitFor();
    await page.keyboard.press('a');
    await page.getByText('After 5 seconds this cannot be undone.').waitFor();
    expect(await focused(page, 'focused.dataset.action')).toBe('back');
    await page.keyboard.press('a');
    await page.keyboard.press('Escape');
    await page.getByText('After 5 seconds this cannot be undone.').waitFor({ state: 'detached' });
    expect(await focused(page, 'focused.dataset.action')).toBe('approve');
    expect(await notice(page).textContent()).not.toMatch(/Approved/);
    await page.keyboard.press('a');
    await page.getByText('After 5 seconds this cannot be undone.').waitFor();
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    await notice(page)
      .getByText(/^Approved/)
      .waitFor();
    const wide = await app.open('/inbox');
    await card(wide).waitFor();
    await wide.keyboard.press('Enter');
    await expect.poll(() => focused<boolean>(wide, `focused.matches('.hp-card')`)).toBe(true);
  });
});

describe('a decision in the inbox', () => {
  it('an earlier decision below the next request says when its call has run, without a reload', async () => {
    await empty();
    for (let n = 0; n < 2; n += 1) await ask('email');
    const page = await app.open('/inbox');
    await place(page).getByText('1 of 2').waitFor();
    await page.keyboard.press('a');
    const earlier = page.locator('.pane-decisions li').first();
    await earlier.getByText(/not run yet/).waitFor();
    await earlier.getByText(/not run yet/).waitFor({ state: 'detached' });
    expect(await earlier.textContent()).toMatch(/Approved/);
  });

  it('an earlier decision is listed as soon as another window makes it, and goes when it is taken back', async () => {
    await empty();
    for (let n = 0; n < 2; n += 1) await ask('invoice');
    const first = await app.open('/inbox');
    await first.getByText('2 requests ask for exactly this.').waitFor();
    const waiting = first.locator('.pane-decisions').getByText(/Approved .*not run yet/);
    const reads = () =>
      first.evaluate<number>(`performance.getEntriesByType('resource').filter(({ name }) =>
        name.includes('status=all')).length`);
    await expect.poll(reads).toBe(1);
    // Neither a new request nor another tool needs another reading.
    for (const text of ['email', 'invoice']) await ask(text);
    await first.getByText('3 requests ask for exactly this.').waitFor();
    await answer(await ask('transfer'), REJECTION);
    await first.getByText('4 open requests').waitFor();
    expect([await reads(), await waiting.count()]).toEqual([1, 0]);
    const second = await app.open('/inbox');
    await rows(second).nth(1).locator('a').click();
    await place(second).getByText('2 of 4').waitFor();
    await decideByKey(second, 'a');
    await waiting.waitFor();
    await second.keyboard.press('u');
    await waiting.waitFor({ state: 'detached' });
  });

  it('earlier decisions of a decided request are those before it, with a link to all of the tool', async () => {
    await empty();
    const threads = [await ask('invoice'), await ask('invoice'), await ask('invoice')];
    for (const thread of threads) await answer(thread, REJECTION);
    const page = await app.open('/audit?tool=payInvoice');
    await page.locator('.audit-entry').nth(1).locator('summary').click();
    await page.getByRole('link', { name: 'Open the request' }).click();
    await page.getByRole('heading', { name: /^Earlier decisions/ }).waitFor();
    const before = await page.evaluate<readonly string[]>(
      `[...document.querySelectorAll('.pane-decisions a')].map(({ pathname }) => pathname.split('/')[2])`,
    );
    expect(before[0]).toBe(threads[0]);
    expect(before).not.toContain(threads[2]);
    await page.getByRole('link', { name: 'All decisions about this tool' }).click();
    await page.waitForURL(/audit\?tool=payInvoice$/);
    await page.locator('.audit-entry').nth(2).waitFor();
  });

  it('a rejection by its key asks for a reason: Enter sends it, and Escape decides nothing', async () => {
    await empty();
    for (const text of ['transfer', 'confirm', 'delete users']) await ask(text);
    const page = await app.open('/inbox');
    await place(page).getByText('1 of 3').waitFor();
    await page.keyboard.press('r');
    await page.keyboard.type('Too much');
    await page.keyboard.press('Escape');
    await expect.poll(() => page.locator('[data-rejecting]').count()).toBe(0);
    expect(await focused<boolean>(page, `focused.matches('.hp-card')`)).toBe(true);
    expect([await notice(page).count(), await place(page).textContent()]).toEqual([
      0,
      expect.stringContaining('1 of 3'),
    ]);
    // The kept reason is out of sight, so it stops no decision about several requests.
    await page.keyboard.press('x');
    await page.locator('.hp-selection').getByText('1 request selected.').waitFor();
    expect(await page.getByText('has unsent changes').count()).toBe(0);
    await page.keyboard.press('x');
    await page.keyboard.press('r');
    expect(await focused(page, 'focused.value')).toBe('Too much');
    await page.keyboard.press('Enter');
    await notice(page).getByText('Rejected: Transfer money.').waitFor();
    await card(page).getByText('Really open it?').waitFor();
    await page.keyboard.press('r');
    await page.keyboard.type('Not that door');
    await decideByKey(page, 'Control+Enter');
    await notice(page).getByText('Rejected: Really open it?').waitFor();
    await card(page)
      .getByText(/Delete 1,245 users/)
      .waitFor();
    for (const key of ['r', 'Enter']) await page.keyboard.press(key);
    await card(page).getByText('Say why, so that the agent can do better.').waitFor();
    await page.goto(new URL('/audit', app.server.url).href);
    const words = (text: string) => page.locator('.audit-decision').getByText(text).first().waitFor();
    await words('Rejected: Too much');
    await words('Rejected: Not that door');
  });

  it('a rejection by its button asks for a reason, so that typed words decide nothing else', async () => {
    await empty();
    for (const text of ['transfer', 'confirm', 'transfer']) await ask(text);
    const before = done('transfer').length;
    const page = await app.open('/inbox');
    await place(page).getByText('1 of 3').waitFor();
    for (const [title, reason] of [
      ['Transfer money', 'a double payment'],
      ['Really open it?', 'a wrong door'],
    ] as const) {
      await card(page).getByRole('heading', { name: title }).waitFor();
      await card(page).locator('[data-action=reject]').click();
      expect(await notice(page).getByText(`Rejected: ${title}`).count()).toBe(0);
      await page.keyboard.type(reason);
      await page.keyboard.press('Enter');
      await notice(page).getByText(`Rejected: ${title}`).waitFor();
    }
    await page.getByText('1 open request', { exact: true }).waitFor();
    const chat = await app.open('/');
    await say(chat, 'do both');
    await chat.getByText('0 of 2 answered', { exact: true }).waitFor();
    await button(chat, 'Reject').first().click();
    await chat.keyboard.type('a duplicate');
    await chat.keyboard.press('Enter');
    await chat.getByText('1 of 2 answered', { exact: true }).waitFor();
    await chat.getByText('a duplicate').first().waitFor();
    expect(done('transfer').length).toBe(before);
    await page.goto(new URL('/audit', app.server.url).href);
    for (const [at, reason] of ['a wrong door', 'a double payment'].entries())
      await page.locator('.audit-decision').nth(at).getByText(`Rejected: ${reason}`).waitFor();
  });

  it('a decision by key is about the selected requests, and lists them first', async () => {
    await empty();
    for (const text of ['transfer', 'transfer', 'transfer', 'email']) await ask(text);
    const before = done('transfer').length;
    const page = await app.open('/inbox');
    await place(page).getByText('1 of 4').waitFor();
    const bar = page.locator('.hp-selection');
    for (const key of ['x', 'r']) await page.keyboard.press(key);
    await bar.getByText('Reject 1 request?').waitFor();
    expect((await bar.locator('.hp-label').textContent())?.trim()).toMatch(/^Reason\s+\(optional\)$/);
    for (const key of ['Escape', 'j', 'x', 'a']) await page.keyboard.press(key);
    await bar.getByText('Approve 2 requests?').waitFor();
    await bar.getByText('Total: 2,000').waitFor();
    expect(await focused(page, 'focused.dataset.action')).toBe('decide-all');
    for (const key of ['a', 'Escape', 'r']) await page.keyboard.press(key);
    await bar.getByText('Reject 2 requests?').waitFor();
    await page.keyboard.type('Twice');
    await page.keyboard.press('Enter');
    await notice(page).getByText('2 requests rejected.').waitFor();
    await page.getByText('2 open requests', { exact: true }).waitFor();
    await page.getByLabel('Select all 2').check();
    await page.keyboard.press('a');
    await bar.getByText(/only if they call the same tool/).waitFor();
    // The focus is on the sentence, so that Enter presses no button.
    const sentence = `focused.matches('.hp-selection p') && focused.textContent`;
    await expect.poll(() => focused(page, sentence)).toMatch(/only if they call the same tool/);
    await page.keyboard.press('Enter');
    await bar.getByText('2 requests selected.').waitFor();
    for (const key of ['r', 'Escape']) await page.keyboard.press(key);
    await expect.poll(() => focused(page, sentence)).toMatch(/2 requests selected/);
    await ask('form');
    await page.getByLabel('Select all 3').check();
    await page.keyboard.press('r');
    await expect.poll(() => focused(page, sentence)).toMatch(/only if each asks for an approval/);
    await page.keyboard.type('not now');
    await page.keyboard.press('Enter');
    await bar.getByText('3 requests selected.').waitFor();
    expect([await rows(page).count(), done('transfer').length]).toEqual([3, before]);
    // The others can be decided without the question.
    await button(page, 'Leave out 1').click();
    await bar.getByText('2 requests selected.').waitFor();
    await expect.poll(() => focused(page, sentence)).toMatch(/2 requests selected/);
    await button(page, 'Reject 2 …').click();
    await bar.getByText('Reject 2 requests?').waitFor();
  });

  it('an undo of a decision about several requests selects them again, with the reason', async () => {
    await empty();
    for (const text of ['transfer', 'transfer', 'email']) await ask(text);
    const page = await app.open('/inbox');
    await place(page).getByText('1 of 3').waitFor();
    const bar = page.locator('.hp-selection');
    await rejectTwoAndUndo(page);
    expect(await page.locator('.hp-row-box input:checked').count()).toBe(2);
    // Enter decides nothing again.
    await page.keyboard.press('Enter');
    await page.keyboard.press('r');
    await bar.getByText('Reject 2 requests?').waitFor();
    expect(await bar.getByLabel('Reason').inputValue()).toBe('Not today');
    // A narrow screen shows the list, as before.
    const narrow = await app.open('/inbox', { viewport: { width: 390, height: 800 } });
    await narrow.getByLabel('Select all 3').waitFor();
    for (const row of [0, 1])
      await rows(narrow).filter({ hasText: 'Transfer' }).nth(row).getByRole('checkbox').check();
    await button(narrow, 'Approve 2 …').click();
    await button(narrow, 'Yes, approve 2').click();
    await button(narrow, /^Undo/).click();
    await narrow.locator('.hp-selection').getByText('2 requests selected.').waitFor();
    expect(new URL(narrow.url()).pathname).toBe('/inbox');
  });

  it('a selection, its reason and the filters are still there after a visit of another page', async () => {
    await empty();
    for (const text of ['transfer', 'transfer', 'email']) await ask(text);
    const page = await app.open('/inbox?order=newest&q=transfer');
    await place(page).getByText('1 of 2').waitFor();
    const bar = page.locator('.hp-selection');
    for (const key of ['x', 'j', 'x', 'r']) await page.keyboard.press(key);
    await bar.getByText('Reject 2 requests?').waitFor();
    await page.keyboard.type('Not today');
    await page.getByRole('link', { name: 'Open the conversation' }).click();
    await card(page).waitFor();
    await page.getByRole('link', { name: 'Inbox' }).click();
    await page.waitForURL(/\/inbox(?:\/.*)?\?q=transfer&order=newest$/);
    await bar.getByText('2 requests selected.').waitFor();
    await button(page, 'Reject 2 …').click();
    expect(await bar.getByLabel('Reason').inputValue()).toBe('Not today');
    // From the inbox itself, the link shows every request.
    await page.getByRole('link', { name: 'Inbox' }).click();
    await page.getByText('3 open requests', { exact: true }).waitFor();
  });

  it('a decision about several requests and its undo leave a list on a phone where it is', async () => {
    await empty();
    for (let n = 0; n < 20; n += 1) await ask('transfer');
    const page = await app.open('/inbox', { viewport: { width: 390, height: 800 } });
    await rows(page).first().waitFor();
    const top = () => page.evaluate<number>(`document.querySelector('.hp-list').scrollTop`);
    await page.evaluate(`document.querySelector('.hp-list').scrollTo(0, 100000)`);
    await page.locator('.hp-row[aria-posinset="20"]').waitFor();
    for (const position of [17, 18])
      await page.locator(`.hp-row[aria-posinset="${position}"]`).getByRole('checkbox').check();
    await button(page, 'Approve 2 …').click();
    await button(page, 'Yes, approve 2').click();
    await notice(page).getByText('2 requests approved.').waitFor();
    expect(await top()).toBeGreaterThan(0);
    await button(page, /^Undo/).click();
    await page.locator('.hp-selection').getByText('2 requests selected.').waitFor();
    const isInSight = `(() => {
      const [row, list] = ['.hp-row:has(input:checked)', '.hp-list'].map((one) =>
        document.querySelector(one).getBoundingClientRect());
      return row.top >= list.top - 1 && row.bottom <= list.bottom + 1;
    })()`;
    await expect.poll(() => page.evaluate(isInSight)).toBe(true);
  });

  it('after a decision the next open request is shown, not an expired one, and a choice takes no keys of the list', async () => {
    await empty();
    for (const text of ['choose', 'email', 'brief']) await ask(text);
    const page = await app.open('/inbox?order=oldest');
    await page.getByText('2 open requests, 1 expired').waitFor();
    await page.getByRole('radio').first().check();
    await page.keyboard.press('j');
    await place(page).getByText('2 of 2').waitFor();
    for (const key of ['r', 'Enter']) await page.keyboard.press(key);
    await notice(page)
      .getByText(/^Rejected: /)
      .waitFor();
    await place(page).getByText('1 of 1').waitFor();
    await card(page).getByRole('radio').first().waitFor();
  });

  it('the reason of a rejection of several requests that was undone is not sent with their approval', async () => {
    await empty();
    for (const text of ['confirm', 'confirm']) await ask(text);
    const page = await app.open('/inbox');
    await place(page).getByText('1 of 2').waitFor();
    await rejectTwoAndUndo(page);
    await page.keyboard.press('a');
    await button(page, 'Yes, approve 2').click();
    await notice(page).getByText('2 requests approved.').waitFor();
    const payloads = await page.evaluate<unknown[]>(
      `fetch('/interrupts?status=answered,claimed,resolved&order=answered&limit=2').then((response) => response.json())
        .then(({ interrupts }) => interrupts.map(({ answer }) => answer.payload))`,
    );
    expect(payloads).toEqual([{ status: 'APPROVED' }, { status: 'APPROVED' }]);
  });

  it('a request whose conversation is deleted in another window keeps the typed text, and takes no answer', async () => {
    await empty();
    const thread = await ask('email');
    const page = await app.open('/inbox');
    await page.getByText('Add a reason').click();
    await page.getByLabel('Reason').fill('As agreed');
    await fetch(`${app.server.url}/threads/${thread}`, { method: 'DELETE' });
    await page.getByText('This request is gone: its conversation was deleted').waitFor();
    expect(await page.getByLabel('Reason').inputValue()).toBe('As agreed');
    expect(await card(page).getByRole('button').count()).toBe(0);
    expect(await focused(page, `focused.getAttribute('role')`)).toBe('alert');
    const before = done('email').length;
    await page.keyboard.press('a');
    await ask('transfer');
    await page.getByText('1 open request', { exact: true }).waitFor();
    expect([await page.getByText(/^Approved/).count(), done('email').length]).toEqual([0, before]);
  });

  it('an undo is not offered when the response took as long, and says that it is at work', async () => {
    await empty();
    for (const text of ['transfer', 'email']) await ask(text);
    const page = await app.open('/inbox');
    await page.addInitScript({
      content: `window.later = 0;
        performance.now = ((now) => () => now.call(performance) + window.later)(performance.now);
        window.hold = () => { window.held = new Promise((resolve) => { window.release = resolve; }); };
        window.fetch = ((fetch) => async (...request) => {
          const response = await fetch(...request);
          const url = String(request[0]?.url ?? request[0]);
          if (url.includes('/answer')) await window.held;
          return response;
        })(window.fetch);`,
    });
    await page.reload();
    await place(page).getByText('1 of 2').waitFor();
    await decideByKey(page, 'a');
    await button(page, /^Undo/).waitFor();
    await page.evaluate('window.hold()');
    await page.keyboard.press('u');
    await notice(page).getByText('Taking back …').waitFor();
    await page.evaluate('window.release()');
    await notice(page).getByText('Taken back: Transfer money.').waitFor();
    await place(page).getByText('1 of 2').waitFor();
    await page.evaluate('window.hold()');
    await decideByKey(page, 'a');
    await page.getByText('1 open request').waitFor();
    // Until the response is here, the card says what the server has.
    await page.getByText('The call has not run yet.').waitFor();
    await page.evaluate('window.later = 6000; window.release()');
    await notice(page).getByText('Approved: Transfer money.').waitFor();
    expect(await button(page, /^Undo/).count()).toBe(0);
  });

  it('a selection stays through a search, which names the hidden requests and decides none of them', async () => {
    await empty();
    for (const text of ['transfer', 'transfer', 'email', 'form']) await ask(text);
    const before = done('email').length;
    const page = await app.open('/inbox');
    const texts = rows(page).filter({ hasText: /transfer|e-mail/i });
    await texts.nth(2).waitFor();
    for (let row = 0; row < 3; row += 1) await texts.nth(row).getByRole('checkbox').check();
    const bar = page.locator('.hp-selection');
    await bar.getByText('3 requests selected.').waitFor();
    const search = page.getByLabel('Search', { exact: true });
    await search.fill('transfer');
    await bar.getByText('2 requests selected.').waitFor();
    const hidden = bar.getByText(
      '1 more is selected but hidden by the search or a filter, and is not decided.',
    );
    await hidden.waitFor();
    // The filters do not move under the hands of a person who types.
    expect(await page.getByLabel('Kind').count()).toBe(1);
    await search.fill('nothing like this');
    await bar.getByText('3 selected requests are hidden').waitFor();
    // A deciding key is about the selection, so it decides nothing here.
    await search.press('Enter');
    await page.keyboard.press('a');
    await expect.poll(() => focused(page, `focused.textContent`)).toMatch(/3 selected requests are hidden/);
    await search.fill('transfer');
    await button(page, 'Reject 2 …').click();
    await hidden.waitFor();
    await button(page, 'Yes, reject 2').click();
    await notice(page).getByText('2 requests rejected.').waitFor();
    await bar.getByText('1 selected request is hidden').waitFor();
    await button(page, 'Show all requests').first().click();
    await bar.getByText('1 request selected.').waitFor();
    expect([await rows(page).count(), done('email').length]).toEqual([2, before]);
    // A request that another window decides leaves the selection.
    await empty();
    await expect.poll(() => bar.count()).toBe(0);
  });

  it('a request that is refused in a bulk decision is named and marked, and stays selected', async () => {
    await empty();
    for (const text of ['invoice', 'transfer', 'transfer']) await ask(text);
    const page = await app.open('/inbox');
    for (const row of [1, 2]) await rows(page).nth(row).getByRole('checkbox').check();
    await page.evaluate(`(() => {
      const send = window.fetch;
      const refused = document.querySelectorAll('.hp-row')[2].dataset.key.split('/')[0];
      window.fetch = (url, init) => init?.method === 'POST' && String(url).includes(refused)
        ? Promise.reject(new TypeError('offline')) : send(url, init);
    })()`);
    await button(page, 'Approve 2 …').click();
    await button(page, 'Yes, approve 2').click();
    await notice(page)
      .getByText(/1 request approved\. “Transfer money” was not approved: The server could not be reached\./)
      .waitFor();
    await page.getByText('1 request selected.').waitFor();
    const row = page.locator('.hp-row[data-fault][data-selected]');
    await row.getByText(/could not be reached/).waitFor();
    expect(await page.locator('.hp-row[data-fault]').count()).toBe(1);
  });

  it('a request with unsent changes is not decided with others, also when its card is closed', async () => {
    await empty();
    for (const text of ['email', 'email']) await ask(text);
    const before = done('email').length;
    const page = await app.open('/inbox');
    await untilDecidable(page);
    await page.getByLabel('Select all 2').check();
    await button(page, 'Approve 2 …').click();
    await button(page, 'Yes, approve 2').waitFor();
    await button(page, 'Edit').click();
    const form = page.locator('[data-form="edits"]');
    await form.locator('input').first().fill('Changed');
    const bar = page.locator('.hp-selection');
    const why = bar.getByText(/only if their cards have no unsent changes/);
    await why.waitFor();
    const fault = page.locator('.hp-row[data-fault]');
    await fault.getByText('has unsent changes').waitFor();
    expect(await bar.locator('[data-action$="-all"]:disabled').count()).toBe(2);
    await button(page, 'Next').click();
    await place(page).getByText('2 of 2').waitFor();
    await why.waitFor();
    expect(await fault.count()).toBe(1);
    await button(page, 'Previous').click();
    await button(page, 'Discard edits').click();
    await expect.poll(() => fault.count()).toBe(0);
    await button(page, 'Approve 2 …').click();
    await button(page, 'Yes, approve 2').click();
    await notice(page).getByText('2 requests approved.').waitFor();
    await expect.poll(() => done('email').length).toBe(before + 2);
  });

  it('an undo that comes too late says that the decision stands', async () => {
    await empty();
    const before = done('transfer').length;
    for (const text of ['transfer', 'email']) await ask(text);
    const page = await app.open('/inbox');
    await place(page).getByText('1 of 2').waitFor();
    await page.keyboard.press('a');
    await place(page).getByText('1 of 1').waitFor();
    await expect.poll(() => done('transfer').length).toBe(before + 1);
    await expect.poll(() => notice(page).count()).toBe(0);
    await page.keyboard.press('u');
    await notice(page)
      .getByText(/^Too late: the approval stands\./)
      .waitFor();
    expect(await button(page, /^Undo/).count()).toBe(0);
    await place(page).getByText('1 of 1').waitFor();
  });

  it('an undo that comes too late shows the earlier decisions as they are now', async () => {
    await empty();
    const before = done('email').length;
    for (let n = 0; n < 2; n += 1) await ask('email');
    const page = await app.open('/inbox');
    await place(page).getByText('1 of 2').waitFor();
    // Nothing is loaded again by itself.
    await page.evaluate(
      `window.setTimeout = ((set) => (run, ms) => (ms >= 1000 && (ms < 3000 || ms > 5000) ? 0 : set(run, ms)))(window.setTimeout)`,
    );
    await page.keyboard.press('a');
    const waiting = page.locator('.pane-decisions').getByText(/not run yet/);
    await waiting.waitFor();
    await expect.poll(() => done('email').length).toBe(before + 1);
    await expect.poll(() => notice(page).count()).toBe(0);
    expect(await waiting.count()).toBe(1);
    await page.keyboard.press('u');
    await notice(page)
      .getByText(/^Too late: the approval stands\./)
      .waitFor();
    await waiting.waitFor({ state: 'detached' });
  });

  it('an undo is still offered after a reload, with the edits, and to the same role only', async () => {
    await empty();
    for (const text of ['email', 'transfer']) await ask(text);
    const page = await app.open('/inbox');
    await place(page).getByText('1 of 2').waitFor();
    const approve = async () => {
      await decideByKey(page, 'Control+Enter');
      await notice(page)
        .getByText(/^Approved with 1 change: Subject: Changed\./)
        .waitFor();
    };
    await page.keyboard.press('e');
    await page.getByLabel('Subject').fill('Changed');
    await approve();
    await page.reload();
    await notice(page)
      .getByText(/^Approved with 1 change: Subject: Changed\./)
      .waitFor();
    await page.keyboard.press('u');
    await notice(page).getByText('Taken back: Shall this e-mail go out?').waitFor();
    await place(page).getByText('1 of 2').waitFor();
    await card(page).getByText('1 change', { exact: true }).waitFor();
    await approve();
    // A later end, so that a busy machine has time for two reloads. A notice has five seconds at most.
    await page.evaluate(`{
      const stored = JSON.parse(sessionStorage.getItem('holdpoint:decisions'));
      for (const one of stored.notices) one.endsAt += 60_000;
      sessionStorage.setItem('holdpoint:decisions', JSON.stringify(stored));
      sessionStorage.setItem('holdpoint:as', 'ana');
    }`);
    await page.reload();
    await place(page).getByText('1 of 1').waitFor();
    expect(await notice(page).count()).toBe(0);
    await page.evaluate(`sessionStorage.setItem('holdpoint:as', '')`);
    await page.reload();
    await notice(page)
      .getByText(/^Approved with 1 change/)
      .waitFor();
    await expect.poll(() => notice(page).count()).toBe(0);
    await expect.poll(() => page.evaluate(`sessionStorage.getItem('holdpoint:decisions')`)).toBe(null);
  });

  it('a call that fails after a reload is reported until it is closed, and one that a person stopped is not', async () => {
    await empty();
    for (const text of ['break it', 'brittle', 'transfer']) await ask(text);
    const page = await app.open('/inbox');
    await place(page).getByText('1 of 3').waitFor();
    await page.getByLabel('Stop').check();
    await button(page, 'Send decision').click();
    await notice(page)
      .getByText(/^Answered “Stop”/)
      .waitFor();
    await card(page).getByRole('heading', { name: 'Brittle' }).waitFor();
    await decideByKey(page, 'a');
    await notice(page).getByText('Approved: Brittle.').waitFor();
    await page.reload();
    const failures = page.locator('.inbox-failures');
    const words = () =>
      page.evaluate<string>(
        `[...document.querySelectorAll('.inbox-failures .hp-notice > div')].map((one) => one.innerText).join('|')`,
      );
    const expected = /^Failed \(\d?\d:\d\d [AP]M\): Brittle\. The glass broke\. Open the conversation$/;
    await expect.poll(words).toMatch(expected);
    const before = await words();
    await page.reload();
    await expect.poll(words).toBe(before);
    await failures.getByRole('button', { name: 'Close' }).click();
    await expect.poll(() => page.evaluate(`sessionStorage.getItem('holdpoint:decisions')`)).toBe(null);
    expect(await failures.count()).toBe(0);
  });

  it('several calls that fail are counted, and closed together', async () => {
    await empty();
    for (const text of ['brittle', 'brittle', 'transfer']) await ask(text);
    const page = await app.open('/inbox');
    await place(page).getByText('1 of 3').waitFor();
    for (const row of [0, 1])
      await rows(page).filter({ hasText: 'Brittle' }).nth(row).getByRole('checkbox').check();
    await button(page, 'Approve 2 …').click();
    await button(page, 'Yes, approve 2').click();
    await page.getByText('2 calls failed', { exact: true }).waitFor();
    await button(page, 'Close all').click();
    await page.locator('.inbox-failures').waitFor({ state: 'detached' });
    await page.locator('.hp-card:focus').waitFor();
  });

  it('an undo that does not reach the server says so, and nothing about input', async () => {
    await empty();
    for (const text of ['choose', 'email']) await ask(text);
    const page = await app.open('/inbox');
    await card(page).getByText('Which colour shall the door have?').waitFor();
    await page.getByLabel('red').check();
    await button(page, 'Send answer').click();
    await notice(page).getByText('Answered “red”: Which colour shall the door have?').waitFor();
    await page.evaluate(`window.reach = window.fetch; window.fetch = (url, init) => init?.method === 'DELETE'
      ? Promise.reject(new TypeError('offline')) : window.reach(url, init)`);
    await page.keyboard.press('u');
    await notice(page).getByText('Not undone: The server could not be reached. Try again.').waitFor();
    await page.evaluate('window.away = window.fetch; window.fetch = window.reach');
    await button(page, /^Undo/).click();
    await notice(page).getByText('Taken back: Which colour shall the door have?').waitFor();
    // The button stays for as long as the answer can be taken back.
    await button(page, 'Send answer').click();
    await notice(page).getByText('Answered “red”: Which colour shall the door have?').waitFor();
    await page.evaluate('window.fetch = window.away');
    await page.keyboard.press('u');
    await notice(page).getByText('Not undone: The time to undo is over.').waitFor();
    expect(await button(page, /^Undo/).count()).toBe(0);
  });

  it('an undo is still offered after a visit of the audit page', async () => {
    await empty();
    for (const text of ['transfer', 'email']) await ask(text);
    const page = await app.open('/inbox');
    await place(page).getByText('1 of 2').waitFor();
    await page.keyboard.press('a');
    await notice(page).getByText('Approved: Transfer money.').waitFor();
    await page.getByRole('link', { name: 'Audit' }).click();
    await page.getByLabel('Status').waitFor();
    await page.getByRole('link', { name: /^Inbox/ }).click();
    await notice(page).getByText('Approved: Transfer money.').waitFor();
    await page.keyboard.press('u');
    await notice(page).getByText('Taken back: Transfer money.').waitFor();
    await page.getByText('2 open requests', { exact: true }).waitFor();
  });

  it('an undo by a double click takes one decision back, and names it', async () => {
    await empty();
    for (const text of ['transfer', 'email', 'confirm']) await ask(text);
    const page = await app.open('/inbox');
    await place(page).getByText('1 of 3').waitFor();
    await page.keyboard.press('a');
    await place(page).getByText('1 of 2').waitFor();
    await decideByKey(page, 'a');
    await place(page).getByText('1 of 1').waitFor();
    // The second click comes before the server has answered the first one.
    await page.evaluate(`for (const detail of [1, 2])
      document.querySelector('.inbox-notice button').dispatchEvent(new MouseEvent('click', { detail, bubbles: true }))`);
    await notice(page).getByText('Taken back: Shall this e-mail go out?').waitFor();
    await notice(page).getByText('Approved: Transfer money.').waitFor();
    await place(page).getByText('1 of 2').waitFor();
    // A key takes the next one back at once.
    await page.keyboard.press('u');
    await notice(page).getByText('Taken back: Transfer money.').waitFor();
    await place(page).getByText('1 of 3').waitFor();
  });

  it('a decision that another window made first counts, and the card says so', async () => {
    await empty();
    const before = done('email').length;
    await ask('email');
    const first = await app.open('/inbox');
    await card(first).waitFor();
    const second = await app.open('/inbox');
    await card(second).waitFor();
    // Its answer is on the way while the first window decides.
    await second.evaluate(`{
      const send = window.fetch;
      const held = new Promise((resolve) => { window.letGo = resolve; });
      window.fetch = async (url, init) => {
        if (init?.method === 'POST') await held;
        return send(url, init);
      };
    }`);
    await second.keyboard.press('r');
    await second.keyboard.type('Not now');
    await second.keyboard.press('Enter');
    await second.getByText('Sending …').waitFor();
    await first.keyboard.press('a');
    await notice(first)
      .getByText(/^Approved/)
      .waitFor();
    await second.evaluate('window.letGo()');
    await card(second)
      .getByText(/Approved .* in another window\. Your answer was not used\./)
      .waitFor();
    expect(await notice(second).count()).toBe(0);
    await expect.poll(() => done('email').length).toBe(before + 1);
  });

  it('a decision of another window while the page is offline is shown when it is back, with the text of the failed answer', async () => {
    await empty();
    const thread = await ask('transfer');
    await ask('email');
    const page = await app.open('/inbox');
    await place(page).getByText('1 of 2').waitFor();
    await page.getByText('History', { exact: true }).click();
    await page.locator('.hp-history').getByText('Asked').waitFor();
    // The open stream still reports what happens; every other request fails.
    await page.evaluate(
      `window.reach = window.fetch; window.fetch = () => Promise.reject(new TypeError('offline'))`,
    );
    await page.keyboard.press('r');
    await page.keyboard.type('No budget');
    await page.keyboard.press('Enter');
    await card(page)
      .getByText(/could not be reached/)
      .waitFor();
    await answer(thread, APPROVAL);
    await place(page).getByText('1 open').waitFor();
    await page.getByText('The history could not be loaded.').waitFor();
    await page.evaluate(`window.fetch = window.reach; dispatchEvent(new Event('online'))`);
    await card(page)
      .getByText(/Approved.*Your answer was not used/)
      .waitFor();
    await card(page).getByText('No budget').waitFor();
    expect(await page.getByText(/could not be/).count()).toBe(0);
    await page.locator('.hp-history').getByText('Answered').waitFor();
  });

  it('a decision of another window leaves the reason of a rejection in sight that was typed before and not sent', async () => {
    await empty();
    const thread = await ask('transfer');
    await ask('email');
    const page = await app.open('/inbox');
    await place(page).getByText('1 of 2').waitFor();
    await page.keyboard.press('r');
    await page.keyboard.type('No budget');
    for (const next of ['Next', 'Previous']) await button(page, next).click();
    await place(page).getByText('1 of 2').waitFor();
    await answer(thread, APPROVAL);
    await card(page)
      .getByText(/^Approved/)
      .waitFor();
    await expect.poll(() => page.getByLabel(/^Reason .*\(not sent\)/).inputValue()).toBe('No budget');
  });

  it('the history of a request that was not loaded says so, also while it is loading', async () => {
    await empty();
    for (const text of ['transfer', 'email']) await ask(text);
    const page = await app.open('/inbox');
    await place(page).getByText('1 of 2').waitFor();
    await page.evaluate(`window.reach = window.fetch; window.fetch = (url, init) => String(url).endsWith('/history')
      ? new Promise((_, reject) => { window.fail = () => reject(new TypeError('offline')); })
      : window.reach(url, init)`);
    await page.keyboard.press('j');
    await place(page).getByText('2 of 2').waitFor();
    await page.getByText('History', { exact: true }).click();
    await page.locator('.pane-part').getByText('Loading …').waitFor();
    await page.evaluate('window.fail()');
    await page.getByText('The history could not be loaded.').waitFor();
    expect(await page.getByText('Nothing is recorded.').count()).toBe(0);
  });

  it('a decision that another window takes back loses its notice, and its request is open again', async () => {
    await empty();
    for (const text of ['email', 'transfer']) await ask(text);
    const page = await app.open('/inbox');
    await place(page).getByText('1 of 2').waitFor();
    await page.keyboard.press('a');
    await place(page).getByText('1 of 1').waitFor();
    await button(page, /^Undo/).waitFor();
    await takeBack();
    await notice(page).getByText('1 decision was taken back in another window.').waitFor();
    expect(await button(page, /^Undo/).count()).toBe(0);
    await page.getByText('2 open requests', { exact: true }).waitFor();
  });

  it('a trial run of a destructive call says so on its button, in its notice and on the audit page', async () => {
    await empty();
    await ask('delete users');
    const page = await app.open('/inbox');
    await card(page).locator('[data-action=approve].hp-danger').getByText('Approve').waitFor();
    await page.getByLabel('Dry run').selectOption('yes');
    await page.getByLabel(/^Type delete users/).fill('delete users');
    await card(page).locator('[data-action=approve].hp-primary').getByText('Run as a trial').click();
    await notice(page)
      .getByText(/^Approved as a trial run: Delete 1,245 users/)
      .waitFor();
    await page.goto(new URL('/audit', app.server.url).href);
    const entry = page.locator('.audit-entry').first();
    await entry.locator('.audit-decision').getByText('Approved as a trial run').waitFor();
    await entry.locator('summary').click();
    const members = entry.locator('section').filter({ hasText: 'Answer' }).locator('dl > div');
    await members.filter({ hasText: 'Dry run' }).getByText('Yes').waitFor();
    const outcome = async () => (await savedRows(page))[0]?.['outcome'];
    await expect.poll(outcome).toBe('trial run');
  });

  it('an approval with changes names the changed values in its notice and in earlier decisions', async () => {
    await empty();
    for (let n = 0; n < 2; n += 1) await ask('email');
    const page = await app.open('/inbox');
    await place(page).getByText('1 of 2').waitFor();
    await button(page, 'Edit').click();
    await page.getByLabel('To', { exact: true }).fill('chief@bank.com');
    await card(page).locator('[data-action=approve]').click();
    await notice(page)
      .getByText('Approved with 1 change: To: chief@bank.com. Proposed: Shall this e-mail go out?')
      .waitFor();
    await page.reload();
    const decisions = page.locator('.pane-decisions');
    await decisions.getByText(/Approved with 1 change by you .*: To: chief@bank.com/).waitFor();
    await decisions.getByRole('link', { name: 'Proposed: Shall this e-mail go out?' }).waitFor();
  });

  it('an approval with a changed amount writes it as the card does, in its notice and on the audit page', async () => {
    await empty();
    await ask('invoice');
    const page = await app.open('/inbox');
    await button(page, 'Edit').click();
    await page.getByLabel('Amount').fill('2000');
    await card(page).locator('ins').getByText('$2,000').waitFor();
    await card(page).locator('[data-action=approve]').click();
    await notice(page).getByText('Approved with 1 change: Amount: $2,000.').waitFor();
    await page.getByRole('link', { name: 'Audit' }).click();
    const entry = page.locator('.audit-entry').first();
    await entry.locator('.audit-decision').getByText('Approved with 1 change: Amount: $2,000').waitFor();
    await entry.locator('summary').click();
    await entry.locator('ins').getByText('$2,000').waitFor();
  });

  it('a tap in the first moment of the next request decides nothing', async () => {
    await empty();
    for (let n = 0; n < 3; n += 1) await ask('email');
    const page = await app.open('/inbox');
    await place(page).getByText('1 of 3').waitFor();
    await page.evaluate(`new MutationObserver(() => {
      if (document.querySelector('.inbox-place')?.textContent.includes('of 2')) window.shownAt ??= performance.now();
    }).observe(document.body, { subtree: true, childList: true, characterData: true })`);
    const tap = (after: number) =>
      page.evaluate(`(() => {
        const tapped = new MouseEvent('click', { detail: 1, bubbles: true, cancelable: true });
        Object.defineProperty(tapped, 'timeStamp', { value: window.shownAt + ${after} });
        document.querySelector('[data-action=approve]').dispatchEvent(tapped);
      })()`);
    await card(page).locator('[data-action=approve]').click();
    await place(page).getByText('1 of 2').waitFor();
    await tap(300);
    expect(await card(page).locator('[data-action=approve][aria-disabled]').count()).toBe(0);
    await place(page).getByText('1 of 2').waitFor();
    await tap(1000);
    await place(page).getByText('1 of 1').waitFor();
    await decideByKey(page, 'a');
    await page.getByText('No request is waiting for you.').waitFor();
  });

  it('a deciding key in the first moment of the next request decides nothing', async () => {
    await empty();
    for (let n = 0; n < 3; n += 1) await ask('email');
    const page = await app.open('/inbox');
    await place(page).getByText('1 of 3').waitFor();
    // Each press at the moment in which the next request is shown.
    await page.evaluate(`new MutationObserver(() => {
      if (window.isPressed || !document.querySelector('.inbox-place')?.textContent.includes('of 2')) return;
      window.isPressed = true;
      setTimeout(() => {
        for (const init of [{ key: 'a' }, { key: 'Enter', ctrlKey: true }])
          document.querySelector('.hp-card').dispatchEvent(
            new KeyboardEvent('keydown', { ...init, bubbles: true, cancelable: true }));
        window.isOver = true;
      });
    }).observe(document.body, { subtree: true, childList: true, characterData: true })`);
    await page.keyboard.press('a');
    await expect.poll(() => page.evaluate('window.isOver')).toBe(true);
    expect(await card(page).locator('[data-action=approve][aria-disabled]').count()).toBe(0);
    await decideByKey(page, 'a');
    await place(page).getByText('1 of 1').waitFor();
    await decideByKey(page, 'Control+Enter');
    await page.getByText('No request is waiting for you.').waitFor();
  });

  it('a notice of a decision covers no button of the next request, and explains a cancellation', async () => {
    await empty();
    for (const text of ['email', 'wipe']) await ask(text);
    const page = await app.open('/inbox', { viewport: { width: 1280, height: 640 } });
    await place(page).getByText('1 of 2').waitFor();
    await card(page).locator('[data-action=cancel]').click();
    await notice(page).getByText('Cancelled: Shall this e-mail go out? The agent gets no answer.').waitFor();
    await card(page).getByText('Empty these tables?').waitFor();
    await untilDecidable(page);
    const covered = `[...document.querySelectorAll('.hp-card .hp-actions button')].filter((button) => {
      const { left, top, width, height } = button.getBoundingClientRect();
      return !button.contains(document.elementFromPoint(left + width / 2, top + height / 2));
    }).length`;
    expect(await page.evaluate(covered)).toBe(0);
  });

  it('a notice of a cancellation says whether the agent continues with the other answers of its turn', async () => {
    await empty();
    // E-mails of other tests may still be sent.
    const sent = () => done('email {"to":"a@b.com","subject":"Hello","body":"Hi"').length;
    const before = sent();
    for (let n = 0; n < 2; n += 1) await ask('do both');
    const page = await app.open('/inbox');
    const cancel = async (title: string) => {
      await rows(page).filter({ hasText: title }).first().locator('a').click();
      await card(page).getByRole('heading', { name: title }).waitFor();
      await untilDecidable(page);
      await card(page).locator('[data-action=cancel]').click();
    };
    const says = (text: string) => notice(page).getByText(text, { exact: true }).waitFor();
    const [mail, transfer] = ['Shall this e-mail go out?', 'Transfer money'];
    await place(page).getByText('1 of 4').waitFor();
    const thread = await page.evaluate<string>(
      `document.querySelector('.hp-row[data-current]').dataset.key.split('/')[0]`,
    );
    await card(page).getByRole('heading', { name: mail }).waitFor();
    await page.keyboard.press('a');
    await says(`Approved: ${mail} The agent continues when its other requests are answered.`);
    const other = page.locator(`.hp-row[data-key^="${thread}/"] a`);
    await other.click();
    await page.locator('[data-waiting-calls]').waitFor();
    await untilDecidable(page);
    await card(page).locator('[data-action=cancel]').click();
    await says(
      `Cancelled: ${transfer}. The agent gets no answer to it, and continues with its other answers.`,
    );
    await expect.poll(sent).toBe(before + 1);
    await cancel(mail);
    await says(
      `Cancelled: ${mail} The agent gets no answer to it, and continues when its other requests are answered.`,
    );
    await cancel(transfer);
    await says(`Cancelled: ${transfer}. The agent gets no answer.`);
  });

  it('a notice of an approval that allows the next calls says so', async () => {
    await empty();
    await ask('transfer');
    const page = await app.open('/inbox');
    await page.getByText('Allow it without asking next time').click();
    await page.getByLabel('Next time').selectOption('tool-thread');
    await button(page, 'Approve').click();
    await notice(page)
      .getByText('Approved: Transfer money · also allowed: this tool in this conversation.')
      .waitFor();
    await page.keyboard.press('u');
    await notice(page).getByText('Taken back: Transfer money.').waitFor();
  });

  it('a notice above a request on a narrow screen moves nothing when it comes and goes', async () => {
    await empty();
    for (let n = 0; n < 2; n += 1) await ask('email');
    const page = await app.open('/inbox', { viewport: { width: 390, height: 800 } });
    await rows(page).first().locator('a').click();
    await card(page).waitFor();
    const top = `document.querySelector('.inbox-steps').getBoundingClientRect().top`;
    const before = await page.evaluate(top);
    await card(page).locator('[data-action=approve]').click();
    await notice(page)
      .getByText(/^Approved/)
      .waitFor();
    await place(page).getByText('1 of 1').waitFor();
    expect(await page.evaluate(top)).toBe(before);
    await notice(page).waitFor({ state: 'hidden' });
    expect(await page.evaluate(top)).toBe(before);
    await page.getByRole('link', { name: 'Inbox' }).last().click();
    await expect.poll(() => notice(page).count()).toBe(0);
  });

  it('a notice above a request on a narrow screen shows a long text whole, and the request stays in its place', async () => {
    await empty();
    for (let n = 0; n < 2; n += 1) await ask('email');
    const page = await app.open('/inbox', { viewport: { width: 390, height: 800 } });
    await rows(page).first().locator('a').click();
    await button(page, 'Edit').click();
    await page.getByLabel('To', { exact: true }).fill('the.whole.department@international-bank.com');
    await page.getByLabel('Subject').fill('The figures of the third quarter, with those of last year');
    await page.getByLabel('Body').fill('Please send them until Friday, and call me before you do.');
    const top = `document.querySelector('.inbox-request').getBoundingClientRect().top`;
    const before = await page.evaluate(top);
    await card(page).locator('[data-action=approve]').click();
    await notice(page)
      .getByText(/^Approved with 3 changes/)
      .waitFor();
    const isCut = `[...document.querySelectorAll('.inbox-notice, .inbox-notice span')].some((one) =>
      one.scrollHeight > one.clientHeight && getComputedStyle(one).display !== 'inline')`;
    expect([await page.evaluate(isCut), await page.evaluate(top)]).toEqual([false, before]);
  });

  it('a control of a tall card on a phone is above the actions when it gets the focus, in the inbox and in the chat', async () => {
    await empty();
    const thread = await ask('delete users');
    const phone = { viewport: { width: 390, height: 800 }, hasTouch: true, isMobile: true };
    const page = await app.open('/inbox', phone);
    await rows(page).first().locator('a').click();
    const chat = await app.open(`/chat/${thread}`, phone);
    const covered = `[...document.querySelectorAll('.hp-card :is(input, select, summary)')]
      .filter((one) => one.checkVisibility()).filter((one) => {
        document.querySelector('.inbox-request, .hp-chat-scroll').scrollTop = 0;
        one.focus();
        const { left, width, top, bottom } = one.getBoundingClientRect();
        return [top + 2, bottom - 2].some((y) => !one.contains(document.elementFromPoint(left + width / 2, y)));
      }).map((one) => one.outerHTML)`;
    for (const one of [page, chat]) {
      await card(one).getByLabel('Dry run').waitFor();
      expect(await one.evaluate(covered)).toEqual([]);
    }
    // On the smallest screen, the buttons leave the room to the field that a person types in.
    const email = await ask('email');
    const small = await app.open(`/chat/${email}`, { ...phone, viewport: { width: 320, height: 560 } });
    await button(small, 'Edit').click();
    await small.getByLabel('Subject').waitFor();
    expect(await small.evaluate(covered)).toEqual([]);
  });

  it('a decided request shows its result in words, without JSON', async () => {
    await empty();
    await ask('confirm');
    const page = await approveAndOpen();
    await page.locator('section.pane-part dt').getByText('Status').waitFor();
    expect(await page.locator('.inbox-request').textContent()).not.toMatch(/[{}]|null/);
  });
});

it('the inbox announces what is selected, what a search found, and a new request', async () => {
  await empty();
  for (const text of ['transfer', 'email']) await ask(text);
  const page = await app.open('/inbox');
  await place(page).getByText('1 of 2').waitFor();
  const said = page.locator('body > [role=status]');
  await page.keyboard.press('x');
  await said.getByText('1 request selected.').waitFor();
  await page.keyboard.press('x');
  await said.getByText('0 requests selected.').waitFor();
  await ask('transfer');
  await said.getByText('1 new request.').waitFor();
  // A request that was raised before the list was loaded is not new when it is listed.
  const list = `document.querySelector('holdpoint-inbox')`;
  const older = `{ ...${list}.items[0], threadId: 'older', raisedAt: new Date(Date.now() - 60000).toISOString() }`;
  await page.evaluate(`(() => {
    const { items, updatedAt } = ${list};
    document.querySelector('body > [role=status]').textContent = 'nothing';
    Object.assign(${list}, { items: [...items, ${older}], updatedAt: updatedAt + 1 });
  })()`);
  await rows(page).nth(3).waitFor();
  await said.getByText('nothing').waitFor();
  await page.getByLabel('Search').fill('e-mail');
  await said.getByText('1 of 3 open requests.').waitFor();
  await page.getByLabel('Search').fill('nothing');
  await said.getByText('No open request matches.').waitFor();
  const narrow = await app.open('/inbox', { viewport: { width: 390, height: 800 } });
  await narrow.getByLabel('Select all 3').waitFor();
  await ask('brief');
  await narrow.locator('body > [role=status]').getByText('A request has expired.').waitFor();
  await page.goto(new URL('/audit', app.server.url).href);
  await page.getByLabel('Search').fill('nothing at all');
  await said.getByText('No decision that you may see matches.').waitFor();
});

describe('the list of the inbox', () => {
  it('the list of the inbox stands beside the request, with 14 rows in 900 px, and its bulk bar stays in sight', async () => {
    await empty();
    for (let n = 0; n < 25; n += 1) await ask('transfer');
    const page = await app.open('/inbox', { viewport: { width: 1440, height: 900 } });
    await page.getByText('25 open requests').waitFor();
    await card(page).waitFor();
    const inSight = `[...document.querySelectorAll('.hp-row')].filter((one) => {
      const { top, bottom } = one.getBoundingClientRect();
      return top >= document.querySelector('.hp-list').getBoundingClientRect().top && bottom <= innerHeight;
    }).length`;
    expect(await page.evaluate<number>(inSight)).toBeGreaterThanOrEqual(14);
    const right = (selector: string) =>
      page.evaluate<number>(`document.querySelector('${selector}').getBoundingClientRect().right`);
    expect(await right('.hp-list')).toBeLessThan(await right('.hp-card'));
    const edges = `[...document.querySelectorAll('.hp-row')].map((row) => ['amount', 'person', 'age']
      .map((name) => Math.round(row.querySelector('.hp-row-' + name).getBoundingClientRect().right)).join())`;
    expect(new Set(await page.evaluate<readonly string[]>(edges)).size).toBe(1);
    await page.getByLabel('Select all 25').check();
    await page.evaluate(`document.querySelector('.hp-list').scrollTo(0, 100000)`);
    const bar = `(({ top, bottom }) => top > 0 && bottom <= innerHeight)(document.querySelector('.hp-selection').getBoundingClientRect())`;
    expect(await page.evaluate(bar)).toBe(true);
  });

  it('the list of the inbox shows what expires first, filters by agent and age, and keeps both in the address', async () => {
    await empty();
    for (const text of ['email', 'soon']) await ask(text);
    const page = await app.open('/inbox');
    await expect.poll(() => titles(page)).toEqual(['Soon', 'Shall this e-mail go out?']);
    for (let n = 0; n < 2; n += 1) await ask('brief');
    const late = rows(page).locator('.hp-row-expiry').filter({ hasText: 'expired' });
    await late.nth(1).waitFor();
    // Expired requests come last, and neither the counts nor a selection include them.
    await page.getByText('2 open requests, 2 expired').waitFor();
    await expect.poll(() => titles(page)).toEqual(['Soon', 'Shall this e-mail go out?', 'Brief', 'Brief']);
    await expect.poll(() => page.title()).toBe('(2) Inbox · Holdpoint');
    await place(page).getByText('1 of 2').waitFor();
    await page.getByLabel('Select all 2').check();
    await page.locator('.hp-selection').getByText('2 requests selected.').waitFor();
    await button(page, 'Clear selection').click();
    await rows(page).nth(2).locator('a').click();
    await place(page).getByText('Expired').waitFor();
    await card(page).getByText('This request expired without an answer.').waitFor();
    expect(await page.getByText('2 requests ask for exactly this.').count()).toBe(0);
    const isCut = `[...document.querySelectorAll('.hp-row-expiry')].some((one) => one.scrollWidth > one.clientWidth)`;
    expect(await page.evaluate(isCut)).toBe(false);
    await empty();
    for (const text of ['email', 'soon']) await ask(text);
    await page.getByText('2 open requests', { exact: true }).waitFor();
    await page.getByLabel('Order').selectOption('newest');
    await page.waitForURL(/order=newest/);
    await page.getByLabel('Age').selectOption('3600000');
    await page.waitForURL(/age=3600000/);
    await page.locator('.hp-list').getByText('No open request matches.').waitFor();
    await page.getByText('No request matches the search and the filters.').waitFor();
    expect(await page.getByText('Nothing to decide.').count()).toBe(0);
    await button(page, 'Show all requests').click();
    await page.getByText('2 open requests', { exact: true }).waitFor();
    const other = await app.open('/inbox?from=nobody');
    await other.getByText('No open request matches.').waitFor();
    await other.getByLabel('Agent').selectOption('');
    await other.getByText('2 open requests', { exact: true }).waitFor();
  });

  it('the list of the inbox shows the same remaining time as the card, whole at every width', async () => {
    await empty();
    await ask('soon');
    const page = await app.open('/inbox');
    await card(page).getByText('Expires in 1 min').waitFor();
    // A difference may last for the moment between the two updates.
    const differences = await page.evaluate<readonly string[]>(`new Promise((resolve) => {
      const found = [];
      let before = false;
      const time = (selector) => document.querySelector(selector).textContent.match(/\\d+ min( \\d+ s)?/)?.[0];
      const look = () => {
        const [row, card] = [time('.hp-row-expiry'), time('holdpoint-countdown')];
        if (row !== card && before) found.push(row + ' in the row, ' + card + ' in the card');
        before = row !== card;
      };
      const timer = setInterval(look, 200);
      setTimeout(() => { clearInterval(timer); resolve(found); }, 5000);
    })`);
    expect(differences).toEqual([]);
    for (const width of [1440, 1024, 390, 320]) {
      const other = await app.open('/inbox', { viewport: { width, height: 800 } });
      await rows(other)
        .getByText(/1 min \d+ s/)
        .waitFor();
      const isCut = `(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)(document.querySelector('.hp-row-expiry'))`;
      expect([width, await other.evaluate(isCut)]).toEqual([width, false]);
    }
  });

  it('the list of the inbox is updated by polling when its stream is broken, and says when', async () => {
    await empty();
    await ask('transfer');
    const page = await app.open('/inbox');
    await page.getByText('1 open request', { exact: true }).waitFor();
    await page.locator('.hp-updated-at').getByText('updated just now').waitFor();
    await page.evaluate(`window.fetch = ((fetch) => (...request) =>
      String(request[0]).includes('/interrupts/events') ? Promise.reject(new TypeError('broken')) : fetch(...request))(window.fetch)`);
    await app.server.kill();
    await app.server.start();
    await ask('email');
    await page.getByText('2 open requests', { exact: true }).waitFor();
  });

  it('the list of the inbox is marked as old as soon as the browser is offline', async () => {
    await empty();
    await ask('transfer');
    const page = await app.open('/nowhere');
    await page.addInitScript({
      content: `window.setInterval = ((set) => (run, ms) => (ms === 10000 ? 0 : set(run, ms)))(window.setInterval)`,
    });
    await page.goto(new URL('/inbox', app.server.url).href);
    const updated = page.locator('.hp-updated-at');
    await updated.getByText('updated just now').waitFor();
    await page.evaluate(`window.realFetch = window.fetch;
      window.fetch = () => Promise.reject(new TypeError('offline'));
      dispatchEvent(new Event('offline'))`);
    await updated.getByText(/^offline, last updated/).waitFor();
    await page.evaluate(`window.fetch = window.realFetch; dispatchEvent(new Event('online'))`);
    await updated.getByText('updated just now').waitFor();
  });

  it('the list of the inbox counts nothing before it is loaded', async () => {
    const page = await app.open('/nowhere');
    await page.addInitScript({
      content: `window.fetch = ((fetch) => (...request) =>
        String(request[0]).includes('/interrupts') ? new Promise(() => {}) : fetch(...request))(window.fetch)`,
    });
    await page.goto(new URL('/inbox', app.server.url).href);
    await page.locator('.hp-list').getByText('Loading …').waitFor();
    const text = await page.locator('.inbox-list').textContent();
    expect(text).not.toMatch(/\d open|No request/);
    expect(await page.title()).toBe('Inbox · Holdpoint');
  });
});

describe('a remembered decision', () => {
  it('a remembered decision lets the next call run, is listed, and asks again after it is revoked', async () => {
    const before = done('transfer 1000').length;
    const page = await app.open('/');
    await say(page, 'transfer');
    await page.getByText('Allow it without asking next time').click();
    await page.getByLabel('Next time').selectOption('tool-thread');
    await button(page, 'Approve').click();
    await page.getByText(/^Result: .*DONE/).waitFor();
    await button(page, 'Send').waitFor();
    await say(page, 'transfer');
    const record = () => page.locator('.hp-call-record').last().textContent();
    await expect.poll(record).toMatch(/Ran without asking · \d?\d:\d\d/);
    const live = await record();
    await page.reload();
    await expect.poll(record).toBe(live);
    await expect.poll(() => done('transfer 1000').length).toBe(before + 2);
    const audit = await app.open('/audit?status=granted');
    await audit.locator('.audit-entry summary').click();
    await audit.locator('.audit-decision').getByText('Ran without asking', { exact: true }).waitFor();
    const details = audit.locator('.audit-details');
    await details.getByText(/^Given on /).waitFor();
    await details.getByText('ABC123').first().waitFor();
    await details.locator('.pane-part').getByText('DONE').waitFor();
    await button(audit, 'Always allowed').click();
    const grant = audit.locator('.audit-grant').filter({ hasText: 'transferMoney' });
    await grant.getByText('with any arguments', { exact: true }).waitFor();
    await grant.getByText('in one conversation · uses: 1', { exact: true }).waitFor();
    const conversation = await page.evaluate<string>('location.pathname');
    const link = grant.getByRole('link', { name: 'in one conversation' });
    await link.waitFor();
    const linked = await audit.evaluate<string>(`document.querySelector('.audit-grant a').pathname`);
    expect(linked).toBe(conversation);
    await grant.getByRole('button', { name: 'Revoke' }).click();
    await audit.getByText('You have always allowed no tool.').waitFor();
    await audit.getByText('Other people may have grants that are not shown here.').waitFor();
    expect(await focused(audit, 'focused.tagName')).not.toBe('BODY');
    await button(page, 'Send').waitFor();
    await say(page, 'transfer');
    await button(page, 'Approve').waitFor();
  });

  it('a remembered decision for “me” on a host without logins says that it is for everybody without a login', async () => {
    const page = await app.open('/');
    await say(page, 'transfer');
    await page.getByText('Allow it without asking next time').click();
    await page.getByLabel('Next time').selectOption('tool-principal');
    await button(page, 'Approve').click();
    await page.getByText(/^Result: .*DONE/).waitFor();
    const audit = await app.open('/audit');
    await button(audit, 'Always allowed').click();
    const grant = audit.locator('.audit-grant').filter({ hasText: 'transferMoney' });
    await grant.getByText('for everybody without a login · uses: 0', { exact: true }).waitFor();
    await grant.getByRole('button', { name: 'Revoke' }).click();
    await audit.getByText('You have always allowed no tool.').waitFor();
  });

  it('a remembered decision is not offered for a destructive call', async () => {
    const page = await app.open('/');
    await say(page, 'wipe');
    await button(page, 'Approve').waitFor();
    expect(await page.getByText(/next time/).count()).toBe(0);
  });
});

describe('the history of a request', () => {
  it('the history of a request masks secrets, and is saved as JSON and CSV without them', async () => {
    await empty();
    await ask('login');
    const page = await app.open('/inbox');
    await page.getByLabel('User').fill('ana');
    await page.getByLabel('Password', { exact: true }).fill('hunter2');
    expect(await page.evaluate('JSON.stringify({ ...localStorage })')).not.toContain('hunter2');
    const path = new URL(await page.evaluate<string>(`document.querySelector('.hp-row-link').href`)).pathname;
    await button(page, 'Send answer').click();
    await notice(page).getByText('Answered: Your password? · User: ana · Password: ••••••.').waitFor();
    await page.goto(new URL(path, app.server.url).href);
    await page.getByText('signed in').waitFor();
    await page.getByText('History', { exact: true }).click();
    await page.locator('.hp-history').getByText('••••••').first().waitFor();
    await page.evaluate(`window.saved = []; URL.createObjectURL = (blob) => {
      blob.text().then((text) => window.saved.push(text));
      return '#';
    }`);
    await button(page, 'Save as JSON').click();
    await button(page, 'Save as CSV').click();
    await expect.poll(() => page.evaluate('window.saved.length')).toBe(2);
    const [json = '', csv = ''] = await page.evaluate<readonly string[]>('window.saved');
    expect(JSON.parse(json)).toMatchObject([{ what: 'raised' }, { what: 'staged' }, {}, { what: 'settled' }]);
    expect(csv).toMatch(/^at,what,interruptId,by,via/);
    expect(`${await page.content()}${json}${csv}`).not.toContain('hunter2');
  });

  it('the history of a request tells a failed call from one that was carried out, as the chat does', async () => {
    await empty();
    const thread = await ask('brittle');
    const page = await approveAndOpen();
    await page.getByRole('heading', { name: 'The call failed' }).waitFor();
    await page.getByText('History', { exact: true }).click();
    await page.locator('.hp-history').getByText('The call failed').waitFor();
    const chat = await app.open(`/chat/${thread}`);
    await chat.locator('.hp-call summary').getByText('Failed').waitFor();
  });
});

it('the audit page tells every decision apart by word and icon', async () => {
  await empty();
  const edited = { to: 'a@b.com', subject: 'Other', body: 'x', copies: 1 };
  await answer(await ask('transfer'), APPROVAL);
  await answer(await ask('email'), { status: 'resolved', payload: { approved: true, editedArgs: edited } });
  await answer(await ask('transfer'), REJECTION);
  await answer(await ask('choose'), { status: 'resolved', payload: 'red' });
  await answer(await ask('transfer'), { status: 'cancelled' });
  const page = await app.open('/audit');
  await page.locator('.audit-entry').nth(4).waitFor();
  const shown = await page.evaluate<
    readonly string[]
  >(`[...document.querySelectorAll('.audit-decision')].slice(0, 5)
    .map((one) => one.querySelector('svg').getAttribute('class').split('-').at(-1) + ' ' + one.textContent.trim())`);
  expect(shown).toEqual([
    'close Cancelled',
    'chat Answered “red”',
    'ban Rejected',
    'edit Approved with 2 changes: Subject: Other · Body: x',
    'check Approved',
  ]);
  await page.getByLabel('Status').selectOption('answered');
  await page.waitForURL(/status=answered/);
  const words = page.locator('.audit-decision');
  await expect.poll(() => words.filter({ hasText: /Approved|Rejected/ }).count()).toBe(0);
  await words.first().getByText('Answered “red”').waitFor();
  await page.getByLabel('Status').selectOption('expired');
  await page.waitForURL(/status=expired/);
  await page.locator('main').getByText('No decision that you may see matches.').waitFor();
  await ask('brief');
  await page.reload();
  await expect
    .poll(async () => {
      await page.reload();
      return page.locator('.audit-decision').filter({ hasText: 'Expired' }).count();
    })
    .toBe(1);
});

/** The words of a decision on the audit page, which shows the decisions of the moment when it is loaded. */
async function decisionAt(page: Page, index: number): Promise<string> {
  await page.reload();
  await page.locator('.audit-decision').nth(index).waitFor();
  return ((await page.locator('.audit-decision').nth(index).textContent()) ?? '').trim();
}

/** Saves the decisions of the audit page as CSV, and returns its cells by the names of their columns. */
async function savedRows(page: Page): Promise<readonly Readonly<Record<string, string>>[]> {
  await page.evaluate(`window.saved = []; URL.createObjectURL = (blob) => {
    blob.text().then((text) => window.saved.push(text));
    return '#';
  }`);
  await button(page, 'Save as CSV').click();
  await expect.poll(() => page.evaluate('window.saved.length')).toBe(1);
  const [columns = '', ...lines] = (await page.evaluate<string>('window.saved[0]')).trimEnd().split('\r\n');
  const names = columns.split(',');
  return lines.map((line) => {
    const cells = [...`,${line}`.matchAll(/,(?:"((?:[^"]|"")*)")?/g)].map(([, cell = '']) => cell);
    return Object.fromEntries(names.map((name, index) => [name, cells[index]?.replaceAll('""', '"') ?? '']));
  });
}

it('the audit page says that an approval whose call waits for the others has not run, and saves the kind of a request and the reason of a person', async () => {
  await empty();
  await answer(await ask('do both'), {
    status: 'resolved',
    payload: { approved: true, reason: 'Known address' },
  });
  const page = await app.open('/audit');
  await page.locator('.audit-decision').first().getByText('Approved: Known address · not run yet').waitFor();
  const [first] = await savedRows(page);
  expect(first).toMatchObject({ kind: 'tool_call', reason: 'Known address', outcome: 'not run yet' });
});

it('the audit page saves amounts with the unit of the screen, as decided, and arguments as JSON', async () => {
  await empty();
  const editedArgs = { to: 'ACME', amount: 2000 };
  await answer(await ask('transfer'), APPROVAL);
  await answer(await ask('invoice'), APPROVAL);
  await answer(await ask('invoice'), { status: 'resolved', payload: { approved: true, editedArgs } });
  const page = await app.open('/audit');
  await page.locator('.audit-entry').nth(2).waitFor();
  const [changed, proposed, withoutUnit] = await savedRows(page);
  expect(changed).toMatchObject({
    amount: '$2,000',
    decision: 'approved',
    summary: 'Approved with 1 change: Amount: $2,000',
    arguments: '{"to":"ACME","amount":1000}',
  });
  expect(proposed).toMatchObject({
    amount: '$1,000',
    decision: 'approved',
    outcome: 'ran',
    summary: 'Approved',
  });
  expect(withoutUnit).toMatchObject({ amount: '', arguments: '{"toAccountId":"ABC123","amount":1000}' });
});

it('the audit page saves titles, failures and expiries as it shows them', async () => {
  await empty();
  await answer(await ask('brittle'), APPROVAL);
  await answer(await ask('upload'), { status: 'cancelled' });
  const page = await app.open('/audit');
  await expect.poll(() => decisionAt(page, 1)).toBe('Approved · failed');
  const [cancelled, failed] = await savedRows(page);
  expect(cancelled).toMatchObject({
    title: 'Please upload your receipt.',
    decision: 'cancelled',
    outcome: 'did not run',
    summary: 'Cancelled',
  });
  expect(failed).toMatchObject({ decision: 'approved', outcome: 'failed', summary: 'Approved · failed' });
  await ask('brief');
  await page.goto(new URL('/audit?status=expired', app.server.url).href);
  const expired = page.locator('.audit-entry').filter({ hasText: 'Expired' });
  await expect
    .poll(
      async () => {
        await page.reload();
        return expired.count();
      },
      { timeout: 20_000 },
    )
    .toBeGreaterThan(0);
  expect(await expired.first().locator('.audit-at').textContent()).toMatch(/\d:\d\d/);
  const answeredAt = await page.evaluate<string>(`document.querySelector('time.audit-at').dateTime`);
  expect((await savedRows(page))[0]).toMatchObject({ decision: 'expired', summary: 'Expired', answeredAt });
});

it('the audit page keeps an expired request that was asked again, and the history of the new one names it', async () => {
  await empty();
  await answer(await ask('transfer'), { status: 'cancelled' });
  await ask('brief');
  const page = await app.open('/inbox');
  await button(page, 'Ask again').click();
  await button(page, 'Ask again').waitFor({ state: 'hidden' });
  await page.getByText('History', { exact: true }).click();
  await page.locator('.hp-history').getByText('Asked in place of the request that expired').waitFor();
  await page.goto(new URL('/audit?status=expired', app.server.url).href);
  const decisions = page.locator('.audit-decision');
  await decisions.getByText('Expired, asked again').waitFor();
  const saved = await savedRows(page);
  expect(saved.filter(({ summary }) => summary === 'Expired, asked again')).toMatchObject([
    { decision: 'expired', by: '', via: 'expiry' },
  ]);
  await page.goto(new URL('/audit?status=cancelled', app.server.url).href);
  await decisions.first().waitFor();
  expect(await decisions.filter({ hasText: 'Expired' }).count()).toBe(0);
});

it('the audit page shows an answer by verdict once, as the decision', async () => {
  await empty();
  await answer(await ask('confirm'), {
    status: 'resolved',
    payload: { status: 'APPROVED', reason: 'Known door' },
  });
  const page = await app.open('/audit');
  const entry = page.locator('.audit-entry').first();
  await entry.locator('.audit-decision').getByText('Approved: Known door').waitFor();
  await entry.locator('summary').click();
  await entry.getByRole('heading', { name: 'Result' }).waitFor();
  expect(await entry.getByRole('heading', { name: 'Answer' }).count()).toBe(0);
});

it('the audit page filters while a person types, and keeps the focus and every filter', async () => {
  await empty();
  await answer(await ask('transfer'), APPROVAL);
  await answer(await ask('email'), REJECTION);
  const page = await app.open('/audit');
  const entries = page.locator('.audit-entry');
  await entries.nth(1).waitFor();
  await page.getByLabel('Tool').focus();
  await page.keyboard.type('sendEmail');
  await page.waitForURL(/tool=sendEmail/);
  await expect.poll(() => entries.filter({ hasText: 'Transfer money' }).count()).toBe(0);
  expect(await focused(page, 'focused.value')).toBe('sendEmail');
  await page.getByLabel('Search').fill('e-mail');
  // Chosen before the typed words are applied.
  await page.getByLabel('Status').selectOption('rejected');
  await page.waitForURL(/q=e-mail&status=rejected&tool=sendEmail/);
  await page.getByLabel('Tool').fill('send');
  await page
    .locator('main')
    .getByText('No decision that you may see matches. Write the names of tools, people and agents in full.')
    .waitFor();
});

it('the audit page finds a decision by what a person changed, and none by a secret', async () => {
  await empty();
  const editedArgs = { to: 'eve@evil.com', subject: 'Hello', body: 'Hi', copies: 1 };
  await answer(await ask('email'), { status: 'resolved', payload: { approved: true, editedArgs } });
  await answer(await ask('login'), { status: 'resolved', payload: { user: 'Mallory', password: 'hunter2' } });
  const page = await app.open('/audit?q=EVE%40evil');
  const entries = page.locator('.audit-entry');
  await entries.getByText('Approved with 2 changes: To: eve@evil.com').waitFor();
  await page.getByLabel('Search').fill('mallory');
  await entries.filter({ hasText: 'Your password?' }).waitFor();
  expect(await entries.count()).toBe(1);
  await page.getByLabel('Search').fill('hunter2');
  await page.getByText('It does not look at results.').waitFor();
});

it('the audit page shows without a reload what became of a call, keeps the opened row and the focus, and says when it is not current', async () => {
  await empty();
  await answer(await ask('brittle'), { ...APPROVAL, undoMs: 1500 });
  const page = await app.open('/audit');
  const first = page.locator('.audit-entry').first();
  await first.locator('.audit-decision').getByText('Approved · not run yet').waitFor();
  await first.locator('summary').click();
  await first.locator('.audit-decision').getByText('Approved · failed').waitFor();
  // The opened row is read again too.
  await first.getByText('The glass broke.').waitFor();
  await page.evaluate(`document.querySelector('.audit-entry').id = 'kept'`);
  await answer(await ask('transfer'), REJECTION);
  await first.locator('.audit-decision').getByText('Rejected').waitFor();
  expect(await page.locator('#kept[open]').count()).toBe(1);
  expect(await focused(page, `focused.closest('.audit-entry')?.id`)).toBe('kept');
  await page.evaluate(
    `window.realFetch = window.fetch; window.fetch = () => Promise.reject(new TypeError('gone'))`,
  );
  await page.getByText('The server cannot be reached. Trying again …').waitFor();
  expect(await page.locator('#kept[open]').count()).toBe(1);
  await page.evaluate('window.fetch = window.realFetch');
  await page.getByText('The server cannot be reached. Trying again …').waitFor({ state: 'hidden' });
});

it('the audit page shows the names of its filters whole at every width, in English and in German', async () => {
  for (const locale of ['en-US', 'de-DE'])
    for (const width of [390, 700, 820, 1024, 1280]) {
      const page = await app.open('/audit', { locale, viewport: { width, height: 800 } });
      await page.locator('.hp-tools select').waitFor();
      const cut = await page.evaluate<readonly string[]>(`(() => {
        const brush = document.createElement('canvas').getContext('2d');
        return [...document.querySelectorAll('.hp-tools .hp-input')].flatMap((one) => {
          const style = getComputedStyle(one);
          brush.font = style.font;
          const name = one.placeholder ?? one.selectedOptions[0].label;
          const arrow = one.type === 'search' && one.list === null ? 0 : 24;
          const room = one.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight) - arrow;
          return brush.measureText(name).width > room ? [name] : [];
        });
      })()`);
      expect([locale, width, cut]).toEqual([locale, width, []]);
    }
});

/** Asks for a call, and approves it and the next ones. Returns when the grant is stored, which the run of the call does. */
async function allow(text: string, remember: object): Promise<void> {
  const count = async () => {
    const listed = await fetch(`${app.server.url}/grants`);
    return ((await listed.json()) as { readonly grants: readonly unknown[] }).grants.length;
  };
  const before = await count();
  await answer(await ask(text), { status: 'resolved', payload: { approved: true, remember } });
  await expect.poll(count).toBe(before + 1);
}

it('the audit page marks a failed call that ran by a grant', async () => {
  await empty();
  const remember = { what: 'tool', where: 'principal' };
  await answer(await ask('brittle'), { status: 'resolved', payload: { approved: true, remember } });
  const page = await app.open('/audit');
  await expect
    .poll(() => decisionAt(page, 0))
    .toBe('Approved · also allowed: this tool for everybody without a login · failed');
  await ask('brittle');
  await expect.poll(() => decisionAt(page, 0)).toBe('Ran without asking · failed');
  await button(page, 'Always allowed').click();
  await button(page, 'Revoke').click();
  await page.getByText('You have always allowed no tool.').waitFor();
});

it('the audit page lists a grant that is used up apart from those that allow a call', async () => {
  await empty();
  const remember = { what: 'tool', where: 'principal', maxUses: 1 };
  await allow('transfer', remember);
  await ask('transfer');
  const page = await app.open('/audit?status=granted');
  await expect.poll(() => decisionAt(page, 0)).toBe('Ran without asking');
  await button(page, 'Always allowed').click();
  await page.getByText('No tool is allowed now.').waitFor();
  expect(await page.getByText('You have always allowed no tool.').count()).toBe(0);
  const over = page.getByRole('list', { name: 'No longer allowed' });
  await over.getByText('used up', { exact: true }).waitFor();
  await over.getByText(/uses: 1 of 1/).waitFor();
  await over.getByRole('button', { name: 'Remove' }).click();
  await over.waitFor({ state: 'hidden' });
});

it('the audit page shows in its row that a grant could not be revoked, beside another that is', async () => {
  await empty();
  const remember = { what: 'tool', where: 'principal' };
  for (const text of ['transfer', 'soon']) await allow(text, remember);
  const page = await app.open('/audit');
  await button(page, 'Always allowed').click();
  const grants = page.locator('.audit-grant');
  await grants.nth(1).waitFor();
  await page.evaluate(`window.realFetch = window.fetch; window.refused = 1; window.fetch = (path, options) =>
    options?.method === 'DELETE' && window.refused-- > 0
      ? Promise.resolve(new Response('{}', { status: 503 })) : window.realFetch(path, options)`);
  await page.evaluate(`document.querySelectorAll('.audit-grant button').forEach((one) => one.click())`);
  const refused = grants.filter({ hasText: 'transferMoney' });
  await refused.getByRole('alert').getByText('This grant was not revoked.').waitFor();
  await expect.poll(() => grants.count()).toBe(1);
  await refused.getByRole('button', { name: 'Revoke' }).click();
  await page.getByText('You have always allowed no tool.').waitFor();
});

it('the audit page says what an approval allows from now on, and shows no proposal where there is none', async () => {
  await empty();
  const remember = { what: 'tool', where: 'thread', maxUses: 2 };
  await answer(await ask('transfer'), { status: 'resolved', payload: { approved: true, remember } });
  await answer(await ask('form'), { status: 'cancelled' });
  const page = await app.open('/audit');
  const [question, approval] = [page.locator('.audit-entry').first(), page.locator('.audit-entry').nth(1)];
  await approval
    .locator('.audit-decision')
    .getByText('Approved · also allowed: this tool in this conversation, at most 2 uses')
    .waitFor();
  await approval.locator('summary').click();
  await approval.getByRole('heading', { name: 'Also allowed without asking' }).waitFor();
  await approval.getByText('This tool in this conversation, at most 2 uses', { exact: true }).waitFor();
  expect(await approval.getByText('Remember').count()).toBe(0);
  await question.locator('summary').click();
  await question.getByRole('link', { name: 'Open the question' }).waitFor();
  expect(await question.getByRole('heading', { name: 'Proposal' }).count()).toBe(0);
  await button(page, 'Always allowed').click();
  await button(page, 'Revoke').click();
  await page.getByText('You have always allowed no tool.').waitFor();
});

it('the audit page says in the row, the opened row, the filter, the file and the history what is known of a call whose run was lost', async () => {
  await empty();
  const threads: string[] = [];
  for (let n = 0; n < 5; n += 1) {
    const thread = await ask('stall');
    threads.push(thread);
    await answer(thread, APPROVAL);
  }
  await expect.poll(() => done('stall').length).toBe(5);
  await app.server.kill();
  await app.server.start();
  const countOpen = async () => {
    const listed = await fetch(`${app.server.url}/interrupts?reason=error_recovery`);
    return ((await listed.json()) as { readonly interrupts: readonly unknown[] }).interrupts.length;
  };
  await expect.poll(countOpen, { timeout: 20_000 }).toBe(5);
  const decided = (action: string) => ({ status: 'resolved', payload: { action } });
  const page = await app.open('/audit?tool=stall');
  await page.locator('.audit-decision').getByText('Approved · not known whether it ran').nth(4).waitFor();
  const [cancelled = '', stopped = '', skipped = '', finished = '', again = ''] = threads;
  await answer(cancelled, { status: 'cancelled' });
  await answer(stopped, decided('abort'));
  await answer(skipped, decided('skip'));
  await answer(finished, decided('finished'));
  await answer(again, decided('retry'));
  const outcomes = async () => {
    await page.reload();
    await page.locator('.audit-entry').nth(9).waitFor();
    const saved = await savedRows(page);
    return threads.map((thread) =>
      saved
        .filter(({ threadId }) => threadId === thread)
        .map(({ summary, outcome }) => `${summary} = ${outcome}`)
        .toSorted(),
    );
  };
  const approval = 'Approved · not known whether it ran = unknown';
  await expect.poll(outcomes, { timeout: 20_000 }).toEqual([
    [approval, 'Cancelled · not known whether it ran = unknown'],
    ['Answered “Stop” · not known whether it ran = unknown', approval],
    [approval, 'Skipped · not known whether it ran = unknown'],
    ['Answered “It finished” = ran', 'Approved = ran'],
    ['Answered “Do it again” = ran', 'Approved = ran'],
  ]);
  for (const [thread, state] of [
    [cancelled, 'Not known whether it ran'],
    [skipped, 'Not known whether it ran'],
    [finished, 'Done'],
  ] as const) {
    const chat = await app.open(`/chat/${thread}`);
    await chat.locator('.hp-call summary').getByText(state, { exact: true }).waitFor();
  }
  await page.getByLabel('Status').selectOption('failed');
  await page.waitForURL(/status=failed/);
  const entries = page.locator('.audit-entry');
  await expect.poll(() => entries.count()).toBe(6);
  const row = entries.filter({ hasText: 'Approved' }).last();
  expect(await row.locator('.hp-decision-approved').count()).toBe(0);
  await row.locator('summary').click();
  const heading = row.getByRole('heading', { name: 'It is not known whether the call ran' });
  await heading.waitFor();
  expect(await row.getByText('The call failed').count()).toBe(0);
  await row.getByRole('link', { name: 'Open the request' }).click();
  await page.getByText('History', { exact: true }).click();
  await page.locator('.hp-history').getByText('It is not known whether the call ran').waitFor();
  expect(await page.locator('.hp-history').getByText('Carried out').count()).toBe(0);
});

it('the audit page does not save that a failed call did not run when a person aborts it', async () => {
  await empty();
  await answer(await ask('break it'), { status: 'resolved', payload: { action: 'abort' } });
  const page = await app.open('/audit');
  await expect.poll(() => decisionAt(page, 0)).toBe('Answered “Stop” · the call had failed');
  const [aborted] = await savedRows(page);
  expect(aborted).toMatchObject({
    kind: 'error_recovery',
    decision: 'answered',
    summary: 'Answered “Stop” · the call had failed',
    outcome: 'failed',
  });
});

it('the audit page filters by what its list says: approvals that did not run, failed calls, and rules that answered an expired request', async () => {
  await empty();
  const dropped = await ask('do both');
  await answer(dropped, APPROVAL);
  await fetch(`${app.server.url}/threads/${dropped}`, { method: 'DELETE' });
  await answer(await ask('brittle'), APPROVAL);
  await answer(await ask('transfer'), { status: 'cancelled' });
  await ask('lapse');
  const page = await app.open('/audit');
  const decisions = async () => {
    await page.reload();
    await page.locator('.audit-decision').first().waitFor();
    const texts = await page.evaluate<readonly string[]>(
      `[...document.querySelectorAll('.audit-decision')].map((one) => one.textContent.trim())`,
    );
    return texts.slice(0, 2);
  };
  const show = async (status: string) => {
    await page.getByLabel('Status').selectOption(status);
    await page.waitForURL(new RegExp(`status=${status}`));
  };
  await expect
    .poll(decisions, { timeout: 20_000 })
    .toEqual(['Expired: Nobody answered in time.', 'Cancelled']);
  await show('approved');
  expect(await decisions()).toEqual(['Approved · failed', 'Approved · did not run']);
  expect((await savedRows(page)).slice(0, 2)).toMatchObject([
    { decision: 'approved', outcome: 'failed' },
    { decision: 'approved', outcome: 'did not run' },
  ]);
  await show('failed');
  expect((await decisions())[0]).toBe('Approved · failed');
  await show('cancelled');
  expect((await decisions())[0]).toBe('Cancelled');
  expect(await page.locator('.audit-decision').filter({ hasText: 'Approved' }).count()).toBe(0);
  await show('expired');
  await page.locator('.audit-entry').filter({ hasText: 'Lapse' }).first().waitFor();
});
