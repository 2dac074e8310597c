import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createIds } from '../../core/index.ts';
import type { Interrupt, ResumeEntry } from '../../protocol/index.ts';
import { memoryStore } from '../../store/memory/index.ts';
import { converse } from '../testing-support/converse.ts';
import { startDemo } from '../testing-support/start-demo.ts';
import { openBank } from './bank.ts';
import { callsFor, PHRASES } from './phrases.ts';
import { DEMO_ROLES } from './roles.ts';
import { dollars } from './tools.ts';

let folder = '';
let url = '';
let stop: () => Promise<unknown> = () => Promise.resolve();
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'holdpoint-demo-'));
  ({ url, stop } = await startDemo(join(folder, 'demo.db')));
});
afterAll(async () => {
  await stop();
  rmSync(folder, { recursive: true, force: true });
});

/** A new thread. Bank and outbox are shared by all threads, so tests compare them before and after. */
const newThread = (threadId: string = crypto.randomUUID()) => ({ threadId, ...converse(url, threadId) });
const idOf = (interrupt: Interrupt | undefined) => interrupt?.id ?? 'no interrupt';
const resolved = (interrupt: Interrupt | undefined, payload: unknown): ResumeEntry => ({
  interruptId: idOf(interrupt),
  status: 'resolved',
  payload,
});
const cancelled = (interrupt: Interrupt | undefined): ResumeEntry => ({
  interruptId: idOf(interrupt),
  status: 'cancelled',
});
/** The error of an invalid answer. */
const misfit = (part: string) => ({
  code: 'ANSWER_INVALID',
  message: expect.stringContaining(part) as unknown,
});
const balance = async () => ((await newThread().say('balance')).results[0] as { balance: number }).balance;
const outbox = async () => ((await newThread().say('outbox')).results[0] as { sent: unknown[] }).sent;

const CANCELLED = 'Cancelled by owner.';
const EMAIL = { to: 'a@b.com', subject: 'A message from the demo', body: 'hello' };

/** Says a phrase that raises one interrupt, answers it, and expects that no interrupt is open. */
async function oneAnswer(phrase: string, answerTo: (interrupt: Interrupt | undefined) => ResumeEntry) {
  const thread = newThread();
  const { interrupts, results } = await thread.say(phrase);
  expect([interrupts.length, results]).toEqual([1, []]);
  const ended = await thread.answer(answerTo(interrupts[0]));
  expect(ended.interrupts).toEqual([]);
  return ended;
}

describe('the roles of the demo', () => {
  it('a caller without a role is the owner, who does not answer the requests that wait for a role', async () => {
    const thread = newThread();
    const { interrupts } = await thread.say('pay 2500 to ACME');
    expect((await thread.answer(resolved(interrupts[0], { approved: true }))).refused).toEqual({
      code: 'ANSWER_FORBIDDEN',
      message: 'owner may not answer this: it needs the role finance.',
    });
    for (const headers of [{}, { 'holdpoint-as': 'owner' }]) {
      const list = await fetch(`${url}/interrupts?thread=${thread.threadId}`, { headers });
      expect(await list.json()).toMatchObject({ interrupts: [{ askedBy: 'owner', mayAnswer: false }] });
    }
  });

  it('each role asks for something that another role decides, and decides something itself', async () => {
    const mayAnswer = async (role: string, threadId: string) => {
      const list = await fetch(`${url}/interrupts?thread=${threadId}`, { headers: { 'holdpoint-as': role } });
      const { interrupts } = (await list.json()) as { interrupts: { mayAnswer: boolean }[] };
      return interrupts.some((item) => item.mayAnswer);
    };
    const roles = DEMO_ROLES.map(({ id }) => id);
    const decides = new Map<string, Set<string>>(roles.map((role) => [role, new Set()]));
    for (const { id, suggestions } of DEMO_ROLES) {
      // The owner answers all their phrases alone.
      if (id === 'owner') continue;
      for (const phrase of suggestions) {
        const threadId = crypto.randomUUID();
        await converse(url, threadId, id).say(phrase);
        const deciders: string[] = [];
        for (const role of roles) if (await mayAnswer(role, threadId)) deciders.push(role);
        expect([phrase, deciders.length > 0]).toEqual([phrase, true]);
        for (const role of deciders) decides.get(role)?.add(phrase);
      }
    }
    expect([...decides].map(([role, phrases]) => [role, [...phrases].toSorted()])).toEqual([
      ['owner', ['order a laptop']],
      ['asker', ['book a table', 'order a laptop']],
      ['reviewer', ['book a table', 'order a laptop', 'publish the price list']],
      ['cfo', ['book a table', 'order a laptop', 'pay 2500 to ACME']],
    ]);
  });

  it('names the phrases that a role offers, and publishes what was said', async () => {
    const { text } = await newThread().say('something else');
    const offered = DEMO_ROLES.flatMap(({ suggestions }) => suggestions);
    expect(offered.filter((phrase) => !String(text).includes(`- ${phrase}`))).toEqual([]);
    const { interrupts } = await newThread().say('publish the salary list');
    expect(interrupts).toMatchObject([{ metadata: { functionArguments: { document: 'salary list' } } }]);
  });

  it('an offer expires two minutes after it was made', async () => {
    const { threadId, say } = newThread();
    await say('book a table');
    const list = await fetch(`${url}/interrupts?thread=${threadId}`);
    const { interrupts } = (await list.json()) as {
      interrupts: { raisedAt: string; interrupt: Interrupt }[];
    };
    const [{ raisedAt, interrupt } = { raisedAt: '', interrupt: undefined }] = interrupts;
    const seconds = (Date.parse(interrupt?.expiresAt ?? '') - Date.parse(raisedAt)) / 1000;
    expect(Math.round(seconds)).toBe(120);
  });

  it.each([
    ['a page of another origin', { origin: 'https://evil.example' }, 403],
    ['another host name', { host: 'evil.example' }, 403],
    ['an unknown role', { 'holdpoint-as': 'king' }, 400],
    ['a page of this machine', { origin: 'http://localhost:3000' }, 200],
  ])('answers a request of %s, with or without a role, by %o with %i', async (_name, headers, status) => {
    for (const role of [{}, { 'holdpoint-as': 'cfo' }]) {
      const request = httpRequest(`${url}/interrupts`, { headers: { ...role, ...headers } });
      const [response] = (await once(request.end(), 'response')) as [IncomingMessage];
      response.resume();
      expect(response.statusCode).toBe(status);
    }
  });
});

describe('the demo', () => {
  it('the demo has only phrases that these tests cover', () => {
    expect(PHRASES.map(({ example }) => example).toSorted()).toEqual(
      [
        'ask me',
        'balance',
        'book a table',
        'break it',
        'delete old users',
        'do both',
        'email a@b.com hello',
        'onboard me',
        'outbox',
        'sign me up',
        'transfer 1000 to ABC123',
        'upload',
        'weather in Seattle',
      ].toSorted(),
    );
  });

  it('answers weather, balance and outbox without an interrupt', async () => {
    const weather = await newThread().say('weather in Seattle');
    expect(weather).toEqual({
      interrupts: [],
      results: [{ city: 'Seattle', sky: 'sunny', celsius: 21 }],
      text: 'It is sunny in Seattle, 21 °C.',
    });
    expect((await newThread().say('balance')).text).toMatch(/^The balance is \$[\d,]+(?:\.\d\d)?\.$/);
    expect(Array.isArray(await outbox())).toBe(true);
  });

  it.each(['transfer 1000 to ABC123', 'Transfer $1000 to account ABC123'])(
    'runs “%s” once after an approval, and not after a rejection or cancellation',
    async (phrase) => {
      const before = await balance();
      const approved = await oneAnswer(phrase, (interrupt) => resolved(interrupt, { status: 'APPROVED' }));
      expect(approved.results).toEqual([
        { status: 'DONE', transferId: expect.any(String), balance: before - 1000 },
      ]);
      expect(approved.text).toMatch(/^Sent\. The balance is \$/);
      expect(await balance()).toBe(before - 1000);
      const rejected = await oneAnswer(phrase, (interrupt) => resolved(interrupt, { status: 'REJECTED' }));
      expect(rejected.text).toBe('The user rejected the transaction.');
      const because = { status: 'REJECTED', reason: 'Wrong account.' };
      const told = await oneAnswer(phrase, (interrupt) => resolved(interrupt, because));
      expect(told.text).toBe('The user rejected the transaction. The reason: Wrong account.');
      expect((await oneAnswer(phrase, cancelled)).results).toEqual([CANCELLED]);
      expect(await balance()).toBe(before - 1000);
    },
  );

  it.each(['transfer', 'pay'])(
    '%s warns of an amount that is larger than the balance, and of no other',
    async (verb) => {
      const asked = async (phrase: string) => (await newThread().say(phrase)).interrupts[0]?.metadata;
      expect(await asked(`${verb} 1000000 to ABC123`)).toMatchObject({
        riskLevel: 'high',
        balanceWhenAsked: expect.stringMatching(/^\$[\d,.]+: too little, the bank would refuse$/) as unknown,
      });
      const covered = await asked(`${verb} 200 to ABC123`);
      expect(covered).toHaveProperty('balanceWhenAsked', expect.stringMatching(/^\$[\d,.]+$/));
      expect(covered).not.toHaveProperty('riskLevel');
    },
  );

  it.each([
    ['transfer', {}, { status: 'APPROVED' }],
    ['pay', { 'holdpoint-as': 'cfo' }, { approved: true }],
  ])('%s moves no money when the balance does not cover it, and says so', async (verb, role, payload) => {
    const before = await balance();
    const { threadId, say } = newThread();
    const { interrupts } = await say(`${verb} ${before + 1} to ABC123`);
    await fetch(`${url}/threads/${threadId}/interrupts/${idOf(interrupts[0])}/answer`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...role },
      body: JSON.stringify({ status: 'resolved', payload }),
    });
    const ending = async () => {
      const response = await fetch(`${url}/threads/${threadId}`);
      return ((await response.json()) as { messages: readonly unknown[] }).messages.slice(-2);
    };
    const told = `Not sent: the balance is ${dollars(before * 100)}.`;
    await expect.poll(ending, { timeout: 20_000 }).toMatchObject([
      { role: 'tool', error: expect.stringContaining(told) as unknown },
      { role: 'assistant', content: told },
    ]);
    expect(await balance()).toBe(before);
  });

  it('reports the balance right after each of two transfers at the same time, and refuses the second beyond it', async () => {
    const store = memoryStore();
    const bank = openBank(store, createIds());
    const both = await Promise.all([bank.transfer('A', 600_000), bank.transfer('B', 300_000)]);
    expect(both.map(({ balance: left }) => left)).toEqual([400_000, 100_000]);
    const rest = await Promise.all([bank.transfer('C', 100_000), bank.transfer('D', 100_000)]);
    expect(rest).toMatchObject([
      { isSent: true, balance: 0 },
      { isSent: false, balance: 0 },
    ]);
    expect(await bank.balance()).toBe(0);
    await store.close();
  });

  it.each([
    ['transfer 1.500 to BERLIN', 'I cannot read the amount “1.500”'],
    ['transfer 1.500,00 to BERLIN', 'I cannot read the amount “1.500,00”'],
    ['pay 12.345 to BERLIN', 'I cannot read the amount “12.345”'],
    ['transfer 1,50 to BERLIN', 'I cannot read the amount “1,50”'],
    ['transfer €50 to BERLIN', 'I cannot read the amount “€50”'],
    ['transfer 0 to BERLIN', 'The amount has to be at least $0.01'],
    ['pay 0.00 to BERLIN', 'The amount has to be at least $0.01'],
  ])('answers “%s” with a sentence and does nothing', (phrase, sentence) => {
    expect(callsFor(phrase)).toContain(sentence);
  });

  it.each([
    ['1500', 150_000],
    ['$1,500', 150_000],
    ['1500.5', 150_050],
    ['1,500.50', 150_050],
    ['1,234,567.89', 123_456_789],
  ])('reads the amount %s as %i cents', (written, amount) => {
    expect(callsFor(`transfer ${written} to ABC`)).toEqual([
      { name: 'transferMoney', input: { toAccountId: 'ABC', amount } },
    ]);
  });

  it('runs a small transfer without an interrupt', async () => {
    const before = await balance();
    const { interrupts, results } = await newThread().say('transfer 99.50 to ABC123');
    expect([interrupts, results]).toMatchObject([[], [{ status: 'DONE', balance: before - 99.5 }]]);
  });

  it('sends “email …” as approved or edited, and not after a rejection', async () => {
    const before = await outbox();
    const phrase = 'email a@b.com hello';
    const approved = await oneAnswer(phrase, (interrupt) => resolved(interrupt, { approved: true }));
    expect(approved).toMatchObject({
      results: [{ status: 'SENT', to: 'a@b.com' }],
      text: 'The e-mail to a@b.com is on its way.',
    });
    const editedArgs = { to: 'c@d.com', subject: 'Changed', body: 'hello again' };
    const edited = await oneAnswer(phrase, (interrupt) =>
      resolved(interrupt, { approved: true, editedArgs }),
    );
    expect(edited.text).toBe('The e-mail to c@d.com is on its way.');
    const rejected = await oneAnswer(phrase, (interrupt) =>
      resolved(interrupt, { approved: false, reason: 'Not now.' }),
    );
    expect(rejected.text).toBe('It was rejected, so nothing was done. The reason: Not now.');
    expect((await oneAnswer(phrase, cancelled)).results).toEqual([CANCELLED]);
    expect(await outbox()).toEqual([...before, EMAIL, editedArgs]);
    expect((await newThread().say('show my outbox')).text).toContain('- to c@d.com: hello again');
    const forged = { ...editedArgs, body: 'hi\n- to boss@d.com: **I approve**' };
    await oneAnswer(phrase, (interrupt) => resolved(interrupt, { approved: true, editedArgs: forged }));
    const { text } = await newThread().say('outbox');
    expect(String(text).split('\n')).toContain(
      String.raw`- to c@d.com: hi ↵ - to boss@d.com: \*\*I approve\*\*`,
    );
  });

  it('rejects an invalid answer to “sign me up” and takes the next one', async () => {
    const thread = newThread();
    const { interrupts } = await thread.say('sign me up');
    expect((await thread.answer(resolved(interrupts[0], { email: 'ana' }))).refused).toEqual(
      misfit('/email'),
    );
    const { results, text } = await thread.answer(resolved(interrupts[0], { email: 'ana@example.com' }));
    expect(results).toEqual([{ email: 'ana@example.com' }]);
    expect(text).toBe('Done.\n- Email: ana@example.com');
    expect((await oneAnswer('sign me up', cancelled)).results).toEqual([CANCELLED]);
  });

  it('accepts only one of the choices of “ask me”', async () => {
    const { text } = await oneAnswer('ask me', (interrupt) => {
      expect(interrupt?.responseSchema).toEqual({ enum: ['The mountains', 'The sea', 'The city'] });
      return resolved(interrupt, 'The sea');
    });
    expect(text).toBe('You answered: The sea');
    const thread = newThread();
    const { interrupts } = await thread.say('ask me');
    expect((await thread.answer(resolved(interrupts[0], 'The moon'))).refused).toEqual(
      misfit('does not fit'),
    );
    expect((await thread.answer(cancelled(interrupts[0]))).results).toEqual([CANCELLED]);
  });

  it('runs “delete old users” with the modifications of the person, and not after a rejection', async () => {
    const phrase = 'delete old users';
    const approved = await oneAnswer(phrase, (interrupt) => resolved(interrupt, { approved: true }));
    expect(approved.results).toEqual([{ deleted: 42, batches: 1, dryRun: false }]);
    const modifications = { batchSize: 10, dryRun: true };
    const modified = await oneAnswer(phrase, (interrupt) =>
      resolved(interrupt, { approved: true, modifications }),
    );
    expect(modified.results).toEqual([{ deleted: 0, batches: 5, dryRun: true }]);
    const rejected = await oneAnswer(phrase, (interrupt) => resolved(interrupt, { approved: false }));
    expect(rejected.text).toBe('It was rejected, so nothing was done.');
    const thread = newThread();
    const { interrupts } = await thread.say(phrase);
    const wrong = { approved: true, modifications: { batchSize: 0 } };
    expect((await thread.answer(resolved(interrupts[0], wrong))).refused).toEqual(
      misfit('/modifications/batchSize'),
    );
  });

  it('asks three times for “onboard me”, one after the other', async () => {
    const thread = newThread();
    const first = await thread.say('onboard me');
    expect(first.interrupts).toMatchObject([{ message: 'What is your e-mail address?' }]);
    const second = await thread.answer(resolved(first.interrupts[0], 'ana@example.com'));
    expect(second.interrupts).toMatchObject([{ message: 'Which plan?' }]);
    const third = await thread.answer(resolved(second.interrupts[0], 'pro'));
    expect(third.interrupts).toMatchObject([{ message: 'May we write to you once a month?' }]);
    const { interrupts, results, text } = await thread.answer(resolved(third.interrupts[0], false));
    expect(interrupts).toEqual([]);
    expect(text).toContain('- Plan: pro\n- Newsletter: no');
    expect(results).toEqual([{ account: 'acc-1', email: 'ana@example.com', plan: 'pro', newsletter: false }]);
  });

  it('ends “onboard me” at a cancelled interrupt', async () => {
    const thread = newThread();
    const first = await thread.say('onboard me');
    const second = await thread.answer(resolved(first.interrupts[0], 'ana@example.com'));
    const ended = await thread.answer(cancelled(second.interrupts[0]));
    expect([ended.interrupts, ended.results]).toEqual([[], [CANCELLED]]);
  });

  it('raises both interrupts of “do both” together and runs only the approved call', async () => {
    const [money, sent] = [await balance(), await outbox()];
    const thread = newThread();
    const { interrupts, results } = await thread.say('do both');
    const [email, transfer] = interrupts;
    expect([results, email?.reason, transfer?.reason]).toMatchObject([
      [{ city: 'Seattle' }],
      'tool_call',
      'confirmation',
    ]);
    await expect(thread.answer(resolved(email, { approved: true }))).rejects.toThrow(idOf(transfer));
    const ended = await thread.answer(
      resolved(email, { approved: true }),
      resolved(transfer, { status: 'REJECTED' }),
    );
    expect(ended.interrupts).toEqual([]);
    expect(ended.text).toBe(
      [
        '- It is sunny in Seattle, 21 °C.',
        '- The e-mail to a@b.com is on its way.',
        '- The user rejected the transaction.',
      ].join('\n'),
    );
    expect([await balance(), await outbox()]).toEqual([money, [...sent, EMAIL]]);
  });

  it('names the cancelled call of “do both” among the others', async () => {
    const thread = newThread();
    const [email, transfer] = (await thread.say('do both')).interrupts;
    const ended = await thread.answer(resolved(email, { approved: true }), cancelled(transfer));
    expect(ended.text).toContain('- Transfer money: The request was cancelled, so nothing was done.');
  });

  it('offers retry, skip and abort for “break it”', async () => {
    const answered = (payload: object) =>
      oneAnswer('break it', (interrupt) => {
        expect(interrupt?.message).toBe('The monthly report failed: The service did not answer.');
        return resolved(interrupt, payload);
      });
    expect((await answered({ action: 'retry' })).results).toEqual([{ status: 'OK', attempt: 2 }]);
    expect((await answered({ action: 'skip', result: { status: 'BY HAND' } })).results).toEqual([
      { status: 'BY HAND' },
    ]);
    const skipped = await answered({ action: 'skip' });
    const sentence = 'A person decided to continue without this call. It has no result.';
    expect([skipped.results, skipped.text]).toEqual([[sentence], sentence]);
    expect((await answered({ action: 'abort' })).results).toEqual(['Aborted.']);
    expect((await oneAnswer('break it', cancelled)).results).toEqual([CANCELLED]);
  });

  it('retries “break it” after a restart', async () => {
    const thread = newThread();
    const { interrupts } = await thread.say('break it');
    await stop();
    ({ url, stop } = await startDemo(join(folder, 'demo.db')));
    const again = newThread(thread.threadId);
    expect(await again.answer(resolved(interrupts[0], { action: 'retry' }))).toMatchObject({
      interrupts: [],
      results: [{ status: 'OK', attempt: 2 }],
    });
  });

  it('accepts an uploaded file by its id for “upload”', async () => {
    const thread = newThread();
    const { interrupts } = await thread.say('upload');
    expect(interrupts).toMatchObject([{ reason: 'upload_required' }]);
    const uploaded = await fetch(`${url}/threads/${thread.threadId}/files?name=contract.txt`, {
      method: 'POST',
      headers: { 'content-type': 'text/plain' },
      body: 'Signed.',
    });
    const { file } = (await uploaded.json()) as { file: { id: string; name: string } };
    const nothing = await thread.answer(resolved(interrupts[0], { name: 'contract.txt' }));
    expect(nothing.refused).toEqual(misfit('fileId'));
    const payload = { fileId: file.id, name: file.name };
    const { results, text } = await thread.answer(resolved(interrupts[0], payload));
    expect(results).toEqual([{ received: { ...payload, type: 'text/plain', bytes: 7 } }]);
    expect(text).toContain('- Name: contract.txt\n- Type: text/plain\n- Bytes: 7');
    const kept = await fetch(`${url}/threads/${thread.threadId}/files/${file.id}`);
    expect(await kept.text()).toBe('Signed.');
    expect((await oneAnswer('upload', cancelled)).results).toEqual([CANCELLED]);
  });

  it('lists its phrases for any other text, also after an answered interrupt', async () => {
    const thread = newThread();
    const { interrupts } = await thread.say('ask me');
    await thread.answer(resolved(interrupts[0], 'The city'));
    const { text } = await thread.say('what can you do?');
    for (const { example } of PHRASES) expect(text).toContain(`- ${example}`);
    expect((await thread.say('weather in Oslo')).text).toBe('It is sunny in Oslo, 21 °C.');
  });
});
