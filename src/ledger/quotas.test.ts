import { describe, expect, it } from 'vitest';
import { assertInterruptQuota } from './index.ts';
import { beginRun, pruneThread, stageAnswer } from './testing-support/as-operator.ts';
import {
  ana,
  end,
  key,
  newInterrupt,
  runOf,
  started,
  STORES,
  waiting,
  yes,
} from './testing-support/ledger-world.ts';

const refused = { code: 'RATE_LIMITED' };
const other = (thread: string, scope = 's') => ({ key: { scope, thread } });

describe.each(STORES)('a quota of a scope on the store %s', (_name, create) => {
  it('counts only open interrupts', async () => {
    const store = create();
    const room = (adding: number, limit: number) =>
      assertInterruptQuota(store, { principal: ana, adding }, { perScope: { openInterrupts: limit } });
    await room(1, 1);
    await waiting(store, [newInterrupt('q1'), newInterrupt('q2')]);
    await waiting(store, [newInterrupt('q')], other('elsewhere', 'other'));
    await room(1, 3);
    await expect(room(2, 3)).rejects.toMatchObject({ ...refused, details: { limit: 3 } });
    await expect(room(1, 2)).rejects.toMatchObject(refused);
    await expect(room(3, 2)).rejects.toMatchObject(refused);
    await room(0, 0);
    await stageAnswer(store, { key, entry: yes('q1'), principal: ana, via: 'inbox' });
    await room(1, 2);
  });

  it('a quota of a scope may be larger than a page of the store', async () => {
    const store = create();
    const many = Array.from({ length: 1205 }, (_, index) => newInterrupt(`q${index}`));
    await waiting(store, many);
    const room = (limit: number) =>
      assertInterruptQuota(store, { principal: ana, adding: 1 }, { perScope: { openInterrupts: limit } });
    await room(1206);
    await expect(room(1205)).rejects.toMatchObject(refused);
  });

  it('rejects a new thread but no run on existing ones; a pruned thread makes room', async () => {
    const store = create();
    const quotas = { perScope: { threads: 2 } };
    for (const thread of ['one', 'two']) {
      await end(store, await started(store, { ...other(thread), newMessages: ['x'], quotas }));
    }
    const third = () => beginRun(store, runOf({ ...other('three'), newMessages: ['x'], quotas }));
    await expect(third()).rejects.toMatchObject(refused);
    expect(await beginRun(store, runOf({ ...other('three'), quotas }))).toEqual({ type: 'as-is' });
    await started(store, { ...other('elsewhere', 'other'), newMessages: ['x'], quotas });
    await end(store, await started(store, { ...other('one'), newMessages: ['y'], quotas }));
    await pruneThread(store, other('one').key, { mayGo: () => true });
    expect(await third()).toMatchObject({ type: 'started' });
  });
});
