import { describe, expect, it } from 'vitest';
import { readConversation } from '../runs/index.ts';
import type { Store, TableName } from '../store/index.ts';
import { erasePerson, eraseThread } from './admin/index.ts';
import {
  expireDue,
  listInterrupts as listOwn,
  markRestored,
  operatorAccess,
  pruneThread as pruneAs,
  pruneThreads,
} from './index.ts';
import {
  adoptInterrupts,
  beginRun,
  listInterrupts,
  openInterrupts,
  pruneThread,
  readHistory,
  readThread,
  stageAnswer,
  verifyHistory,
} from './testing-support/as-operator.ts';
import { bound } from './testing-support/bound-store.ts';
import {
  ana,
  end,
  finished,
  key,
  newInterrupt,
  runOf,
  started,
  STORES,
  waiting,
  yes,
} from './testing-support/ledger-world.ts';

const TABLES: readonly TableName[] = ['runs', 'interrupts', 'executions', 'secrets', 'files'];
const DAY = 86_400_000;

/** The rows of a thread except its own row and its history. */
async function leftOf(store: Store): Promise<unknown[]> {
  const pages = await Promise.all(TABLES.map((table) => store.list({ table, ...key })));
  const logs = await Promise.all((['messages', 'events'] as const).map((log) => store.read({ log, ...key })));
  return [...pages.flatMap(({ rows }) => rows), ...logs.flat()];
}

describe.each(STORES)('a pruned thread on the store %s', (_name, create) => {
  const setUp = () => {
    const time = { value: 0 };
    const store = create({ clock: { now: () => time.value } });
    const prune = () => pruneThreads(store, { olderThanMs: DAY });
    return { store, time, prune };
  };

  it('keeps only its history, which still verifies', async () => {
    const { store, time, prune } = setUp();
    await finished(store);
    await store.commit({ puts: [{ table: 'files', key: { ...key, id: 'f' }, doc: {} }] });
    const history = await readHistory(store, key);
    time.value = DAY;
    expect(await prune()).toBe(0);
    time.value = DAY + 1;
    const seen: unknown[] = [];
    expect(await pruneThreads(store, { olderThanMs: DAY, onProgress: (one) => seen.push(one) })).toBe(1);
    expect(seen).toEqual([{ key, pruned: 1 }]);
    expect(await leftOf(store)).toEqual([]);
    const left = await readHistory(store, key);
    expect(left.slice(0, -1)).toEqual(history);
    expect(left.at(-1)).toMatchObject({ what: 'pruned', by: 'holdpoint', kept: [] });
    expect(await verifyHistory(store, key)).toBeUndefined();
    expect(await readThread(store, key)).toMatchObject({ agent: 'a', pruned: true, state: {} });
    expect(await prune()).toBe(0);
  });

  it('starts again with the next run and continues its history', async () => {
    const { store, time, prune } = setUp();
    await finished(store);
    time.value = 2 * DAY;
    await prune();
    const before = (await readHistory(store, key)).length;
    await waiting(store, [newInterrupt('again')]);
    const thread = await readThread(store, key);
    expect(thread?.pruned).toBeUndefined();
    const messages = await store.read({ log: 'messages', ...key });
    expect(messages.map(({ item }) => item)).toEqual(['hello', 'asked']);
    expect(thread?.logs.messages).toBe(messages.at(-1)?.sequence);
    expect(await readHistory(store, key)).toHaveLength(before + 1);
    expect(await verifyHistory(store, key)).toBeUndefined();
  });

  it('must be finished: waiting, active, failed and unfinished threads stay', async () => {
    const { store, time, prune } = setUp();
    const other = (thread: string) => ({ key: { scope: 's', thread } });
    await waiting(store, [newInterrupt('q')], other('waits'));
    await started(store, { ...other('works'), newMessages: ['x'], leaseMs: 10 * DAY });
    await started(store, { ...other('lost'), newMessages: ['x'] });
    const failing = await started(store, { ...other('failed'), newMessages: ['x'] });
    await end(store, failing, { outcome: 'error', error: { code: 'INTERNAL', message: 'x' } });
    await finished(store, other('recent'));
    time.value = 5 * DAY;
    const again = await started(store, { ...other('recent'), newMessages: ['x'] });
    await end(store, again);
    expect(await prune()).toBe(0);
    expect((await listInterrupts(store, { scope: 's' })).interrupts).toHaveLength(2);
  });

  it('a pruned thread is removed once by concurrent pruners, and never under a run that begins meanwhile', async () => {
    const { store, time, prune } = setUp();
    for (let thread = 0; thread < 30; thread += 1) {
      await finished(store, { key: { scope: 's', thread: `t${thread}` } });
    }
    time.value = 2 * DAY;
    const begins = Array.from({ length: 30 }, (_, thread) =>
      beginRun(store, runOf({ key: { scope: 's', thread: `t${thread}` }, newMessages: ['new'] })),
    );
    const counts = await Promise.all([prune(), prune(), prune()]);
    const begun = await Promise.all(begins);
    expect(counts.reduce((sum, count) => sum + count)).toBeLessThanOrEqual(30);
    for (const run of begun) {
      if (run.type !== 'started') throw new Error(`expected a run, found ${run.type}`);
      const place = run.lease.key;
      const thread = await readThread(store, place);
      expect(thread?.active?.runId).toBe(run.lease.runId);
      const messages = await store.read({ log: 'messages', ...place });
      expect(messages.at(-1)?.item).toBe('new');
      expect(await verifyHistory(store, place)).toBeUndefined();
    }
  });

  it('a thread whose pruner crashed is finished by the next pruner, and a run in between sees no old data', async () => {
    const { store, time, prune } = setUp();
    await finished(store);
    time.value = 2 * DAY;
    const dying: Store = { ...bound(store), trim: () => Promise.reject(new Error('killed')) };
    await expect(pruneThreads(dying, { olderThanMs: DAY })).rejects.toThrow('killed');
    expect(await readThread(store, key)).toMatchObject({ pruned: 'partly' });
    expect(await readConversation(operatorAccess(store, key))).toEqual([]);
    await end(store, await started(store, { newMessages: [{ id: 'new' }] }));
    expect(await readConversation(operatorAccess(store, key))).toEqual([{ id: 'new' }]);
    time.value = 4 * DAY;
    await expect(pruneThreads(dying, { olderThanMs: DAY })).rejects.toThrow('killed');
    expect(await prune()).toBe(1);
    expect(await leftOf(store)).toEqual([]);
    expect(await readThread(store, key)).toMatchObject({ pruned: true });
  });

  it('an open thread is pruned if its deletion is requested', async () => {
    const { store } = setUp();
    await waiting(store, [newInterrupt('q')]);
    expect(await pruneThread(store, key, { mayGo: () => false })).toBe(false);
    expect(await pruneThread(store, key, { mayGo: () => true })).toBe(true);
    expect(await leftOf(store)).toEqual([]);
    expect(await verifyHistory(store, key)).toBeUndefined();
  });

  it('a thread with more rows than one commit removes is pruned completely', async () => {
    const { store } = setUp();
    await finished(store);
    const puts = Array.from({ length: 1200 }, (_, id) => ({
      table: 'executions' as const,
      key: { ...key, id: `e${id}` },
      doc: {},
    }));
    await store.commit({ puts });
    await pruneThread(store, key, { mayGo: () => true });
    expect(await leftOf(store)).toEqual([]);
  });
});

describe.each(STORES)('a deleted thread on the store %s', (_name, create) => {
  const setUp = () => {
    const time = { value: 1000 };
    const store = create({ clock: { now: () => time.value } });
    const remove = () => pruneThread(store, key, { mayGo: () => true, keepsDecisions: true });
    const listed = async () => (await listInterrupts(store, { scope: 's' })).interrupts;
    return { store, time, remove, listed };
  };
  const call = { role: 'tool', toolCallId: 'c', content: 'paid', metadata: { display: { output: 'Paid' } } };
  /** A thread whose interrupt `q` was approved and whose call has returned. */
  const decided = async (store: Store) => {
    const raised = [newInterrupt('q', { toolCallId: 'c' })];
    await waiting(store, raised);
    const run = await started(store, { entries: [yes('q')] });
    await end(store, run, { turn: null, messages: [call], settled: ['q'] });
  };

  it('keeps its decided interrupt with the result, and nothing else, until it is pruned', async () => {
    const { store, time, remove, listed } = setUp();
    await decided(store);
    expect(await remove()).toBe(true);
    expect(await listed()).toMatchObject([
      {
        state: 'resolved',
        answer: { by: 'ana', payload: { approved: true } },
        owner: 'ana',
        threadDeleted: { by: 'holdpoint', at: 1000, result: 'paid', display: 'Paid' },
      },
    ]);
    expect(await leftOf(store)).toHaveLength(1);
    expect(await verifyHistory(store, key)).toBeUndefined();
    time.value = 1000 + DAY;
    expect(await pruneThreads(store, { olderThanMs: DAY })).toBe(0);
    time.value += 1;
    expect(await pruneThreads(store, { olderThanMs: DAY })).toBe(1);
    expect(await leftOf(store)).toEqual([]);
    expect(await pruneThreads(store, { olderThanMs: DAY })).toBe(0);
    expect(await verifyHistory(store, key)).toBeUndefined();
  });

  it('closes interrupts with an answer and expired ones, and removes those that wait', async () => {
    const { store, time, remove, listed } = setUp();
    const late = newInterrupt('late', { expiresAt: new Date(1500).toISOString() });
    await waiting(store, [newInterrupt('said'), late, newInterrupt('open')]);
    await stageAnswer(store, { key, principal: ana, entry: yes('said'), via: 'inbox' });
    time.value = 2000;
    await expireDue(store);
    await remove();
    expect(await listed()).toMatchObject([
      { interrupt: { id: 'said' }, state: 'cancelled', endedAt: 2000, answer: { status: 'resolved' } },
      { interrupt: { id: 'late' }, state: 'cancelled', answer: { via: 'expiry', at: 1500 } },
    ]);
    const { interrupts } = await listInterrupts(store, { scope: 's', status: ['cancelled'] });
    expect(interrupts).toHaveLength(2);
    const facts = (await readHistory(store, key)).slice(-3);
    expect(facts.map(({ what, interruptId }) => [what, interruptId])).toEqual([
      ['withdrawn', 'said'],
      ['withdrawn', 'late'],
      ['pruned', ''],
    ]);
    expect(facts.at(-1)?.kept).toEqual(['said', 'late']);
    expect(await verifyHistory(store, key)).toBeUndefined();
  });

  it('settles the claimed interrupt of a lost run, whose call may have run', async () => {
    const { store, time, remove, listed } = setUp();
    await waiting(store, [newInterrupt('q')]);
    await started(store, { entries: [yes('q')] });
    time.value += 5000;
    await remove();
    expect(await listed()).toMatchObject([
      { state: 'resolved', uncertain: true, endedAt: 6000, threadDeleted: {} },
    ]);
  });

  it('keeps its decisions when the process dies and the next pruner finishes', async () => {
    const { store, remove, listed } = setUp();
    await decided(store);
    const dying: Store = { ...bound(store), trim: () => Promise.reject(new Error('killed')) };
    const options = { mayGo: () => true, keepsDecisions: true } as const;
    await expect(pruneThread(dying, key, options)).rejects.toThrow('killed');
    expect(await pruneThreads(store, { olderThanMs: DAY })).toBe(1);
    expect(await readThread(store, key)).toMatchObject({ pruned: true, endedAt: 1000 });
    expect(await listed()).toMatchObject([{ threadDeleted: { at: 1000, result: 'paid' } }]);
    expect(await leftOf(store)).toHaveLength(1);
    expect(await remove()).toBe(false);
  });

  it('keeps its decisions apart from the thread that starts again under its id', async () => {
    const { store, time, remove, listed } = setUp();
    await decided(store);
    await remove();
    const unknown = { code: 'INTERRUPT_UNKNOWN' };
    const entry = yes('q');
    const stage = () => stageAnswer(store, { key, principal: ana, entry, via: 'inbox' });
    await expect(stage()).rejects.toMatchObject(unknown);
    await waiting(store, [newInterrupt('before')]);
    const [kept] = await listed();
    // Marks the thread as one from a backup: only its open interrupt is asked again.
    const restored = { ...bound(store), incarnation: { id: 'restored', restoredAt: 1 } };
    expect(await markRestored(restored)).toBe(1);
    expect((await listed())[0]).toEqual(kept);
    const [open] = await openInterrupts(store, key);
    const again = open?.interrupt.id ?? '';
    await expect(stage()).rejects.toMatchObject(unknown);
    await expect(beginRun(store, runOf({ entries: [entry] }))).rejects.toMatchObject(unknown);
    const own = await listOwn(operatorAccess(store, key));
    expect(own.interrupts.map(({ interrupt }) => interrupt.id)).toEqual(['before', again]);
    expect((await openInterrupts(store, key)).map(({ interrupt }) => interrupt.id)).toEqual([again]);
    // A foreign agent that still holds the decided interrupt open does not replace it.
    const adopted = adoptInterrupts(store, {
      key,
      agent: 'a',
      interrupts: [{ id: 'q', reason: 'x' }],
      batch: 'b',
    });
    expect(await adopted).toBe(false);
    const run = await started(store, { entries: [yes(again)] });
    await end(store, run, { turn: null, settled: [again] });
    expect(
      await adoptInterrupts(store, { key, agent: 'a', interrupts: [{ id: 'q', reason: 'x' }], batch: 'b' }),
    ).toBe(false);
    time.value = 2000;
    await remove();
    expect((await listed()).map(({ threadDeleted }) => threadDeleted?.at)).toEqual([1000, 2000]);
  });

  it('loses its decisions when the thread is erased, and the name of a person who is erased', async () => {
    const { store, remove, listed } = setUp();
    await decided(store);
    await remove();
    const bob = { id: 'bob', scope: 's' };
    const other = { scope: 's', thread: 'other' };
    await waiting(store, [newInterrupt('o')], { key: other, principal: bob });
    const run = await started(store, { key: other, entries: [yes('o')] });
    await end(store, run, { turn: null, settled: ['o'] });
    const byAna = operatorAccess(store, other, ana);
    await pruneAs(byAna, { mayGo: () => true, keepsDecisions: true });
    expect((await listed()).map(({ threadDeleted }) => threadDeleted?.by)).toEqual(['holdpoint', 'ana']);
    expect(await erasePerson(store, { scope: 's', person: 'ana' })).toMatchObject({ threads: 1, others: 1 });
    const [left, ...none] = await listed();
    expect(none).toEqual([]);
    expect(left).toMatchObject({ askedBy: 'bob', answer: { by: 'erased' }, threadDeleted: { by: 'erased' } });
    expect(JSON.stringify(left)).not.toMatch(/ana|approved/u);
    expect(await eraseThread(store, other)).toBe(true);
    expect(await listed()).toEqual([]);
    expect(await verifyHistory(store, other)).toBeUndefined();
    expect(await remove()).toBe(false);
  });
});
