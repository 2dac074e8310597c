import { describe, expect, it } from 'vitest';
import { amountOf, coverage, decidedAmount, totalOf, writeChanged } from '../interrupt/amounts.ts';
import { historyAsCsv } from './history-csv.ts';
import {
  faultsAmong,
  mayApproveTogether,
  mayRejectTogether,
  openWords,
  plainAnswer,
  recipientOf,
  rowText,
  rowTitle,
  toRow,
} from './inbox-item.ts';
import { whyNotTogether } from './inbox-selection.ts';
import { whoMayAnswer } from '../conversation/records.ts';
import { ALL_OPEN, readInboxQuery, toInboxFilter, writeInboxQuery } from './inbox-query.ts';

const NOW = Date.parse('2026-01-01T12:00:00Z');
function row(
  id: string,
  more: {
    tool?: string;
    args?: object;
    title?: string;
    message?: string;
    destructive?: boolean;
    status?: string;
    thread?: string;
    raisedAt?: number;
    balance?: unknown;
  } = {},
) {
  const {
    tool = 'pay',
    args = { amount: 5 },
    title,
    message,
    destructive,
    status = 'pending',
    thread = 't',
    raisedAt = NOW - 60_000,
    balance,
  } = more;
  return toRow({
    threadId: thread,
    status,
    agent: 'assistant',
    raisedAt: new Date(raisedAt).toISOString(),
    interrupt: {
      id,
      reason: 'tool_call',
      ...(message === undefined ? {} : { message }),
      responseSchema: { properties: { approved: { type: 'boolean' } } },
      metadata: {
        functionName: tool,
        functionArguments: args,
        ...(destructive ? { destructive } : {}),
        ...(title === undefined ? {} : { title }),
        ...(balance === undefined ? {} : { balanceWhenAsked: balance }),
      },
    },
  });
}
describe('the rows of the inbox', () => {
  it('counts the requests that wait for the viewer apart from those that wait for others', () => {
    const own = [row('a'), row('b')];
    const other = toRow({ ...row('c').item, mayAnswer: false });
    const expired = row('d', { status: 'expired' });
    expect([
      openWords(own),
      openWords([...own, other]),
      openWords([...own, other, other, expired]),
      openWords([other]),
      openWords([...own, other], { total: 9 }),
      openWords([...own, other], { hasMore: true }),
    ]).toEqual([
      '2 open requests',
      '2 for you, 1 waits for others',
      '2 for you, 2 wait for others, 1 expired',
      'None for you, 1 waits for others',
      '3 of 9 open requests, 1 waits for others',
      '3 open requests and more, 1 waits for others',
    ]);
  });

  it('names the own request that keeps others from being decided together, and the true reason', () => {
    const own = row('b', { title: 'Pay Ana' });
    const waiting = toRow({
      ...own.item,
      mayAnswer: false,
      barredAsAsker: true,
      approvers: { roles: ['finance'], notAsker: true },
    });
    const rule = 'You can decide several requests together only if each of them waits for you.';
    const fault = '“Pay Ana” was asked by you, so another person has to answer.';
    expect(whyNotTogether([row('a'), waiting])).toBe(`${rule} ${fault}`);
    expect(whyNotTogether([waiting])).toBe(`${rule} ${fault}`);
  });

  it('names the request whose card has unsent changes, and decides it with no other one', () => {
    const rows = [row('a'), { ...row('b', { title: 'Mail Ana' }), isUnsent: true }];
    expect([mayApproveTogether(rows), mayRejectTogether(rows)]).toEqual([false, false]);
    expect(faultsAmong(rows)).toEqual([{ row: rows[1], text: 'has unsent changes' }]);
    expect(whyNotTogether(rows)).toBe(
      'You can decide several requests together only if their cards have no unsent changes. “Mail Ana” has unsent changes.',
    );
    const asked = { id: 'c', reason: 'input_required', metadata: { title: 'Which plan?' } };
    const question = { ...toRow({ ...row('c').item, interrupt: asked }), isUnsent: true };
    expect(whyNotTogether([row('a'), question])).toBe(
      'You can decide several requests together only if each asks for an approval. “Which plan?” asks for more than yes or no.',
    );
  });

  it('says who may answer, and tells an approver who asked that another person has to', () => {
    const asked = { barredAsAsker: true };
    expect([
      whoMayAnswer({ approvers: { roles: ['finance'], notAsker: true } }),
      whoMayAnswer({ approvers: { roles: ['finance'], notAsker: true }, ...asked }),
      whoMayAnswer({ approvers: { principals: ['Ana', 'Bob'] }, ...asked }),
      whoMayAnswer({ approvers: { notAsker: true }, ...asked }),
      whoMayAnswer({}),
    ]).toEqual([
      'finance',
      'another person of finance, because you asked',
      'Ana or Bob (not you, because you asked)',
      'another person, because you asked',
      'another person',
    ]);
  });

  it('shows the arguments of a call, its amount with the unit, and its recipient', () => {
    const [paid, mailed] = [row('a'), row('a', { tool: 'mail', args: { to: ['Ana', 'Bob'], urgent: true } })];
    expect([rowText(paid), amountOf(paid)]).toEqual(['', '5']);
    expect(rowText(mailed)).toBe('To: Ana, Bob · Urgent: Yes');
    const priced = row('b', { args: { amount: 1234, currency: 'EUR', to: 'ACME' } });
    expect(amountOf(priced)).toBe('€1,234.00');
    expect(recipientOf(priced.facts)).toBe('ACME');
    expect(amountOf(row('c', { title: 'Send $1,000.50 to ACME', args: { amount: 100_050 } }))).toBe(
      '$1,000.50',
    );
    expect(amountOf(row('d', { args: { days: 5 } }))).toBeUndefined();
    // A fact such as a balance is not what the request is about.
    const { item } = row('e', { title: 'Send $30 to ACME', args: { amount: 30 } });
    const metadata = { ...item.interrupt.metadata, balance: '$10,000' };
    expect(amountOf(toRow({ ...item, interrupt: { ...item.interrupt, metadata } }))).toBe('$30');
  });

  it.each([
    ['of a limit in the message', { message: 'Please confirm sending an amount > $100.' }, '100,000'],
    ['of a limit in the title', { title: 'Send more than $100' }, '100,000'],
    [
      'of the message without an amount in the arguments',
      { message: 'Pay $100?', args: { to: 'A' } },
      undefined,
    ],
    ['of a text argument', { args: { to: 'A', body: 'You owe $100.' } }, undefined],
    ['of the argument amount as a text', { args: { amount: '€5' } }, '€5'],
  ])('reads the amount %s', (_what, request, amount) => {
    const asked = row('a', { args: { to: 'ABC123', amount: 100_000 }, ...request });
    const decided = amount === '100,000' ? undefined : amount;
    expect([amountOf(asked), decidedAmount(asked)]).toEqual([amount, decided]);
  });

  it('takes the amount of the display before that of the title, and never that of the message', () => {
    const { item } = row('a', { title: 'Send $5', message: 'More than $100?', args: { fee: 5, amount: 1 } });
    const metadata = { ...item.interrupt.metadata, display: { fee: '$5', amount: '$1' } };
    const shown = toRow({ ...item, interrupt: { ...item.interrupt, metadata } });
    expect([amountOf(shown), decidedAmount(shown)]).toEqual(['$1', '$1']);
  });

  it('makes no amount of arguments that the tool does not get, or converts', () => {
    const { item } = row('a', { args: { amount: 1_000_000, to: 'EVE' } });
    const withEffect = (args: object, schemaEffect: object) => {
      const metadata = { ...item.interrupt.metadata, functionArguments: args, schemaEffect };
      return toRow({ ...item, interrupt: { ...item.interrupt, metadata } });
    };
    const yen = { amount: 1_000_000, currency: 'JPY', to: 'EVE' };
    const dropped = { dropped: { '/currency': 'JPY' } };
    // The host shows what the tool gets; a tool that converts has the dropped member in its arguments.
    expect(amountOf(withEffect({ amount: 1_000_000, to: 'EVE' }, dropped))).toBe('1,000,000');
    expect(amountOf(withEffect(yen, dropped))).toBe('1,000,000');
    expect(amountOf(withEffect(yen, { ...dropped, converted: true }))).toBeUndefined();
    expect(decidedAmount(withEffect(yen, { converted: true }))).toBeUndefined();
  });

  it('names the amount of a decision with its unit, as a person changed it', () => {
    const dollars = row('a', { title: 'Send $1,000 to ACME', args: { amount: 100_000, to: 'ACME' } });
    expect(decidedAmount(dollars)).toBe('$1,000');
    expect(decidedAmount(dollars, { amount: 250_000, to: 'ACME' })).toBe('$2,500');
    expect(decidedAmount(dollars, { amount: 100_000, to: 'EVE' })).toBe('$1,000');
    expect(decidedAmount(dollars, { amount: -1, to: 'ACME' })).toBeUndefined();
    const euros = row('b', { args: { amount: 7, currency: 'EUR' } });
    expect(decidedAmount(euros, { amount: 8, currency: 'EUR' })).toBe('€8.00');
    expect(decidedAmount(row('c', { title: 'Pay 1.000,50 € now', args: { amount: 1000.5 } }))).toBe(
      '1.000,50 €',
    );
    // Cents or dollars: nothing says which. A balance is another amount.
    const { item } = row('d');
    const metadata = { ...item.interrupt.metadata, balance: '$10,000' };
    expect(decidedAmount(toRow({ ...item, interrupt: { ...item.interrupt, metadata } }))).toBeUndefined();
  });

  it('a row of the inbox does not repeat its title in its second line', () => {
    const title = 'Send $1,000 to ABC123';
    const args = { toAccountId: 'ABC123', note: 'rent' };
    const texts = [
      row('a', { title, args, message: 'Send $1,000 to the account ABC123?' }),
      row('b', { title, args, message: 'The account is new. Shall the money go out?' }),
      row('c', { title, args: { toAccountId: 'ABC123' }, message: 'Send $1,000 to ABC123?' }),
    ].map(rowText);
    expect(texts).toEqual(['Note: rent', 'The account is new. Shall the money go out?', '']);
  });

  it.each([
    ['the sum in dollars, with decimals if one has some', ['$1,000', '$20,000.5', '$3'], '$21,003.50'],
    ['the sum with decimal commas', ['€1.000,50', '€2,25'], '€1.002,75'],
    ['no sum of two units', ['$1,000', '€1,000'], undefined],
    ['no sum of two ways to write a number', ['$1,000', '$1.000'], undefined],
    ['no sum with an amount of another form', ['$1,000', "CHF 1'000"], undefined],
    ['no sum of one amount', ['$1,000'], undefined],
  ])('shows %s for %j', (_name, amounts, total) => {
    const rows = amounts.map((amount) => row('a', { args: { amount } }));
    expect(totalOf(rows)).toBe(total);
  });

  it('sums amounts without a unit, and nothing when a row has no amount', () => {
    const amounts = [row('a', { args: { amount: 1500 } }), row('b', { args: { amount: 0.75 } })];
    expect(totalOf(amounts)).toBe('1,500.75');
    expect(totalOf([...amounts, row('c', { args: {} })])).toBeUndefined();
  });

  it('compares the sum of the amounts that show a balance with the balance of the newest request, each currency by itself', () => {
    const payment = (amount: string, balance: unknown, raisedAt = NOW) =>
      row('a', { args: { amount }, balance, raisedAt });
    const three = [
      payment('$4,000', '$10,000'),
      payment('$4,000', '$9,000', NOW + 1),
      payment('$4,000', '$9'),
    ];
    const beyond = { total: '$12,000', balance: '$9,000', isBeyond: true, isEachBeyond: false, size: 3 };
    expect(coverage(three)).toEqual([beyond]);
    const tooHigh = three.map((one) => ({ ...one, raisedAt: one === three[2] ? NOW + 2 : NOW }));
    expect(coverage(tooHigh)).toMatchObject([{ balance: '$9', isBeyond: true, isEachBeyond: true }]);
    const totals = (rows: Parameters<typeof coverage>[0]) =>
      coverage(rows).map(({ total, isBeyond }) => [total, isBeyond]);
    const euros = [payment('€3', '€5'), payment('€3', '€5: low')];
    expect(totals([...three, row('b', { args: {} }), ...euros])).toEqual([
      ['$12,000', true],
      ['€6', true],
    ]);
    expect(totals([payment('$4,000', '$8,000'), payment('$4,000', '$8,000')])).toEqual([['$8,000', false]]);
    // One amount has no sum.
    const one = { total: undefined, balance: '$8,000', isBeyond: false, isEachBeyond: false, size: 1 };
    expect(coverage([payment('$9,000', '$8,000')])).toEqual([one]);
    expect(coverage([payment('$4,000', undefined), payment('$5,000', '$8,000')])).toEqual([one]);
    expect(coverage([payment('$4,000', undefined)])).toEqual([]);
    const plain = [row('a', { balance: 8 }), row('b', { balance: 8 })];
    expect(coverage(plain)).toEqual([
      { total: '10', balance: '8', isBeyond: true, isEachBeyond: false, size: 2 },
    ]);
    expect(amountOf(row('c', { title: 'Close the account', args: {}, balance: '$10,000' }))).toBeUndefined();
  });

  it.each([
    ['$1,000', 1000, 2000, '$2,000'],
    ['$1,000', 100_000, 250_050, '$2,500.50'],
    ['1.000,50 €', 1000.5, 20, '20,00 €'],
    ['42 rows', 42, 7, '7 rows'],
    ['about $1,000', 999, 2000, undefined],
    ['$1,000', 1000, 'all', undefined],
  ])('writes a changed amount as %j, which stands for %j: %j is %j', (shown, before, after, written) => {
    expect(writeChanged({ display: { amount: shown } }, { name: 'amount', before, after })).toBe(written);
  });

  it('allows approving together only rows of one tool or of one turn that can be undone, and names the others', () => {
    expect(mayApproveTogether([row('a'), row('b', { thread: 'u' })])).toBe(true);
    expect(mayApproveTogether([row('a'), row('b', { tool: 'mail' })])).toBe(true);
    const mixed = [row('a', { tool: 'mail', title: 'Mail Ana', thread: 'u' }), row('b'), row('c')];
    expect(mayApproveTogether(mixed)).toBe(false);
    expect(faultsAmong(mixed)).toEqual([{ row: mixed[0], text: 'calls another tool' }]);
    expect(mayApproveTogether([row('a', { destructive: true })])).toBe(false);
    expect(mayApproveTogether([])).toBe(false);
  });

  it('answers a choice between yes and no words like an approval, and no request that asks for more', () => {
    const asking = (properties: object, required: readonly string[]) =>
      toRow({
        threadId: 't',
        status: 'pending',
        interrupt: {
          id: 'q',
          reason: 'confirmation',
          responseSchema: { type: 'object', properties, required },
        },
      });
    const verdict = asking({ status: { enum: ['APPROVED', 'REJECTED'] }, reason: { type: 'string' } }, [
      'status',
    ]);
    expect(plainAnswer(verdict, true)?.payload).toEqual({ status: 'APPROVED' });
    expect(plainAnswer(verdict, false, 'Late')?.payload).toEqual({ status: 'REJECTED', reason: 'Late' });
    expect([mayApproveTogether([verdict]), mayRejectTogether([verdict])]).toEqual([true, true]);
    const form = asking({ email: { type: 'string' } }, ['email']);
    expect([plainAnswer(form, true), mayRejectTogether([form])]).toEqual([undefined, false]);
  });

  it('a row of the inbox has as its title the title of the tool, else the message, else the name of the tool', () => {
    const titles = [
      row('a', { title: 'Send $5 to ACME', message: 'Please confirm.' }),
      row('b', { message: 'Shall it go out?' }),
      row('c', { tool: 'sendEmail' }),
    ].map(({ facts }) => rowTitle(facts));
    expect(titles).toEqual(['Send $5 to ACME', 'Shall it go out?', 'Send email']);
  });

  it('allows rejecting together every open approval, also destructive ones and several tools', () => {
    expect(mayRejectTogether([row('a', { destructive: true }), row('b', { tool: 'mail' })])).toBe(true);
    expect(mayRejectTogether([row('a', { status: 'expired' })])).toBe(false);
    expect(mayRejectTogether([])).toBe(false);
  });
});

describe('the query of the inbox', () => {
  it('the query of the inbox is unchanged after it was written to the address and read again', () => {
    const query = {
      ...ALL_OPEN,
      q: 'a&b',
      reason: 'tool_call',
      olderThanMs: 300_000,
      order: 'newest',
    } as const;
    expect(readInboxQuery(writeInboxQuery(query))).toEqual(query);
    expect(writeInboxQuery(ALL_OPEN)).toBe('');
    expect(readInboxQuery('?order=random&age=-1&agent=x')).toEqual(ALL_OPEN);
  });

  it('the query of the inbox becomes the filter that the host gets', () => {
    expect(toInboxFilter(ALL_OPEN, NOW)).toEqual({ order: 'expiring' });
    expect(toInboxFilter({ ...ALL_OPEN, q: 'rent', olderThanMs: 60_000 }, NOW)).toEqual({
      order: 'expiring',
      text: 'rent',
      raisedBefore: '2026-01-01T11:59:00.000Z',
    });
  });
});

it('writes a history as CSV in quotes and without formulas', () => {
  const [, line, ...formulas] = historyAsCsv([
    { at: 0, what: 'staged', payload: { reason: 'a "b", c' } },
    ...['=1+1', ' =1+1', '\n=1+1', '＝1+1', 'a;=1+1'].map((by) => ({ by })),
  ]).split(/\r\n/);
  expect(line).toBe(`"1970-01-01T00:00:00.000Z","staged",,,,,"{""reason"":""a \\""b\\"", c""}",,,`);
  expect(formulas.map((one) => one.replaceAll(/^,,,|,+$/g, ''))).toEqual([
    `"'=1+1"`,
    `"' =1+1"`,
    `"'\n=1+1"`,
    `"'＝1+1"`,
    `"a;=1+1"`,
    '',
  ]);
});
