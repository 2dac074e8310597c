import { describe, expect, it } from 'vitest';
import {
  openInterrupts,
  readHistory,
  stageAnswer,
  verifyHistory,
  withdrawInterrupt,
} from './testing-support/as-operator.ts';
import {
  ana,
  end,
  key,
  newInterrupt,
  started,
  STORES,
  waiting,
  yes,
} from './testing-support/ledger-world.ts';

describe.each(STORES)('a withdrawn interrupt on the store %s', (_name, create) => {
  it('counts as cancelled, is recorded as withdrawn, and the last one makes the thread ready', async () => {
    const time = { value: 1000 };
    const store = create({ clock: { now: () => time.value } });
    await waiting(store, [newInterrupt('q1'), newInterrupt('q2')]);
    time.value = 1250;
    const withdraw = (interruptId: string) =>
      withdrawInterrupt(store, { key, interruptId, reason: 'not needed any more' });
    expect(await withdraw('q1')).toEqual({ state: 'staged', open: ['q2'] });
    expect(await withdraw('q1')).toEqual({ state: 'staged', open: ['q2'] });
    expect((await openInterrupts(store, key)).map(({ interrupt }) => interrupt.id)).toEqual(['q2']);
    expect(await withdraw('q2')).toEqual({ state: 'complete', open: [] });
    expect((await store.list({ table: 'threads', status: ['ready'] })).rows).toHaveLength(1);
    const history = await readHistory(store, key);
    expect(history.slice(2)).toMatchObject([
      { what: 'withdrawn', interruptId: 'q1', by: 'holdpoint', reason: 'not needed any more', latency: 250 },
      { what: 'withdrawn', interruptId: 'q2', latency: 250 },
    ]);
    const run = await started(store, { continues: 'background' });
    expect(run.answers.map(({ status }) => status)).toEqual(['cancelled', 'cancelled']);
    await end(store, run, { turn: null });
    const states = (await store.list({ table: 'interrupts' })).rows.map(({ index }) => index.status);
    expect(states).toEqual(['cancelled', 'cancelled']);
    expect(await verifyHistory(store, key)).toBeUndefined();
  });

  it('replaces an answer that no run has claimed, and a claimed answer is a conflict', async () => {
    const store = create();
    await waiting(store, [newInterrupt('q')]);
    await stageAnswer(store, { key, entry: yes('q'), principal: ana, via: 'inbox' });
    expect(await withdrawInterrupt(store, { key, interruptId: 'q' })).toEqual({
      state: 'complete',
      open: [],
    });
    expect((await started(store, { continues: 'background' })).answers).toMatchObject([
      { status: 'cancelled' },
    ]);
    await waiting(store, [newInterrupt('p')], { key: { ...key, thread: 'u' } });
    await started(store, { key: { ...key, thread: 'u' }, entries: [yes('p')] });
    await expect(
      withdrawInterrupt(store, { key: { ...key, thread: 'u' }, interruptId: 'p' }),
    ).rejects.toMatchObject({ code: 'INTERRUPT_CONFLICT', details: { by: 'ana' } });
  });

  it('rejects an unknown interrupt with INTERRUPT_UNKNOWN', async () => {
    const store = create();
    await waiting(store, [newInterrupt('q')]);
    await expect(withdrawInterrupt(store, { key, interruptId: 'x' })).rejects.toMatchObject({
      code: 'INTERRUPT_UNKNOWN',
    });
  });
});
