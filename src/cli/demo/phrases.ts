/** A tool call of a phrase. */
export interface PhraseCall {
  readonly name: string;
  readonly input: unknown;
}

/** A phrase that the demo understands; the chat page shows its example as a button. */
export interface Phrase {
  readonly example: string;
  readonly pattern: RegExp;
  /** The tool calls of the phrase, or a sentence that says how to write it. */
  readonly calls: (match: RegExpExecArray) => readonly PhraseCall[] | string;
}

/** An amount in cents, or a sentence about a text that is not one: in some countries `1.500` is 1500, in others 1.5. */
function readAmount(written: string): number | string {
  if (!/^(?:\d{1,12}|\d{1,3}(?:,\d{3}){1,3})(?:\.\d{1,2})?$/.test(written))
    return `I cannot read the amount “${written}”, so nothing was done. Write it as 1500, 1,500, 1500.50 or 1,500.50.`;
  const cents = Math.round(Number(written.replaceAll(',', '')) * 100);
  return cents === 0 ? 'The amount has to be at least $0.01, so nothing was done.' : cents;
}

/** The call of a phrase with an amount. */
function withAmount(
  written: string | undefined,
  call: (cents: number) => PhraseCall,
): readonly PhraseCall[] | string {
  const amount = readAmount(written ?? '');
  return typeof amount === 'string' ? amount : [call(amount)];
}

const transfer = (toAccountId: string, amount: number): PhraseCall => ({
  name: 'transferMoney',
  input: { toAccountId, amount },
});
const email = (to: string | undefined, body: string | undefined): PhraseCall => ({
  name: 'sendEmail',
  input: { to: to ?? '', subject: 'A message from the demo', body: body ?? '' },
});
const plain = (example: string, pattern: RegExp, ...calls: readonly PhraseCall[]): Phrase => ({
  example,
  pattern,
  calls: () => calls,
});

export const PHRASES: readonly Phrase[] = [
  {
    example: 'transfer 1000 to ABC123',
    pattern: /^transfer \$?(\S+) to (?:account )?(\S+?)[.!]?$/i,
    calls: ([, amount, account = '']) => withAmount(amount, (cents) => transfer(account, cents)),
  },
  {
    example: 'email a@b.com hello',
    pattern: /^e-?mail (\S+@\S+)\s+(.+)$/is,
    calls: ([, to, body]) => [email(to, body)],
  },
  {
    example: 'weather in Seattle',
    pattern: /^(?:what is the )?weather (?:in|for) (.+?)[?.!]?$/i,
    calls: ([, city]) => [{ name: 'getWeather', input: { city: city ?? '' } }],
  },
  plain('sign me up', /^sign me up/i, { name: 'signUp', input: {} }),
  plain('ask me', /^ask me/i, {
    name: 'askQuestion',
    input: { question: 'Where shall we go?', choices: ['The mountains', 'The sea', 'The city'] },
  }),
  plain('delete old users', /^delete old users/i, {
    name: 'modifyDatabase',
    input: { query: "DELETE FROM users WHERE last_login < '2023-01-01'", affectedRows: 42 },
  }),
  plain('onboard me', /^onboard me/i, { name: 'onboard', input: {} }),
  plain(
    'do both',
    /^do both/i,
    { name: 'getWeather', input: { city: 'Seattle' } },
    email('a@b.com', 'hello'),
    transfer('ABC123', 100_000),
  ),
  plain('book a table', /^book (?:a|the) table/i, { name: 'bookTable', input: { guests: 2, at: '19:30' } }),
  plain('break it', /^break it/i, { name: 'unreliable', input: {} }),
  plain('upload', /^upload/i, { name: 'requestUpload', input: {} }),
  plain('balance', /^(?:what is my )?balance/i, { name: 'balance', input: {} }),
  plain('outbox', /^(?:show )?(?:the |my )?outbox/i, { name: 'outbox', input: {} }),
];

/** Phrases whose requests wait for another person; the page shows them to the roles of the demo. */
export const ROLE_PHRASES: readonly Phrase[] = [
  {
    example: 'pay 2500 to ACME',
    pattern: /^pay \$?(\S+) to (\S+?)[.!]?$/i,
    calls: ([, amount, to = '']) =>
      withAmount(amount, (cents) => ({ name: 'payInvoice', input: { to, amountInDollars: cents / 100 } })),
  },
  {
    example: 'publish the price list',
    pattern: /^publish (?:the )?(\S.*?)[.!]?$/i,
    calls: ([, document = '']) => [{ name: 'publish', input: { document } }],
  },
  plain('order a laptop', /^order a laptop/i, { name: 'order', input: { item: 'laptop' } }),
];

/** The tool calls for a text, or a sentence that says how to write it; undefined for an unknown text. */
export function callsFor(text: string): readonly PhraseCall[] | string | undefined {
  for (const { pattern, calls } of [...PHRASES, ...ROLE_PHRASES]) {
    const match = pattern.exec(text.trim());
    if (match !== null) return calls(match);
  }
  return undefined;
}
