import { describe, expect, it } from 'vitest';
import { approve } from '../../content/index.ts';
import { readThread, verifyHistory } from '../../ledger/index.ts';
import type { Store } from '../../store/index.ts';
import { memoryStore } from '../../store/memory/index.ts';
import { sqliteStore } from '../../store/sqlite/index.ts';
import { scriptedModel } from '../../testing/index.ts';
import { defineAgent } from '../agent/define-agent.ts';
import { defineTool } from '../tools/define-tool.ts';

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

const STORES: Readonly<Record<string, () => Store>> = {
  memory: () => memoryStore(),
  sqlite: () => sqliteStore(':memory:'),
};

describe.each(Object.entries(STORES))('generate over the store %s', (_name, create) => {
  it('pauses, is answered in another process, and goes on; the conversation is the store’s', async () => {
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
    expect(sent).toEqual([{ input: { amount: 5 }, idempotencyKey: 't:call-1', by: 'ana' }]);
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

  it('runs the tool once when the same answer comes twice, one after the other or at once', async () => {
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
