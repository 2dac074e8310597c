import * as fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { memoryStore } from '../memory/index.ts';
import type { Batch, ListQuery, RowIndex, Store, TableName } from '../store.ts';
import { Filed } from './filed.ts';
import { freezeBatch } from './freeze-batch.ts';
import { sqliteStore } from './index.ts';
import { Journal } from './journal.ts';
import { openDatabaseNow } from './open-database.ts';
import { Pending } from './pending.ts';
import { readLog } from './read-log.ts';
import { temporaryPaths } from './testing-support/temporary-paths.ts';

const newPath = temporaryPaths();
const SCOPES = ['s', 'ü\u0000'];
const THREADS = ['a', ''];
const IDS = ['1', '2'];
const STATES = ['pending', 'answered', 'done'];

const tables = fc.constantFrom<TableName[]>('threads', 'interrupts', 'grants');
const keys = fc.record({
  scope: fc.constantFrom(...SCOPES),
  thread: fc.constantFrom(...THREADS),
  id: fc.constantFrom(...IDS),
});
const indexes = fc.record<RowIndex>(
  {
    status: fc.constantFrom(...STATES),
    agent: fc.constantFrom('x', 'y'),
    dueAt: fc.integer({ min: 0, max: 9 }),
  },
  { requiredKeys: [] },
);
const docs = fc.record({ text: fc.string(), number: fc.integer() });
/** What is expected seldom holds: most expect nothing, or nothing would ever be filed. */
const expected = fc.oneof(
  { weight: 9, arbitrary: fc.constant({}) },
  { weight: 1, arbitrary: fc.record({ expect: fc.integer({ min: 0, max: 2 }) }) },
);
const puts = fc
  .tuple(fc.record({ table: tables, key: keys, doc: docs, index: indexes }), expected)
  .map(([put, more]) => ({ ...put, ...more }));
const removals = fc
  .tuple(fc.record({ table: tables, key: keys }), expected)
  .map(([row, more]) => ({ ...row, ...more }));
const appends = fc.record({
  log: fc.constantFrom('messages' as const, 'events' as const),
  scope: fc.constantFrom(...SCOPES),
  thread: fc.constant('a'),
  items: fc.array(docs, { maxLength: 3 }),
});
const batches = fc
  .record({
    puts: fc.uniqueArray(puts, { maxLength: 3, selector: ({ table, key }) => JSON.stringify([table, key]) }),
    removed: fc.array(removals, { maxLength: 1 }),
    replaces: fc.boolean(),
    appends: fc.array(appends, { maxLength: 2 }),
  })
  .map(({ puts: written, removed, replaces, appends: added }): Batch => {
    const [first] = written;
    const replaced = replaces && first !== undefined ? [{ table: first.table, key: first.key }] : removed;
    return { puts: written, deletes: replaced, appends: added };
  });
const queries = fc.record<ListQuery>(
  {
    table: tables,
    scope: fc.constantFrom(...SCOPES),
    thread: fc.constantFrom(...THREADS),
    status: fc.subarray(STATES),
    agent: fc.constantFrom('x', 'y'),
    dueBefore: fc.integer({ min: 0, max: 9 }),
    order: fc.constantFrom('created' as const, 'due' as const),
    limit: fc.integer({ min: 1, max: 5 }),
  },
  { requiredKeys: ['table'] },
);

/** Everything that a query gives, page after page, without the times: they are each store's own. */
async function everything(store: Store, query: ListQuery): Promise<unknown[]> {
  const found: unknown[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await store.list({ ...query, ...(cursor === undefined ? {} : { cursor }) });
    found.push(...page.rows.map(({ key, version, index, doc }) => ({ key, version, index, doc })));
    if (page.next === undefined) return found;
    cursor = page.next;
  }
}

/** All rows and logs, as they are. */
async function contents(store: Store): Promise<unknown> {
  const names: TableName[] = ['threads', 'interrupts', 'grants'];
  const rows = await Promise.all(names.map((table) => everything(store, { table })));
  const one = await store.get('threads', [{ scope: 's', thread: 'a', id: '1' }]);
  const logs = await Promise.all(
    SCOPES.flatMap((scope) =>
      (['messages', 'events'] as const).map((log) => store.read({ log, scope, thread: 'a' })),
    ),
  );
  return { rows, one: one.map((row) => row?.doc), logs };
}

/** Byte order is not the order of UTF-16: where a list is in the order of its due times, equals may come in either. */
const sorted = (rows: readonly unknown[]) => rows.map((row) => JSON.stringify(row)).toSorted();

describe('commits that are not filed yet', () => {
  it('read as if they were, whoever made them and whenever they are filed', async () => {
    const made = fc.record({ batch: batches, by: fc.nat(1), query: queries });
    await fc.assert(
      fc.asyncProperty(fc.array(made, { minLength: 600, maxLength: 600 }), async (commits) => {
        const path = newPath();
        const model = memoryStore();
        const open = () => sqliteStore(path, { synchronous: 'NORMAL' });
        const [one, other, sleeper] = [open(), open(), open()];
        for (const [number, { batch, by, query }] of commits.entries()) {
          // For a while one alone, then both in turn, then the other alone, and so on.
          const isFirst = number % 200 < 100 ? number % 400 < 200 : by === 0;
          const [writer, reader] = isFirst ? [one, other] : [other, one];
          const wanted = await model.commit(batch);
          expect(withoutTime(await writer.commit(batch))).toEqual(withoutTime(wanted));
          if (number % 7 > 0) continue;
          expect(await contents(reader)).toEqual(await contents(model));
          expect(sorted(await everything(reader, query))).toEqual(sorted(await everything(model, query)));
        }
        const late = open();
        for (const store of [one, other, sleeper, late]) {
          expect(await contents(store)).toEqual(await contents(model));
        }
        for (const store of [one, other, sleeper, late]) await store.close();
        const after = open();
        expect(await contents(after)).toEqual(await contents(model));
        await after.close();
      }),
      { numRuns: 4, endOnFailure: true },
    );
  });

  it('are not overlooked by somebody who was alone for long', async () => {
    const path = newPath();
    const [lonely, other] = [sqliteStore(path), sqliteStore(path)];
    const put = (id: string, expected: number) => ({
      table: 'runs' as const,
      key: { scope: 's', thread: 't', id },
      doc: { expected },
      expect: expected,
    });
    const append = { log: 'events' as const, scope: 's', thread: 't', items: [1] };
    const beAlone = async (from: number) => {
      for (let n = from; n < from + 100; n += 1)
        await lonely.commit({ puts: [put('own', n)], appends: [append] });
    };
    await beAlone(0);
    await other.commit({ puts: [put('taken', 0)], appends: [append] });
    expect(await lonely.commit({ puts: [put('taken', 0)] })).toMatchObject({
      ok: false,
      conflict: { id: 'taken' },
    });
    await beAlone(100);
    await other.commit({ puts: [put('taken', 1)], appends: [append] });
    expect(await lonely.commit({ puts: [put('taken', 2)], appends: [append] })).toMatchObject({
      ok: true,
      sequences: [203],
    });
    await beAlone(200);
    // Whoever closes files everything.
    const visitor = sqliteStore(path);
    await visitor.commit({ puts: [put('own', 300)] });
    await visitor.close();
    await lonely.trim({ ...append, through: 200 });
    const together = [put('own', 301), put('own', 999)].map((one) => lonely.commit({ puts: [one] }));
    expect(await Promise.all(together)).toMatchObject([{ ok: true }, { ok: false }]);
    for (const store of [lonely, other]) {
      expect((await store.read(append))[0]).toEqual({ sequence: 201, item: 1 });
      expect(await store.get('runs', [put('own', 0).key])).toMatchObject([{ version: 302 }]);
      await store.close();
    }
  });

  it('are read once where somebody files them, and more, between two looks', () => {
    const { connection } = openDatabaseNow(':memory:');
    connection.exec(`INSERT INTO rows (place, scope, thread, tbl, id, version, doc)
      VALUES (1, 's', 't', 'events', 5, 0, '1' || char(10) || '2' || char(10) || '3' || char(10) || '4' || char(10) || '5')`);
    const pending = new Pending();
    pending.putLog({ table: 'events', scope: 's', thread: 't', id: '', first: 3, items: ['3', '4'] });
    const readable = { connection, journal: { pending, filed: new Filed(connection) } };
    const items = readLog(readable, { log: 'events', scope: 's', thread: 't' });
    expect(items.map(({ sequence, item }) => [sequence, item])).toEqual([1, 2, 3, 4].map((n) => [n, n]));
    connection.close();
  });

  it('are not taken for filed by what did not hold', () => {
    const { connection } = openDatabaseNow(':memory:');
    const nobody = { isWatched: false, heard: () => undefined };
    const journal = new Journal(connection, nobody);
    const commit = (text: string, after: () => void = () => undefined) =>
      connection.transaction(() => {
        const key = { scope: 's', thread: 't', id: text.slice(0, 5) };
        journal.begin();
        journal.add(freezeBatch({ puts: [{ table: 'runs', key, doc: { text } }] }), 0);
        journal.end();
        after();
      });
    const full = () => {
      throw new Error('The disk is full.');
    };
    // Large enough to be filed at once.
    expect(() => commit('x'.repeat(300_000), full)).toThrow('The disk is full.');
    expect(journal.lose(undefined)).toBe(false);
    for (const text of ['one', 'two']) commit(text);
    const other = new Journal(connection, nobody);
    other.catchUp();
    expect([...other.pending.rows.values()].map(({ id }) => id)).toEqual(['one', 'two']);
    connection.close();
  });

  it('leave a page full that many rows have just left', async () => {
    const path = newPath();
    const ids = Array.from({ length: 20 }, (_, number) => String(number));
    const put = (id: string, status: string) => ({
      table: 'interrupts' as const,
      key: { scope: 's', thread: 't', id },
      doc: {},
      index: { status },
    });
    const before = sqliteStore(path);
    await before.commit({ puts: ids.map((id) => put(id, 'pending')) });
    await before.close();
    const store = sqliteStore(path);
    await store.commit({ puts: ids.slice(0, 12).map((id) => put(id, 'done')) });
    const query = { table: 'interrupts' as const, scope: 's', status: ['pending'], limit: 5 };
    const first = await store.list(query);
    expect(first.rows.map(({ key }) => key.id)).toEqual(['12', '13', '14', '15', '16']);
    const second = await store.list({ ...query, cursor: first.next ?? '' });
    expect(second).toMatchObject({ rows: [{ key: { id: '17' } }, {}, {}] });
    await store.close();
  });

  it('may be larger than all that is kept for long', async () => {
    const path = newPath();
    const [one, other] = [sqliteStore(path), sqliteStore(path)];
    const key = { scope: 's', thread: 't', id: 'large' };
    const doc = { text: 'x'.repeat(3_000_000) };
    for (const expected of [0, 1, 2]) {
      expect(await one.commit({ puts: [{ table: 'files', key, doc, expect: expected }] })).toMatchObject({
        ok: true,
      });
      expect(await other.get('files', [key])).toMatchObject([{ doc, version: expected + 1 }]);
    }
    await one.close();
    await other.close();
  });

  it('are found in a file of the schema before', async () => {
    const path = newPath();
    const key = { scope: 's', thread: 't', id: '1' };
    const put = { table: 'runs' as const, key, doc: { a: 1 } };
    const before = sqliteStore(path);
    await before.commit({
      puts: [put],
      appends: [{ log: 'events', scope: 's', thread: 't', items: [1, 2] }],
    });
    await before.close();
    const { connection } = openDatabaseNow(path);
    connection.exec('DROP TABLE journal; UPDATE holdpoint_schema SET version = 1');
    connection.close();
    const store = sqliteStore(path);
    expect(await store.commit({ puts: [{ ...put, doc: { a: 2 }, expect: 1 }] })).toMatchObject({ ok: true });
    const added = await store.commit({ appends: [{ log: 'events', scope: 's', thread: 't', items: [3] }] });
    expect(added).toMatchObject({ sequences: [3] });
    expect(await store.get('runs', [key])).toMatchObject([{ doc: { a: 2 }, version: 2 }]);
    await store.close();
  });
});

describe('somebody who slept while the journal was written over', () => {
  afterEach(() => vi.useRealTimers());

  it('is told of every thread that changed, also where nothing was added', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const path = newPath();
    const writer = sqliteStore(path, { synchronous: 'NORMAL' });
    const put = (thread: string) => ({
      table: 'runs' as const,
      key: { scope: 's', thread, id: '1' },
      doc: {},
    });
    await writer.commit({ puts: [put('old'), put('kept')] });
    const sleeper = sqliteStore(path, { pollIntervalMs: 10 });
    const told = new Set<string>();
    sleeper.watch(({ thread }) => told.add(thread));
    await writer.commit({ puts: [put('old')] });
    const threads = Array.from({ length: 700 }, (_, number) => `t${number}`);
    for (const thread of threads) await writer.commit({ puts: [put(thread)] });
    vi.advanceTimersByTime(10);
    expect(['old', ...threads].filter((thread) => !told.has(thread))).toEqual([]);
    expect(await sleeper.get('runs', [put('t699').key])).toMatchObject([{ version: 1 }]);
    await sleeper.close();
    await writer.close();
  });
});

function withoutTime(result: unknown): unknown {
  return { ...(result as object), now: 0 };
}
