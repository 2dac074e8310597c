import { describe, expect, it } from 'vitest';
import type { Page } from './browser-types.ts';
import { inboxRequests } from './inbox-requests.ts';
import { accessibilityProblems } from './start-browser.ts';
import { button, card, decideByKey, focused, say, useApp } from './use-app.ts';

const app = useApp();
const { answer, ask, empty } = inboxRequests(app);
const address = (page: Page) => new URL(page.url()).pathname;

describe('the audit page', () => {
  const LONG =
    'The account belongs to a supplier that we have not checked, and the invoice names another one. '.repeat(
      3,
    );

  it.each([1280, 390])('shows who decided, the whole reason and the time of day at %i px', async (width) => {
    const thread = await ask('transfer');
    const payload = { approved: false, reason: LONG.trim() };
    await answer(thread, { status: 'resolved', payload });
    const page = await app.open('/audit', { viewport: { width, height: 800 } });
    const summary = page.locator('.audit-entry summary').first();
    await summary.getByText(`Rejected: ${LONG.trim()}`).waitFor();
    const cut = `[...document.querySelector('.audit-entry summary').querySelectorAll('*')]
      .filter((one) => !one.closest('.hp-hidden, svg') && one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 0)
      .map((one) => one.className)`;
    expect(await page.evaluate(cut)).toEqual([]);
    const shown = (name: string) =>
      page.evaluate<string>(`document.querySelector('.audit-${name}').innerText`);
    expect(await shown('by')).toMatch(/You$/);
    const year = new Date().getFullYear();
    expect(await shown('at')).toMatch(new RegExp(`${year}.*\\d:\\d\\d`));
  });
});

it('eight windows of one browser all load, and each shows a new request and sends an answer', async () => {
  await empty();
  const first = await app.open('/');
  const pages = [first];
  // Playwright shows every page as visible, so each wants its streams; a browser has six connections for all of them.
  for (let window = 2; window <= 8; window += 1) {
    const page = await first.context().newPage();
    await page.goto(new URL(window % 2 === 0 ? '/inbox' : '/', app.server.url).href);
    pages.push(page);
  }
  for (const page of pages) await page.locator('holdpoint-chat, holdpoint-inbox').first().waitFor();
  const thread = await ask('transfer');
  for (const page of pages) await expect.poll(() => page.title()).toMatch(/^\(1\)/);
  const last = pages.at(-1) ?? first;
  await last.locator('.hp-row-link').click();
  await button(last, 'Approve').click();
  await expect.poll(() => first.title()).toBe('Chat · Holdpoint');
  await first.goto(new URL(`/chat/${thread}`, app.server.url).href);
  await first
    .getByText(/You approved/)
    .first()
    .waitFor();
});

describe('a conversation', () => {
  it('a conversation keeps the draft of its card while another one is open', async () => {
    const page = await app.open('/');
    await say(page, 'form');
    await page.getByLabel('Full name').fill('Ada');
    await page.getByLabel('Pro').check();
    const first = address(page);
    await page.getByRole('link', { name: 'New conversation' }).click();
    await say(page, 'hello');
    await page.getByText('You said').first().waitFor();
    await page.locator(`.threads a[href="${first}"]`).click();
    await page.getByLabel('Full name').waitFor();
    expect(await page.getByLabel('Full name').inputValue()).toBe('Ada');
    expect(
      await page.evaluate(`document.querySelector('input[type=radio]:checked').labels[0].textContent.trim()`),
    ).toBe('Pro');
  });

  it('a conversation counts its open requests in the list, in the title of the page and above the message', async () => {
    await empty();
    const page = await app.open('/');
    await say(page, 'do both');
    await page.locator('.hp-composer-note').getByText('2 requests are waiting for you.').waitFor();
    await page
      .locator(`.threads a[href="${address(page)}"] .app-count`)
      .getByText('2 open requests', { exact: true })
      .waitFor();
    await expect.poll(() => page.title()).toBe('(2) Chat · Holdpoint');
    await button(page, 'Approve').first().click();
    await page.getByText('1 of 2 answered', { exact: true }).waitFor();
    await page.locator('.hp-composer-note').getByText('1 request is waiting for you.').waitFor();
    await page.getByRole('link', { name: 'New conversation' }).click();
    await say(page, 'choose');
    await page.locator('.hp-composer-note').getByText('1 question is waiting for you.').waitFor();
  });

  it('a conversation takes two presses of the approving key in a row as one approval', async () => {
    const page = await app.open('/');
    await say(page, 'do both');
    await page.getByText('0 of 2 answered', { exact: true }).waitFor();
    await page.evaluate(`for (const card of document.querySelectorAll('holdpoint-interrupt'))
      card.dispatchEvent(new KeyboardEvent('keydown', { key: 'a', bubbles: true }))`);
    await page.getByText('1 of 2 answered', { exact: true }).waitFor();
    await button(page, 'Approve').click();
    await page.getByText(/^Result:/).waitFor();
  });

  it('a conversation leaves the focus in the message while another window answers, and announces the answer once', async () => {
    const page = await app.open('/');
    await say(page, 'transfer');
    await button(page, 'Approve').waitFor();
    const said = () => page.evaluate<string>(`document.querySelector('body > [role=status]').textContent`);
    expect(await said()).toBe('1 open request.');
    await page.getByLabel('Message', { exact: true }).fill('Let me see');
    const other = await app.open(address(page));
    await button(other, 'Approve').click();
    await page.getByText(/^Result: .*DONE/).waitFor();
    expect(await focused(page, 'focused.value')).toBe('Let me see');
    expect(await page.evaluate(`document.querySelectorAll('body > [role=status]').length`)).toBe(1);
    expect(await said()).toContain('Approved');
    await expect.poll(said, { timeout: 30_000 }).toBe('');
  });

  it('a conversation stops saying how many requests are open once they are answered', async () => {
    const page = await app.open('/');
    await say(page, 'transfer');
    const said = () => page.evaluate<string>(`document.querySelector('body > [role=status]').textContent`);
    await button(page, 'Approve').waitFor();
    expect(await said()).toBe('1 open request.');
    await button(page, 'Approve').click();
    await page.getByText(/^Result: .*DONE/).waitFor();
    expect(await said()).toBe('');
  });

  it('a conversation whose request is decided while it is loaded shows who decided', async () => {
    const page = await app.open('/');
    await say(page, 'transfer');
    await button(page, 'Approve').waitFor();
    const path = address(page);
    const other = await app.open('/');
    // The list of requests is read before the decision, and the thread after it.
    await other.addInitScript({
      content: `const shown = new Promise((resolve) => { window.show = resolve; });
        window.fetch = ((fetch) => async (...request) => {
          const url = String(request[0]?.url ?? request[0]);
          if (url.includes('/threads/') && url.includes('/events')) await shown;
          const response = await fetch(...request);
          if (url.includes('/interrupts?thread=')) window.isListed = true;
          return response;
        })(window.fetch);`,
    });
    await other.goto(new URL(path, app.server.url).href);
    await expect.poll(() => other.evaluate('window.isListed === true')).toBe(true);
    // A conversation that is not read yet is not called new.
    expect(await other.locator('h1').textContent()).not.toBe('New conversation');
    expect(await other.getByRole('group', { name: 'Try' }).count()).toBe(0);
    await button(page, 'Approve').click();
    await page.getByText(/^Result: .*DONE/).waitFor();
    await other.evaluate('window.show()');
    await other.getByText(/^Result: .*DONE/).waitFor();
    await other
      .locator('.hp-call-record')
      .getByText(/approved/i)
      .waitFor();
  });

  it('a conversation does not call entries unsent that another window of the browser has sent', async () => {
    const page = await app.open('/');
    await say(page, 'email');
    await button(page, 'Edit').click();
    await page.getByLabel('Subject').fill('Good morning');
    const other = await page.context().newPage();
    await other.goto(page.url());
    await other.getByLabel('Subject').focus();
    expect(await other.getByLabel('Subject').inputValue()).toBe('Good morning');
    const raisedAt = () => other.evaluate(`document.querySelector('holdpoint-interrupt').raisedAt`);
    const before = await raisedAt();
    await button(page, 'Approve with 1 change').click();
    await card(other)
      .getByText(/Approved with 1 change.*in another window/)
      .waitFor();
    expect(await other.getByText('These entries were not sent').count()).toBe(0);
    expect([await focused(other, `focused.matches('.hp-card')`), await raisedAt()]).toEqual([true, before]);
  });

  it('a message says which answers are sent with it, and the link to the content leads past the list', async () => {
    const page = await app.open('/');
    await page.getByRole('link', { name: 'New conversation' }).click();
    await expect.poll(() => focused(page, 'focused.tagName')).toBe('TEXTAREA');
    await page.keyboard.type('do both');
    await page.keyboard.press('Enter');
    await button(page, 'Approve').first().click();
    await page.locator('.hp-chat-progress').getByText('1 of 2 answered', { exact: true }).waitFor();
    await page.locator('body > [role=status]').getByText('1 of 2 answered.').waitFor();
    await say(page, 'hello');
    await page.getByText(/^Your answer is sent too: Approved: .*mail/i).waitFor();
    await button(page, 'Cancel it and send').click();
    await page.getByText('You said hello').waitFor();
    await page.getByRole('link', { name: 'Skip to content' }).focus();
    for (const key of ['Enter', 'Tab']) await page.keyboard.press(key);
    expect(await focused(page, `focused.closest('.chat-main') !== null`)).toBe(true);
  });

  it('a conversation that was left and opened again is ready at once', async () => {
    const page = await app.open('/');
    await say(page, 'weather');
    await button(page, 'Answer again').waitFor();
    await page.getByRole('link', { name: 'Audit' }).click();
    await page.getByRole('heading', { name: 'Audit' }).waitFor();
    await page.evaluate('history.back()');
    await button(page, 'Answer again').waitFor();
  });

  it('keeps a message that is entered while the conversation is loaded, also when the page is left, and then sends it', async () => {
    const page = await app.open('/');
    // The thread is not read before `show` is called.
    await page.addInitScript({
      content: `const shown = new Promise((resolve) => { window.show = resolve; });
        window.fetch = ((fetch) => async (...request) => {
          if (String(request[0]?.url ?? request[0]).includes('/events')) await shown;
          return fetch(...request);
        })(window.fetch);
        // Without it, the message is sent after some seconds.
        window.setTimeout = ((set) => (run, ms) => (ms === 5000 ? 0 : set(run, ms)))(window.setTimeout);`,
    });
    await page.reload();
    const input = page.getByLabel('Message', { exact: true });
    await say(page, 'weather');
    const note = page.getByText('Your message is sent as soon as the conversation is ready.');
    await note.waitFor();
    expect(await input.inputValue()).toBe('weather');
    await page.getByRole('link', { name: 'Audit' }).click();
    await page.getByRole('heading', { name: 'Audit' }).waitFor();
    await page.evaluate('history.back()');
    await expect.poll(() => input.inputValue()).toBe('weather');
    await input.fill('');
    // A suggestion waits in the same way. The agent has it, so the page keeps it when it is rendered again.
    await page.evaluate(`{
      const chat = document.querySelector('holdpoint-chat-page');
      Object.assign(chat.agent, { suggestions: ['weather'] });
      chat.requestUpdate();
    }`);
    await button(page, 'weather').click();
    await note.waitFor();
    await page.evaluate('window.show()');
    await page.getByText(/^Result: .*sunny/).waitFor();
    expect(await input.inputValue()).toBe('');
  });

  it('an answer that waits in a conversation for another one is named in the inbox', async () => {
    const page = await app.open('/');
    await empty();
    await say(page, 'do both');
    await button(page, 'Approve').first().click();
    await page.getByText('Approved. Not sent yet: it goes with the other answers.').waitFor();
    await page.getByRole('link', { name: 'Inbox' }).click();
    await page.locator('.hp-row-title').getByText('Shall this e-mail go out?').click();
    await page
      .getByText('You have answered this in the conversation: Approved. It is not sent yet')
      .waitFor();
    await page.reload();
    await page
      .getByText('You have answered this in the conversation: Approved. It is not sent yet')
      .waitFor();
    await page.locator('.hp-row-title').getByText('Transfer money').click();
    await card(page).getByText('ABC123').waitFor();
    expect(await page.getByText('You have answered this').count()).toBe(0);
  });

  it('a conversation is listed, opened and deleted', async () => {
    const page = await app.open('/');
    await say(page, 'transfer');
    await button(page, 'Approve').waitFor();
    const path = address(page);
    const link = page.locator(`.threads a[href="${path}"]`);
    await link.waitFor();
    await page.getByRole('link', { name: 'New conversation' }).click();
    await page.getByText('Choose a sentence below').waitFor();
    await link.click();
    await button(page, 'Approve').waitFor();
    // Says no to Erase and yes to Delete.
    await page.evaluate(
      `window.asked = []; window.confirm = (text) => { asked.push(text); return text.startsWith('Delete'); }`,
    );
    await button(page, 'Erase').click();
    await button(page, 'Delete').click();
    const [erase, remove] = await page.evaluate<string[]>('asked');
    expect(erase).toMatch(
      /^Erase .*\n\nRemoves .*all its requests, also the decided ones.*names and values.* stay\.$/,
    );
    expect(remove).toMatch(
      /^Delete .*\n\nRemoves .*\. Approved calls .* do not run\. Decided requests stay on the audit page/,
    );
    await link.waitFor({ state: 'detached' });
    await page.getByText('Choose a sentence below').waitFor();
    expect(await focused(page, 'focused.tagName')).not.toBe('BODY');
  });
});

describe('every page', () => {
  it('every page has a policy that allows its own scripts only, also a page of an unknown path', async () => {
    for (const path of ['/', '/chat/none', '/inbox', '/inbox/none/none', '/audit', '/nowhere']) {
      const { headers } = await fetch(new URL(path, app.server.url), { headers: { accept: 'text/html' } });
      const policy = headers.get('content-security-policy')?.split('; ') ?? [];
      expect([path, ...policy]).toEqual(
        expect.arrayContaining([path, "default-src 'none'", "script-src 'self'"]),
      );
    }
  });

  it.each(['light', 'dark'] as const)(
    'every page and state has no axe violation in %s',
    async (colorScheme) => {
      const options = { colorScheme, reducedMotion: 'reduce' } as const;
      await empty();
      const problems = async (page: Page, state: string) =>
        (await accessibilityProblems(page)).map((problem) => `${state}: ${problem}`);
      const page = await app.open('/inbox', options);
      await page.getByText('No request is waiting for you.').waitFor();
      expect(await problems(page, 'an empty inbox')).toEqual([]);
      await page.keyboard.press('?');
      await page.getByRole('heading', { name: 'Keys' }).waitFor();
      expect(await problems(page, 'the keys')).toEqual([]);
      await page.goto(new URL('/inbox?q=nothing', app.server.url).href);
      await page.getByText('No open request matches.').waitFor();
      expect(await problems(page, 'no match')).toEqual([]);
      await page.goto(new URL('/inbox/none/none', app.server.url).href);
      await page.getByRole('alert').waitFor();
      expect(await problems(page, 'an unknown request')).toEqual([]);
      await page.goto(new URL('/nowhere', app.server.url).href);
      await page.getByRole('heading', { name: 'There is no page at this address' }).waitFor();
      expect(await problems(page, 'an unknown page')).toEqual([]);
      await page.goto(new URL('/audit?q=nothing', app.server.url).href);
      await page.getByText('No decision that you may see matches.').waitFor();
      await page.getByText('It does not look at results.').waitFor();
      expect(await problems(page, 'an empty audit')).toEqual([]);
      await button(page, 'Always allowed').click();
      await page.getByText('You have always allowed no tool.').waitFor();
      expect(await problems(page, 'no grants')).toEqual([]);
      for (const text of ['transfer', 'email']) await ask(text);
      await page.goto(new URL('/inbox', app.server.url).href);
      await card(page).waitFor();
      for (const key of ['r', 'Enter']) await page.keyboard.press(key);
      await button(page, /^Undo/).waitFor();
      expect(await problems(page, 'a decision that can be undone')).toEqual([]);
      await app.server.kill();
      await decideByKey(page, 'a');
      await page.getByText('The server cannot be reached: this list may be old.').waitFor();
      await button(page, 'Retry').waitFor();
      expect(await problems(page, 'offline')).toEqual([]);
      await app.server.start();
      const chat = await app.open('/', options);
      await say(chat, 'fail');
      await chat.getByText('The model failed. Try again.').waitFor();
      await say(chat, 'choose');
      await chat.getByText('green').waitFor();
      await say(chat, 'weather');
      await button(chat, 'Cancel it and send').waitFor();
      expect(await problems(chat, 'a choice in the composer')).toEqual([]);
      await button(chat, 'Rename').click();
      expect(await problems(chat, 'a new name')).toEqual([]);
    },
    300_000,
  );

  it('every page shows what is chosen in a contrast theme of the system', async () => {
    await empty();
    for (const text of ['transfer', 'email']) await ask(text);
    const page = await app.open('/inbox', { forcedColors: 'active' });
    await card(page).waitFor();
    const lines = (selector: string) =>
      page.evaluate<{ isChosen: boolean; line: string }[]>(
        `[...document.querySelectorAll(${JSON.stringify(selector)})].map((one) => {
          const { outlineStyle, outlineWidth, borderBottomColor } = getComputedStyle(one);
          const isChosen = one.matches('[aria-current], [data-current], [aria-pressed="true"]');
          return { isChosen, line: [outlineStyle, outlineWidth, borderBottomColor].join(' ') };
        })`,
      );
    const places = [
      ['/inbox', '.app-head nav a'],
      ['/inbox', '.hp-row'],
      ['/', '.threads li a'],
      ['/audit', '.hp-button[aria-pressed]'],
    ] as const;
    for (const [path, selector] of places) {
      await page.goto(new URL(path, app.server.url).href);
      await page.locator(selector).nth(1).waitFor();
      if (path === '/') await page.locator(selector).first().click();
      await expect.poll(async () => (await lines(selector)).filter((one) => one.isChosen).length).toBe(1);
      const all = await lines(selector);
      const chosen = all.find((one) => one.isChosen)?.line;
      const others = all.filter((one) => !one.isChosen).map((one) => one.line);
      expect([selector, others]).not.toEqual([selector, []]);
      expect([selector, others.includes(chosen ?? '')]).toEqual([selector, false]);
    }
  });

  it('every page follows the theme of the system, and the one that a reader chooses', async () => {
    const background = (page: Page) =>
      page.evaluate<string>(`getComputedStyle(document.body).backgroundColor`);
    const light = await app.open('/', { colorScheme: 'light' });
    const dark = await app.open('/', { colorScheme: 'dark' });
    const [bright, black] = [await background(light), await background(dark)];
    expect(bright).not.toBe(black);
    await button(dark, 'Theme: system').click();
    await button(dark, 'Theme: light').waitFor();
    expect(await background(dark)).toBe(bright);
    await dark.reload();
    await button(dark, 'Theme: light').waitFor();
    expect(await background(dark)).toBe(bright);
    await button(light, 'Theme: system').click();
    await button(light, 'Theme: dark').waitFor();
    expect(await background(light)).toBe(black);
  });

  it('every page is served compressed, and its files never change under their address', async () => {
    const page = await app.open('/');
    const sources = await page.evaluate<readonly string[]>(
      `[...document.querySelectorAll('script[src], link[rel=stylesheet]')].map((one) => one.src || one.href)`,
    );
    for (const source of sources) {
      const { headers } = await fetch(source, { headers: { 'accept-encoding': 'gzip' } });
      expect([headers.get('content-encoding'), headers.get('cache-control')]).toEqual([
        'gzip',
        expect.stringContaining('immutable'),
      ]);
    }
  });
});
