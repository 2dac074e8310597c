import { afterEach, describe, expect, it } from 'vitest';
import * as content from '../content/index.ts';
import type { ClientOptions, ClientStorage, Interrupt, ResumeEntry } from './index.ts';
import { answer, approve, cancel, createClient, HoldpointError, reject } from './index.ts';
import { APPROVAL, codeOf, EMAIL, interrupted, runOf } from './testing-support/events.ts';
import type { Handler, Served } from './testing-support/serve.ts';
import { serve } from './testing-support/serve.ts';

let served: Served;
afterEach(() => served.close());

const THIRD: Interrupt = { id: 'q3', reason: 'confirmation' };

/** A server that raises these interrupts once and then succeeds. */
async function clientWith(interrupts: readonly Interrupt[], options: Partial<ClientOptions> = {}) {
  served = await serve(({ body, path, send, end, json }, index) => {
    if (path.endsWith('/connect')) return json(404, 'no such route');
    return send(runOf(body, [], index === 0 ? interrupted(...interrupts) : {})).then(end);
  });
  const client = createClient({ url: served.url, ...options });
  await client.run({ threadId: 't', messages: 'Go' }).finished;
  return client;
}

function memory(): ClientStorage & { readonly kept: Map<string, string> } {
  const kept = new Map<string, string>();
  return {
    kept,
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => kept.set(key, value),
    removeItem: (key) => kept.delete(key),
  };
}

const on = { threadId: 't' };

describe('resume before sending', () => {
  const colour = {
    ...EMAIL,
    responseSchema: { $ref: '#/$defs/colour', $defs: { colour: { enum: ['red', 'blue'] } } },
  };
  const expired = { ...APPROVAL, expiresAt: '2020-01-01T00:00:00Z' };

  it.each<readonly [string, readonly Interrupt[], readonly ResumeEntry[], string]>([
    ['an interrupt without an answer', [APPROVAL, EMAIL], [approve(APPROVAL)], 'INTERRUPTS_UNANSWERED'],
    ['no answer at all', [APPROVAL], [], 'INTERRUPTS_UNANSWERED'],
    [
      'an answer to an interrupt that is not open',
      [APPROVAL],
      [approve(APPROVAL), answer(EMAIL, 'a@b.com')],
      'INTERRUPT_UNKNOWN',
    ],
    ['two answers to one interrupt', [APPROVAL], [approve(APPROVAL), reject(APPROVAL)], 'INPUT_INVALID'],
    ['an answer to an expired interrupt', [expired], [approve(expired)], 'INTERRUPT_EXPIRED'],
    ['an answer that does not match the schema', [EMAIL], [answer(EMAIL, 'nobody')], 'ANSWER_INVALID'],
    [
      'an approval that is not a boolean',
      [APPROVAL],
      [answer(APPROVAL, { approved: 'yes' })],
      'ANSWER_INVALID',
    ],
    [
      'an answer that does not match a referenced schema',
      [colour],
      [answer(colour, 'green')],
      'ANSWER_INVALID',
    ],
    ['null for a schema without null', [EMAIL], [answer(EMAIL, undefined)], 'ANSWER_INVALID'],
  ])('rejects %s without a request', async (_what, interrupts, answers, code) => {
    const client = await clientWith(interrupts);
    expect(await codeOf(client.resume(on, answers).finished)).toBe(code);
    expect(served.exchanges).toHaveLength(1);
    expect(client.thread('t').getSnapshot()).toMatchObject({ status: 'interrupted', interrupts });
  });

  it('reports the pointer of an invalid answer', async () => {
    const client = await clientWith([APPROVAL]);
    const error = await client
      .resume(on, [answer(APPROVAL, { approved: true, reason: 7 })])
      .finished.catch((failure: unknown) => failure);
    expect(HoldpointError.is(error) && error.issues.map(({ pointer }) => pointer)).toEqual(['/reason']);
  });

  it('rejects a new message while an interrupt is open, and accepts it when all are cancelled', async () => {
    const client = await clientWith([APPROVAL]);
    expect(await codeOf(client.run({ ...on, messages: 'Never mind' }).finished)).toBe('INTERRUPTS_PENDING');
    await client.run({ ...on, messages: 'Never mind', resume: [cancel(APPROVAL)] }).finished;
    const { body } = served.exchanges[1]!;
    expect(body.resume).toEqual([{ interruptId: 'q1', status: 'cancelled' }]);
    expect(body.messages.map(({ content: said }) => said)).toEqual(['Go', 'Never mind']);
  });

  it('takes one answer and one message without a list, and rejects other values with the expected form', async () => {
    const client = await clientWith([APPROVAL]);
    const message = { role: 'user', content: 'And hurry.' } as const;
    await client.run({ ...on, messages: message, resume: approve(APPROVAL) }).finished;
    expect(served.exchanges[1]!.body.resume).toMatchObject([{ interruptId: 'q1' }]);
    expect(served.exchanges[1]!.body.messages.at(-1)).toMatchObject(message);
    const wrong = client.resume(on, 'yes' as never).finished;
    await expect(wrong).rejects.toMatchObject({ code: 'INPUT_INVALID', issues: [{ pointer: '/resume' }] });
    expect(() => approve(undefined as never)).toThrow('An answer needs an interrupt.');
  });

  it('accepts the cancellation of an expired interrupt', async () => {
    const client = await clientWith([expired]);
    expect((await client.resume(on, [cancel(expired)]).finished).outcome).toBe('success');
  });

  it('compares an expiry with the time of the server, not with the local clock', async () => {
    const soon = { ...APPROVAL, expiresAt: new Date(Date.now() + 3_600_000).toISOString() };
    const client = await clientWith([soon], { clock: { now: () => Date.parse('2100-01-01T00:00:00Z') } });
    expect((await client.resume(on, [approve(soon)]).finished).outcome).toBe('success');
  });

  it.each([false, 0, '', []])('accepts %j as an answer', async (value) => {
    const interrupt = { id: 'q', reason: 'input_required', responseSchema: {} };
    const client = await clientWith([interrupt]);
    await client.resume(on, [answer(interrupt, value)]).finished;
    expect(served.exchanges[1]!.body.resume).toEqual([
      { interruptId: 'q', status: 'resolved', payload: value },
    ]);
  });

  it('sends an answer unchecked and warns when its schema does not compile', async () => {
    const warnings: string[] = [];
    const foreign = { ...EMAIL, responseSchema: { $ref: 'https://example.com/schema.json' } };
    const client = await clientWith([foreign], { onWarning: (warning) => warnings.push(warning) });
    expect((await client.resume(on, [answer(foreign, 'x')]).finished).outcome).toBe('success');
    expect(warnings).toHaveLength(1);
  });

  it('sends answers on an unknown thread without checking them', async () => {
    served = await serve(({ body, send, end }) => send(runOf(body, [])).then(end));
    await createClient({ url: served.url }).resume(on, [approve(APPROVAL)]).finished;
    expect(served.exchanges[0]!.body.resume).toHaveLength(1);
  });
});

describe('stage', () => {
  it('stages answers until the last one, then sends all in the order of the interrupts', async () => {
    const client = await clientWith([APPROVAL, EMAIL, THIRD]);
    expect(await client.stage(on, [answer(THIRD, 1)])).toEqual({
      answered: 1,
      total: 3,
      missing: ['q1', 'q2'],
    });
    expect(await client.stage(on, [answer(EMAIL, 'a@b.com')])).toMatchObject({ answered: 2, total: 3 });
    expect(client.thread('t').getSnapshot().staged).toHaveLength(2);
    expect(await codeOf(client.resume(on).finished)).toBe('INTERRUPTS_UNANSWERED');
    await client.resume(on, [approve(APPROVAL), answer(THIRD, 2)]).finished;
    expect(served.exchanges[1]!.body.resume).toMatchObject([
      { interruptId: 'q1' },
      { interruptId: 'q2', payload: 'a@b.com' },
      { interruptId: 'q3', payload: 2 },
    ]);
    expect(client.thread('t').getSnapshot()).toMatchObject({ interrupts: [], staged: [] });
  });

  it('rejects an invalid answer when it is staged', async () => {
    const client = await clientWith([APPROVAL, EMAIL]);
    expect(await codeOf(client.stage(on, [answer(EMAIL, 'nobody')]))).toBe('ANSWER_INVALID');
    expect(await codeOf(client.stage(on, [answer(THIRD, 1)]))).toBe('INTERRUPT_UNKNOWN');
    expect(client.thread('t').getSnapshot().staged).toEqual([]);
  });
});

describe('a client with storage', () => {
  it('restores open interrupts and staged answers from the storage after a reload', async () => {
    const storage = memory();
    const before = await clientWith([APPROVAL, EMAIL], { storage });
    await before.stage(on, [answer(EMAIL, 'a@b.com')]);
    const after = createClient({ url: served.url, storage });
    const restored = new Promise<void>((resolve) => {
      after.thread('t').subscribe(resolve);
    });
    await restored;
    expect(after.thread('t').getSnapshot()).toMatchObject({
      status: 'interrupted',
      interrupts: [APPROVAL, EMAIL],
      staged: [{ interruptId: 'q2' }],
    });
    await after.resume(on, [approve(APPROVAL)]).finished;
    expect(served.exchanges.at(-1)!.body.resume).toHaveLength(2);
    expect(storage.kept.size).toBe(0);
  });

  it('replaces stored interrupts by those that the server reports', async () => {
    const storage = memory();
    await clientWith([APPROVAL, EMAIL], { storage });
    await served.close();
    const messages = [{ id: 'u1', role: 'user', content: 'Go' }];
    const handler: Handler = ({ body, send, end }) =>
      send([
        ...runOf(body, [], interrupted(EMAIL)).slice(0, 1),
        { type: 'STATE_SNAPSHOT', snapshot: { n: 1 } },
        { type: 'MESSAGES_SNAPSHOT', messages },
        ...runOf(body, [], interrupted(EMAIL)).slice(1),
      ]).then(end);
    served = await serve(handler);
    const client = createClient({ url: served.url, storage });
    const run = client.connect('t');
    expect(await run.finished).toMatchObject({
      outcome: 'interrupt',
      interrupts: [EMAIL],
      messages,
      state: { n: 1 },
    });
    expect(served.exchanges.map(({ path }) => path)).toEqual(['/agents/assistant/connect']);
    expect(served.exchanges[0]!.body).toMatchObject({ threadId: 't', messages: [] });
    const requests: unknown[] = [];
    for await (const { contents } of run) requests.push(...contents);
    expect(requests).toMatchObject([{ type: 'userInputRequest', id: 'q2' }]);
  });

  it('keeps stored interrupts when the server cannot report them', async () => {
    const storage = memory();
    await clientWith([APPROVAL], { storage });
    const client = createClient({ url: served.url, storage });
    expect(await client.connect('t').finished).toMatchObject({
      outcome: 'interrupt',
      interrupts: [APPROVAL],
    });
    expect(await client.connect('other').finished).toMatchObject({ outcome: 'success', interrupts: [] });
  });

  it('does not store answers to interrupts that ask for secrets', async () => {
    const secret = { ...EMAIL, responseSchema: { type: 'string', format: 'password' } };
    const storage = memory();
    const client = await clientWith([secret, THIRD], { storage });
    await client.stage(on, [answer(secret, 'hunter2'), answer(THIRD, 1)]);
    const [text] = storage.kept.values();
    expect(text).toContain('"q3"');
    expect(text).not.toContain('hunter2');
  });

  it('runs with a storage that fails or holds unreadable data', async () => {
    const warnings: string[] = [];
    const failing: ClientStorage = {
      getItem: () => '{"interrupts":[{"id":7}]}',
      setItem: () => {
        throw new Error('full');
      },
      removeItem: () => Promise.reject(new Error('closed')),
    };
    const client = await clientWith([APPROVAL], {
      storage: failing,
      onWarning: (warning) => warnings.push(warning),
    });
    expect((await client.resume(on, [approve(APPROVAL)]).finished).outcome).toBe('success');
    expect(warnings).toHaveLength(3);
  });
});

describe('the replies of the client', () => {
  it('returns the same replies as holdpoint/content', () => {
    const details = { editedArgs: { to: 'c@d.com' }, note: undefined };
    expect(approve(APPROVAL, details)).toEqual(content.approve(APPROVAL, details));
    expect(reject({ interrupt: APPROVAL }, 'no')).toEqual(content.reject({ interrupt: APPROVAL }, 'no'));
    expect(answer(EMAIL, 'x')).toEqual(content.answer(EMAIL, 'x'));
    expect(cancel(EMAIL, { by: 'me' })).toEqual(content.cancel(EMAIL, { by: 'me' }));
    for (const refused of [EMAIL, { id: 'q4', reason: 'input_required' }]) {
      expect(() => approve(refused)).toThrow('is not an approval');
      expect(() => content.approve(refused)).toThrow('is not an approval');
    }
  });

  it('approves a tool call of a foreign server that sends no schema', () => {
    const foreign = { id: 'q', reason: 'tool_call', toolCallId: 'c1' };
    expect(approve(foreign)).toEqual({ interruptId: 'q', status: 'resolved', payload: { approved: true } });
  });
});
