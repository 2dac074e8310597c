import { afterEach, expect, it } from 'vitest';
import { approve, createClient } from '../../client/index.ts';
import { APPROVAL } from '../../client/testing-support/events.ts';
import type { Exchange, Served } from '../../client/testing-support/serve.ts';
import { serve } from '../../client/testing-support/serve.ts';
import { createRequest } from './create-request.ts';

let served: Served;
afterEach(() => served.close());

const ITEM = { threadId: 't', status: 'pending', interrupt: APPROVAL, mayWithdraw: true };
const ANSWER = { by: 'Bob', status: 'resolved', payload: { approved: false } };
const DECIDED = { ...ITEM, status: 'answered', answer: ANSWER };
const DOWN = { error: { code: 'UNAVAILABLE', message: 'The host restarts.' } };
const LATE = { error: { code: 'INTERRUPT_CONFLICT', message: 'Too late.', details: { answer: ANSWER } } };

/** A request on a host that gives these replies, the last one again and again; also the sent paths and bodies. */
async function openRequest(replies: {
  readonly get?: readonly object[];
  readonly post?: readonly (readonly [status: number, body: object])[];
}) {
  const [gets, posts] = [[...(replies.get ?? [ITEM])], [...(replies.post ?? [])]];
  const sent: unknown[] = [];
  const next = <Reply>(list: Reply[]): Reply => (list.length > 1 ? list.shift() : list[0]) as Reply;
  served = await serve(({ method, path, body, json }: Exchange) => {
    if (method === 'GET') return json(200, next(gets));
    sent.push([path.split('/').at(-1), body]);
    json(...next(posts));
  });
  const request = createRequest(createClient({ url: served.url, retry: { attempts: 0 } }), {
    threadId: 't',
    interruptId: APPROVAL.id,
    undoMs: 5000,
  });
  return { request, sent, state: () => request.getSnapshot().status };
}

it('loads the interrupt, and shows an answer that was given elsewhere', async () => {
  const { request, state } = await openRequest({ get: [ITEM, DECIDED] });
  await request.load();
  expect([request.getSnapshot().item, state()]).toMatchObject([ITEM, { state: 'open' }]);
  await request.load();
  expect(state()).toMatchObject({ state: 'answered', answered: { by: 'Bob' } });
});

it('sends an answer with the time to take it back, and reports it before the next load', async () => {
  const { request, sent, state } = await openRequest({
    get: [DECIDED],
    post: [[200, { state: 'continued' }]],
  });
  const reported: unknown[] = [];
  await request.answer(approve(APPROVAL), (answer) => reported.push(answer.state, state().state));
  expect(reported).toEqual(['continued', 'answered']);
  expect(sent).toEqual([['answer', { status: 'resolved', payload: { approved: true }, undoMs: 5000 }]]);
});

it('keeps an answer that fails, and retry sends the same one', async () => {
  const { request, sent, state } = await openRequest({
    get: [ITEM, DECIDED],
    post: [
      [503, DOWN],
      [200, { state: 'staged' }],
    ],
  });
  await request.answer(approve(APPROVAL));
  expect(state()).toMatchObject({ state: 'failed', error: { code: 'UNAVAILABLE' } });
  await request.load();
  expect(state()).toMatchObject({ state: 'failed', isReachable: true });
  await request.retry();
  expect(state().state).toBe('answered');
  expect(sent[1]).toEqual(sent[0]);
});

it('shows both answers when another one was first, also after a load', async () => {
  const { request, state } = await openRequest({ get: [DECIDED], post: [[409, LATE]] });
  await request.answer(approve(APPROVAL));
  await request.load();
  expect(state()).toMatchObject({
    state: 'lost',
    answered: { by: 'Bob', payload: { approved: false } },
    yours: { payload: { approved: true } },
  });
});

it('shows both answers when an answer failed and another one was given meanwhile', async () => {
  const { request, state } = await openRequest({ get: [ITEM, DECIDED], post: [[503, DOWN]] });
  await request.answer(approve(APPROVAL));
  await request.load();
  expect(state()).toMatchObject({ state: 'failed', isReachable: true });
  await request.load();
  expect(state()).toMatchObject({
    state: 'lost',
    answered: { by: 'Bob' },
    yours: { payload: { approved: true } },
  });
});

it.each([
  ['answered', { approved: true, note: { $secret: 's1' } }, true],
  ['lost', { approved: true, note: 'other' }, true],
  ['lost', { approved: true, note: 'mine' }, false],
])('is %s when an answer failed and the host has %j, own: %j', async (expected, payload, you) => {
  const answer = { by: 'Ana', status: 'resolved', payload, you };
  const { request, state } = await openRequest({ get: [{ ...DECIDED, answer }], post: [[503, DOWN]] });
  await request.answer({ ...approve(APPROVAL), payload: { approved: true, note: 'mine' } });
  await request.load();
  expect(state().state).toBe(expected);
});

it('keeps the failure of a withdrawal over a load, and retry withdraws again', async () => {
  const { request, sent, state } = await openRequest({
    get: [ITEM, { ...ITEM, status: 'cancelled', answer: { status: 'cancelled', withdrawn: true } }],
    post: [
      [503, DOWN],
      [200, { state: 'continued' }],
    ],
  });
  await request.withdraw();
  await request.load();
  expect(state()).toMatchObject({ state: 'failed', error: { code: 'UNAVAILABLE' } });
  await request.retry();
  expect(state()).toMatchObject({ state: 'answered', answered: { withdrawn: true } });
  expect(sent).toEqual([
    ['withdraw', {}],
    ['withdraw', {}],
  ]);
});

it('shows the answer that was before a withdrawal', async () => {
  const { request, state } = await openRequest({ get: [DECIDED], post: [[409, LATE]] });
  await request.withdraw();
  expect(state()).toMatchObject({ state: 'answered', answered: { by: 'Bob' } });
});

it('returns the id of an interrupt that is asked again, and keeps the error of a failure', async () => {
  const { request } = await openRequest({
    post: [
      [200, { interrupt: { id: 'q2' } }],
      [503, DOWN],
    ],
  });
  expect(await request.askAgain()).toBe('q2');
  expect(await request.askAgain()).toBeUndefined();
  expect(request.getSnapshot().trouble).toMatchObject({ code: 'UNAVAILABLE' });
});
