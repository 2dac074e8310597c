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

/** A server that asks these questions, and after that nothing more. */
async function asking(interrupts: readonly Interrupt[], options: Partial<ClientOptions> = {}) {
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

describe('before anything is sent', () => {
  const colour = {
    ...EMAIL,
    responseSchema: { $ref: '#/$defs/colour', $defs: { colour: { enum: ['red', 'blue'] } } },
  };
  const expired = { ...APPROVAL, expiresAt: '2020-01-01T00:00:00Z' };

  it.each<readonly [string, readonly Interrupt[], readonly ResumeEntry[], string]>([
    ['a question without an answer', [APPROVAL, EMAIL], [approve(APPROVAL)], 'INTERRUPTS_UNANSWERED'],
    ['no answer at all', [APPROVAL], [], 'INTERRUPTS_UNANSWERED'],
    [
      'an answer to a question that is not open',
      [APPROVAL],
      [approve(APPROVAL), answer(EMAIL, 'a@b.com')],
      'INTERRUPT_UNKNOWN',
    ],
    ['two answers to one question', [APPROVAL], [approve(APPROVAL), reject(APPROVAL)], 'INPUT_INVALID'],
    ['an answer that comes too late', [expired], [approve(expired)], 'INTERRUPT_EXPIRED'],
    ['an answer that does not fit the schema', [EMAIL], [answer(EMAIL, 'nobody')], 'ANSWER_INVALID'],
    ['an approval that is no boolean', [APPROVAL], [answer(APPROVAL, { approved: 'yes' })], 'ANSWER_INVALID'],
    ['one that does not fit where a reference leads', [colour], [answer(colour, 'green')], 'ANSWER_INVALID'],
    ['null where the schema wants something', [EMAIL], [answer(EMAIL, undefined)], 'ANSWER_INVALID'],
  ])('%s is refused', async (_what, interrupts, answers, code) => {
    const client = await asking(interrupts);
    expect(await codeOf(client.resume(on, answers).finished)).toBe(code);
    expect(served.exchanges).toHaveLength(1);
    expect(client.thread('t').getSnapshot()).toMatchObject({ status: 'interrupted', interrupts });
  });

  it('says where an answer does not fit', async () => {
    const client = await asking([APPROVAL]);
    const error = await client
      .resume(on, [answer(APPROVAL, { approved: true, reason: 7 })])
      .finished.catch((failure: unknown) => failure);
    expect(HoldpointError.is(error) && error.issues.map(({ pointer }) => pointer)).toEqual(['/reason']);
  });

  it('a new message while a question is open is refused; with all cancelled it steers away', async () => {
    const client = await asking([APPROVAL]);
    expect(await codeOf(client.run({ ...on, messages: 'Never mind' }).finished)).toBe('INTERRUPTS_PENDING');
    await client.run({ ...on, messages: 'Never mind', resume: [cancel(APPROVAL)] }).finished;
    const { body } = served.exchanges[1]!;
    expect(body.resume).toEqual([{ interruptId: 'q1', status: 'cancelled' }]);
    expect(body.messages.map(({ content: said }) => said)).toEqual(['Go', 'Never mind']);
  });

  it('what has expired can be cancelled', async () => {
    const client = await asking([expired]);
    expect((await client.resume(on, [cancel(expired)]).finished).outcome).toBe('success');
  });

  it('whether a question has expired goes by the time of the server, not by a clock that is wrong', async () => {
    const soon = { ...APPROVAL, expiresAt: new Date(Date.now() + 3_600_000).toISOString() };
    const client = await asking([soon], { clock: { now: () => Date.parse('2100-01-01T00:00:00Z') } });
    expect((await client.resume(on, [approve(soon)]).finished).outcome).toBe('success');
  });

  it.each([false, 0, '', []])('%j is an answer', async (value) => {
    const question = { id: 'q', reason: 'input_required', responseSchema: {} };
    const client = await asking([question]);
    await client.resume(on, [answer(question, value)]).finished;
    expect(served.exchanges[1]!.body.resume).toEqual([
      { interruptId: 'q', status: 'resolved', payload: value },
    ]);
  });

  it('a schema that cannot be used here is left to the server', async () => {
    const warnings: string[] = [];
    const foreign = { ...EMAIL, responseSchema: { $ref: 'https://example.com/schema.json' } };
    const client = await asking([foreign], { onWarning: (warning) => warnings.push(warning) });
    expect((await client.resume(on, [answer(foreign, 'x')]).finished).outcome).toBe('success');
    expect(warnings).toHaveLength(1);
  });

  it('answers on a thread that this client has never seen go to the server as they are', async () => {
    served = await serve(({ body, send, end }) => send(runOf(body, [])).then(end));
    await createClient({ url: served.url }).resume(on, [approve(APPROVAL)]).finished;
    expect(served.exchanges[0]!.body.resume).toHaveLength(1);
  });
});

describe('answers one at a time', () => {
  it('are staged until the last is there, and then sent together in the order of the questions', async () => {
    const client = await asking([APPROVAL, EMAIL, THIRD]);
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

  it('are checked when they are staged', async () => {
    const client = await asking([APPROVAL, EMAIL]);
    expect(await codeOf(client.stage(on, [answer(EMAIL, 'nobody')]))).toBe('ANSWER_INVALID');
    expect(await codeOf(client.stage(on, [answer(THIRD, 1)]))).toBe('INTERRUPT_UNKNOWN');
    expect(client.thread('t').getSnapshot().staged).toEqual([]);
  });
});

describe('over a reload', () => {
  it('open questions and staged answers come back from the storage', async () => {
    const storage = memory();
    const before = await asking([APPROVAL, EMAIL], { storage });
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

  it('they come from the server where it can tell, and its word wins', async () => {
    const storage = memory();
    await asking([APPROVAL, EMAIL], { storage });
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

  it('a server that cannot tell leaves what was kept', async () => {
    const storage = memory();
    await asking([APPROVAL], { storage });
    const client = createClient({ url: served.url, storage });
    expect(await client.connect('t').finished).toMatchObject({
      outcome: 'interrupt',
      interrupts: [APPROVAL],
    });
    expect(await client.connect('other').finished).toMatchObject({ outcome: 'success', interrupts: [] });
  });

  it('answers to questions for secrets are not kept', async () => {
    const secret = { ...EMAIL, responseSchema: { type: 'string', format: 'password' } };
    const storage = memory();
    const client = await asking([secret, THIRD], { storage });
    await client.stage(on, [answer(secret, 'hunter2'), answer(THIRD, 1)]);
    const [text] = storage.kept.values();
    expect(text).toContain('"q3"');
    expect(text).not.toContain('hunter2');
  });

  it('a storage that fails, or holds nonsense, costs no run', async () => {
    const warnings: string[] = [];
    const failing: ClientStorage = {
      getItem: () => '{"interrupts":[{"id":7}]}',
      setItem: () => {
        throw new Error('full');
      },
      removeItem: () => Promise.reject(new Error('closed')),
    };
    const client = await asking([APPROVAL], {
      storage: failing,
      onWarning: (warning) => warnings.push(warning),
    });
    expect((await client.resume(on, [approve(APPROVAL)]).finished).outcome).toBe('success');
    expect(warnings).toHaveLength(3);
  });
});

describe('the replies', () => {
  it('are those of holdpoint/content', () => {
    const details = { editedArgs: { to: 'c@d.com' }, note: undefined };
    expect(approve(APPROVAL, details)).toEqual(content.approve(APPROVAL, details));
    expect(reject({ interrupt: APPROVAL }, 'no')).toEqual(content.reject({ interrupt: APPROVAL }, 'no'));
    expect(answer(EMAIL, 'x')).toEqual(content.answer(EMAIL, 'x'));
    expect(cancel(EMAIL, { by: 'me' })).toEqual(content.cancel(EMAIL, { by: 'me' }));
    for (const refused of [EMAIL, THIRD]) {
      expect(() => approve(refused)).toThrow('asks for an answer');
      expect(() => content.approve(refused)).toThrow('asks for an answer');
    }
  });

  it('approve a call that a foreign server asks about without a schema', () => {
    const foreign = { id: 'q', reason: 'tool_call', toolCallId: 'c1' };
    expect(approve(foreign)).toEqual({ interruptId: 'q', status: 'resolved', payload: { approved: true } });
  });
});
