/** A tool call of a phrase. */
export interface PhraseCall {
  readonly name: string;
  readonly input: unknown;
}

/** A phrase that the demo understands; the chat page shows its example as a button. */
export interface Phrase {
  readonly example: string;
  readonly pattern: RegExp;
  readonly calls: (match: RegExpExecArray) => readonly PhraseCall[];
}

const cents = (amount: string | undefined) => Math.round(Number((amount ?? '0').replaceAll(',', '')) * 100);
const transfer = (amount: string | undefined, account: string | undefined): PhraseCall => ({
  name: 'transferMoney',
  input: { toAccountId: account ?? '', amount: cents(amount) },
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
    pattern: /^transfer \$?([\d.,]+) to (?:account )?(\S+?)[.!]?$/i,
    calls: ([, amount, account]) => [transfer(amount, account)],
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
    transfer('1000', 'ABC123'),
  ),
  plain('book a table', /^book (?:a|the) table/i, { name: 'bookTable', input: { guests: 2, at: '19:30' } }),
  plain('break it', /^break it/i, { name: 'unreliable', input: {} }),
  plain('upload', /^upload/i, { name: 'requestUpload', input: {} }),
  plain('balance', /^(?:what is my )?balance/i, { name: 'balance', input: {} }),
  plain('outbox', /^(?:show )?(?:the |my )?outbox/i, { name: 'outbox', input: {} }),
];

/** Phrases whose requests wait for another person; the page shows them to the roles of the demo. */
const ROLE_PHRASES: readonly Phrase[] = [
  {
    example: 'pay 2500 to ACME',
    pattern: /^pay \$?([\d.,]+) to (\S+?)[.!]?$/i,
    calls: ([, amount, to]) => [
      { name: 'payInvoice', input: { to: to ?? '', amountInDollars: cents(amount) / 100 } },
    ],
  },
  plain('publish the price list', /^publish/i, { name: 'publish', input: { document: 'price list' } }),
  plain('order a laptop', /^order a laptop/i, { name: 'order', input: { item: 'laptop' } }),
];

/** The tool calls for a text; undefined for an unknown text. */
export function callsFor(text: string): readonly PhraseCall[] | undefined {
  for (const { pattern, calls } of [...PHRASES, ...ROLE_PHRASES]) {
    const match = pattern.exec(text.trim());
    if (match !== null) return calls(match);
  }
  return undefined;
}
