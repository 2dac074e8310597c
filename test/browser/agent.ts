import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { defineInterrupt, defineTool } from '../../src/engine/index.ts';
import type { GeneratingAgent } from '../../src/runs/index.ts';
import { defineAgent } from '../../src/runs/index.ts';
import { scriptedModel } from '../../src/testing/index.ts';

type Calls = readonly { readonly name: string; readonly input?: unknown }[];

const MANY = Array.from({ length: 30 }, (_, index) => index + 1);
const HOSTILE_EMAIL = {
  to: 'a@b.com',
  subject: '<script>window.hacked = true</script>',
  body: '[click](javascript:window.hacked=true) <img src=x onerror="window.hacked=true">',
  copies: 1,
};

function nested(depth: number): unknown {
  return depth === 0 ? 'bottom' : { in: nested(depth - 1) };
}

/** The tool calls for each phrase. Side effects append a line to the file `outside`. */
const CALLS: Readonly<Record<string, Calls>> = {
  transfer: [{ name: 'transferMoney', input: { toAccountId: 'ABC123', amount: 1000 } }],
  email: [
    { name: 'sendEmail', input: { to: 'a@b.com', subject: 'Hello', body: 'See you\non Monday', copies: 1 } },
  ],
  'do both': [
    { name: 'sendEmail', input: { to: 'a@b.com', subject: 'Hello', body: 'Hi', copies: 1 } },
    { name: 'transferMoney', input: { toAccountId: 'ABC123', amount: 2000 } },
    { name: 'weather', input: { city: 'Rome' } },
  ],
  weather: [{ name: 'weather', input: { city: 'Oslo' } }],
  choose: [{ name: 'choose' }],
  form: [{ name: 'register' }],
  wizard: [{ name: 'wizard' }],
  'delete users': [{ name: 'deleteUsers', input: { olderThanDays: 365 } }],
  'break it': [{ name: 'fragile', input: { what: 'vase' } }],
  upload: [{ name: 'upload' }],
  soon: [{ name: 'soon', input: { what: 'tea' } }],
  brief: [{ name: 'brief', input: { what: 'ice' } }],
  lapse: [{ name: 'lapse', input: { what: 'milk' } }],
  confirm: [{ name: 'confirm', input: { what: 'the door' } }],
  invoice: [{ name: 'payInvoice', input: { to: 'ACME', amount: 1000 } }],
  small: [{ name: 'payAtOnce', input: { to: 'SMALL', amount: 50 } }],
  backwards: [{ name: 'transferMoney', input: { toAccountId: '\u202E321CBA', amount: 1000 } }],
  wipe: [{ name: 'wipe', input: Object.fromEntries(MANY.map((n) => [`table${n}`, `rows of ${n}`])) }],
  slow: [{ name: 'slow' }],
  login: [{ name: 'login' }],
  brittle: [{ name: 'brittle', input: { what: 'glass' } }],
  release: [{ name: 'release' }],
  stall: [{ name: 'stall', input: { what: 'wire' } }],
  hostile: [{ name: 'sendEmail', input: HOSTILE_EMAIL }],
  deep: [{ name: 'wipe', input: { deep: nested(60), long: 'x'.repeat(200_000) } }],
};

/** An agent with an interrupt of every kind. */
export function browserAgent(outside: string): GeneratingAgent {
  const did = (line: string) => appendFileSync(outside, `${line}\n`);
  const weather = defineTool({
    name: 'weather',
    description: 'Says the weather.',
    input: { type: 'object', properties: { city: { type: 'string' } } },
    run: (input) => ({ city: (input as { city: string }).city, sky: 'sunny', degrees: 21 }),
  });
  const transferMoney = defineTool({
    name: 'transferMoney',
    description: 'Transfers money.',
    input: {
      type: 'object',
      properties: { toAccountId: { type: 'string' }, amount: { type: 'integer', minimum: 1 } },
      required: ['toAccountId', 'amount'],
    },
    approval: true,
    run(input) {
      const { toAccountId, amount } = input as { toAccountId: string; amount: number };
      did(`transfer ${amount} ${toAccountId}`);
      return { status: 'DONE', toAccountId, amount };
    },
  });
  const sendEmail = defineTool({
    name: 'sendEmail',
    description: 'Sends an e-mail.',
    input: {
      type: 'object',
      properties: {
        to: { type: 'string', format: 'email' },
        subject: { type: 'string' },
        body: { type: 'string' },
        copies: { type: 'integer', minimum: 1, maximum: 5 },
      },
      required: ['to', 'subject', 'body', 'copies'],
    },
    approval: { editable: true, message: 'Shall this e-mail go out?' },
    run(input) {
      did(`email ${JSON.stringify(input)}`);
      return { sent: true };
    },
  });
  const deleteUsers = defineTool({
    name: 'deleteUsers',
    description: 'Deletes users.',
    input: { type: 'object', properties: { olderThanDays: { type: 'integer' } } },
    destructive: true,
    approval: {
      reason: 'database_modification',
      message: 'Delete 1,245 users who have not signed in for a year?',
      requireReason: true,
      confirmation: 'delete users',
      response: { modifications: { type: 'object', properties: { dryRun: { type: 'boolean' } } } },
      metadata: { payload: { table: 'users', affectedRows: 1245, riskLevel: 'high' } },
    },
    run: () => {
      did('deleted');
      return { deleted: 1245 };
    },
  });
  const choose = defineInterrupt({
    name: 'choose',
    description: 'Asks which colour.',
    input: { type: 'object' },
    message: () => 'Which colour shall the door have?',
    response: { enum: ['red', 'green', 'blue'] },
  });
  const register = defineInterrupt({
    name: 'register',
    description: 'Asks for a person.',
    input: { type: 'object' },
    response: PERSON,
  });
  const upload = defineTool({
    name: 'upload',
    description: 'Takes a file.',
    input: { type: 'object' },
    async run(_input, { ask }) {
      const file = await ask('file', {
        reason: 'upload_required',
        message: 'Please upload your receipt.',
        metadata: { accept: ['text/plain'], maxBytes: 1000 },
        schema: {
          type: 'object',
          properties: { fileId: { type: 'string' }, name: { type: 'string' } },
          required: ['fileId'],
        },
      });
      return { got: (file as { name: string }).name };
    },
  });
  const wizard = defineTool({
    name: 'wizard',
    description: 'Asks on pages.',
    input: { type: 'object' },
    async run(_input, { ask }) {
      const given = await ask('trip', {
        message: 'Plan your trip.',
        optional: true,
        schema: {
          type: 'object',
          properties: {
            from: { type: 'string' },
            to: { type: 'string' },
            seats: { type: 'integer', minimum: 1 },
          },
          required: ['from', 'to', 'seats'],
        },
        pages: [
          { title: 'Where', properties: ['from', 'to'] },
          { title: 'How many', properties: ['seats'] },
        ],
      });
      return given ?? 'skipped';
    },
  });
  const fragile = defineTool({
    name: 'fragile',
    description: 'Breaks.',
    input: { type: 'object', properties: { what: { type: 'string' } } },
    onError: 'interrupt',
    run() {
      throw new Error('The vase fell.');
    },
  });
  const soon = defineTool({
    name: 'soon',
    description: 'Expires.',
    input: { type: 'object', properties: { what: { type: 'string' } } },
    approval: { expiresInMs: 90_000 },
    run: () => 'poured',
  });
  const brief = defineTool({
    name: 'brief',
    description: 'Expires at once.',
    input: { type: 'object', properties: { what: { type: 'string' } } },
    approval: { expiresInMs: 4000 },
    run: () => 'served',
  });
  const lapse = defineTool({
    name: 'lapse',
    description: 'Is denied when it expires.',
    input: { type: 'object', properties: { what: { type: 'string' } } },
    approval: { expiresInMs: 300, onExpire: 'deny' },
    run: () => 'kept',
  });
  const confirm = defineTool({
    name: 'confirm',
    description: 'Asks in the middle of its work.',
    input: { type: 'object', properties: { what: { type: 'string' } } },
    resume: {
      type: 'object',
      properties: { status: { enum: ['APPROVED', 'REJECTED'] }, reason: { type: 'string' } },
      required: ['status'],
    },
    run: (_input, context) =>
      context.resumed === undefined ? context.interrupt({ message: 'Really open it?' }) : context.resumed,
  });
  const payAtOnce = defineTool({
    name: 'payAtOnce',
    description: 'Pays a small amount without asking.',
    input: { type: 'object' },
    title: (input) => {
      const { amount, to } = input as { amount: number; to: string };
      return `Pay $${amount} to ${to}`;
    },
    run(input) {
      const { amount, to } = input as { amount: number; to: string };
      did(`paid ${amount} ${to}`);
      return { paid: amount };
    },
  });
  const payInvoice = defineTool({
    name: 'payInvoice',
    description: 'Pays an invoice.',
    input: {
      type: 'object',
      properties: { to: { type: 'string' }, amount: { type: 'integer' } },
      required: ['to', 'amount'],
    },
    title: () => 'Pay an invoice',
    approval: { editable: true, metadata: { display: { amount: '$1,000' } } },
    run: () => 'paid',
  });
  const wipe = defineTool({
    name: 'wipe',
    description: 'Empties tables.',
    input: { type: 'object' },
    destructive: true,
    approval: { message: 'Empty these tables?', metadata: { riskLevel: 'high' } },
    run: () => 'wiped',
  });
  const login = defineTool({
    name: 'login',
    description: 'Asks for a password.',
    input: { type: 'object' },
    async run(_input, { ask }) {
      await ask('password', {
        message: 'Your password?',
        schema: {
          type: 'object',
          properties: { user: { type: 'string' }, password: { type: 'string', writeOnly: true } },
          required: ['user', 'password'],
        },
      });
      return 'signed in';
    },
  });
  const brittle = defineTool({
    name: 'brittle',
    description: 'Fails after its approval.',
    input: { type: 'object', properties: { what: { type: 'string' } } },
    approval: true,
    run() {
      throw new Error('The glass broke.');
    },
  });
  let release: (value: string) => void = () => {};
  const released = new Promise<string>((resolve) => {
    release = resolve;
  });
  const slow = defineTool({
    name: 'slow',
    description: 'Works until it is released.',
    input: { type: 'object' },
    run: () => released,
  });
  const releaseTool = defineTool({
    name: 'release',
    description: 'Releases the slow tool.',
    input: { type: 'object' },
    run() {
      release('released');
      return 'done';
    },
  });
  const stall = defineTool({
    name: 'stall',
    description: 'Works until its process ends; ends when it is called again.',
    input: { type: 'object', properties: { what: { type: 'string' } } },
    approval: true,
    run(_input, { idempotencyKey }) {
      const line = `stall ${idempotencyKey}`;
      if (existsSync(outside) && readFileSync(outside, 'utf8').includes(line)) return 'done again';
      did(line);
      return new Promise(() => {});
    },
  });
  let failures = 0;
  const model = scriptedModel(({ messages }) => {
    const last = messages.at(-1);
    if (last?.role === 'tool') return `Result: ${typeof last.content === 'string' ? last.content : ''}`;
    const said = last?.role === 'user' && typeof last.content === 'string' ? last.content : '';
    const calls = CALLS[said];
    if (said === 'fail') return { error: new Error('the model is down') };
    if (said === 'fail once') {
      failures += 1;
      return failures === 1 ? { error: new Error('the model is down') } : 'It works now.';
    }
    if (said === 'table')
      return '| city | degrees |\n| --- | ---: |\n| Oslo | 7 |\n| Rome | 21 |\n\nThat is all.';
    if (said === 'markdown') return MARKDOWN;
    if (calls === undefined)
      return `You said **${said}**. Try one of these:\n\n- weather\n- transfer\n- email`;
    return { calls: calls.map((call, n) => ({ id: `${said}-${messages.length}-${n}`, ...call })) };
  });
  const tools = [
    weather,
    transferMoney,
    sendEmail,
    deleteUsers,
    choose,
    register,
    upload,
    wizard,
    fragile,
    soon,
    brief,
    lapse,
    confirm,
    payAtOnce,
    payInvoice,
    wipe,
    login,
    brittle,
    slow,
    releaseTool,
    stall,
  ];
  return defineAgent({
    id: 'assistant',
    description: 'Moves money, sends e-mail, and asks before it does.',
    model,
    tools,
  });
}

const MARKDOWN = `# Heading

Some *words*, **bold**, \`code\`, <img src=x onerror=alert(1)> [a link](https://example.com/page) and 2 \\* 3 \\* 4.

1. one
2. two

\`\`\`
const x = 1;
\`\`\``;

const PERSON = {
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 2, title: 'Full name', description: 'As in your passport.' },
    email: { type: 'string', format: 'email' },
    age: { type: 'integer', minimum: 18 },
    plan: {
      oneOf: [
        { const: 'free', title: 'Free' },
        { const: 'pro', title: 'Pro' },
      ],
    },
    topics: { type: 'array', items: { enum: ['news', 'offers', 'events'] } },
    address: { $ref: '#/$defs/address' },
    nicknames: { type: 'array', items: { type: 'string' } },
    terms: { type: 'boolean', title: 'I agree to the terms' },
    notes: { type: 'string' },
  },
  required: ['name', 'email', 'age', 'plan', 'terms'],
  $defs: {
    address: {
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
      required: ['street', 'city'],
    },
  },
} as const;
