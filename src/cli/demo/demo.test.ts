import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Interrupt, ResumeEntry } from '../../protocol/index.ts';
import { converse } from '../testing-support/converse.ts';
import { startDemo } from '../testing-support/start-demo.ts';
import { PHRASES } from './phrases.ts';

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

/** A thread of its own for each test: bank and outbox are everybody's, so that they are compared before and after. */
const newThread = (threadId: string = crypto.randomUUID()) => ({ threadId, ...converse(url, threadId) });
const idOf = (question: Interrupt | undefined) => question?.id ?? 'no question was asked';
const resolved = (question: Interrupt | undefined, payload: unknown): ResumeEntry => ({
  interruptId: idOf(question),
  status: 'resolved',
  payload,
});
const cancelled = (question: Interrupt | undefined): ResumeEntry => ({
  interruptId: idOf(question),
  status: 'cancelled',
});
/** An answer that the host refused; the question is still open. */
const misfit = (part: string) => ({
  code: 'ANSWER_INVALID',
  message: expect.stringContaining(part) as unknown,
});
const balance = async () => ((await newThread().say('balance')).results[0] as { balance: number }).balance;
const outbox = async () => ((await newThread().say('outbox')).results[0] as { sent: unknown[] }).sent;

const CANCELLED = 'Cancelled: nobody answered.';
const EMAIL = { to: 'a@b.com', subject: 'A message from the demo', body: 'hello' };

/** Says a phrase that asks one question, and gives one answer, after which nothing is open. */
async function oneAnswer(phrase: string, answerTo: (question: Interrupt | undefined) => ResumeEntry) {
  const thread = newThread();
  const { interrupts, results } = await thread.say(phrase);
  expect([interrupts.length, results]).toEqual([1, []]);
  const ended = await thread.answer(answerTo(interrupts[0]));
  expect(ended.interrupts).toEqual([]);
  return ended;
}

describe('the phrases of the demo, to their end', () => {
  it('are all tried here', () => {
    expect(PHRASES.map(({ example }) => example).toSorted()).toEqual(
      [
        'ask me',
        'balance',
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

  it('weather, balance and outbox ask nothing', async () => {
    const weather = await newThread().say('weather in Seattle');
    expect(weather).toEqual({
      interrupts: [],
      results: [{ city: 'Seattle', sky: 'sunny', celsius: 21 }],
      text: 'It is sunny in Seattle, 21 °C.',
    });
    expect((await newThread().say('balance')).text).toMatch(/^The balance is \$[\d,]+\.\d\d\.$/);
    expect(Array.isArray(await outbox())).toBe(true);
  });

  it.each(['transfer 1000 to ABC123', 'Transfer $1000 to account ABC123'])(
    '“%s” moves money once when it is approved, and not when it is rejected or cancelled',
    async (phrase) => {
      const before = await balance();
      const approved = await oneAnswer(phrase, (question) => resolved(question, { status: 'APPROVED' }));
      expect(approved.results).toEqual([
        { status: 'DONE', transferId: expect.any(String), balance: before - 1000 },
      ]);
      expect(approved.text).toMatch(/^Sent\. The balance is \$/);
      expect(await balance()).toBe(before - 1000);
      const rejected = await oneAnswer(phrase, (question) => resolved(question, { status: 'REJECTED' }));
      expect(rejected.text).toBe('The user rejected the transaction.');
      expect((await oneAnswer(phrase, cancelled)).results).toEqual([CANCELLED]);
      expect(await balance()).toBe(before - 1000);
    },
  );

  it('a small transfer needs no confirmation', async () => {
    const before = await balance();
    const { interrupts, results } = await newThread().say('transfer 99.50 to ABC123');
    expect([interrupts, results]).toMatchObject([[], [{ status: 'DONE', balance: before - 99.5 }]]);
  });

  it('“email …” lands in the outbox when it is approved, as it was edited, and not when it is rejected', async () => {
    const before = await outbox();
    const phrase = 'email a@b.com hello';
    const approved = await oneAnswer(phrase, (question) => resolved(question, { approved: true }));
    expect(approved).toMatchObject({
      results: [{ status: 'SENT', to: 'a@b.com' }],
      text: 'The e-mail to a@b.com is on its way.',
    });
    const editedArgs = { to: 'c@d.com', subject: 'Changed', body: 'hello again' };
    const edited = await oneAnswer(phrase, (question) => resolved(question, { approved: true, editedArgs }));
    expect(edited.text).toBe('The e-mail to c@d.com is on its way.');
    const rejected = await oneAnswer(phrase, (question) =>
      resolved(question, { approved: false, reason: 'Not now.' }),
    );
    expect(rejected.text).toBe('Tool call invocation rejected. Not now.');
    expect((await oneAnswer(phrase, cancelled)).results).toEqual([CANCELLED]);
    expect(await outbox()).toEqual([...before, EMAIL, editedArgs]);
    expect((await newThread().say('show my outbox')).text).toContain('- to c@d.com: hello again');
  });

  it('“sign me up” gives what was typed to the agent, after an answer that did not fit', async () => {
    const thread = newThread();
    const { interrupts } = await thread.say('sign me up');
    expect((await thread.answer(resolved(interrupts[0], { email: 'nobody' }))).refused).toEqual(
      misfit('/email'),
    );
    const { results, text } = await thread.answer(resolved(interrupts[0], { email: 'ana@example.com' }));
    expect(results).toEqual([{ email: 'ana@example.com' }]);
    expect(text).toBe('Done: {"email":"ana@example.com"}');
    expect((await oneAnswer('sign me up', cancelled)).results).toEqual([CANCELLED]);
  });

  it('“ask me” takes one of its choices', async () => {
    const { text } = await oneAnswer('ask me', (question) => {
      expect(question?.responseSchema).toEqual({ enum: ['The mountains', 'The sea', 'The city'] });
      return resolved(question, 'The sea');
    });
    expect(text).toBe('The sea');
    const thread = newThread();
    const { interrupts } = await thread.say('ask me');
    expect((await thread.answer(resolved(interrupts[0], 'The moon'))).refused).toEqual(
      misfit('does not fit'),
    );
    expect((await thread.answer(cancelled(interrupts[0]))).results).toEqual([CANCELLED]);
  });

  it('“delete old users” does it with the modifications of the person, and not when it is rejected', async () => {
    const phrase = 'delete old users';
    const approved = await oneAnswer(phrase, (question) => resolved(question, { approved: true }));
    expect(approved.results).toEqual([{ deleted: 42, batches: 1, dryRun: false }]);
    const modifications = { batchSize: 10, dryRun: true };
    const modified = await oneAnswer(phrase, (question) =>
      resolved(question, { approved: true, modifications }),
    );
    expect(modified.results).toEqual([{ deleted: 0, batches: 5, dryRun: true }]);
    const rejected = await oneAnswer(phrase, (question) => resolved(question, { approved: false }));
    expect(rejected.text).toMatch(/^Tool call invocation rejected\./);
    const thread = newThread();
    const { interrupts } = await thread.say(phrase);
    const wrong = { approved: true, modifications: { batchSize: 0 } };
    expect((await thread.answer(resolved(interrupts[0], wrong))).refused).toEqual(
      misfit('/modifications/batchSize'),
    );
  });

  it('“onboard me” asks three times, each after the other', async () => {
    const thread = newThread();
    const first = await thread.say('onboard me');
    expect(first.interrupts).toMatchObject([{ message: 'What is your e-mail address?' }]);
    const second = await thread.answer(resolved(first.interrupts[0], 'ana@example.com'));
    expect(second.interrupts).toMatchObject([{ message: 'Which plan?' }]);
    const third = await thread.answer(resolved(second.interrupts[0], 'pro'));
    expect(third.interrupts).toMatchObject([{ message: 'May we write to you once a month?' }]);
    const { interrupts, results } = await thread.answer(resolved(third.interrupts[0], false));
    expect(interrupts).toEqual([]);
    expect(results).toEqual([{ account: 'acc-1', email: 'ana@example.com', plan: 'pro', newsletter: false }]);
  });

  it('“onboard me” ends where a question is cancelled', async () => {
    const thread = newThread();
    const first = await thread.say('onboard me');
    const second = await thread.answer(resolved(first.interrupts[0], 'ana@example.com'));
    const ended = await thread.answer(cancelled(second.interrupts[0]));
    expect([ended.interrupts, ended.results]).toEqual([[], [CANCELLED]]);
  });

  it('“do both” asks for the e-mail and the transfer together, and does what was approved', async () => {
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

  it('“break it” asks a person, who has it tried again, left out, or given up', async () => {
    const answered = (payload: object) =>
      oneAnswer('break it', (question) => {
        expect(question?.message).toContain('The service did not answer.');
        return resolved(question, payload);
      });
    expect((await answered({ action: 'retry' })).results).toEqual([{ status: 'OK', attempt: 2 }]);
    expect((await answered({ action: 'skip', result: { status: 'BY HAND' } })).results).toEqual([
      { status: 'BY HAND' },
    ]);
    expect((await answered({ action: 'abort' })).results).toEqual(['Aborted.']);
    expect((await oneAnswer('break it', cancelled)).results).toEqual([CANCELLED]);
  });

  it('“break it” is tried again by a demo that was started anew', async () => {
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

  it('“upload” takes a file by its reference', async () => {
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
    const { results } = await thread.answer(resolved(interrupts[0], payload));
    expect(results).toEqual([{ received: payload }]);
    const kept = await fetch(`${url}/threads/${thread.threadId}/files/${file.id}`);
    expect(await kept.text()).toBe('Signed.');
    expect((await oneAnswer('upload', cancelled)).results).toEqual([CANCELLED]);
  });

  it('anything else lists them, also after an answered question', async () => {
    const thread = newThread();
    const { interrupts } = await thread.say('ask me');
    await thread.answer(resolved(interrupts[0], 'The city'));
    const { text } = await thread.say('what can you do?');
    for (const { example } of PHRASES) expect(text).toContain(`- ${example}`);
    expect((await thread.say('weather in Oslo')).text).toBe('It is sunny in Oslo, 21 °C.');
  });
});
