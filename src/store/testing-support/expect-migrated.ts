import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import type { LogItem, LogName, Row, Store, TableName } from '../store.ts';
import { TABLE_NAMES } from '../tables.ts';

/** What a store of an earlier schema read from the database that a fixture is. */
interface Contents {
  readonly rows: Readonly<Record<TableName, readonly Row[]>>;
  readonly logs: readonly {
    readonly log: LogName;
    readonly scope: string;
    readonly thread: string;
    readonly items: readonly LogItem[];
  }[];
}

/** Expects everything that the fixture had, with the columns that its rows have now, and goes on to write. */
export async function expectMigrated(store: Store, fixture: URL): Promise<void> {
  const { rows, logs } = JSON.parse(readFileSync(fixture, 'utf8')) as Contents;
  for (const table of TABLE_NAMES) {
    const page = await store.list({ table, limit: 1000 });
    const kept = (row: Row) => ({ ...row, index: {} });
    expect(page.rows.map(kept)).toEqual(rows[table].map(kept));
  }
  for (const { items, ...place } of logs) expect(await store.read(place)).toEqual(items);
  const states = (await store.list({ table: 'interrupts' })).rows.map(({ key, index }) => [
    key.id,
    index.status,
  ]);
  expect(Object.fromEntries(states)).toEqual({
    q1: 'answered',
    q2: 'pending',
    q3: 'answered',
    q4: 'resolved',
    q5: 'claimed',
    q6: 'pending',
  });
  const [q1] = await store.get('interrupts', [{ scope: 'acme', thread: 'waiting', id: 'q1' }]);
  expect(q1?.index).toEqual({
    status: 'answered',
    agent: 'assistant',
    reason: 'tool_call',
    tool: 'transferMoney',
    title: 'Send $1,000 to Bob',
    message: 'Please confirm sending $1,000.',
    askedBy: 'ana',
    owner: 'ana',
    approverRoles: ['manager'],
    approverUsers: ['bob'],
    answeredBy: 'bob',
    answeredAt: expect.any(Number),
  });
  const [thread] = await store.get('threads', [{ scope: 'acme', thread: 'waiting', id: '' }]);
  expect(thread?.index).toMatchObject({ status: 'waiting', owner: 'ana', title: 'About waiting' });
  const grants = await store.list({ table: 'grants', tool: 'sendEmail' });
  expect(grants.rows.map(({ key }) => key.id)).toEqual(['g2', 'g1']);
  // Where a log ended counts, also where all of it was trimmed.
  const place = { scope: 'acme', thread: 'trimmed' };
  const appended = await store.commit({
    appends: [
      { log: 'messages', ...place, items: ['e'] },
      { log: 'events', ...place, items: [6] },
      { log: 'history', ...place, items: [{}] },
    ],
  });
  expect(appended).toMatchObject({ ok: true, sequences: [5, 6, 1] });
  const made = { scope: 'acme', thread: 'made', id: 'last' };
  await store.commit({ puts: [{ table: 'interrupts', key: made, doc: {}, expect: 0 }] });
  const { rows: newest } = await store.list({ table: 'interrupts', order: 'newest', limit: 1 });
  expect(newest.map(({ key }) => key)).toEqual([made]);
}
