import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Store } from '../store/index.ts';
import { memoryStore } from '../store/memory/index.ts';
import { openSession } from './run-session.ts';
import { beginRun } from './testing-support/as-operator.ts';

const LEASE_MS = 10_000;
const LATENCY_MS = 600;
const KEY = { scope: 's', thread: 't' };

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Delays every response of the store by {@link LATENCY_MS}. */
function slowStore(): Store {
  const store = memoryStore({ clock: { now: () => Date.now() } });
  const slowly = async <T>(answer: Promise<T>): Promise<T> => {
    const value = await answer;
    vi.advanceTimersByTime(LATENCY_MS);
    return value;
  };
  return {
    ...store,
    commit: (batch) => slowly(store.commit(batch)),
    get: (table, keys) => slowly(store.get(table, keys)),
    snapshot: (reads) => slowly(store.snapshot(reads)),
    now: () => slowly(store.now()),
  };
}

async function leaseUntil(store: Store): Promise<number> {
  const [row] = await store.get('threads', [{ ...KEY, id: '' }]);
  return (row?.doc as { active?: { leaseUntil: number } } | undefined)?.active?.leaseUntil ?? 0;
}

describe('a lease over a slow store', () => {
  it('ends for its process before another process may take it', async () => {
    const store = slowStore();
    const begun = await beginRun(store, {
      key: KEY,
      runId: 'r',
      agent: 'a',
      entries: [],
      newMessages: [{ id: 'm', role: 'user', content: 'go' }],
      via: 'in-process',
      leaseMs: LEASE_MS,
    });
    if (begun.type !== 'started') throw new Error(`The run was not started: ${begun.type}.`);
    const session = openSession(store, begun);
    const ends = [await leaseUntil(store)];
    await session.keep({ state: { n: 1 } });
    ends.push(await leaseUntil(store));
    expect(ends[1]).toBeGreaterThan(ends[0] ?? 0);
    vi.advanceTimersByTime((ends[1] ?? 0) - Date.now());
    expect(() => session.assertHeld()).toThrow(expect.objectContaining({ code: 'RUN_LOST' }));
  });
});

describe('a lease over a quick store', () => {
  it('ends for its process before it ends in the store, whose time the process may know too late', async () => {
    const store = memoryStore({ clock: { now: () => Date.now() } });
    const begun = await beginRun(store, {
      key: KEY,
      runId: 'r',
      agent: 'a',
      entries: [],
      newMessages: [{ id: 'm', role: 'user', content: 'go' }],
      via: 'in-process',
      leaseMs: LEASE_MS,
    });
    if (begun.type !== 'started') throw new Error(`The run was not started: ${begun.type}.`);
    const session = openSession(store, begun);
    vi.advanceTimersByTime(LEASE_MS * 0.94);
    session.assertHeld();
    vi.advanceTimersByTime(LEASE_MS * 0.02);
    expect(() => session.assertHeld()).toThrow(expect.objectContaining({ code: 'RUN_LOST' }));
  });

  it('is given five times by the background to runs that are lost; then the thread has failed', async () => {
    const store = memoryStore({ clock: { now: () => Date.now() } });
    const begin = async (more: object) => {
      const begun = await beginRun(store, {
        key: KEY,
        runId: 'r',
        agent: 'a',
        entries: [],
        newMessages: [],
        via: 'in-process',
        leaseMs: LEASE_MS,
        ...more,
      });
      vi.advanceTimersByTime(LEASE_MS + 1);
      return begun.type;
    };
    await begin({ newMessages: [{ id: 'm', role: 'user', content: 'go' }] });
    const tries = [];
    for (let attempt = 1; attempt <= 6; attempt += 1) tries.push(await begin({ continues: 'background' }));
    expect(tries).toEqual([...Array.from({ length: 5 }, () => 'started'), 'as-is']);
    const [row] = await store.get('threads', [{ ...KEY, id: '' }]);
    expect(row?.doc).toMatchObject({ failed: { code: 'RUN_LOST' } });
  });
});
