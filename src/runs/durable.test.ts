import { describe, expect, it } from 'vitest';
import { approve, cancel } from '../content/index.ts';
import type { Clock } from '../core/index.ts';
import { defineTool } from '../engine/index.ts';
import { readHistory, readThread, verifyHistory } from '../ledger/testing-support/as-operator.ts';
import type { Store } from '../store/index.ts';
import { memoryStore } from '../store/memory/index.ts';
import { sqliteStore } from '../store/sqlite/index.ts';
import { scriptedModel } from '../testing/index.ts';
import { defineAgent } from './define-agent.ts';

const threadId = 't';
const key = { scope: 'default', thread: threadId };

function bank(onTransfer: () => void = () => undefined) {
  const sent: unknown[] = [];
  const transfer = defineTool({
    name: 'transfer',
    description: 'Moves money.',
    input: { type: 'object', properties: { amount: { type: 'number' } } },
    approval: { editable: true },
    run(input, { idempotencyKey, approvedBy }) {
      onTransfer();
      sent.push({ input, idempotencyKey, by: approvedBy?.id });
      return { ok: true };
    },
  });
  const agent = () =>
    defineAgent({
      id: 'bank',
      model: scriptedModel(({ messages }) =>
        messages.at(-1)?.role === 'tool'
          ? 'Done.'
          : { calls: [{ id: `call-${messages.length}`, name: 'transfer', input: { amount: 5 } }] },
      ),
      tools: [transfer],
    });
  return { sent, agent };
}

const STORES: Readonly<Record<string, (clock?: Clock) => Store>> = {
  memory: (clock) => memoryStore(clock === undefined ? {} : { clock }),
  sqlite: (clock) => sqliteStore(':memory:', clock === undefined ? {} : { clock }),
};

describe.each(Object.entries(STORES))('generate over the store %s', (_name, create) => {
  it('calls onInterrupt once for each stored interrupt, and returns also if it fails', async () => {
    const store = create();
    const { agent } = bank();
    const notified: string[] = [];
    const errors: unknown[] = [];
    const onInterrupt = ({ interrupt }: { interrupt: { id: string } }, { thread }: { thread: string }) => {
      notified.push(`${thread} ${interrupt.id}`);
      throw new Error('no mail today');
    };
    const onError = (error: unknown) => errors.push(error);
    const options = { store, threadId, onInterrupt, onError };
    const { interrupts } = await agent().generate({ ...options, prompt: 'send 5' });
    await expect.poll(() => errors.length).toBe(1);
    expect(notified).toEqual([`${threadId} ${interrupts[0]?.interrupt.id}`]);
    // The thread as it is raises nothing.
    await agent().generate(options);
    await agent().generate({ ...options, resume: [approve(interrupts[0]!)] });
    expect(notified).toHaveLength(1);
  });

  it('pauses, is answered in another process, and continues with the stored conversation', async () => {
    const store = create();
    const { sent, agent } = bank();
    const paused = await agent().generate({ store, threadId, prompt: 'send 5' });
    expect(paused.finishReason).toBe('interrupted');
    const done = await agent().generate({
      store,
      threadId,
      resume: [approve(paused.interrupts[0]!)],
      principal: { id: 'ana', scope: 'default' },
    });
    expect(done).toMatchObject({ finishReason: 'stop', text: 'Done.' });
    const idempotencyKey = expect.stringMatching(/^default:.+:call-1$/);
    expect(sent).toEqual([{ input: { amount: 5 }, idempotencyKey, by: 'ana' }]);
    expect(done.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
    const next = await agent().generate({ store, threadId, prompt: 'again' });
    expect(next.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
      'assistant',
    ]);
    expect(await verifyHistory(store, key)).toBeUndefined();
  });

  it('records who answered what, what they edited, and the latency', async () => {
    const time = { value: 1000 };
    const store = create({ now: () => time.value });
    const { sent, agent } = bank();
    const given = { store, threadId };
    const ana = { id: 'ana', scope: 'default' };
    const first = await agent().generate({ ...given, prompt: 'send 5' });
    time.value = 1250;
    const edited = approve(first.interrupts[0]!, { editedArgs: { amount: 3 }, reason: 'too much' });
    await agent().generate({ ...given, resume: [edited], principal: ana });
    const second = await agent().generate({ ...given, prompt: 'send 5' });
    time.value = 9250;
    await agent().generate({ ...given, resume: [cancel(second.interrupts[0]!)], principal: ana });
    expect(sent).toMatchObject([{ input: { amount: 3 } }]);
    const ids = [first, second].map(({ interrupts }) => interrupts[0]?.interrupt.id);
    const answered = { by: 'ana', via: 'in-process' };
    const payload = { approved: true, editedArgs: { amount: 3 }, reason: 'too much' };
    const history = await readHistory(store, key);
    const raised = history.filter(({ what }) => what === 'raised').map(({ at }) => at);
    // An active run computes the time of the store from its last read.
    expect(raised.map((at, n) => at >= [1000, 1250][n]!)).toEqual([true, true]);
    expect(
      history.map(
        ({
          hash: _hash,
          salt: _salt,
          seal: _seal,
          digests: _digests,
          previous: _previous,
          runId: _run,
          ...rest
        }) => rest,
      ),
    ).toEqual([
      { what: 'raised', interruptId: ids[0], at: raised[0], tool: 'transfer', state: 'pending' },
      {
        what: 'staged',
        interruptId: ids[0],
        ...answered,
        at: 1250,
        status: 'resolved',
        payload,
        state: 'answered',
        latency: 1250 - raised[0]!,
      },
      { what: 'claimed', interruptId: ids[0], at: 1250, by: 'ana', state: 'claimed' },
      { what: 'settled', interruptId: ids[0], at: expect.any(Number), state: 'resolved' },
      { what: 'raised', interruptId: ids[1], at: raised[1], tool: 'transfer', state: 'pending' },
      {
        what: 'cancelled',
        interruptId: ids[1],
        ...answered,
        at: 9250,
        status: 'cancelled',
        state: 'answered',
        latency: 9250 - raised[1]!,
      },
      { what: 'claimed', interruptId: ids[1], at: 9250, by: 'ana', state: 'claimed' },
      { what: 'settled', interruptId: ids[1], at: expect.any(Number), state: 'cancelled' },
    ]);
  });

  it('runs the tool once for the same answer twice, in sequence or at once', async () => {
    const store = create();
    const { sent, agent } = bank();
    const paused = await agent().generate({ store, threadId, prompt: 'send 5' });
    const resume = [approve(paused.interrupts[0]!)];
    const all = await Promise.all([1, 2, 3].map(() => agent().generate({ store, threadId, resume })));
    expect(all.map(({ text }) => text)).toEqual(['Done.', 'Done.', 'Done.']);
    expect((await agent().generate({ store, threadId, resume })).text).toBe('Done.');
    expect(sent).toHaveLength(1);
    expect((await readThread(store, key))?.turn).toBeUndefined();
  });
});
