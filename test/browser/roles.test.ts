import { expect, it } from 'vitest';
import { IS_DEEP } from '../size.ts';
import type { Page } from './browser-types.ts';
import { accessibilityProblems } from './start-browser.ts';
import { button, card, rejectRequest, say, useApp } from './use-app.ts';

const app = useApp({ kind: 'demo' });

/** Opens a page and chooses a person to play. */
async function play(role: string, path: string, width = 1440): Promise<Page> {
  const page = await app.open(path, { viewport: { width, height: 900 } });
  await page.evaluate('document.documentElement.dataset.earlier = "yes"');
  await page.getByLabel('You are').selectOption(role);
  // The page loads anew as that person. Until then the earlier page still takes clicks.
  await expect.poll(() => page.evaluate('document.documentElement.dataset.earlier ?? "new"')).toBe('new');
  await expect.poll(() => page.getByLabel('You are').inputValue()).toBe(role);
  return page;
}

/** The balance that the agent tells. */
async function balanceIn(page: Page): Promise<string> {
  await say(page, 'balance');
  const told = page.getByText(/^The balance is/);
  await told.waitFor();
  return (await told.textContent()) ?? '';
}

it('an asker sees who has to answer a request, and may only withdraw it', async () => {
  const asker = await play('asker', '/');
  await button(asker, 'pay 2500 to ACME').click();
  await asker.getByText('Waiting for finance.', { exact: true }).waitFor();
  expect(await card(asker).getByRole('button').count()).toBe(1);
  await button(asker, 'Withdraw').click();
  await asker
    .getByText(/You withdrew it/)
    .first()
    .waitFor();
}, 120_000);

const withSeveralPersons = async () => {
  const asker = await play('asker', '/');
  const records = () => asker.locator('[role="log"]').textContent();
  await button(asker, 'pay 2500 to ACME').click();
  await asker.getByText('Waiting for finance.', { exact: true }).waitFor();
  expect(await card(asker).getByRole('button').count()).toBe(1);
  await card(asker).getByRole('button', { name: 'Withdraw' }).waitFor();
  expect(await accessibilityProblems(asker)).toEqual([]);

  await say(asker, 'pay 30 to ACME');
  await asker.getByText('1 request is waiting for finance.').waitFor();
  await button(asker, 'Withdraw it and send').click();
  await expect.poll(records).toMatch(/You withdrew it/);
  await asker.getByRole('heading', { name: 'Pay $30 to ACME' }).waitFor();

  const reviewer = await play('reviewer', '/inbox');
  await reviewer.getByText('Nothing to decide.').waitFor();

  const cfo = await play('cfo', '/inbox', 390);
  await cfo.locator('.hp-row-link').click();
  await card(cfo).getByText('asked by asker').waitFor();
  expect(await cfo.evaluate('document.documentElement.scrollWidth')).toBe(390);
  expect(await cfo.getByText('Open the conversation').count()).toBe(0);
  expect(await accessibilityProblems(cfo)).toEqual([]);
  await button(cfo, 'Pay $30').click();
  await asker.getByText('Sent. The balance is $9,970.').waitFor();
  await expect.poll(records).toMatch(/cfo approved/);

  await say(asker, 'publish the price list');
  await asker.getByText('Waiting for reviewer.', { exact: true }).waitFor();
  await button(asker, 'Withdraw').click();
  await expect.poll(records).toMatch(/Publish the price list\s+Withdrawn\s+You withdrew it/);
  await expect.poll(() => card(asker).count()).toBe(0);

  await say(asker, 'order a laptop');
  await asker.getByText('Waiting for another person, because you asked.', { exact: true }).waitFor();
  // The count with the accent is of requests for the viewer.
  await asker
    .locator('.threads a')
    .getByText(/^1 waits for others · /)
    .waitFor();
  expect(await asker.locator('.threads .app-count').count()).toBe(0);
  await asker.getByRole('link', { name: /Inbox/ }).click();
  await asker
    .locator('.hp-row')
    .getByText(/^Waiting for another person/)
    .waitFor();
  await asker.getByText('None for you, 1 waits for others').waitFor();
  await button(asker, 'Withdraw').click();
  await asker.getByText(/^Withdrawn by you/).waitFor();
};
const filterByPerson = async () => {
  for (const [role, phrase] of [
    ['asker', 'pay 30 to ACME'],
    ['reviewer', 'pay 40 to ACME'],
  ] as const) {
    const page = await play(role, '/');
    await say(page, phrase);
    await page.getByText('Waiting for finance.', { exact: true }).waitFor();
  }
  const cfo = await play('cfo', '/inbox');
  await cfo.getByText('2 open requests').waitFor();
  await cfo.getByLabel('Asked by').selectOption('asker');
  await cfo.waitForURL(/for=asker/);
  await cfo.getByText('1 of 2 open requests', { exact: true }).waitFor();
  await cfo.locator('.hp-row-title').getByText('Pay $30 to ACME').waitFor();
  await cfo.getByLabel('Select all 1').check();
  await button(cfo, 'Approve 1 …').click();
  await cfo.locator('.hp-selection li').getByText('asked by asker').waitFor();
  const phone = await play('cfo', '/inbox', 390);
  for (const person of ['asker', 'reviewer'])
    await phone.locator('.hp-row-person').getByText(person, { exact: true }).waitFor();
};
// `npm run test:browser` runs these.
if (IS_DEEP) {
  it(
    'an asker withdraws and sends other words, and the CFO approves on a phone',
    withSeveralPersons,
    120_000,
  );
  it(
    'the inbox filters by the person who asked, and keeps the filter in the address',
    filterByPerson,
    120_000,
  );
}

if (IS_DEEP) {
  it('the audit page says that it shows the decisions that the viewer may see', async () => {
    const asker = await play('asker', '/');
    await say(asker, 'pay 70 to UNSEEN');
    await asker.getByText('Waiting for finance.', { exact: true }).waitFor();
    const cfo = await play('cfo', '/inbox');
    await cfo.locator('.hp-row-title').getByText('Pay $70 to UNSEEN').click();
    await button(cfo, 'Pay $70').click();
    await asker.getByText(/^Sent\./).waitFor();
    const owner = await play('owner', '/audit?q=UNSEEN');
    await owner.getByText('No decision that you may see matches.', { exact: true }).waitFor();
    await owner.getByText('This page shows the decisions that you may see.', { exact: true }).waitFor();
    const options = await owner.evaluate<string>(`document.querySelector('.audit select').textContent`);
    expect(options).not.toContain('Every decision');
  }, 120_000);
}

if (IS_DEEP) {
  it('a new tab plays the role of the tab before it, and says that a conversation of another person is not there', async () => {
    const asker = await play('asker', '/');
    await say(asker, 'hello');
    await asker.waitForURL(/\/chat\/.+/);
    const tab = await asker.context().newPage();
    await tab.goto(asker.url());
    expect(await tab.getByLabel('You are').inputValue()).toBe('asker');
    await tab.locator('.hp-text').getByText('hello').waitFor();
    await tab.getByLabel('You are').selectOption('cfo');
    await expect.poll(() => tab.getByLabel('You are').inputValue()).toBe('cfo');
    await tab.goto(asker.url());
    await tab.getByText('This conversation does not exist, or you may not see it.').waitFor();
    expect(await tab.getByLabel('Message', { exact: true }).count()).toBe(0);
    await tab.goto(new URL('/chat/nowhere', app.server.url).href);
    await tab.getByText('This conversation does not exist, or you may not see it.').waitFor();
    // Each tab keeps its own role.
    await asker.reload();
    await asker.locator('.hp-text').getByText('hello').waitFor();
    expect(await asker.getByLabel('You are').inputValue()).toBe('asker');
    // The same is true of a request: it is open, and the next person may not see it.
    await say(asker, 'book a table');
    await card(asker).waitFor();
    const inbox = await asker.context().newPage();
    await inbox.goto(new URL('/inbox', app.server.url).href);
    await card(inbox).waitFor();
    await inbox.locator('.hp-row-link').filter({ hasText: 'Book a table' }).click();
    await inbox.waitForURL(/\/inbox\/.+/);
    await tab.goto(inbox.url());
    await tab.getByText('This request does not exist, or you may not see it.').waitFor();
    await button(asker, 'Cancel').click();
    await card(asker).waitFor({ state: 'detached' });
  }, 120_000);

  it('the next question of the agent gets the focus, and takes no key in its first moment', async () => {
    const page = await app.open('/');
    await say(page, 'onboard me');
    const isCard = `document.activeElement.matches('.hp-card')`;
    // Set by a card that takes no press.
    await page.evaluate(`new MutationObserver(() => { window.wasUnread = true; })
      .observe(document, { subtree: true, attributeFilter: ['data-unread'] })`);
    await page.locator('.hp-card input').first().fill('ana@b.com');
    expect(await page.evaluate('window.wasUnread')).toBe(undefined);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Which plan?' }).waitFor();
    await expect.poll(() => page.evaluate(isCard)).toBe(true);
    expect(await page.evaluate('window.wasUnread')).toBe(true);
    await page.locator('holdpoint-interrupt:not([data-unread])').waitFor();
    await button(page, 'Cancel').click();
    await card(page).waitFor({ state: 'detached' });
  }, 120_000);

  it('the record of an approval names the values that a person added to it', async () => {
    const page = await app.open('/');
    await say(page, 'delete old users');
    await page.getByLabel('Batch size').fill('7');
    await button(page, 'Delete 42 users').click();
    await button(page, 'Yes: Delete 42 users').click();
    const record = page.locator('.hp-call').first();
    await record
      .locator('.hp-call-record')
      .filter({ hasText: /You approved: Batch size: 7/ })
      .waitFor();
    await record.locator('summary').click();
    await record.locator('.hp-record dt').getByText('Batch size').waitFor();
    const audit = await app.open('/audit?q=users');
    await audit
      .locator('.audit-entry summary')
      .getByText(/Approved.*Batch size: 7/)
      .first()
      .waitFor();
    // The opened row has what the card had.
    await audit.locator('.audit-entry summary').first().click();
    await audit.locator('.audit-details').getByText('Risk: high').waitFor();
    await audit.locator('.audit-details dt').getByText('Rollback plan').waitFor();
  }, 120_000);

  it('a conversation that is erased within the undo time is told to the person who approved its call', async () => {
    const owner = await app.open('/');
    await owner.evaluate('window.confirm = () => true');
    const before = await balanceIn(await app.open('/'));
    await say(owner, 'pay 41 to ERASED');
    await card(owner).waitFor();
    const cfo = await play('cfo', '/inbox?q=ERASED');
    await button(cfo, 'Pay $41').click();
    await button(cfo, /^Undo/).waitFor();
    await button(owner, 'Erase').click();
    await cfo
      .locator('.inbox-notice')
      .getByText(
        'Pay $41 to ERASED: Its conversation was erased before the call ran, or you may not see it any more.',
      )
      .waitFor();
    expect(await button(cfo, /^Undo/).count()).toBe(0);
    expect(await balanceIn(await app.open('/'))).toBe(before);
    // After the call has run, nothing claims that it did not.
    await owner.getByRole('link', { name: 'New conversation' }).click();
    await say(owner, 'pay 42 to GONE');
    await card(owner).waitFor();
    await cfo.goto(new URL('/inbox?q=GONE', app.server.url).href);
    await button(cfo, 'Pay $42').click();
    await owner.getByText(/^Sent\. The balance is/).waitFor();
    await button(cfo, /^Undo/).waitFor({ state: 'hidden' });
    await button(owner, 'Erase').click();
    await owner.getByText('Choose a sentence below').waitFor();
    await cfo.keyboard.press('u');
    await cfo
      .locator('.inbox-notice')
      .getByText('Not undone: Its conversation was erased, or you may not see it any more.')
      .waitFor();
  }, 120_000);

  it('drafts and open cards of one person are hidden from the next person in the tab, and come back', async () => {
    const page = await app.open('/');
    const playHere = async (role: string) => {
      await page.evaluate('document.documentElement.dataset.earlier = "yes"');
      await page.getByLabel('You are').selectOption(role);
      await expect.poll(() => page.evaluate('document.documentElement.dataset.earlier ?? "new"')).toBe('new');
    };
    await say(page, 'transfer 121 to LEAK1');
    await card(page).waitFor();
    await page.getByText('Add a reason').click();
    await page.getByLabel(/^Reason/).fill('the rent');
    await page.getByLabel('Message', { exact: true }).fill('balance');
    const address = new URL(page.url()).pathname;
    const goThere = (path: string) => page.evaluate(`location.assign(${JSON.stringify(path)})`);
    await playHere('cfo');
    await goThere(address);
    await page.getByText('This conversation does not exist, or you may not see it').waitFor();
    expect(await card(page).count()).toBe(0);
    expect(await page.getByText('balance', { exact: true }).count()).toBe(0);
    await playHere('owner');
    await goThere(address);
    await expect.poll(() => page.getByLabel(/^Reason/).inputValue()).toBe('the rent');
    expect(await page.getByLabel('Message', { exact: true }).inputValue()).toBe('balance');
  });

  it('an approver who asks is told that another approver has to answer', async () => {
    const cfo = await play('cfo', '/');
    await say(cfo, 'pay 35 to ACME');
    await cfo
      .getByText('Waiting for another person of finance, because you asked.', { exact: true })
      .waitFor();
    const other = await play('asker', '/');
    await say(other, 'pay 36 to ACME');
    await other.getByText('Waiting for finance.', { exact: true }).waitFor();
    const inbox = await cfo.context().newPage();
    await inbox.goto(new URL('/inbox?q=ACME', app.server.url).href);
    const own = inbox.locator('.hp-row').filter({ hasText: 'Pay $35' });
    // "Select all" leaves out what the viewer may not decide.
    await inbox.locator('.hp-select-all input').check();
    await button(inbox, /^Approve \d+ …/).waitFor();
    expect(await own.locator('input:checked').count()).toBe(0);
    await own.locator('input').check();
    await inbox
      .locator('.hp-selection p')
      .getByText(/“Pay \$35 to ACME” was asked by you, so another person has to answer\./)
      .waitFor();
    await button(cfo, 'Withdraw').click();
    await card(cfo).waitFor({ state: 'detached' });
    await button(other, 'Withdraw').click();
    await card(other).waitFor({ state: 'detached' });
  }, 120_000);

  it('a request that its asker withdraws within the undo time takes the notice of its approval away', async () => {
    const asker = await play('asker', '/');
    await say(asker, 'pay 70 to ACME');
    await asker.getByText('Waiting for finance.', { exact: true }).waitFor();
    const cfo = await play('cfo', '/inbox?q=70');
    await button(cfo, 'Pay $70').click();
    const notice = cfo.locator('.inbox-notice');
    await notice.getByText('Approved: Pay $70 to ACME.').waitFor();
    await asker.evaluate(`(async () => {
      const headers = { 'holdpoint-as': 'asker', 'content-type': 'application/json' };
      const thread = location.pathname.split('/')[2];
      const { interrupts } = await (await fetch('/interrupts?status=all&thread=' + thread, { headers })).json();
      await fetch('/threads/' + thread + '/interrupts/' + interrupts[0].interrupt.id + '/withdraw', { method: 'POST', headers });
    })()`);
    await notice.getByText('Pay $70 to ACME: Withdrawn by asker. It was not run.').waitFor();
    expect(await button(cfo, /^Undo/).count()).toBe(0);

    await say(asker, 'pay 71 to ACME');
    await asker.getByText('Waiting for finance.', { exact: true }).waitFor();
    await cfo.goto(new URL('/inbox?q=71', app.server.url).href);
    await button(cfo, 'Pay $71').waitFor();
    // No look at the decisions before the undo.
    await cfo.evaluate('window.setInterval = () => 0');
    await button(cfo, 'Pay $71').click();
    await notice.getByText('Approved: Pay $71 to ACME.').waitFor();
    await asker.evaluate(
      `fetch('/threads/' + location.pathname.split('/')[2], { method: 'DELETE', headers: { 'holdpoint-as': 'asker' } })`,
    );
    await cfo.keyboard.press('u');
    await notice.getByText(/The conversation was deleted, and the call was not run\.$/).waitFor();
  }, 120_000);

  it('a payment that the CFO approved stays on the audit page after its asker deletes the conversation', async () => {
    const asker = await play('asker', '/');
    await say(asker, 'pay 888 to GHOST');
    await asker.getByText('Waiting for finance.', { exact: true }).waitFor();
    const cfo = await play('cfo', '/inbox?q=GHOST');
    await button(cfo, 'Pay $888').click();
    await asker
      .locator('.hp-text')
      .getByText(/^Sent\. The balance is/)
      .waitFor();
    const path = new URL(asker.url()).pathname;
    await asker.evaluate('window.confirm = () => true');
    await button(asker, 'Delete').click();
    await asker.locator(`.threads a[href="${path}"]`).waitFor({ state: 'detached' });

    await cfo.goto(new URL('/audit?q=GHOST', app.server.url).href);
    const entry = cfo.locator('.audit-entry');
    await entry.locator('.audit-decision').getByText('Approved').waitFor();
    await entry.locator('.audit-by').getByText('You', { exact: true }).waitFor();
    await entry.locator('.audit-asker').getByText('asker', { exact: true }).waitFor();
    await entry.locator('summary').click();
    await entry.locator('.audit-details').getByText('Asked by: asker').waitFor();
    await entry.getByText(/^The conversation was deleted by asker on /).waitFor();
    await entry.getByRole('heading', { name: 'Result' }).waitFor();
    expect(await accessibilityProblems(cfo)).toEqual([]);
    await entry.getByRole('link', { name: 'Open the request' }).click();
    await cfo.getByText(/^The conversation was deleted by asker on /).waitFor();
    expect(await cfo.getByText('Open the conversation').count()).toBe(0);

    // Deleted within the undo time of the approval: the call does not run.
    await say(asker, 'pay 777 to GHOST');
    await asker.getByText('Waiting for finance.', { exact: true }).waitFor();
    await cfo.evaluate(`(async () => {
      const headers = { 'holdpoint-as': 'cfo', 'content-type': 'application/json' };
      const { interrupts } = await (await fetch('/interrupts?text=777', { headers })).json();
      const body = JSON.stringify({ status: 'resolved', payload: { approved: true }, undoMs: 60000 });
      await fetch('/threads/' + interrupts[0].threadId + '/interrupts/' + interrupts[0].interrupt.id + '/answer', { method: 'POST', headers, body });
    })()`);
    const second = new URL(asker.url()).pathname;
    await button(asker, 'Delete').click();
    await asker.locator(`.threads a[href="${second}"]`).waitFor({ state: 'detached' });
    await cfo.goto(new URL('/audit?q=777', app.server.url).href);
    await cfo.locator('.audit-decision').getByText('Approved · did not run').waitFor();
    await cfo.locator('.audit-entry summary').click();
    await cfo.getByRole('link', { name: 'Open the request' }).click();
    await card(cfo)
      .getByText(/^Approved by you .* · did not run$/)
      .waitFor();
    const own = await play('asker', '/audit?q=888', 390);
    await own.locator('.audit-asker').waitFor();
    expect(await own.evaluate(`document.querySelector('.audit-asker').innerText`)).toBe('Asked by You');
    await own.locator('.audit-entry summary').click();
    await own.getByText(/^You deleted the conversation on /).waitFor();
  }, 120_000);

  it('a chat, the audit page and its grants say that the server is gone, and show everything after its restart', async () => {
    const page = await app.open('/');
    await say(page, 'email gone@b.com hello');
    await button(page, 'Send it').click();
    await page.getByText('The e-mail to gone@b.com is on its way.').waitFor();
    await say(page, 'transfer 1000 to ABC');
    await card(page).waitFor();
    const gone = page.getByText('The server cannot be reached. Trying again …');
    await app.server.kill();
    await page.getByRole('link', { name: 'Audit' }).click();
    await gone.waitFor();
    expect(await page.getByText('There is no decision yet that you may see.').count()).toBe(0);
    await app.server.start();
    // The page tries again by itself.
    await page.locator('.audit-title').getByText('Send an e-mail to gone@b.com').waitFor();
    await expect.poll(() => gone.count()).toBe(0);
    await app.server.kill();
    await button(page, 'Always allowed').click();
    await gone.waitFor();
    expect(await page.getByText('You have always allowed no tool.').count()).toBe(0);
    await page.evaluate('history.back()');
    await gone.waitFor();
    await app.server.start();
    await page.locator('.hp-call-title').getByText('Send $1,000 to ABC').waitFor();
    await expect.poll(() => gone.count()).toBe(0);
  }, 120_000);

  it('a risk stands in the row, in the list of a bulk approval, and the audit page writes amounts as the card does', async () => {
    for (const account of ['OVER1', 'OVER2']) {
      const chat = await app.open('/');
      await say(chat, `transfer 15000 to ${account}`);
      await card(chat).waitFor();
    }
    const page = await app.open('/inbox?q=OVER', { viewport: { width: 1440, height: 900 } });
    await page.getByText(/2 of \d+ open requests/).waitFor();
    expect(await page.locator('.hp-row').getByText('Risk: high').count()).toBe(2);
    await page.getByLabel('Select all 2').check();
    await button(page, 'Approve 2 …').click();
    const chosen = page.locator('.hp-selection li').first();
    await chosen.getByText('Risk: high').waitFor();
    await chosen.getByText(/too little, the bank would refuse/).waitFor();
    const isCut = `(({ scrollHeight, clientHeight }) => scrollHeight > clientHeight)(document.querySelector('.hp-selection ul'))`;
    expect(await page.evaluate(isCut)).toBe(false);
    await button(page, 'Yes, approve 2').click();
    await page.locator('.inbox-notice').waitFor();
    await page.goto(new URL('/audit?q=OVER2', app.server.url).href);
    await page.locator('.audit-entry summary').first().click();
    await page.locator('.audit-details .hp-args').first().getByText('$15,000', { exact: true }).waitFor();
    expect(await page.getByText('1500000').count()).toBe(0);
  }, 120_000);

  it('the earlier decisions of a request are those about its recipient, also when a person changed it', async () => {
    const page = await app.open('/');
    await say(page, 'email before@b.com hello');
    await button(page, 'Edit').click();
    await page.getByLabel('To', { exact: true }).fill('after@b.com');
    await page.locator('[data-action=approve]').click();
    await page.getByText('The e-mail to after@b.com is on its way.').waitFor();
    for (const recipient of ['after@b.com', 'before@b.com']) {
      await say(page, `email ${recipient} again`);
      await card(page).waitFor();
      const inbox = await app.open(`/inbox?q=${recipient}`);
      await inbox.getByRole('heading', { name: `Earlier decisions about ${recipient}` }).waitFor();
      await inbox
        .locator('.pane-decisions')
        .getByText(/Approved with 1 change .*: To: after@b\.com/)
        .waitFor();
      await button(page, 'Cancel request').click();
      await card(page).waitFor({ state: 'detached' });
    }
  }, 120_000);

  it('a call that ran without asking shows its arguments with their unit, also after a reload', async () => {
    const page = await app.open('/');
    await say(page, 'transfer 50 to CENTS');
    await page.getByText(/^Sent\. The balance is/).waitFor();
    for (const isReloaded of [false, true]) {
      if (isReloaded) await page.reload();
      await page.locator('.hp-call summary').click();
      await page.locator('.hp-call .hp-args').getByText('$50', { exact: true }).waitFor();
      expect(await page.locator('.hp-call .hp-args').getByText('5000').count()).toBe(0);
    }
  }, 120_000);

  it('a payment beyond the balance shows its risk to the CFO, and as failed when it is approved', async () => {
    const asker = await play('asker', '/');
    await say(asker, 'pay 50000 to ACME');
    await asker.getByText('Waiting for finance.', { exact: true }).waitFor();
    const cfo = await play('cfo', '/inbox?q=50,000');
    await card(cfo).getByText('Risk: high').waitFor();
    await card(cfo)
      .getByText(/too little, the bank would refuse/)
      .waitFor();
    await button(cfo, 'Pay $50,000').click();
    await asker
      .locator('.hp-text')
      .getByText(/^Not sent: the balance is/)
      .waitFor();
    await asker.locator('.hp-call').getByText('Failed', { exact: true }).waitFor();
    await cfo.goto(new URL('/audit?q=50,000', app.server.url).href);
    await cfo
      .locator('.audit-decision')
      .getByText(/· failed$/)
      .waitFor();
    await cfo.locator('.audit-entry summary').click();
    await cfo
      .locator('.audit-details .pane-part')
      .getByText(/Not sent: the balance is/)
      .waitFor();
  }, 120_000);

  it('a call that fails after its approval says so in the inbox until it is closed, on a wide screen and on a phone', async () => {
    const asker = await play('asker', '/');
    const wide = await play('cfo', '/inbox?q=FAILX');
    const phone = await play('cfo', '/inbox?q=FAILY', 390);
    for (const [cfo, payee] of [
      [wide, 'FAILX'],
      [phone, 'FAILY'],
    ] as const) {
      await asker.goto(new URL('/', app.server.url).href);
      await say(asker, `pay 50000 to ${payee}`);
      await asker.getByText('Waiting for finance.', { exact: true }).waitFor();
      await cfo.locator('.hp-row-link').click();
      await button(cfo, 'Pay $50,000').click();
      await cfo
        .locator('.inbox-notice')
        .getByText(/^Approved: Pay \$50,000/)
        .waitFor();
      const failure = cfo.locator('.inbox-failures');
      await failure.getByText(`: Pay $50,000 to ${payee}`).waitFor();
      expect(await failure.textContent()).toMatch(/to FAIL[XY]\.\s+Not sent: the balance is \$[\d,.]+\.\s/);
      await failure.getByRole('link', { name: 'Open the request' }).click();
      await cfo.getByText('The call failed').first().waitFor();
      expect(await accessibilityProblems(cfo)).toEqual([]);
      await failure.getByRole('button', { name: 'Close' }).click();
      await expect.poll(() => failure.count()).toBe(0);
      await cfo.locator('.hp-card:focus').waitFor();
    }
  }, 120_000);

  it('a row shows its amount and its payee whole at every width, in English and in German', async () => {
    const texts = [
      'transfer 1250.50 to WHOLE-NORTHWIND-TRADERS',
      'email whole.department@contoso-international.com hi',
    ];
    for (const text of texts) {
      const page = await app.open('/');
      await say(page, text);
      await card(page).waitFor();
    }
    const cut = `[...document.querySelectorAll('.hp-row-title, .hp-row-amount')]
      .filter((one) => one.scrollWidth > one.clientWidth + 1 || one.scrollHeight > one.clientHeight + 2)
      .map((one) => one.textContent)`;
    const overlapping = `[...document.querySelectorAll('.hp-row-link')].flatMap((row) => {
      const boxes = [...row.children].filter((one) => one.offsetParent !== null && one.textContent.trim() !== '')
        .map((one) => [one, one.getBoundingClientRect()]);
      return boxes.flatMap(([one, a], index) => boxes.slice(index + 1).flatMap(([other, b]) =>
        a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1
          ? [one.className + ' over ' + other.className] : []));
    })`;
    for (const locale of ['en-US', 'de-DE'])
      for (const width of [1440, 1280, 1200, 1024, 820, 390, 320]) {
        const page = await app.open('/inbox?q=whole', { locale, viewport: { width, height: 800 } });
        await page.locator('.hp-row').nth(1).waitFor();
        const found = [await page.evaluate(cut), await page.evaluate(overlapping)];
        expect([locale, width, ...found]).toEqual([locale, width, [], []]);
      }
  }, 180_000);

  it('transfers that the balance covers one by one but not together say so before they are approved', async () => {
    for (let number = 0; number < 3; number += 1) {
      const page = await app.open('/');
      await say(page, 'transfer 4000 to TOGETHER');
      await card(page).waitFor();
    }
    const page = await app.open('/inbox?q=TOGETHER');
    await page.getByLabel('Select all 3').check();
    await page.keyboard.press('a');
    const sum = page
      .locator('.hp-selection')
      .getByText(/^Together \$12,000; the balance was \$[\d,.]+ when the newest of them was asked: not all/);
    await sum.waitFor();
    await page.locator('.hp-selection').getByText('2 of them repeat another one exactly.').waitFor();
    await page.keyboard.press('r');
    await page.locator('.hp-selection').getByText('Reject 3 requests?').waitFor();
    expect(await sum.count()).toBe(0);
    await page.keyboard.press('Enter');
    await page.getByText('3 requests rejected.', { exact: true }).waitFor();
  }, 120_000);

  it('transfers that the balance covers say how old that balance is before they are approved', async () => {
    for (const account of ['COVERED1', 'COVERED2']) {
      const page = await app.open('/');
      await say(page, `transfer 200 to ${account}`);
      await card(page).getByText('The balance may be lower now.').waitFor();
    }
    const page = await app.open('/inbox?q=COVERED');
    const selection = page.locator('.hp-selection');
    await page.locator('.hp-row input').first().check();
    await page.keyboard.press('a');
    await selection
      .getByText(/^The balance was \$[\d,.]+ when it was asked; it may be lower now\.$/)
      .waitFor();
    await page.getByLabel('Select all 2').check();
    await page.keyboard.press('a');
    await selection
      .getByText(/^The balance was \$[\d,.]+ when the newest of them was asked; it may be lower now\.$/)
      .waitFor();
    expect(await selection.getByText(/not all of them are covered/).count()).toBe(0);
    await page.keyboard.press('r');
    await page.keyboard.press('Enter');
    await page.getByText('2 requests rejected.', { exact: true }).waitFor();
  }, 120_000);

  it('a result has the unit of its tool in the chat, after a reload and on the audit page', async () => {
    const page = await app.open('/');
    await say(page, 'transfer 1000 to UNIT');
    await button(page, 'Send $1,000').click();
    const told = page.locator('.hp-text').getByText(/^Sent\. The balance is/);
    await told.waitFor();
    const amount = /(-?\$[\d,.]*\d)/.exec((await told.textContent()) ?? '')?.[1] ?? 'no amount';
    for (const isReloaded of [false, true]) {
      if (isReloaded) await page.reload();
      await page.locator('.hp-call summary').click();
      await page.locator('.hp-call .hp-args').getByText(amount, { exact: true }).waitFor();
    }
    await page.goto(new URL('/audit?q=UNIT', app.server.url).href);
    await page.locator('.audit-entry summary').click();
    await page.locator('.audit-details .pane-part').getByText(amount, { exact: true }).waitFor();
  }, 120_000);

  it.each([
    [390, 'en'],
    [390, 'de'],
    [320, 'en'],
    [320, 'de'],
    [720, 'de'],
  ] as const)(
    'a phone of %i px in %s shows the whole navigation, also beside a notice, and no keys',
    async (width, locale) => {
      const phone = { viewport: { width, height: 800 }, locale, hasTouch: true, isMobile: true };
      for (const text of ['transfer 1000 to ABC', 'transfer 2000 to ABC']) {
        const chat = await app.open('/');
        await say(chat, text);
        await card(chat).waitFor();
      }
      const page = await app.open('/inbox', phone);
      const isInside = (selector: string) =>
        page.evaluate<boolean>(`[...document.querySelectorAll('${selector}')].every((one) => {
          const { left, right, top } = one.getBoundingClientRect();
          const { scrollWidth, clientWidth } = one;
          return left >= 0 && right <= innerWidth && top >= 0 && scrollWidth <= clientWidth + 1;
        })`);
      await page.locator('.hp-row-link').first().click();
      await page.locator('[data-action=approve]').click();
      await page.locator('.inbox-notice').waitFor();
      expect(await isInside('.app-head nav, .app-head nav a, .app-tools, .app-tools button')).toBe(true);
      expect(await isInside('.inbox-steps a, .inbox-steps button')).toBe(true);
      const covered = `[...document.querySelectorAll('.app-head a, .app-head button, .inbox-steps a, .inbox-steps button')]
        .filter((one) => one.getClientRects().length > 0).filter((one) => {
          const { left, top, width, height } = one.getBoundingClientRect();
          return !one.contains(document.elementFromPoint(left + width / 2, top + height / 2));
        }).map((one) => one.textContent.trim())`;
      expect(await page.evaluate(covered)).toEqual([]);
      const keys = `[...document.querySelectorAll('kbd, .app-keys')].filter((one) => one.getClientRects().length > 0).length`;
      expect(await page.evaluate(keys)).toBe(0);
    },
    120_000,
  );

  it('every page names the owner, and the list of grants names the receiver and the arguments', async () => {
    const chat = await app.open('/');
    await say(chat, 'email own@b.com hello');
    await card(chat).waitFor();
    const inbox = await app.open('/inbox?q=own@b.com', { viewport: { width: 1440, height: 900 } });
    await card(inbox).getByText('asked by you').waitFor();
    await card(inbox).getByText('agent Assistant').waitFor();
    await inbox.locator('.hp-row-person').getByText('You', { exact: true }).waitFor();
    await chat.getByText('Allow it without asking next time').click();
    await chat.getByLabel('Next time').selectOption('arguments-thread');
    await button(chat, 'Send it').click();
    await chat
      .getByText(/You approved/)
      .first()
      .waitFor();
    await say(chat, 'email other@b.com hello');
    await chat.getByText('Allow it without asking next time').click();
    await chat.getByLabel('Next time').selectOption('tool-principal');
    await button(chat, 'Send it').click();
    await chat.getByText('The e-mail to other@b.com is on its way.').waitFor();
    const audit = await play('owner', '/audit?q=own@b.com', 390);
    await audit.locator('.audit-by').getByText('You').waitFor();
    // The filters take the words of the list.
    await audit.getByLabel('Decided by').fill('you');
    await audit.getByLabel('Agent').fill('Assistant');
    await audit.getByLabel('Tool').fill('send email');
    await audit.waitForURL(/from=assistant&tool=sendEmail&by=owner/);
    // The words stay as they are written, also when they go on.
    await audit.getByLabel('Decided by').focus();
    await audit.keyboard.press('End');
    await audit.keyboard.press('r');
    await audit.waitForURL(/by=your$/);
    await audit.keyboard.press('Backspace');
    await audit.waitForURL(/by=owner$/);
    expect(await audit.getByLabel('Decided by').inputValue()).toBe('you');
    await audit.locator('.audit-by').getByText('You').waitFor();
    await button(audit, 'Always allowed').click();
    const always = audit.locator('.audit-grant').filter({ hasText: 'with any arguments' });
    await always.getByText('for you · given by you · uses: 0', { exact: true }).waitFor();
    const exact = audit.locator('.audit-grant').filter({ hasText: 'only with these arguments:' });
    await exact.getByText('in one conversation · given by you · uses: 0', { exact: true }).waitFor();
    await exact.locator('dd').getByText('own@b.com').waitFor();
    expect(await audit.locator('.audit-grant').getByText('{').count()).toBe(0);
    const lines = `(() => { const range = document.createRange();
      range.selectNodeContents(document.querySelector('.audit-grant button'));
      return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size; })()`;
    expect(await audit.evaluate(lines)).toBe(1);
    expect(await audit.evaluate('document.documentElement.scrollWidth')).toBe(390);
    expect(await accessibilityProblems(audit)).toEqual([]);
    for (const grant of [always, exact]) await grant.getByRole('button', { name: 'Revoke' }).click();
    await audit.getByText('You have always allowed no tool.').waitFor();
    const cfo = await play('cfo', '/');
    await say(cfo, 'order a laptop');
    await card(cfo).waitFor();
    await say(chat, 'sign me up');
    await card(chat).waitFor();
    const owner = await app.open('/inbox', { viewport: { width: 1440, height: 900 } });
    expect(await owner.getByLabel('Asked by').textContent()).toMatch(/cfo[^]*You/);
    await owner.goto(new URL('/inbox?q=laptop', app.server.url).href);
    await button(owner, 'Order it').click();
    await cfo
      .getByText(/owner approved/)
      .first()
      .waitFor();
    await button(chat, /^Cancel/).click();
    await card(chat).waitFor({ state: 'detached' });
  }, 120_000);

  it('an answer that waits for the other request of its turn survives a reload, an undo elsewhere, and goes once', async () => {
    const chat = await app.open('/');
    await say(chat, 'do both');
    await expect.poll(() => card(chat).count()).toBe(2);
    await button(chat, 'Send $1,000').click();
    await chat.getByText(/it goes with the other answers/).waitFor();
    await chat.reload();
    await chat.getByText(/it goes with the other answers/).waitFor();
    const isReady = `document.querySelector('holdpoint-chat').conversation.getSnapshot().isReady`;
    await expect.poll(() => chat.evaluate(isReady)).toBe(true);
    const inbox = await app.open('/inbox', { viewport: { width: 1440, height: 900 } });
    await inbox.locator('.hp-row-title').getByText('Send an e-mail to a@b.com').click();
    await rejectRequest(inbox);
    // Nothing is sent while the other answer can be taken back.
    await chat.getByText('Starts in a moment').first().waitFor();
    await button(inbox, /^Undo/).click();
    // The answer that was taken back can be given here again.
    await card(chat).getByRole('button', { name: 'Reject' }).waitFor();
    expect(await chat.getByText(/in another window/).count()).toBe(0);
    await inbox.locator('.hp-row-title').getByText('Send an e-mail to a@b.com').click();
    await rejectRequest(inbox);
    await inbox.locator('.inbox-notice').waitFor();
    await chat.getByText(/Sent\. The balance is/).waitFor();
    expect(await chat.getByText('could not be reached').count()).toBe(0);
  }, 120_000);
}
