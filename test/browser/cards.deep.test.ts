import { describe, expect, it } from 'vitest';
import { CARD_KINDS } from './card-kinds.ts';
import type { Page } from './browser-types.ts';
import { accessibilityProblems } from './start-browser.ts';
import { button, card, focused, useApp } from './use-app.ts';

/** Cards on a page of their own, without a server behind them: every kind of interrupt, and every state of an answer. */
const app = useApp();

type Options = Parameters<typeof app.open>[1];

/** A page with a place for elements. */
async function openBlank(options?: Options): Promise<Page> {
  const page = await app.open('/nowhere', options);
  await page.getByRole('heading', { name: 'There is no page at this address' }).waitFor();
  await page.evaluate(`(() => {
    const place = document.createElement('div');
    place.id = 'place';
    document.querySelector('.page').append(place);
    window.clock = Date.now();
    window.events = [];
    for (const name of ['answer', 'retry', 'ask-again', 'withdraw', 'close'])
      place.addEventListener('holdpoint-' + name, ({ detail }) => window.events.push([name, detail.entry]));
  })()`);
  return page;
}

/** Replaces what is shown by elements with these properties. `script` sets those that are not JSON, on `one`. */
async function show(
  page: Page,
  properties: readonly object[],
  { tag = 'holdpoint-interrupt', script = '' }: { readonly tag?: string; readonly script?: string } = {},
): Promise<void> {
  await page.evaluate(`(async () => {
    window.events.length = 0;
    const elements = ${JSON.stringify(properties)}.map((each) => {
      const one = Object.assign(document.createElement('${tag}'), each);
      ${script};
      return one;
    });
    document.querySelector('#place').replaceChildren(...elements);
    for (const one of elements) await one.updateComplete;
  })()`);
}

const APPROVAL: Readonly<Record<string, unknown>> = { id: 'q', ...CARD_KINDS['a tool call']?.interrupt };
const EDITABLE = { id: 'q', ...CARD_KINDS['a tool call that can be edited']?.interrupt };
const events = (page: Page) => page.evaluate<readonly unknown[]>('window.events');
/** The controls in sight: the words of a button, the type of an input. */
const controls = (page: Page) =>
  page.evaluate<
    readonly string[]
  >(`[...document.querySelectorAll('.hp-card :is(button, input, textarea, select)')]
    .filter((one) => one.checkVisibility())
    .map((one) => (one.tagName === 'BUTTON' ? one.textContent.trim() : one.type))`);

describe('a card', () => {
  it('a card has the controls of its kind, also for an unknown reason and without a schema', async () => {
    const page = await openBlank();
    const found: Record<string, unknown> = {};
    for (const [name, { interrupt, controls: wanted }] of Object.entries(CARD_KINDS)) {
      await show(page, [{ interrupt: { id: 'q', ...interrupt } }]);
      await expect.poll(() => controls(page), { message: name }).toEqual(wanted);
      found[name] = await page.evaluate(`document.querySelector('.hp-badge').textContent.trim()`);
    }
    expect(found).toMatchObject({ 'a tool call': 'Approval', 'an unknown reason': 'Sign off' });
    await show(page, [{ interrupt: { id: 'q', ...CARD_KINDS['an unknown reason']?.interrupt } }]);
    for (const text of ['Sign the plan off?', 'Safety']) await card(page).getByText(text).waitFor();
  });

  it('a card shows who asks, the tool, the message as title, open arguments, the risk, the age and the expiry', async () => {
    const page = await openBlank();
    const now = Date.parse('2026-03-03T10:00:00Z');
    const interrupt = {
      ...APPROVAL,
      expiresAt: new Date(now + 3_600_000).toISOString(),
      metadata: {
        functionName: 'sendMoney',
        functionArguments: { to: 'ABC123', amount: 100_000, query: 'SELECT 1' },
        title: 'Send $1,000 to ABC123',
        display: { amount: '$1,000' },
        riskLevel: 'high',
      },
    };
    const shown = { interrupt, agent: 'Assistant', askedBy: 'Ana', raisedAt: now - 120_000 };
    await show(page, [shown], { script: `one.clock = () => ${now}` });
    await page.getByRole('heading', { name: 'Shall this e-mail go out?' }).waitFor();
    const facets = await page.locator('.hp-facets').textContent();
    expect(facets?.replaceAll(/\s+/g, ' ').trim()).toBe(
      'agent Assistant tool sendMoney asked by Ana 2 min ago',
    );
    for (const text of ['Risk: high', 'Expires in 1 h', '$1,000'])
      await card(page).getByText(text).first().waitFor();
    await button(page, 'Send $1,000').waitFor();
    expect(await page.evaluate(`document.querySelector('.hp-args').closest('details')`)).toBe(null);
    // An id and code are in monospace; the reason waits in its fold.
    const family = (selector: string) =>
      page.evaluate<string>(`getComputedStyle(document.querySelector('${selector}')).fontFamily`);
    expect([await family('.hp-args code.hp-id'), await family('.hp-args pre')].join()).toMatch(/mono.*mono/);
    expect(await page.getByLabel('Reason').isVisible()).toBe(false);
  });

  it('a card marks the arguments that the tool does not get, and says that it converts the others', async () => {
    const page = await openBlank();
    const functionArguments = { to: 'EVE', amount: 1_000_000 };
    const dropped = { '/currency': 'JPY', '/note/hidden': true };
    const withEffect = (args: object, schemaEffect: object) => ({
      interrupt: { ...APPROVAL, metadata: { functionName: 'pay', functionArguments: args, schemaEffect } },
      level: 2,
    });
    await show(page, [withEffect(functionArguments, { dropped })]);
    await card(page).getByText('Dropped: the agent wrote this, and the tool does not get it.').waitFor();
    const crossed = () =>
      page.evaluate<readonly string[]>(
        `[...document.querySelectorAll('.hp-dropped > dl > div')].map((one) => one.textContent.replace(/\\s+/g, ' ').trim())`,
      );
    expect(await crossed()).toEqual(['Currency JPY', 'Note › Hidden Yes']);
    const shown = () => page.locator('.hp-args').textContent();
    expect(await shown()).not.toContain('JPY');
    expect(await accessibilityProblems(page)).toEqual([]);
    // A tool that converts has the arguments of the model, without those that it does not get.
    await show(page, [withEffect({ ...functionArguments, currency: 'JPY' }, { dropped, converted: true })]);
    await card(page).getByText('Converted by the tool').waitFor();
    expect(await shown()).not.toContain('JPY');
    expect(await page.locator('.hp-card').textContent()).not.toContain('¥');
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  it('approves, rejects and cancels by three buttons with three answers, each with its reason', async () => {
    const page = await openBlank();
    const answers: unknown[] = [];
    for (const [name, reason] of [
      ['Approve', 'Known address'],
      ['Reject', 'Wrong address'],
      ['Cancel request', ''],
    ] as const) {
      await show(page, [{ interrupt: APPROVAL }]);
      if (reason !== '') {
        await page.getByText('Add a reason').click();
        await page.getByLabel('Reason').fill(reason);
      }
      await button(page, name).dblclick();
      // The first press of Reject asks for the reason; the second click of a double click sends nothing.
      if (name === 'Reject') await page.locator('[data-rejecting] [data-primary]').click();
      answers.push(...(await events(page)));
    }
    expect(answers).toEqual([
      [
        'answer',
        { interruptId: 'q', status: 'resolved', payload: { approved: true, reason: 'Known address' } },
      ],
      [
        'answer',
        { interruptId: 'q', status: 'resolved', payload: { approved: false, reason: 'Wrong address' } },
      ],
      ['answer', { interruptId: 'q', status: 'cancelled' }],
    ]);
  });

  it('rejects with the pressed word of a verdict, and keeps the other entered members', async () => {
    const page = await openBlank();
    const properties = { verdict: { enum: ['accept', 'deny', 'abort'] }, comment: { type: 'string' } };
    const responseSchema = { type: 'object', properties, required: ['verdict'] };
    const interrupt = { id: 'q', reason: 'input_required', message: 'Go on?', responseSchema };
    await show(page, [{ interrupt }]);
    await button(page, 'Abort').click();
    await page.keyboard.type('a mistake');
    await page.keyboard.press('Enter');
    const payload = { comment: 'a mistake', verdict: 'abort' };
    await expect
      .poll(() => events(page))
      .toEqual([['answer', { interruptId: 'q', status: 'resolved', payload }]]);
  });

  it('sends nothing while a field has text that cannot be read, and focuses that field', async () => {
    const page = await openBlank();
    const fields = {
      batchSize: { type: 'integer' },
      runOn: { type: 'string', format: 'date' },
      dryRun: { type: 'boolean' },
    };
    const properties = { approved: { type: 'boolean' }, options: { type: 'object', properties: fields } };
    const responseSchema = { type: 'object', properties, required: ['approved'] };
    const metadata = { functionName: 'deleteUsers', functionArguments: {}, destructive: true };
    const interrupt = {
      id: 'q',
      reason: 'database_modification',
      message: 'Delete?',
      responseSchema,
      metadata,
    };
    const stopsAt = async (label: string, press: () => Promise<void>) => {
      await card(page).focus();
      await press();
      const state = `[focused.getAttribute('aria-invalid'), focused.labels?.[0]?.textContent.trim() ?? '']`;
      await expect.poll(() => focused(page, state)).toEqual(['true', expect.stringContaining(label)]);
    };
    const key = (name: string) => () => page.keyboard.press(name);
    await show(page, [{ interrupt }]);
    await page.getByLabel('Batch size').fill('abc');
    await stopsAt('Batch size', () => button(page, 'Approve').click());
    await stopsAt('Batch size', key('Control+Enter'));
    await stopsAt('Batch size', key('a'));
    // A field that changes after the first press needs the first press again.
    await page.getByLabel('Batch size').fill('10');
    await button(page, 'Approve').click();
    await button(page, 'Yes, approve').waitFor();
    await page.getByLabel('Dry run').selectOption('yes');
    await button(page, 'Run as a trial').waitFor();
    expect(await button(page, 'Yes, approve').count()).toBe(0);
    await page.getByLabel('Dry run').selectOption('no');
    await button(page, 'Approve').click();
    await button(page, 'Yes, approve').waitFor();
    await page.getByLabel('Batch size').fill('ten');
    await stopsAt('Batch size', () => button(page, 'Approve').click());
    // The browser gives a date that is typed in part as an empty text.
    await page.getByLabel('Batch size').fill('');
    await button(page, 'Approve').click();
    await button(page, 'Yes, approve').waitFor();
    await page.getByLabel('Run on').focus();
    await page.keyboard.type('12');
    await stopsAt('Run on', () => button(page, /^(Yes, a|A)pprove$/).click());
    expect(await events(page)).toEqual([]);

    const remember = { type: 'object', properties: { what: {}, where: {} } };
    const granted = { ...properties, options: {}, remember };
    await show(page, [
      { interrupt: { ...APPROVAL, responseSchema: { ...responseSchema, properties: granted } } },
    ]);
    await page.getByText('Allow it without asking next time').click();
    await page.getByLabel('Next time').selectOption('tool-thread');
    await page.getByLabel('At most this many times').fill('three');
    await stopsAt('At most this many times', () => button(page, 'Approve').click());
    expect(await events(page)).toEqual([]);
  });

  it('sends nothing when a value changes after the press: the next press is about the new value', async () => {
    const page = await openBlank();
    const options = { type: 'object', properties: { dryRun: { type: 'boolean' } } };
    const properties = { approved: { type: 'boolean' }, options };
    const responseSchema = { type: 'object', properties, required: ['approved'] };
    const metadata = { functionName: 'deleteUsers', functionArguments: {}, destructive: true };
    await show(page, [{ interrupt: { id: 'q', reason: 'tool_call', responseSchema, metadata } }]);
    const pressAndChange = (value: string) =>
      page.evaluate(`(() => {
        const select = document.querySelector('.hp-card select');
        document.querySelector('[data-action=approve]').click();
        select.value = '${value}';
        select.dispatchEvent(new Event('change', { bubbles: true }));
      })()`);
    const unlocked = page.locator('.hp-card:not(:has([aria-disabled="true"], select:disabled))');
    await pressAndChange('yes');
    await unlocked.getByRole('button', { name: 'Run as a trial' }).waitFor();
    await pressAndChange('no');
    await unlocked.getByRole('button', { name: 'Approve' }).waitFor();
    expect(await button(page, 'Yes, approve').count()).toBe(0);
    expect(await events(page)).toEqual([]);
    await button(page, 'Approve').click();
    await button(page, 'Yes, approve').click();
    await expect.poll(() => events(page)).toHaveLength(1);
  });

  it('checks each page of a wizard before the next one, also while later pages are empty', async () => {
    const page = await openBlank();
    const properties = { mail: { type: 'string', minLength: 5 }, city: { type: 'string' } };
    const responseSchema = { type: 'object', properties, required: ['mail', 'city'] };
    const pages = [
      { title: 'You', properties: ['mail'] },
      { title: 'Place', properties: ['city'] },
    ];
    const metadata = { pages };
    await show(page, [{ interrupt: { id: 'q', reason: 'input_required', responseSchema, metadata } }]);
    await page.getByLabel('Mail').fill('a');
    await button(page, 'Next').click();
    await page.getByText('at least 5').waitFor();
    expect(await focused(page, `focused.getAttribute('aria-invalid')`)).toBe('true');
  });

  it('goes from the review of a wizard to the step of a problem, and focuses its field', async () => {
    const page = await openBlank();
    const properties = { mail: { type: 'string' }, city: { type: 'string' } };
    const responseSchema = {
      type: 'object',
      properties,
      required: ['mail', 'city'],
      dependentSchemas: { city: { properties: { mail: { minLength: 5 } } } },
    };
    const pages = [
      { title: 'You', properties: ['mail'] },
      { title: 'Place', properties: ['city'] },
    ];
    const metadata = { pages };
    await show(page, [{ interrupt: { id: 'q', reason: 'input_required', responseSchema, metadata } }]);
    const goToReview = async (mail: string, city: string) => {
      await page.getByLabel('Mail').fill(mail);
      await button(page, 'Next').click();
      await page.getByLabel('City').fill(city);
      await button(page, 'Next').click();
      await page.getByText('step 3 of 3').waitFor();
    };
    const problem = `[focused.getAttribute('aria-invalid'), focused.labels?.[0]?.textContent.trim() ?? '',
      document.querySelector('.hp-problem')?.checkVisibility(), focused.readOnly]`;
    // The check of the whole answer finds a problem of the first step.
    await goToReview('a', 'Rome');
    await button(page, 'Send answer').click();
    await page.getByText('step 1 of 3').waitFor();
    await expect.poll(() => focused(page, problem)).toEqual(['true', 'Mail', true, false]);
    // The server finds one problem in each step.
    await goToReview('long enough', 'Rome');
    await button(page, 'Send answer').click();
    await expect.poll(() => events(page)).toHaveLength(1);
    await page.evaluate(`(() => {
      const issues = [
        { pointer: '/mail', message: 'nobody has this address' },
        { pointer: '/city', message: 'no such city' },
      ];
      const error = { code: 'ANSWER_INVALID', message: '', issues };
      document.querySelector('#place > *').status = { state: 'failed', entry: window.events[0][1], error };
    })()`);
    await page.getByText('step 1 of 3').waitFor();
    await page.getByText('Nobody has this address.', { exact: true }).waitFor();
    await page.getByText('City: No such city.', { exact: true }).waitFor();
    await button(page, 'Change').click();
    await expect.poll(() => focused(page, problem)).toEqual(['true', 'Mail', true, false]);
  });

  it('keeps the reason of a rejection that was given up out of an approval', async () => {
    const page = await openBlank();
    await show(page, [{ interrupt: APPROVAL }]);
    await button(page, 'Reject').click();
    await page.keyboard.type('nope');
    await button(page, 'Back').click();
    await button(page, 'Approve').click();
    const word = { enum: ['approved', 'rejected'] };
    const properties = { decision: word, reason: { type: 'string' } };
    const responseSchema = { type: 'object', properties, required: ['decision'] };
    const approved = await events(page);
    await show(page, [
      { interrupt: { id: 'q', reason: 'input_required', message: 'Go on?', responseSchema } },
    ]);
    await button(page, 'Reject').click();
    await page.keyboard.type('nope');
    await button(page, 'Back').click();
    await button(page, 'Approve').click();
    await expect.poll(() => events(page)).toHaveLength(1);
    const sent = (payload: object) => ['answer', { interruptId: 'q', status: 'resolved', payload }];
    expect([...approved, ...(await events(page))]).toEqual([
      sent({ approved: true }),
      sent({ decision: 'approved' }),
    ]);
  });

  it('says at a reason what Ctrl+Enter does, and shows the reason in its closed fold, because it is sent', async () => {
    const page = await openBlank();
    const properties = { decision: { enum: ['approved', 'rejected'] }, reason: { type: 'string' } };
    const responseSchema = { type: 'object', properties, required: ['decision'] };
    const verdict = { id: 'q', reason: 'input_required', message: 'Go on?', responseSchema };
    for (const interrupt of [APPROVAL, verdict]) {
      await show(page, [{ interrupt }]);
      const fold = page.locator('.hp-fold > summary').first();
      const words = () =>
        page.evaluate<string>(`document.querySelector('.hp-fold > summary').innerText.trim()`);
      await fold.click();
      await page.keyboard.type('Known address');
      expect(await words()).toBe('Add a reason');
      // The key approves, whatever the words are.
      expect(await page.getByText('Ctrl+Enter: Approve').isVisible()).toBe(true);
      await fold.click();
      expect(await words()).toBe('Reason: Known address');
      await fold.click();
      await page.getByLabel('Reason').fill('');
      expect(await page.getByLabel('Reason').isVisible()).toBe(true);
      await fold.click();
      expect(await words()).toBe('Add a reason');
    }
  });

  it('takes no press in its first moment after a click on the page, nor after a press on another card', async () => {
    const page = await openBlank();
    /** Whether a click at the button of each card reaches it; `script` runs first. */
    const reached = (script = '') =>
      page.evaluate<readonly boolean[]>(`(async () => {
        ${script};
        return [...document.querySelectorAll('[data-action=approve]')].map((button) => {
          const { left, top, width, height } = button.getBoundingClientRect();
          return button.contains(document.elementFromPoint(left + width / 2, top + height / 2));
        });
      })()`);
    const add = (id: string) => `
      const one = Object.assign(document.createElement('holdpoint-interrupt'), { id: '${id}' });
      one.interrupt = { ...${JSON.stringify(APPROVAL)}, id: '${id}' };
      document.querySelector('#place').append(one);
      await one.updateComplete`;
    const press = (id: string) => `document.querySelector('#${id} [data-action=approve]').click()`;
    const pressKey = (id: string) => `document.querySelector('#${id} .hp-card').dispatchEvent(
      new KeyboardEvent('keydown', { key: 'a', bubbles: true, cancelable: true }))`;
    const answered = async () => (await events(page)).length;
    // Nobody has clicked yet.
    expect(await reached(add('first'))).toEqual([true]);
    await page.getByRole('heading').first().click();
    expect(await reached(`${add('second')}; ${pressKey('second')}`)).toEqual([true, false]);
    await expect.poll(() => reached()).toEqual([true, true]);
    expect(await answered()).toBe(0);
    expect(await reached(`${press('first')}; ${pressKey('second')}`)).toEqual([true, false]);
    expect(await answered()).toBe(1);
    await expect.poll(() => reached()).toEqual([true, true]);
    await page.evaluate(pressKey('second'));
    expect(await answered()).toBe(2);
  });

  it('says for whom a card waits when a key would decide it', async () => {
    const page = await openBlank();
    await show(page, [{ interrupt: APPROVAL, waitingFor: 'finance' }]);
    await card(page).focus();
    await page.keyboard.press('a');
    await expect.poll(() => focused(page, 'focused.textContent.trim()')).toBe('Waiting for finance.');
  });

  it('lists each change before it is sent, and sends the full set of typed arguments', async () => {
    const page = await openBlank();
    await show(page, [{ interrupt: EDITABLE }]);
    await button(page, 'Edit').click();
    await page.getByLabel('Copies').fill('3');
    await page.locator('.hp-changes').getByText('1 change', { exact: true }).waitFor();
    expect((await page.locator('.hp-changes li').textContent())?.replaceAll(/\s+/g, ' ').trim()).toBe(
      'Copies 1 → becomes 3',
    );
    const warning = page.getByText('What you entered above is not sent.');
    await button(page, 'Reject').click();
    await warning.waitFor();
    await button(page, 'Back').click();
    await warning.waitFor({ state: 'detached' });
    await button(page, 'Approve with 1 change').click();
    await expect
      .poll(() => events(page))
      .toEqual([
        [
          'answer',
          {
            interruptId: 'q',
            status: 'resolved',
            payload: { approved: true, editedArgs: { to: 'a@b.com', copies: 3 } },
          },
        ],
      ]);
  });

  it('shows a problem that the server finds in an edited argument at its field', async () => {
    const page = await openBlank();
    await show(page, [{ interrupt: EDITABLE }]);
    await button(page, 'Edit').click();
    await page.getByLabel('Copies').fill('3');
    await button(page, 'Approve with 1 change').click();
    await expect.poll(() => events(page)).toHaveLength(1);
    await page.evaluate(`(() => {
      const issues = [{ pointer: '/editedArgs/copies', message: 'the printer is out of paper' }];
      const error = { code: 'ANSWER_INVALID', message: '', issues };
      document.querySelector('#place > *').status = { state: 'failed', entry: window.events[0][1], error };
    })()`);
    await page.getByText('The printer is out of paper.', { exact: true }).waitFor();
    await expect
      .poll(() =>
        focused(page, `[focused.getAttribute('aria-invalid'), focused.labels?.[0]?.textContent.trim()]`),
      )
      .toEqual(['true', 'Copies']);
  });

  it('a card stays locked while its answer is sent, and keeps the answer for Retry', async () => {
    const page = await openBlank();
    await show(page, [{ interrupt: APPROVAL }]);
    await button(page, 'Approve').click();
    await card(page).getByText('Sending …').waitFor();
    const locked = `[...document.querySelectorAll('.hp-actions button')].map((one) => {
      one.click();
      return one.ariaDisabled;
    })`;
    expect(await page.evaluate(locked)).toEqual(['true', 'true', 'true']);
    expect(await events(page)).toHaveLength(1);
    await page.evaluate(`(() => {
      const one = document.querySelector('#place > *');
      one.status = { state: 'failed', entry: window.events[0][1], error: { code: 'RUN_LOST', message: '', issues: [] } };
    })()`);
    await button(page, 'Retry: approve').click();
    expect((await events(page)).at(-1)).toEqual(['retry', undefined]);
    // The same card for a rejection: Retry says which answer it sends.
    await page.evaluate(`(() => {
      const one = document.querySelector('#place > *');
      const payload = { approved: false, reason: 'no money for this' };
      one.status = { ...one.status, entry: { interruptId: 'q', status: 'resolved', payload } };
    })()`);
    await card(page).getByText('Your answer: Rejected: no money for this').waitFor();
    await button(page, 'Retry: reject').waitFor();
    // A card that is open for changes stays open when the server can be reached again.
    await button(page, 'Change').click();
    await page.getByText('Add a reason').click();
    await page.evaluate(`(() => {
      const one = document.querySelector('#place > *');
      one.status = { ...one.status, isReachable: true };
      return one.updateComplete;
    })()`);
    expect(await focused(page, 'focused.tagName')).toBe('INPUT');
    expect(await page.evaluate(locked)).toEqual([null, null, null]);
  });
});

describe('a form', () => {
  const ANY = {
    type: 'object',
    properties: {
      name: { type: 'string', minLength: 2, description: 'As in your passport.' },
      plan: {
        oneOf: [
          { const: 'free', title: 'Free of charge' },
          { const: 'pro', title: 'Professional' },
        ],
      },
      topics: { type: 'array', items: { enum: ['news', 'offers', 'events'] } },
      address: { $ref: '#/$defs/address' },
      nicknames: { type: 'array', items: { type: 'string' } },
      born: { type: 'string', format: 'date' },
      site: { type: 'string', format: 'uri' },
      notes: { type: 'string' },
      matrix: { type: 'array', items: { type: 'array', items: { type: 'number' } } },
      terms: { type: 'boolean' },
    },
    required: ['name', 'plan', 'terms'],
    $defs: {
      address: {
        type: 'object',
        properties: { city: { type: 'string' }, floor: { type: 'integer' } },
        required: ['city'],
      },
    },
  };
  const interrupt = { id: 'q', reason: 'input_required', message: 'About you', responseSchema: ANY };

  it('a form has a control for each part of its schema, and gives values with their types', async () => {
    const page = await openBlank();
    await show(page, [{ interrupt }]);
    await page.getByLabel('Name', { exact: true }).fill('Ada');
    await page.getByLabel('Professional').check();
    for (const topic of ['news', 'events']) await page.getByLabel(topic).check();
    await page.getByLabel('City').fill('Oslo');
    await page.getByLabel('Floor').fill('3');
    await button(page, 'Add nicknames').click();
    await page.getByLabel('Nicknames 1', { exact: true }).fill('Ace');
    await button(page, 'Add nicknames').click();
    await page.getByLabel('Nicknames 2', { exact: true }).fill('unused');
    await button(page, 'Remove Nicknames 2').click();
    await page.getByLabel('Born').fill('1990-05-01');
    await page.getByLabel('Site').fill('https://example.com/');
    await page.getByLabel('Notes').fill('one\ntwo');
    await page.getByLabel('Matrix').fill('[[1, 2], [3.5]]');
    await page.getByLabel('Terms').check();
    await button(page, 'Send answer').click();
    await expect
      .poll(() => events(page))
      .toMatchObject([
        [
          'answer',
          {
            payload: {
              name: 'Ada',
              plan: 'pro',
              topics: ['news', 'events'],
              address: { city: 'Oslo', floor: 3 },
              nicknames: ['Ace'],
              born: '1990-05-01',
              site: 'https://example.com/',
              notes: 'one\ntwo',
              matrix: [[1, 2], [3.5]],
              terms: true,
            },
          },
        ],
      ]);
  });

  it('a form with an error sends nothing, and names and focuses the first one', async () => {
    const page = await openBlank();
    await show(page, [{ interrupt }]);
    await page.getByLabel('Professional').check();
    await page.getByLabel('Name', { exact: true }).fill('A');
    await page.getByLabel('City').fill('Oslo');
    await button(page, 'Send answer').click();
    await page.getByText('Expected at least 2 characters.').waitFor();
    expect(
      await focused(
        page,
        `[focused.ariaInvalid, focused.getAttribute('aria-describedby')
      .split(' ').map((id) => document.getElementById(id).textContent.trim())]`,
      ),
    ).toEqual(['true', ['As in your passport.', 'Expected at least 2 characters.']]);
    // Enter sends a form of one line only.
    await page.getByLabel('City').press('Enter');
    await page.getByLabel('Name', { exact: true }).fill('Ada');
    await page.getByLabel('Matrix').fill('[[1,');
    await button(page, 'Send answer').click();
    await expect
      .poll(() => focused<string>(page, 'focused.labels?.[0]?.textContent ?? ""'))
      .toMatch(/^Matrix/);
    expect(await events(page)).toEqual([]);
  });

  it('a form of one line is checked and sent with Enter', async () => {
    const page = await openBlank();
    await show(page, [{ interrupt: { id: 'q', ...CARD_KINDS['an input']?.interrupt } }]);
    const field = page.locator('input[type=email]');
    await field.fill('ana');
    await field.press('Enter');
    await page.getByText('Expected an email address.').waitFor();
    expect(await events(page)).toEqual([]);
    await field.fill('ana@bank.com');
    await field.press('Enter');
    await expect.poll(() => events(page)).toMatchObject([['answer', { payload: 'ana@bank.com' }]]);
  });
});

describe('the expiry', () => {
  const expiresAt = new Date(1_000_000_000_000).toISOString();
  const at = (page: Page, left: number) =>
    page.evaluate(`(async () => {
      window.clock = ${1_000_000_000_000 - left};
      const countdown = document.querySelector('holdpoint-countdown');
      countdown.requestUpdate();
      await countdown.updateComplete;
    })()`);
  const said = (page: Page) =>
    page.evaluate<string>(`document.querySelector('body > [role=status]')?.textContent ?? ''`);
  const open = async (page: Page, interrupt: object) => {
    await page.evaluate(`window.clock = ${1_000_000_000_000 - 600_000}`);
    await show(page, [{ interrupt: { ...APPROVAL, ...interrupt }, raisedAt: 1_000_000_000_000 - 600_000 }], {
      script: 'one.clock = () => window.clock; one.drafts = localStorage',
    });
  };

  it('the expiry counts down on the clock of the server, warns in the last fifth, and is announced', async () => {
    const page = await openBlank();
    await open(page, { expiresAt });
    await card(page).getByText('Expires in 10 min').waitFor();
    await at(page, 290_000);
    await expect.poll(() => said(page)).toBe('A request expires in 4 min 50 s.');
    expect(await page.locator('.hp-late').count()).toBe(0);
    await at(page, 119_000);
    await card(page).getByText('Only 1 min 59 s left').waitFor();
    await at(page, 59_000);
    await expect.poll(() => said(page)).toBe('A request expires in 59 s.');
    expect(
      await page.evaluate(`document.querySelectorAll('[aria-live=polite]:not([role=log])').length`),
    ).toBe(1);
  });

  it('the expiry ends the answer, leaves Ask again and Cancel, and keeps the draft for the next request', async () => {
    const page = await openBlank();
    await open(page, { expiresAt });
    await page.getByText('Add a reason').click();
    await page.getByLabel('Reason').fill('Half a thought');
    await at(page, -1);
    await card(page).getByText('This request expired without an answer.').waitFor();
    expect(await controls(page)).toEqual(['Ask again', 'Cancel request']);
    expect(await focused(page, 'focused.tagName')).not.toBe('BODY');
    await button(page, 'Ask again').click();
    expect(await events(page)).toEqual([['ask-again', undefined]]);
    await open(page, { id: 'next', metadata: { functionName: 'sendEmail', supersedes: 'q' } });
    expect(await page.getByLabel('Reason').inputValue()).toBe('Half a thought');
  });

  it('the expiry is left out once a request holds an answer, also after its time', async () => {
    const page = await openBlank();
    const answered = { payload: { approved: true }, you: true, at: 1_000_000_000_000 - 300_000 };
    const entry = { interruptId: 'q', status: 'resolved', payload: { approved: true } };
    for (const left of [60_000, -60_000])
      for (const status of [
        { state: 'answered', answered },
        { state: 'lost', answered },
        { state: 'staged', entry },
      ]) {
        await page.evaluate(`window.clock = ${1_000_000_000_000 - left}`);
        await show(page, [{ interrupt: { ...APPROVAL, expiresAt }, status }], {
          script: 'one.clock = () => window.clock',
        });
        await card(page).getByText('Shall this e-mail go out?').waitFor();
        expect(
          await card(page)
            .getByText(/Expire|left/)
            .count(),
        ).toBe(0);
      }
  });

  it('the expiry that is not a time reads "No expiry"', async () => {
    const page = await openBlank();
    await open(page, { expiresAt: 'tomorrow' });
    await card(page).getByText('No expiry').waitFor();
    await button(page, 'Approve').waitFor();
  });
});

it('an upload shows its progress, can be removed, and is sent by its reference', async () => {
  const page = await openBlank();
  await show(page, [{ interrupt: { id: 'q', ...CARD_KINDS['an upload']?.interrupt } }], {
    script: `one.upload = (file, progress) => {
      progress(0.4);
      return new Promise((resolve) => (window.finish = () => resolve({ id: 'f1', name: file.name, type: file.type, size: file.size })));
    }`,
  });
  const receipt = { name: 'receipt.txt', mimeType: 'text/plain', buffer: Buffer.from('12 euros') };
  await page.locator('input[type=file]').setInputFiles(receipt);
  await page.getByText('40 %').waitFor();
  await page.evaluate('window.finish()');
  await button(page, 'Remove receipt.txt').click();
  await page.locator('input[type=file]').waitFor();
  expect(await focused(page, 'focused.tagName')).not.toBe('BODY');
  await button(page, 'Send answer').click();
  expect(await events(page)).toEqual([]);
  await page.locator('input[type=file]').setInputFiles(receipt);
  await page.evaluate('window.finish()');
  await button(page, 'Remove receipt.txt').waitFor();
  await button(page, 'Send answer').click();
  await expect.poll(() => events(page)).toMatchObject([['answer', { payload: { fileId: 'f1' } }]]);
});

describe('a decision', () => {
  const at = 1_000_000_000_000 - 12_000;
  const payload = { approved: true };
  const ANSWERS: Readonly<Record<string, object>> = {
    'Approved by Ana 12 s ago': { status: 'resolved', payload },
    'Approved with 2 changes by Ana 12 s ago: To: nothing · Copies: nothing': {
      status: 'resolved',
      payload: { ...payload, editedArgs: {} },
    },
    'Rejected by Ana 12 s ago: too much': {
      status: 'resolved',
      payload: { approved: false, reason: 'too much' },
    },
    'Cancelled by Ana 12 s ago': { status: 'cancelled' },
    'Withdrawn by Ana 12 s ago': { status: 'cancelled', withdrawn: true },
    'Expired 12 s ago': { status: 'cancelled', via: 'expiry' },
  };
  const look = (page: Page, selector: string) =>
    page.evaluate<readonly { icon: string; text: string; colour: string }[]>(
      `[...document.querySelectorAll('${selector}')].map((one) => ({
        icon: one.querySelector('svg').getAttribute('class'),
        text: one.textContent.replaceAll(/\\s+/g, ' ').trim(),
        colour: getComputedStyle(one.querySelector('svg')).color,
      }))`,
    );

  it('a decision on a card has its own word and icon, and the colour of its meaning', async () => {
    const page = await openBlank();
    await show(
      page,
      Object.values(ANSWERS).map((answered) => ({
        interrupt: APPROVAL,
        status: { state: 'answered', answered: { ...answered, by: 'Ana', at } },
      })),
      { script: 'one.clock = () => 1_000_000_000_000' },
    );
    const shown = await look(page, '.hp-card > .hp-notice');
    expect(shown.map(({ text }) => text)).toEqual(Object.keys(ANSWERS));
    expect(new Set(shown.map(({ icon }) => icon)).size).toBe(shown.length);
    const [approved, changed, rejected, cancelled, withdrawn, expired] = shown.map(({ colour }) => colour);
    expect(approved).toBe(changed);
    expect(new Set([approved, rejected, cancelled, withdrawn, expired]).size).toBe(5);
  });

  it('a decision on a card says how long ago it was, also after a while', async () => {
    const page = await openBlank();
    await page.evaluate(`(() => {
      window.clock = ${at};
      window.ticks = [];
      window.setInterval = (tick) => window.ticks.push(tick);
    })()`);
    const answered = { ...ANSWERS['Withdrawn by Ana 12 s ago'], by: 'Ana', at };
    await show(page, [{ interrupt: APPROVAL, status: { state: 'answered', answered } }], {
      script: 'one.clock = () => window.clock',
    });
    await card(page).getByText('Withdrawn by Ana just now').waitFor();
    await page.evaluate('window.clock += 180_000; for (const tick of window.ticks) tick();');
    await card(page).getByText('Withdrawn by Ana 3 min ago').waitFor();
  });

  it('the history of a request says how it was closed: a deleted conversation withdraws nothing, and a skipped call is not carried out', async () => {
    const page = await openBlank();
    const steps = async (entries: readonly object[]) => {
      await show(page, [{ entries }], { tag: 'holdpoint-history' });
      await page
        .locator('.hp-history li')
        .nth(entries.length - 1)
        .waitFor();
      return page.evaluate<readonly string[]>(
        `[...document.querySelectorAll('.hp-history li > strong')].map((one) => one.textContent.trim())`,
      );
    };
    const raised = { what: 'raised', at };
    const answer = { what: 'staged', at, by: 'Ana', status: 'resolved' };
    const deleted = { what: 'withdrawn', at, by: 'Ana', reason: 'The conversation was deleted.' };
    expect(await steps([raised, { ...answer, payload: { approved: true } }, deleted])).toEqual([
      'Asked',
      'Answered',
      'Closed without the call',
    ]);
    const skipped = { ...answer, payload: { action: 'skip' } };
    expect(await steps([raised, skipped, { what: 'settled', at }])).toEqual([
      'Asked',
      'Answered',
      'Closed without the call',
    ]);
  });

  it('a decision in the history has the icon and the colour of the card, and a failed call says so', async () => {
    const page = await openBlank();
    const entries = [
      { what: 'raised', at },
      { what: 'staged', at, by: 'Ana', status: 'resolved', payload: { approved: false } },
      { what: 'withdrawn', at, by: 'Ana', status: 'cancelled' },
      { what: 'expired', at },
      {
        what: 'staged',
        at,
        by: 'Ana',
        status: 'resolved',
        payload: { approved: true, key: { $secret: 'q/0' } },
      },
      { what: 'settled', at },
    ];
    await show(page, [{ entries, failed: true }], { tag: 'holdpoint-history' });
    const shown = await look(page, '.hp-history-step');
    expect(shown.map(({ icon, text }) => `${icon.split('-').at(-1)} ${text}`)).toEqual([
      'ban Answered',
      'back Withdrawn',
      'clock Expired',
      'check Answered',
    ]);
    expect(new Set(shown.map(({ colour }) => colour)).size).toBe(4);
    await page.getByText('The call failed').waitFor();
    const text = await page.locator('.hp-history').textContent();
    expect(text).toContain('••••••');
    expect(text).not.toContain('$secret');
  });

  it('a decision that was too late shows the winner and both answers', async () => {
    const page = await openBlank();
    const status = {
      state: 'lost',
      answered: { status: 'resolved', payload: { approved: true }, by: 'Ana', at },
      yours: { interruptId: 'q', status: 'resolved', payload: { approved: false, reason: 'No' } },
    };
    await show(page, [{ interrupt: APPROVAL, status }], { script: 'one.clock = () => 1_000_000_000_000' });
    await card(page).getByText('Approved by Ana 12 s ago').waitFor();
    expect((await page.locator('.hp-both').textContent())?.replaceAll(/\s+/g, ' ').trim()).toMatch(
      /^Theirs: Approved .*Yours: Rejected: No/,
    );
    expect(await controls(page)).toEqual([]);
  });
});

it('a viewer who may not answer has no button but Withdraw, also after a withdrawal that failed', async () => {
  const page = await openBlank();
  await show(page, [{ interrupt: APPROVAL, waitingFor: 'finance', withdrawable: true }]);
  await card(page).getByText('Waiting for finance.').waitFor();
  expect(await controls(page)).toEqual(['Withdraw']);
  await button(page, 'Withdraw').click();
  await card(page).getByText('Sending …').waitFor();
  expect(await controls(page)).toEqual([]);
  await page.evaluate(`document.querySelector('#place > *').status =
    { state: 'failed', entry: { interruptId: 'q', status: 'cancelled' }, isWithdrawal: true,
      error: { code: 'RUN_LOST', message: '', issues: [] } }`);
  await button(page, 'Retry').waitFor();
  expect(await controls(page)).toEqual(['Retry', 'Change']);
});

describe('a text from outside', () => {
  it('a text from outside is isolated, shows hidden characters by their code, and warns about look-alikes', async () => {
    const page = await openBlank();
    const functionArguments = {
      to: 'p\u0430ypal',
      note: 'abc\u202Edef',
      html: '<img src=x onerror="window.hacked=1">',
    };
    await show(page, [
      {
        interrupt: { ...APPROVAL, metadata: { functionName: 'pay', functionArguments } },
        askedBy: 'Ev\u200Be',
      },
    ]);
    await card(page)
      .getByText('“p\u0430ypal” mixes two alphabets: \u0430 (U+0430) only looks like a Latin letter.')
      .waitFor();
    await card(page)
      .getByText(/change the reading direction: U\+202E/)
      .waitFor();
    for (const text of ['abc[U+202E]def', 'Ev[U+200B]e', '<img src=x onerror="window.hacked=1">'])
      await card(page).locator('bdi').getByText(text).waitFor();
    expect(await page.evaluate('window.hacked')).toBe(undefined);
  });

  it('a text from outside of a megabyte, deep JSON and script links are harmless in every place', async () => {
    const page = await openBlank();
    const deep = Array.from({ length: 200 }).reduce<unknown>((inner) => ({ in: inner }), 'bottom');
    const bad = '<script>window.hacked=1</script>[x](javascript:window.hacked=1)';
    const interrupt = {
      ...APPROVAL,
      message: bad,
      responseSchema: {
        type: 'object',
        properties: { [bad]: { type: 'string', title: bad, description: bad, enum: [bad, 'ok'] } },
      },
      metadata: { [bad]: bad, payload: { long: 'x'.repeat(1_000_000), deep }, title: bad, riskLevel: bad },
    };
    const reasons = ['tool_call', 'input_required', 'upload_required', 'error_recovery', bad];
    await show(
      page,
      reasons.map((reason, index) => ({ interrupt: { ...interrupt, id: `q${index}`, reason } })),
    );
    await expect.poll(() => card(page).count()).toBe(reasons.length);
    const text = await page.evaluate<string>(`document.querySelector('#place').textContent`);
    expect(text).toContain('<script>window.hacked=1</script>');
    expect(text.length).toBeLessThan(200_000);
    const bad2 = `document.querySelectorAll('#place :is(script, img, iframe, a[href^="javascript"])').length`;
    expect([await page.evaluate(bad2), await page.evaluate('window.hacked')]).toEqual([0, undefined]);
  });
});

it('a tool call shows each of its states by word and icon', async () => {
  const page = await openBlank();
  const call = (id: string, args: string) => ({
    id,
    type: 'function',
    function: { name: id, arguments: args },
  });
  const result = (toolCallId: string, more = {}) => ({
    id: `${toolCallId}-result`,
    role: 'tool',
    toolCallId,
    content: '"ok"',
    ...more,
  });
  const record = (toolCallId: string, answered: object) => ({
    interrupt: { id: `i-${toolCallId}`, toolCallId, reason: 'tool_call' },
    status: 'resolved',
    answered,
  });
  const messages = [
    {
      id: 'm',
      role: 'assistant',
      content: '',
      toolCalls: [
        call('pending', ''),
        call('streaming', '{"a": '),
        call('awaiting', '{}'),
        call('executing', '{}'),
        call('completed', '{}'),
        call('rejected', '{}'),
        call('skipped', '{}'),
        call('failed', '{}'),
      ],
    },
    ...['completed', 'rejected', 'skipped'].map((id) => result(id)),
    result('failed', { error: 'It broke.' }),
  ];
  const properties = {
    messages,
    interrupts: [{ id: 'i', reason: 'tool_call', toolCallId: 'awaiting' }],
    records: [
      record('rejected', { status: 'resolved', payload: { approved: false } }),
      record('skipped', { status: 'resolved', payload: { action: 'skip' } }),
    ],
    running: true,
  };
  await show(page, [properties], { tag: 'holdpoint-messages' });
  const states = await page.evaluate(`[...document.querySelectorAll('.hp-call')].map((one) =>
    one.dataset.state + ': ' + one.querySelector('.hp-badge').textContent.trim() + ', ' +
    one.querySelector('.hp-badge svg').getAttribute('class').split('-').at(-1))`);
  expect(states).toEqual([
    'pending: Pending, clock',
    'streaming: Writing arguments, spinner',
    'awaiting: Waiting for an answer, help',
    'executing: Running, spinner',
    'completed: Done, check',
    'rejected: Rejected, ban',
    'skipped: Skipped, minus',
    'failed: Failed, alert',
  ]);
});

describe('every kind of card', () => {
  const all = Object.values(CARD_KINDS).map(({ interrupt }, index) => ({
    interrupt: { id: `q${index}`, ...interrupt },
    level: 2,
  }));

  it.each(['light', 'dark'] as const)(
    'every kind of card has no axe violation in %s, open and answered',
    async (colorScheme) => {
      const page = await openBlank({ colorScheme, reducedMotion: 'reduce' });
      await show(page, all);
      await expect.poll(() => card(page).count()).toBe(all.length);
      expect(await accessibilityProblems(page)).toEqual([]);
      const error = { code: 'RUN_LOST', message: '', issues: [] };
      const entry = { interruptId: 'q', status: 'resolved', payload: { approved: true } };
      const answers = [
        { status: 'resolved', payload: { approved: true } },
        { status: 'resolved', payload: { approved: false } },
        { status: 'cancelled' },
        { status: 'cancelled', withdrawn: true },
        { status: 'cancelled', via: 'expiry' },
      ];
      const statuses = [
        { state: 'sending', entry },
        { state: 'staged', entry },
        { state: 'failed', entry, error },
        { state: 'lost', answered: answers[1], yours: entry },
        ...answers.map((answered) => ({ state: 'answered', answered })),
      ];
      await show(page, [
        ...statuses.map((status) => ({ interrupt: APPROVAL, status, level: 2 })),
        { interrupt: APPROVAL, waitingFor: 'finance', withdrawable: true, level: 2 },
        { interrupt: { ...APPROVAL, expiresAt: '2020-01-01T00:00:00Z' }, level: 2 },
      ]);
      expect(await accessibilityProblems(page)).toEqual([]);
    },
    300_000,
  );

  it('every kind of card fits 390 px, with targets of 44 px and buttons that stay in sight', async () => {
    const page = await openBlank({ viewport: { width: 390, height: 500 } });
    await show(page, all);
    await expect.poll(() => card(page).count()).toBe(all.length);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    const small = `[...document.querySelectorAll('.hp-card :is(button, .hp-input, summary, .hp-option)')]
      .filter((one) => one.checkVisibility() && one.getBoundingClientRect().height < 44).map((one) => one.outerHTML)`;
    expect(await page.evaluate(small)).toEqual([]);
    const sticky = `[...document.querySelectorAll('.hp-card .hp-actions')].every((one) => getComputedStyle(one).position === 'sticky')`;
    expect(await page.evaluate(sticky)).toBe(true);
  });

  it('a reader who wants less motion gets none', async () => {
    const page = await openBlank({ reducedMotion: 'reduce' });
    await show(page, [
      { interrupt: APPROVAL, status: { state: 'sending', entry: { interruptId: 'q', status: 'cancelled' } } },
    ]);
    await card(page).getByText('Sending …').waitFor();
    expect(await page.evaluate('document.getAnimations().length')).toBe(0);
  });
});
