import { describe, expect, it } from 'vitest';
import type { Store } from '../store/index.ts';
import { memoryStore } from '../store/memory/index.ts';
import { markRestored, openSession } from './index.ts';
import { readExecutions, readThread, stageAnswer, verifyHistory } from './testing-support/as-operator.ts';
import { ana, end, key, question, started, waiting, yes } from './testing-support/ledger-world.ts';

const LATER = { restoredAt: Date.now() + 3_600_000 };
const MAY_HAVE_RUN = 'This was restored from a backup: its call may already have run.';

const rowOf = async (store: Store, id: string) => {
  const [row] = await store.get('interrupts', [{ ...key, id }]);
  return row?.doc;
};

describe('a restored database', () => {
  it('has open interrupts that say that their calls may have run', async () => {
    const store = memoryStore();
    await waiting(store, [question('q', { message: 'May this go ahead?' }), question('plain')]);
    expect(await markRestored(store, LATER)).toBe(1);
    expect(await rowOf(store, 'q')).toMatchObject({
      state: 'pending',
      interrupt: { message: `May this go ahead? ${MAY_HAVE_RUN}`, metadata: { mayHaveRun: true, ...LATER } },
    });
    expect(await rowOf(store, 'plain')).toMatchObject({ interrupt: { message: MAY_HAVE_RUN } });
    expect(await verifyHistory(store, key)).toBeUndefined();
  });

  it('has no answers that were kept: a person gives them again', async () => {
    const store = memoryStore();
    await waiting(store, [question('q')]);
    await stageAnswer(store, { key, entry: yes('q'), principal: ana, via: 'inbox' });
    expect((await readThread(store, key))?.readyAt).toBeDefined();
    await markRestored(store, LATER);
    expect(await rowOf(store, 'q')).toMatchObject({ state: 'pending' });
    expect(await rowOf(store, 'q')).not.toHaveProperty('answer');
    expect((await readThread(store, key))?.readyAt).toBeUndefined();
    const run = await started(store, { entries: [yes('q')] });
    expect(run.answers).toHaveLength(1);
  });

  it('has no runs at work, and calls in doubt that an answer was claimed for', async () => {
    const store = memoryStore();
    await waiting(store, [question('q', { toolCallId: 'call' })]);
    const run = await started(store, { entries: [yes('q')] });
    await markRestored(store, LATER);
    const thread = await readThread(store, key);
    expect(thread).toMatchObject({ unfinished: true, claimed: ['q'], ...LATER });
    expect(thread?.active).toBeUndefined();
    expect([...(await readExecutions(store, key)).keys()]).toEqual(['call']);
    await expect(end(store, run, { settled: ['q'] })).rejects.toMatchObject({ code: 'RUN_LOST' });
    expect((await started(store, { continues: 'on-request' })).recovers).toBe(true);
  });

  it('is marked once, and what came after the restore is left alone', async () => {
    const store = memoryStore();
    await waiting(store, [question('q')]);
    expect(await markRestored(store, { restoredAt: 5 })).toBe(0);
    expect(await rowOf(store, 'q')).not.toHaveProperty('interrupt.metadata');
    expect(await markRestored(store, LATER)).toBe(1);
    const once = await rowOf(store, 'q');
    expect(await markRestored(store, LATER)).toBe(0);
    expect(await rowOf(store, 'q')).toEqual(once);
  });

  it('leaves threads as they are on which nothing waits', async () => {
    const store = memoryStore();
    await end(store, await started(store, { newMessages: ['hello'] }));
    const before = await readThread(store, key);
    expect(await markRestored(store, LATER)).toBe(0);
    expect(await readThread(store, key)).toEqual(before);
  });
});

describe('a run whose database is replaced', () => {
  it('is lost with its next write, though the other database has the same thread and lease', async () => {
    const inner = memoryStore();
    let id = 'one';
    const store: Store = Object.defineProperty({ ...inner }, 'incarnation', { get: () => ({ id }) });
    const session = openSession(store, await started(store, { newMessages: ['hello'], leaseMs: 60_000 }));
    await session.keep({ state: { written: 1 } });
    id = 'another';
    await expect(session.keep({ state: { written: 2 } })).rejects.toMatchObject({ code: 'RUN_LOST' });
    expect(session.signal.aborted).toBe(true);
    expect((await readThread(store, key))?.state).toEqual({ written: 1 });
  });
});
