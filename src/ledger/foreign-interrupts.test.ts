import { describe, expect, it } from 'vitest';
import {
  dropInterrupts,
  openInterrupts,
  readHistory,
  readThread,
  stageAnswer,
  verifyHistory,
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

const gone = { by: 'a', reason: 'The agent went on without it.' };

describe.each(STORES)('interrupts that their agent no longer waits for, on the store %s', (_name, create) => {
  it('interrupts that their agent no longer waits for are dropped without an answer, and the last one makes the thread ready', async () => {
    const store = create();
    await waiting(store, [newInterrupt('q1'), newInterrupt('q2')]);
    const batch = (await readThread(store, key))?.batch?.id ?? '';
    const drop = (...interruptIds: string[]) => dropInterrupts(store, { key, batch, interruptIds, ...gone });
    expect(await drop('q1')).toBe('waiting');
    expect(await drop('q1', 'other')).toBe('unchanged');
    expect((await openInterrupts(store, key)).map(({ interrupt }) => interrupt.id)).toEqual(['q2']);
    expect(await drop('q2')).toBe('ready');
    expect((await store.list({ table: 'threads', status: ['ready'] })).rows).toHaveLength(1);
    const run = await started(store, { continues: 'background' });
    expect(run.answers).toEqual([]);
    expect(run.turn).toEqual({ saved: true });
    await end(store, run, { turn: null });
    expect(await readThread(store, key)).not.toHaveProperty('unfinished');
    const rows = (await store.list({ table: 'interrupts' })).rows;
    expect(rows.map(({ index }) => index.status)).toEqual(['cancelled', 'cancelled']);
    expect((await readHistory(store, key)).slice(2)).toMatchObject([
      { what: 'withdrawn', interruptId: 'q1', ...gone },
      { what: 'withdrawn', interruptId: 'q2', ...gone },
    ]);
    expect(await verifyHistory(store, key)).toBeUndefined();
  });

  it('leave the other interrupts of the batch to their answers', async () => {
    const store = create();
    await waiting(store, [newInterrupt('q1'), newInterrupt('q2')]);
    const batch = (await readThread(store, key))?.batch?.id ?? '';
    await stageAnswer(store, { key, entry: yes('q2'), principal: ana, via: 'inbox' });
    expect(await dropInterrupts(store, { key, batch, interruptIds: ['q1'], ...gone })).toBe('ready');
    const run = await started(store, { continues: 'background' });
    expect(run.answers.map(({ interruptId }) => interruptId)).toEqual(['q2']);
  });

  it('interrupts that their agent no longer waits for are dropped together with a staged answer', async () => {
    const store = create();
    await waiting(store, [newInterrupt('q1'), newInterrupt('q2')]);
    const batch = (await readThread(store, key))?.batch?.id ?? '';
    await stageAnswer(store, { key, entry: yes('q1'), principal: ana, via: 'inbox' });
    expect(await dropInterrupts(store, { key, batch, interruptIds: ['q1', 'q2'], ...gone })).toBe('ready');
    expect((await started(store, { continues: 'background' })).answers).toEqual([]);
    const [first] = (await store.list({ table: 'interrupts' })).rows;
    expect(first?.doc).toMatchObject({ state: 'cancelled', answer: { by: 'ana', status: 'resolved' } });
  });

  it('interrupts that their agent no longer waits for are kept if the last answer came first, and cannot be answered if it came second', async () => {
    const store = create();
    await waiting(store, [newInterrupt('q')]);
    const batch = (await readThread(store, key))?.batch?.id ?? '';
    const stage = () => stageAnswer(store, { key, entry: yes('q'), principal: ana, via: 'inbox' });
    const drop = (from = batch) => dropInterrupts(store, { key, batch: from, interruptIds: ['q'], ...gone });
    expect(await drop('another batch')).toBe('unchanged');
    await stage();
    expect(await drop()).toBe('unchanged');
    const run = await started(store, { continues: 'background' });
    expect(run.answers).toHaveLength(1);
    expect(await drop()).toBe('unchanged');

    const other = create();
    await waiting(other, [newInterrupt('q')]);
    const open = (await readThread(other, key))?.batch?.id ?? '';
    await dropInterrupts(other, { key, batch: open, interruptIds: ['q'], ...gone });
    await expect(
      stageAnswer(other, { key, entry: yes('q'), principal: ana, via: 'inbox' }),
    ).rejects.toMatchObject({ code: 'INTERRUPT_CONFLICT' });
  });
});
