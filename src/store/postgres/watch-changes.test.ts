import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase } from '../../../test/postgres/create-database.ts';
import { Pool } from 'pg';
import type { Change, Store } from '../store.ts';
import { postgresStore } from './index.ts';

let url: string;
let pool: Pool;
beforeAll(async () => {
  url = await createDatabase();
  pool = new Pool({ connectionString: url });
  pool.on('error', () => undefined);
});
afterAll(() => pool.end());

/** Resolves when the store reports the thread. */
function toldOf(store: Store, thread: string): Promise<Change> {
  return new Promise((resolve) => {
    const stop = store.watch((change) => {
      if (change.thread !== thread) return;
      stop();
      resolve(change);
    });
  });
}

const change = (store: Store, thread: string) =>
  store.commit({ appends: [{ log: 'events', scope: 's', thread, items: [1] }] });

const LISTENING = `pid <> pg_backend_pid() AND query ~ 'LISTEN|now_ms|changes'
  AND pid IN (SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend'
    AND datname = current_database())`;

describe('watching', () => {
  it('reports a change that was made while its connection was lost', async () => {
    const store = postgresStore(url, { schema: 'lost' });
    const writer = postgresStore(pool, { schema: 'lost' });
    const first = toldOf(store, 'first');
    await change(writer, 'first');
    await first;
    // The store's own pool has an idle connection too: all but the writer's are cut off.
    const told = toldOf(store, 'second');
    const { rows } = await pool.query<{ cut: boolean }>(
      `SELECT pg_terminate_backend(pid, 5000) AS cut FROM pg_stat_activity WHERE ${LISTENING}`,
    );
    expect(rows.length).toBeGreaterThan(0);
    await change(writer, 'second');
    expect(await told).toEqual({ scope: 's', thread: 'second' });
    const third = toldOf(store, 'third');
    await change(writer, 'third');
    await third;
    await store.close();
    await writer.close();
  });

  it('reports threads whose keys are too long for a notification', async () => {
    const store = postgresStore(pool, { schema: 'long' });
    const ready = toldOf(store, 'ready');
    await change(store, 'ready');
    await ready;
    const thread = Array.from({ length: 9_000 }, (_, n) => String.fromCodePoint(0x4e00 + n)).join('');
    const told = toldOf(store, thread);
    await change(store, thread);
    expect(await told).toEqual({ scope: 's', thread });
    await store.close();
  });

  it('reports to each of many listeners after one has stopped', async () => {
    const store = postgresStore(pool, { schema: 'each' });
    const seen: string[] = [];
    const stop = store.watch(() => seen.push('stopped'));
    stop();
    const told = [toldOf(store, 'a'), toldOf(store, 'a')];
    await change(store, 'a');
    expect(await Promise.all(told)).toHaveLength(2);
    expect(seen).toEqual([]);
    await store.close();
  });

  it('takes no connection from the pool', async () => {
    const narrow = new Pool({ connectionString: url, max: 1 });
    narrow.on('error', () => undefined);
    const store = postgresStore(narrow, { schema: 'narrow' });
    const told = toldOf(store, 'a');
    await change(store, 'a');
    await told;
    await change(store, 'b');
    await store.close();
    await narrow.end();
  });
});
