import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import type { JsonObject } from '../../core/index.ts';
import type { ChainHead } from '../history-chain.ts';
import { findBrokenEntry } from '../history-chain.ts';
import type { LogItem, LogName, Row, Store, TableName } from '../store.ts';
import { TABLE_NAMES } from '../tables.ts';

/** What a store of an earlier schema read from the database that a fixture is. */
interface Contents {
  readonly rows: Readonly<Partial<Record<TableName, readonly Row[]>>>;
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
    const kept = (row: Row) => ({ ...row, index: {}, ...(table === 'threads' ? withoutChain(row) : {}) });
    expect(page.rows.map(kept)).toEqual((rows[table] ?? []).map(kept));
  }
  for (const { items, ...place } of logs) {
    const found = await store.read(place);
    if (place.log !== 'history') expect(found).toEqual(items);
    else await expectSealed(store, { ...place, found, items });
  }
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

/** The hash of the chain and the version of the row change when the history is sealed anew. */
function withoutChain({ doc: { chain: _chain, ...doc } }: Row) {
  return { doc, version: 0 };
}

/** Expects the same facts, with seals that hold. */
async function expectSealed(
  store: Store,
  history: {
    readonly scope: string;
    readonly thread: string;
    readonly found: readonly LogItem[];
    readonly items: readonly LogItem[];
  },
): Promise<void> {
  const { scope, thread, found, items } = history;
  const facts = ({ sequence, item }: LogItem) => {
    const { previous: _previous, hash: _hash, salt: _salt, seal: _seal, ...rest } = item as JsonObject;
    return { sequence, ...rest };
  };
  expect(found.map(facts)).toEqual(items.map(facts));
  const [row] = await store.get('threads', [{ scope, thread, id: '' }]);
  if (row === undefined) return;
  const entries = found.map(({ item }) => item as JsonObject);
  expect(findBrokenEntry(entries, row.doc['chain'] as unknown as ChainHead)).toBeUndefined();
}
