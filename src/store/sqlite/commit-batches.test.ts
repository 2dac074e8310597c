import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memoryStore } from '../memory/index.ts';
import type { Batch, ListQuery, RowIndex, Store, TableName } from '../store.ts';
import { sqliteStore } from './index.ts';
import { temporaryPaths } from './testing-support/temporary-paths.ts';

const newPath = temporaryPaths();
const SCOPES = ['s', 'ü\u0000'];
const THREADS = ['a', ''];
const IDS = ['1', '2'];
const STATES = ['pending', 'answered', 'done'];
const OWNERS = ['ana', 'bob'];
const ROLES = ['manager', 'a\u0000'];

const tables = fc.constantFrom<TableName[]>('threads', 'interrupts', 'grants');
const keys = fc.record({
  scope: fc.constantFrom(...SCOPES),
  thread: fc.constantFrom(...THREADS),
  id: fc.constantFrom(...IDS),
});
const common = {
  status: fc.constantFrom(...STATES),
  agent: fc.constantFrom('x', 'y'),
  dueAt: fc.integer({ min: 0, max: 9 }),
};
const indexes = fc.record<RowIndex>(common, { requiredKeys: [] });
const ofInterrupts = fc.record<RowIndex>(
  {
    ...common,
    tool: fc.constantFrom('x', 'y'),
    owner: fc.constantFrom(...OWNERS),
    title: fc.string({ unit: 'binary' }),
    approverUsers: fc.subarray(OWNERS),
    approverRoles: fc.subarray(ROLES),
  },
  { requiredKeys: [] },
);
const docs = fc.record({ text: fc.string(), number: fc.integer() });
/** Most expect nothing, because few expectations hold. */
const expected = fc.oneof(
  { weight: 9, arbitrary: fc.constant({}) },
  { weight: 1, arbitrary: fc.record({ expect: fc.integer({ min: 0, max: 2 }) }) },
);
const puts = fc
  .tuple(
    fc.oneof(
      fc.record({ table: fc.constant('interrupts' as const), key: keys, doc: docs, index: ofInterrupts }),
      fc.record({ table: tables, key: keys, doc: docs, index: indexes }),
    ),
    expected,
  )
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
    table: fc.constant('interrupts'),
    scope: fc.constantFrom(...SCOPES),
    thread: fc.constantFrom(...THREADS),
    status: fc.subarray(STATES),
    agent: fc.constantFrom('x', 'y'),
    dueBefore: fc.integer({ min: 0, max: 9 }),
    order: fc.constantFrom('created' as const, 'newest' as const, 'due' as const),
    tool: fc.constantFrom('x', 'y'),
    owner: fc.constantFrom(...OWNERS),
    visibleTo: fc.record({ id: fc.constantFrom(...OWNERS), roles: fc.subarray(ROLES) }),
    text: fc.string({ maxLength: 1, unit: 'binary' }),
    limit: fc.integer({ min: 1, max: 5 }),
  },
  { requiredKeys: ['table'] },
);

/** All rows of a query, without times, which differ between stores. */
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

describe('commits of several connections to SQLite', () => {
  it('give the same rows as a memory store, on each connection', async () => {
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
          expect(await everything(reader, query)).toEqual(await everything(model, query));
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
});

function withoutTime(result: unknown): unknown {
  return { ...(result as object), now: 0 };
}
