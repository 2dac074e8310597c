import { describe, expect, it } from 'vitest';
import type { Store } from '../store/index.ts';
import { memoryStore } from '../store/memory/index.ts';
import { markRestored, openSession } from './index.ts';
import { openInterrupts, readThread, stageAnswer, verifyHistory } from './testing-support/as-operator.ts';
import { ana, end, key, newInterrupt, started, waiting, yes } from './testing-support/ledger-world.ts';

const MAY_HAVE_RUN = 'This was restored from a backup: its call may already have run.';

/** A store whose database can be put back to a backup: from `restore` on, it has another incarnation. */
function restorableStore() {
  let incarnation: { readonly id: string; readonly restoredAt?: number } = { id: 'one' };
  const store: Store = Object.defineProperty({ ...memoryStore() }, 'incarnation', { get: () => incarnation });
  return { store, restore: () => (incarnation = { id: 'another', restoredAt: 5 }) };
}

const onlyOpen = async (store: Store) => {
  const [record, ...others] = await openInterrupts(store, key);
  if (record === undefined || others.length > 0) throw new Error('expected one open interrupt');
  return record;
};

describe('markRestored', () => {
  it('asks an open interrupt again under a new id, with a warning', async () => {
    const { store, restore } = restorableStore();
    await waiting(store, [newInterrupt('q', { message: 'May this go ahead?' })]);
    restore();
    expect(await markRestored(store)).toBe(1);
    const { interrupt, state } = await onlyOpen(store);
    expect(state).toBe('pending');
    expect(interrupt.id).not.toBe('q');
    expect(interrupt).toMatchObject({
      message: `May this go ahead? ${MAY_HAVE_RUN}`,
      metadata: { mayHaveRun: true, restoredAt: 5, supersedes: 'q' },
    });
    expect(await verifyHistory(store, key)).toBeUndefined();
    const run = await started(store, { entries: [yes(interrupt.id)] });
    expect(run.answers).toHaveLength(1);
  });

  it('changes the interrupt in the turn that waits for it', async () => {
    const { store, restore } = restorableStore();
    const { interrupt } = newInterrupt('q');
    const run = await started(store, { newMessages: ['hello'] });
    const turn = { calls: [{ raised: [{ kind: 'approval', interrupt: { ...interrupt } }] }] };
    await end(store, run, { outcome: 'interrupt', raised: [{ interrupt }], turn });
    restore();
    await markRestored(store);
    const { interrupt: asked } = await onlyOpen(store);
    expect((await readThread(store, key))?.turn).toEqual({
      calls: [{ raised: [{ kind: 'approval', interrupt: asked }] }],
    });
  });

  it('keeps the id of an interrupt that a foreign agent raised', async () => {
    const { store, restore } = restorableStore();
    await waiting(store, [{ ...newInterrupt('q'), foreign: true }]);
    restore();
    await markRestored(store);
    expect(await onlyOpen(store)).toMatchObject({ interrupt: { id: 'q', message: MAY_HAVE_RUN } });
  });

  it('drops a staged answer', async () => {
    const { store, restore } = restorableStore();
    await waiting(store, [newInterrupt('q')]);
    await stageAnswer(store, { key, entry: yes('q'), principal: ana, via: 'inbox' });
    expect((await readThread(store, key))?.readyAt).toBeDefined();
    restore();
    await markRestored(store);
    expect(await onlyOpen(store)).not.toHaveProperty('answer');
    expect((await readThread(store, key))?.readyAt).toBeUndefined();
  });

  it('does not let the expiry rule of an interrupt approve it', async () => {
    const { store, restore } = restorableStore();
    await waiting(store, [{ ...newInterrupt('q'), onExpire: { answer: { approved: true } } }]);
    restore();
    await markRestored(store);
    expect(await onlyOpen(store)).toMatchObject({ onExpire: 'keep' });
  });

  it('ends a run at work as lost, and puts the calls of its turn in doubt', async () => {
    const { store, restore } = restorableStore();
    await waiting(store, [newInterrupt('q', { toolCallId: 'call' })]);
    const run = await started(store, { entries: [yes('q')] });
    restore();
    await markRestored(store);
    const thread = await readThread(store, key);
    expect(thread).toMatchObject({ unfinished: true, claimed: ['q'], turnMayHaveRun: true });
    expect(thread?.active).toBeUndefined();
    await expect(end(store, run, { settled: ['q'] })).rejects.toMatchObject({ code: 'RUN_LOST' });
    const next = await started(store, { continues: 'on-request' });
    expect(next.recovers).toBe(true);
    await end(store, next, { turn: null });
    expect(await readThread(store, key)).not.toHaveProperty('turnMayHaveRun');
  });

  it('marks a thread once, and leaves threads alone that are new in the restored database', async () => {
    const { store, restore } = restorableStore();
    await waiting(store, [newInterrupt('q')]);
    restore();
    const other = { ...key, thread: 'new' };
    await waiting(store, [newInterrupt('fresh')], { key: other });
    expect(await markRestored(store)).toBe(1);
    const once = await onlyOpen(store);
    expect(await markRestored(store)).toBe(0);
    expect(await onlyOpen(store)).toEqual(once);
    expect((await openInterrupts(store, other)).map(({ interrupt }) => interrupt.id)).toEqual(['fresh']);
  });

  it('leaves a thread alone on which nothing waits', async () => {
    const { store, restore } = restorableStore();
    await end(store, await started(store, { newMessages: ['hello'] }));
    const before = await readThread(store, key);
    restore();
    expect(await markRestored(store)).toBe(0);
    expect(await readThread(store, key)).toEqual(before);
  });
});

describe('a thread from the backup of a restored database', () => {
  it('a thread from the backup of a restored database is marked before an answer is taken: the answer to the old interrupt is refused', async () => {
    const { store, restore } = restorableStore();
    await waiting(store, [newInterrupt('q')]);
    restore();
    await expect(started(store, { entries: [yes('q')] })).rejects.toMatchObject({
      code: 'INTERRUPT_CONFLICT',
    });
    expect(await onlyOpen(store)).toMatchObject({ interrupt: { metadata: { supersedes: 'q' } } });
  });
});

describe('a run on a replaced database', () => {
  it('a run on a replaced database is lost with its next write, even if the other database has the same thread and lease', async () => {
    const { store, restore } = restorableStore();
    const session = openSession(store, await started(store, { newMessages: ['hello'], leaseMs: 60_000 }));
    await session.keep({ state: { written: 1 } });
    restore();
    await expect(session.keep({ state: { written: 2 } })).rejects.toMatchObject({ code: 'RUN_LOST' });
    expect(session.signal.aborted).toBe(true);
    expect((await readThread(store, key))?.state).toEqual({ written: 1 });
  });

  it('a run on a replaced database is lost before its next call', async () => {
    const { store, restore } = restorableStore();
    const session = openSession(store, await started(store, { newMessages: ['hello'], leaseMs: 60_000 }));
    session.assertHeld();
    restore();
    expect(() => session.assertHeld()).toThrow(expect.objectContaining({ code: 'RUN_LOST' }));
    session.abandon();
  });
});
