import { describe, expect, it } from 'vitest';
import { readConversation } from '../runs/index.ts';
import type { Store, TableName } from '../store/index.ts';
import { operatorAccess, pruneThreads } from './index.ts';
import {
  beginRun,
  listInterrupts,
  pruneThread,
  readHistory,
  readThread,
  verifyHistory,
} from './testing-support/as-operator.ts';
import { bound } from './testing-support/bound-store.ts';
import {
  end,
  finished,
  key,
  newInterrupt,
  runOf,
  started,
  STORES,
  waiting,
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
    expect(await readHistory(store, key)).toEqual(history);
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
