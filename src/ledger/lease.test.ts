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
