import type { Tool } from '../../engine/index.ts';
import { askForFile, defineInterrupt, defineTool } from '../../engine/index.ts';
import type { Bank } from './bank.ts';

interface TransferInput {
  readonly toAccountId: string;
  readonly amount: number;
}

interface TransferAnswer {
  readonly status?: 'APPROVED' | 'REJECTED';
  readonly reason?: string;
}

interface PaymentInput {
  readonly to: string;
  readonly amountInDollars: number;
}

interface BookingInput {
  readonly guests: number;
  readonly at: string;
}

interface EmailInput {
  readonly to: string;
  readonly subject: string;
  readonly body: string;
}

const text = { type: 'string' } as const;

/** A text of a person or a tool inside Markdown: it is shown as written, and starts no line of its own. */
export function asWritten(text: string): string {
  return text.replaceAll(/[\\`*[\]]|(?<!\w)_|_(?!\w)/g, String.raw`\$&`).replaceAll(/\s*\n\s*/g, ' ↵ ');
}

/** Writes an amount in cents as dollars; a whole amount has no decimals: "$1,000", "$9,999.50". */
export function dollars(cents: number): string {
  const minimumFractionDigits = cents % 100 === 0 ? 0 : 2;
  return new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD', minimumFractionDigits }).format(
    cents / 100,
  );
}

/** The balance of an output, which is in dollars, as people read it. */
function balanceText(output: object): Readonly<Record<string, string>> {
  return 'balance' in output ? { balance: dollars(Number(output.balance) * 100) } : {};
}

/** Facts for the person who decides about a payment. `amount`: in cents. */
async function paymentFacts(bank: Bank, amount: number) {
  const balance = await bank.balance();
  return amount <= balance
    ? { balanceWhenAsked: dollars(balance) }
    : { balanceWhenAsked: `${dollars(balance)}: too little, the bank would refuse`, riskLevel: 'high' };
}

/** Moves money. Throws when the balance does not cover it. `amount`: in cents. */
async function send(bank: Bank, to: string, amount: number) {
  const { transferId, isSent, balance } = await bank.transfer(to, amount);
  if (!isSent) throw new Error(`Not sent: the balance is ${dollars(balance)}.`);
  return { status: 'DONE', transferId, balance: balance / 100 };
}

/** The tools of the demo: one for each kind of interrupt, and `balance` and `outbox`, which show the side effects. */
export function demoTools(bank: Bank): readonly Tool[] {
  return [
    weather,
    transferMoney(bank),
    sendEmail(bank),
    signUp,
    askQuestion,
    modifyDatabase,
    onboard,
    bookTable,
    unreliable(bank),
    requestUpload,
    getBalance(bank),
    getOutbox(bank),
    payInvoice(bank),
    publish,
    order,
  ];
}

const weather = defineTool({
  name: 'getWeather',
  description: 'The weather in a city.',
  input: { type: 'object', properties: { city: text }, required: ['city'] },
  idempotent: true,
  run: (input) => ({ city: (input as { city: string }).city, sky: 'sunny', celsius: 21 }),
  display: { output: ({ celsius }) => ({ celsius: `${celsius} °C` }) },
});

/** A restartable tool: its body asks for a confirmation of a large amount. */
function transferMoney(bank: Bank): Tool {
  return defineTool({
    name: 'transferMoney',
    description: 'Transfers money to an account.',
    input: {
      type: 'object',
      properties: { toAccountId: text, amount: { type: 'integer', minimum: 1, description: 'in cents' } },
      required: ['toAccountId', 'amount'],
    },
    resume: {
      type: 'object',
      properties: { status: { enum: ['APPROVED', 'REJECTED'] }, reason: text },
      required: ['status'],
    },
    title: (input) => {
      const { toAccountId, amount } = input as TransferInput;
      return `Send ${dollars(amount)} to ${toAccountId}`;
    },
    async run(input, context) {
      const { toAccountId, amount } = input as TransferInput;
      const { status, reason = '' } = (context.resumed ?? {}) as TransferAnswer;
      if (status === 'REJECTED') {
        const why = reason === '' ? '' : ` The reason: ${reason}`;
        return { status: 'REJECTED', message: `The user rejected the transaction.${why}` };
      }
      if (amount > 10_000 && status !== 'APPROVED') {
        return context.interrupt({
          message: `Send ${dollars(amount)} to the account ${asWritten(toAccountId)}?`,
          metadata: await paymentFacts(bank, amount),
        });
      }
      return send(bank, toAccountId, amount);
    },
    display: {
      input: (input) => ({ amount: dollars((input as TransferInput).amount) }),
      output: balanceText,
    },
  });
}

function sendEmail(bank: Bank): Tool {
  return defineTool({
    name: 'sendEmail',
    description: 'Sends an e-mail.',
    input: {
      type: 'object',
      properties: { to: { ...text, format: 'email' }, subject: text, body: text },
      required: ['to', 'subject', 'body'],
    },
    title: (input) => `Send an e-mail to ${(input as EmailInput).to}`,
    approval: { editable: true, metadata: { verb: 'Send it' } },
    async run(input) {
      await bank.send(input as EmailInput);
      return { status: 'SENT', to: (input as EmailInput).to };
    },
  });
}

const signUp = defineInterrupt({
  name: 'signUp',
  description: 'Asks for what a new account needs.',
  input: { type: 'object' },
  response: {
    type: 'object',
    properties: { email: { type: 'string', format: 'email', title: 'E-mail' } },
    required: ['email'],
  },
  requestMetadata: { title: 'Sign up' },
});

const askQuestion = defineInterrupt({
  name: 'askQuestion',
  description: 'Asks the user to choose.',
  input: {
    type: 'object',
    properties: { question: text, choices: { type: 'array', items: text } },
    required: ['question', 'choices'],
  },
  response: (input) => ({ enum: (input as { choices: string[] }).choices }),
  message: (input) => (input as { question: string }).question,
});

/** The complex example of the draft: `modifications` of the person reach the tool. */
const modifyDatabase = defineTool({
  name: 'modifyDatabase',
  description: 'Changes rows of a table.',
  input: {
    type: 'object',
    properties: { query: text, affectedRows: { type: 'integer' } },
    required: ['query'],
  },
  destructive: true,
  approval: {
    reason: 'database_modification',
    message: 'Delete 42 users who have not signed in since 2023?',
    response: {
      modifications: {
        type: 'object',
        properties: { batchSize: { type: 'integer', minimum: 1 }, dryRun: { type: 'boolean' } },
      },
    },
    metadata: {
      payload: {
        action: 'DELETE',
        table: 'users',
        affectedRows: 42,
        query: "DELETE FROM users WHERE last_login < '2023-01-01'",
        rollbackPlan: 'Restore from the snapshot of last night',
        riskLevel: 'high',
      },
      verb: 'Delete 42 users',
    },
  },
  run(_input, context) {
    const { modifications = {} } = (context.resumed ?? {}) as {
      modifications?: { batchSize?: number; dryRun?: boolean };
    };
    const { batchSize = 42, dryRun = false } = modifications;
    return { deleted: dryRun ? 0 : 42, batches: Math.ceil(42 / batchSize), dryRun };
  },
});

/** A wizard: three asks, with steps between them that run once. */
const onboard = defineTool({
  name: 'onboard',
  description: 'Sets up an account, step by step.',
  input: { type: 'object' },
  async run(_input, context) {
    const email = await context.ask('email', {
      message: 'What is your e-mail address?',
      schema: { type: 'string', format: 'email', title: 'E-mail' },
    });
    const account = await context.step('create the account', () => ({ id: 'acc-1', email }));
    const plan = await context.ask('plan', {
      message: 'Which plan?',
      schema: { enum: ['free', 'pro'], title: 'Plan' },
    });
    await context.step('subscribe', () => ({ plan }));
    const newsletter = await context.ask('newsletter', {
      message: 'May we write to you once a month?',
      schema: { type: 'boolean', title: 'Newsletter' },
    });
    return { account: account.id, email, plan, newsletter };
  },
});

/** An offer that ends: the approval expires after two minutes, and can be asked again. */
const bookTable = defineTool({
  name: 'bookTable',
  description: 'Books a table at the restaurant.',
  input: {
    type: 'object',
    properties: { guests: { type: 'integer', minimum: 1 }, at: text },
    required: ['guests', 'at'],
  },
  title: (input) => {
    const { guests, at } = input as BookingInput;
    return `Book a table for ${guests} at ${at}`;
  },
  approval: {
    description: 'The restaurant holds the table for two minutes.',
    expiresInMs: 2 * 60_000,
    metadata: { verb: 'Book it' },
  },
  run: (input) => {
    const { guests, at } = input as BookingInput;
    return { message: `A table for ${guests} at ${at} is booked.` };
  },
});

/** Fails on its first call, also across restarts; then a person decides. */
function unreliable(bank: Bank): Tool {
  return defineTool({
    name: 'unreliable',
    description: 'Makes the monthly report. Fails the first time.',
    title: () => 'The monthly report',
    input: { type: 'object' },
    onError: 'interrupt',
    async run(_input, { threadId, toolCallId }) {
      if (await bank.tried(`${threadId}:${toolCallId}`)) return { status: 'OK', attempt: 2 };
      throw new Error('The service did not answer.');
    },
  });
}

const requestUpload = defineTool({
  name: 'requestUpload',
  description: 'Asks for a file.',
  input: { type: 'object' },
  async run(_input, context) {
    const { id, name, type, size } = await askForFile(context, 'file', {
      message: 'Please upload the signed contract.',
      accept: ['application/pdf', 'image/*', 'text/plain'],
      maxBytes: 5 * 1024 * 1024,
    });
    return { received: { fileId: id, name, type, bytes: size } };
  },
});

function getBalance(bank: Bank): Tool {
  return defineTool({
    name: 'balance',
    description: 'The balance, in dollars.',
    input: { type: 'object' },
    idempotent: true,
    run: async () => ({ balance: (await bank.balance()) / 100 }),
    display: { output: balanceText },
  });
}

function getOutbox(bank: Bank): Tool {
  return defineTool({
    name: 'outbox',
    description: 'The e-mails that were sent.',
    input: { type: 'object' },
    idempotent: true,
    run: async () => ({ sent: [...(await bank.outbox())] }),
  });
}

function centsOf({ amountInDollars }: PaymentInput): number {
  return Math.round(amountInDollars * 100);
}

/** Waits for the CFO, unless the CFO has asked. */
function payInvoice(bank: Bank): Tool {
  return defineTool({
    name: 'payInvoice',
    description: 'Pays an invoice.',
    input: {
      type: 'object',
      properties: { to: text, amountInDollars: { type: 'number', exclusiveMinimum: 0 } },
      required: ['to', 'amountInDollars'],
    },
    title: (input) => {
      const { to, amountInDollars } = input as PaymentInput;
      return `Pay ${dollars(amountInDollars * 100)} to ${to}`;
    },
    approval: {
      approvers: { roles: ['finance'], notAsker: true },
      metadata: (input) => paymentFacts(bank, centsOf(input as PaymentInput)),
    },
    run: (input) => send(bank, (input as PaymentInput).to, centsOf(input as PaymentInput)),
    display: {
      input: (input) => ({ amountInDollars: dollars(centsOf(input as PaymentInput)) }),
      output: balanceText,
    },
  });
}

/** Waits for a reviewer, unless the reviewer has asked. */
const publish = defineTool({
  name: 'publish',
  description: 'Publishes a document.',
  input: { type: 'object', properties: { document: text }, required: ['document'] },
  title: (input) => `Publish the ${(input as { document: string }).document}`,
  approval: { approvers: { roles: ['reviewer'], notAsker: true }, metadata: { verb: 'Publish it' } },
  run: (input) => ({ message: `The ${(input as { document: string }).document} is published.` }),
});

/** Waits for any other person. */
const order = defineTool({
  name: 'order',
  description: 'Orders an item.',
  input: { type: 'object', properties: { item: text }, required: ['item'] },
  title: (input) => `Order a ${(input as { item: string }).item}`,
  approval: { approvers: { notAsker: true }, metadata: { verb: 'Order it' } },
  run: (input) => ({ message: `A ${(input as { item: string }).item} is ordered.` }),
});
