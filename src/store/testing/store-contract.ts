import { defined } from '../../core/index.ts';
import type { JsonObject } from '../../core/index.ts';
import type { Batch, ListQuery, PutRow, RowIndex, RowKey, Store } from '../store.ts';
import { EVERYBODY } from '../store.ts';
import { assertCode, assertConflict, assertEqual, assertOk } from './assertions.ts';

/** One guarantee, as a test for any test runner. */
export interface ContractCase {
  readonly name: string;
  readonly run: () => Promise<void>;
}

/** Makes a new, empty store; `open` makes another over the same data, as a second process would. */
export interface StoreUnderTest {
  readonly store: Store;
  /** Absent if data cannot be shared. */
  readonly open?: () => Promise<Store>;
}

/**
 * Every guarantee of the store contract, as cases for a test runner. `create` makes a new, empty store for each case; the case closes it.
 *
 * @example
 * ```ts
 * import { it } from 'vitest';
 * import { memoryStore } from 'holdpoint/store/memory';
 * import { storeContract } from 'holdpoint/store/testing';
 *
 * for (const { name, run } of storeContract(async () => ({ store: memoryStore() }))) it(name, run);
 * ```
 */
export function storeContract(create: () => Promise<StoreUnderTest>): ContractCase[] {
  const withStore = (
    name: string,
    run: (store: Store, under: StoreUnderTest) => Promise<void>,
  ): ContractCase => ({
    name,
    async run() {
      const under = await create();
      try {
        await run(under.store, under);
      } finally {
        await under.store.close();
      }
    },
  });
  return [
    withStore(
      'keeps a row as it was given, with its version, its index and the time it was made',
      async (store) => {
        const doc = { text: 'é\u0000🎉', list: [0, false, null, ''], deep: { a: { b: [1.5, -0.25, 1e21] } } };
        const index: RowIndex = {
          status: 'open',
          agent: 'x',
          reason: 'y',
          tool: 'z',
          title: 'Title \\ "1"',
          message: 'é\u0000\ud800',
          askedBy: 'ana',
          answeredBy: 'bob',
          owner: 'ana',
          assignee: 'cid',
          approverRoles: ['a b', '"', '\\', '{,}', '\u0000'],
          approverUsers: [],
          dueAt: 5,
          answeredAt: 6,
        };
        const put = row('a', doc, { index });
        const committed = assertOk(await store.commit({ puts: [put] }));
        const [found, missing] = await store.get('interrupts', [put.key, key('none')]);
        assertEqual(found?.doc, doc);
        assertEqual(found?.index, index);
        assertEqual(found?.version, 1);
        assertEqual(missing, undefined);
        assertEqual(Math.abs((found?.createdAt ?? 0) - committed.now) < 60_000, true);
      },
    ),
    withStore(
      'replaces entries of the history together with the other changes, or not at all',
      async (store) => {
        const place = { scope: 's', thread: 't' };
        await store.commit({
          appends: [{ log: 'history', ...place, items: [{ by: 'ana' }, { by: 'bob' }] }],
        });
        const rewrites = [{ ...place, sequence: 1, item: { erased: true } }];
        assertConflict(await store.commit({ puts: [row('a', {}, { expect: 3 })], rewrites }));
        const entries = async () => (await store.read({ log: 'history', ...place })).map(({ item }) => item);
        assertEqual(await entries(), [{ by: 'ana' }, { by: 'bob' }]);
        assertOk(await store.commit({ puts: [row('a', {}, { expect: 0 })], rewrites }));
        assertEqual(await entries(), [{ erased: true }, { by: 'bob' }]);
        assertOk(await store.commit({ rewrites: [{ ...place, sequence: 9, item: {} }] }));
        assertEqual(await entries(), [{ erased: true }, { by: 'bob' }]);
      },
    ),
    withStore('counts versions and keeps the time a row was made', async (store) => {
      await store.commit({ puts: [row('a', { n: 1 })] });
      const [first] = await store.get('interrupts', [key('a')]);
      assertOk(await store.commit({ puts: [row('a', { n: 2 }, { expect: 1 })] }));
      const [second] = await store.get('interrupts', [key('a')]);
      assertEqual([second?.version, second?.doc], [2, { n: 2 }]);
      assertEqual(second?.createdAt, first?.createdAt);
    }),
    withStore(
      'refuses a change that expects another version, and then changes nothing of its batch',
      async (store) => {
        await store.commit({ puts: [row('a', { n: 1 })] });
        const batches: Batch[] = [
          { puts: [row('b', {}), row('a', { n: 2 }, { expect: 2 })] },
          { puts: [row('b', {}), row('a', { n: 2 }, { expect: 0 })] },
          { puts: [row('b', {})], deletes: [{ table: 'interrupts', key: key('a'), expect: 7 }] },
          { puts: [row('b', {})], checks: [{ table: 'interrupts', key: key('a'), expect: 0 }] },
          {
            puts: [row('b', {})],
            appends: [append(['x'])],
            checks: [{ table: 'runs', key: key('a'), expect: 1 }],
          },
        ];
        for (const batch of batches) assertConflict(await store.commit(batch));
        const [a, b] = await store.get('interrupts', [key('a'), key('b')]);
        assertEqual([a?.doc, b], [{ n: 1 }, undefined]);
        assertEqual(await store.read(log()), []);
      },
    ),
    withStore('deletes, and takes a key that was deleted as new', async (store) => {
      await store.commit({ puts: [row('a', { n: 1 })] });
      assertOk(await store.commit({ deletes: [{ table: 'interrupts', key: key('a'), expect: 1 }] }));
      assertEqual(await store.get('interrupts', [key('a')]), [undefined]);
      assertOk(await store.commit({ puts: [row('a', { n: 2 }, { expect: 0 })] }));
    }),
    withStore('keeps scopes, threads and tables apart', async (store) => {
      const other: RowKey = { scope: 'other', thread: 't', id: 'a' };
      await store.commit({
        puts: [
          row('a', { n: 1 }),
          { table: 'runs', key: key('a'), doc: { n: 2 } },
          { table: 'interrupts', key: other, doc: { n: 3 } },
        ],
      });
      const [mine] = await store.get('interrupts', [key('a')]);
      const [theirs] = await store.get('interrupts', [other]);
      const [run] = await store.get('runs', [key('a')]);
      assertEqual([mine?.doc, theirs?.doc, run?.doc], [{ n: 1 }, { n: 3 }, { n: 2 }]);
      const { rows } = await store.list({ table: 'interrupts', scope: 'other' });
      assertEqual(
        rows.map(({ doc }) => doc),
        [{ n: 3 }],
      );
    }),
    withStore('appends without a gap, from 1, and gives the sequences', async (store) => {
      const first = assertOk(await store.commit({ appends: [append(['a', 'b']), append([1], 'events')] }));
      const second = assertOk(await store.commit({ appends: [append([{ c: null }])] }));
      assertEqual([first.sequences, second.sequences], [[1, 1], [3]]);
      assertEqual(await store.read(log()), [
        { sequence: 1, item: 'a' },
        { sequence: 2, item: 'b' },
        { sequence: 3, item: { c: null } },
      ]);
      assertEqual(await store.read({ ...log(), after: 1, limit: 1 }), [{ sequence: 2, item: 'b' }]);
    }),
    withStore(
      'reads rows and logs of one moment in a snapshot, each as `get` and `read` do',
      async (store) => {
        await store.commit({ puts: [row('a', { n: 0 })], appends: [append([0])] });
        const reads = [
          { table: 'interrupts', keys: [key('none'), key('a')] },
          { ...log(), after: 0 },
          { table: 'runs', keys: [key('a')] },
        ] as const;
        for (let n = 1; n <= 5; n += 1) {
          const change = { puts: [row('a', { n })], appends: [append([n])] };
          const [snapshot] = await Promise.all([store.snapshot(reads), store.commit(change)]);
          const [[missing, found], items, [noRun]] = snapshot;
          // All of the change, or nothing of it.
          assertEqual([missing, noRun, found?.doc['n']], [undefined, undefined, items.at(-1)?.item]);
        }
        const [rows, items] = await store.snapshot([reads[0], reads[1]]);
        assertEqual(rows, await store.get('interrupts', reads[0].keys));
        assertEqual(items, await store.read(reads[1]));
      },
    ),
    withStore('refuses an append that expects another sequence', async (store) => {
      await store.commit({ appends: [append(['a'])] });
      assertConflict(await store.commit({ appends: [{ ...append(['b']), expectNext: 1 }] }));
      assertOk(await store.commit({ appends: [{ ...append(['b']), expectNext: 2 }] }));
    }),
    withStore('trims a log at its beginning and never uses a sequence again', async (store) => {
      await store.commit({ appends: [append(['a', 'b', 'c'])] });
      await store.trim({ ...log(), through: 3 });
      assertEqual(await store.read(log()), []);
      assertEqual(assertOk(await store.commit({ appends: [append(['d'])] })).sequences, [4]);
    }),
    withStore('reads and trims in the middle of what was appended together', async (store) => {
      const all = Array.from({ length: 1203 }, (_, n) => ({ n: `${n}\n` }));
      const placed = all.map((item, at) => ({ sequence: at + 1, item }));
      await store.commit({ appends: [append(all.slice(0, 3))] });
      await store.commit({ appends: [append(all.slice(3))] });
      assertEqual(await store.read({ ...log(), after: 1, limit: 4 }), placed.slice(1, 5));
      assertEqual(await store.read({ ...log(), after: 2, limit: 2000 }), placed.slice(2));
      await store.trim({ ...log(), through: 2 });
      assertEqual(await store.read({ ...log(), limit: 3 }), placed.slice(2, 5));
      await store.trim({ ...log(), through: 700 });
      assertEqual(await store.read({ ...log(), limit: 0 }), []);
      assertEqual(await store.read(log()), placed.slice(700));
      assertEqual(assertOk(await store.commit({ appends: [append(['last'])] })).sequences, [1204]);
      assertEqual(await store.read({ ...log(), after: 1202 }), [
        ...placed.slice(1202),
        { sequence: 1204, item: 'last' },
      ]);
    }),
    withStore('lists by status, agent, reason, thread and due time', async (store) => {
      await store.commit({
        puts: [
          row('a', {}, { index: { status: 'open', agent: 'x', reason: 'r', dueAt: 10 } }),
          row('b', {}, { index: { status: 'open', agent: 'y', dueAt: 5 } }),
          row('c', {}, { index: { status: 'done', agent: 'x' } }),
          {
            table: 'interrupts',
            key: { scope: 's', thread: 'u', id: 'd' },
            doc: {},
            index: { status: 'open' },
          },
        ],
      });
      const ids = async (query: object) =>
        (await store.list({ table: 'interrupts', scope: 's', ...query })).rows
          .map(({ key: { id } }) => id)
          .join('');
      assertEqual(await ids({}), 'abcd');
      assertEqual(await ids({ status: ['open'] }), 'abd');
      assertEqual(await ids({ status: ['open', 'done'], agent: 'x' }), 'ac');
      assertEqual(await ids({ reason: 'r' }), 'a');
      assertEqual(await ids({ thread: 'u' }), 'd');
      assertEqual(await ids({ dueBefore: 10 }), 'b');
      assertEqual(await ids({ order: 'due' }), 'bacd');
      assertEqual(await ids({ order: 'due', dueBefore: 10 }), 'b');
      assertEqual(await ids({ order: 'newest' }), 'dcba');
      assertEqual(await ids({ order: 'newest', status: ['open'], limit: 2 }), 'db');
      assertEqual(await ids({ status: [] }), '');
    }),
    withStore('counts the rows that match, up to a limit', async (store) => {
      await store.commit({
        puts: [
          row('a', {}, { index: { status: 'pending', askedBy: 'ana' } }),
          row('b', {}, { index: { status: 'pending', askedBy: 'bob' } }),
          row('c', {}, { index: { status: 'expired', askedBy: 'ana' } }),
          row('d', {}, { index: { status: 'resolved', askedBy: 'ana' } }),
        ],
      });
      const count = (query: object, limit = 10) =>
        store.count({ table: 'interrupts', scope: 's', limit, ...query });
      const open = { status: ['pending', 'expired'] };
      assertEqual(await count({}), 4);
      assertEqual(await count(open), 3);
      assertEqual(await count({ ...open, askedBy: 'ana' }), 2);
      assertEqual(await count({ scope: 'other' }), 0);
      assertEqual(await count({ status: [] }), 0);
      assertEqual(await count(open, 2), 2);
      assertEqual(await count(open, 0), 0);
      await assertCode(store.count({ table: 'secrets', owner: 'ana', limit: 1 }), 'INPUT_INVALID');
    }),
    withStore('lists by who asked, answered, owns, has it, and by the tool', async (store) => {
      await store.commit({
        puts: [
          row('a', {}, { index: { tool: 'pay', askedBy: 'ana', owner: 'ana' } }),
          row('b', {}, { index: { tool: 'mail', askedBy: 'ana', answeredBy: 'bob', assignee: 'cid' } }),
          row('c', {}, { index: { tool: 'pay', askedBy: 'bob', owner: 'bob' } }),
        ],
      });
      const ids = idsOf(store);
      const now = await store.now();
      assertEqual(await ids({ createdBefore: now + 60_000 }), 'abc');
      assertEqual(await ids({ createdBefore: now - 60_000 }), '');
      assertEqual(await ids({ order: 'answered' }), '');
      assertEqual(await ids({ tool: 'pay' }), 'ac');
      assertEqual(await ids({ askedBy: 'ana' }), 'ab');
      assertEqual(await ids({ askedBy: 'ana', tool: 'pay' }), 'a');
      assertEqual(await ids({ answeredBy: 'bob' }), 'b');
      assertEqual(await ids({ owner: 'bob' }), 'c');
      assertEqual(await ids({ assignee: 'cid' }), 'b');
    }),
    withStore(
      'lists what a principal owns, is to look at, or may answer: by name, by role, or as everybody',
      async (store) => {
        await store.commit({
          puts: [
            row('a', {}, { index: { owner: 'ana' } }),
            row('b', {}, { index: { owner: 'bob', approverUsers: ['cid', 'ana'] } }),
            row('c', {}, { index: { owner: 'bob', approverRoles: ['manager', 'a "b"\u0000'] } }),
            row('d', {}, { index: { owner: 'bob', assignee: 'ana' } }),
            row('e', {}, { index: { owner: 'bob', approverUsers: [], approverRoles: ['ana'] } }),
            row('f', {}),
            row('g', {}, { index: { owner: 'bob', approverUsers: [EVERYBODY] } }),
          ],
        });
        const ids = idsOf(store);
        assertEqual(await ids({ visibleTo: { id: 'ana', roles: [] } }), 'abdg');
        assertEqual(await ids({ visibleTo: { id: 'ana', roles: ['clerk', 'manager'] } }), 'abcdg');
        assertEqual(await ids({ visibleTo: { id: 'x', roles: ['a "b"\u0000'] } }), 'cg');
        assertEqual(await ids({ visibleTo: { id: 'manager', roles: ['cid'] } }), 'g');
      },
    ),
    withStore('finds a text in title, message, tool and asker, in upper and lower case', async (store) => {
      const texts = [
        { title: 'Überweisung an Bob' },
        { message: 'Send 100% of it to [Bob] now?' },
        { title: 'x', message: 'ΣΊΣΥΦΟΣ *?^$.|()+{}-_' },
        { title: 'C:\\new\u0000' },
        { tool: 'sendInvoice' },
        { askedBy: 'Zoë Kim' },
      ];
      await store.commit({
        puts: texts.map((index, n) => row('abcdef'[n] ?? '', {}, { index })),
      });
      const ids = idsOf(store);
      assertEqual(await ids({ text: 'BOB' }), 'ab');
      assertEqual(await ids({ text: 'überW' }), 'a');
      assertEqual(await ids({ text: '% of' }), 'b');
      assertEqual(await ids({ text: '[bob]' }), 'b');
      assertEqual(await ids({ text: 'σίσ' }), 'c');
      for (const sign of '*?^$.|()+{}-_') {
        assertEqual((await ids({ text: sign })).includes('c'), true);
        assertEqual((await ids({ text: `${sign}${sign}` })).includes('c'), false);
      }
      assertEqual(await ids({ text: ':\\N' }), 'd');
      assertEqual(await ids({ text: '\u0000' }), 'd');
      assertEqual(await ids({ text: 'invoice' }), 'e');
      assertEqual(await ids({ text: 'bob now' }), '');
      assertEqual(await ids({ text: 'ZOË' }), 'f');
      assertEqual(await ids({ text: '' }), 'abcdef');
    }),
    withStore(
      'finds a text in the values of an answer, but not in its names and its secrets',
      async (store) => {
        const texts: readonly (readonly [JsonObject, RowIndex])[] = [
          [
            { answer: { payload: { approved: true, editedArgs: { to: ['Eve@evil.com'], cents: 500_050 } } } },
            { answeredAt: 1 },
          ],
          [
            {
              answer: {
                payload: { password: { $secret: 'hunter"2/0' }, '"$secret': 'open', note: 'C:\\new "deal"' },
              },
            },
            { answeredAt: 2 },
          ],
          [
            { answer: { payload: 'Überweisung \ud800 \\u0000 done \u0000', metadata: { reason: 'hidden' } } },
            { answeredAt: 3 },
          ],
          [{ answer: { withdrawn: true, metadata: { reason: 'a mistake' } } }, { answeredAt: 4 }],
          [{ answer: { payload: null, by: 'eve@evil.com' } }, { answeredAt: 5 }],
          [{ answer: { payload: 'eve, not yet' } }, {}],
          [{ say: 'eve' }, { title: 'Eve' }],
        ];
        await store.commit({
          puts: texts.map(([doc, index], n) => row('abcdefg'[n] ?? '', doc, { index })),
        });
        const ids = idsOf(store);
        assertEqual(await ids({ text: 'eVe@' }), 'a');
        assertEqual(await ids({ text: 'eve' }), 'ag');
        assertEqual(await ids({ text: 'EVE', order: 'answered' }), 'a');
        assertEqual(await ids({ text: '5,000.50' }), 'a');
        assertEqual(await ids({ text: ':\\NEW "' }), 'b');
        assertEqual(await ids({ text: 'open' }), 'b');
        assertEqual(await ids({ text: 'überw' }), 'c');
        assertEqual(await ids({ text: 'u0000 done' }), 'c');
        assertEqual(await ids({ text: 'MISTAKE' }), 'd');
        for (const text of ['hunter', 'null', 'approved', 'editedArgs', 'true', 'hidden', '\u0000'])
          assertEqual(await ids({ text }), '');
      },
    ),
    withStore('finds an amount with and without grouping, currency sign and decimals', async (store) => {
      const titles = [
        'Send $5,000 to ABC',
        'Überweisung: 5.000,00\u00a0€',
        'pay {"amount":500000}',
        'Pay $5,000.50',
        'Room 50',
        'Send $15 to 5000-X',
      ];
      await store.commit({
        puts: titles.map((title, n) => row('abcdef'[n] ?? '', {}, { index: { title } })),
      });
      const ids = idsOf(store);
      assertEqual(await ids({ text: '5000' }), 'abcdf');
      assertEqual(await ids({ text: '5,000.00' }), 'abcdf');
      assertEqual(await ids({ text: "5'000" }), 'abcdf');
      assertEqual(await ids({ text: '$5000' }), 'acd');
      assertEqual(await ids({ text: ' $ 5,000.00' }), 'acd');
      assertEqual(await ids({ text: '€5000' }), 'abcdf');
      assertEqual(await ids({ text: 'USD 5,000' }), 'abcdf');
      assertEqual(await ids({ text: '5000.5' }), 'd');
      assertEqual(await ids({ text: '$50' }), 'c');
      assertEqual(await ids({ text: '50,00' }), 'cdef');
    }),
    withStore('refuses an index and a list by what a table has no column for', async (store) => {
      const put = { table: 'secrets' as const, key: key('a'), doc: {}, index: { owner: 'ana' } };
      await assertCode(store.commit({ puts: [put] }), 'INPUT_INVALID');
      assertEqual(await store.get('secrets', [put.key]), [undefined]);
      await assertCode(store.list({ table: 'secrets', owner: 'ana' }), 'INPUT_INVALID');
      await assertCode(store.list({ table: 'runs', order: 'due' }), 'INPUT_INVALID');
      await assertCode(store.list({ table: 'runs', text: 'x' }), 'INPUT_INVALID');
    }),
    withStore('refuses a cursor that no page gave, or a page in another order', async (store) => {
      await store.commit({ puts: [row('a', {}), row('b', {})] });
      const { next = '' } = await store.list({ table: 'interrupts', limit: 1 });
      for (const cursor of ['x', btoa('[1]'), btoa('{}'), btoa('["created",1.5]'), '']) {
        await assertCode(store.list({ table: 'interrupts', cursor }), 'INPUT_INVALID');
      }
      await assertCode(store.list({ table: 'interrupts', order: 'newest', cursor: next }), 'INPUT_INVALID');
      for (const cursor of [btoa('["due",1,1e300]'), btoa('["due",1,"x"]')]) {
        await assertCode(store.list({ table: 'interrupts', order: 'due', cursor }), 'INPUT_INVALID');
      }
    }),
    withStore('pages through a list without a gap or a repeat, in every order', async (store) => {
      const puts = Array.from({ length: 25 }, (_, n) =>
        row(
          `i${String(n).padStart(2, '0')}`,
          { n },
          { index: { answeredAt: Math.floor(n / 3), ...(n < 16 ? { dueAt: Math.floor(n / 4) } : {}) } },
        ),
      );
      for (const put of puts) await store.commit({ puts: [put] });
      for (const order of ['created', 'newest', 'due', 'answered'] as const) {
        const seen: string[] = [];
        let cursor: string | undefined;
        do {
          const page = await store.list({
            table: 'interrupts',
            scope: 's',
            order,
            limit: 4,
            ...defined({ cursor }),
          });
          seen.push(...page.rows.map(({ key: { id } }) => id));
          cursor = page.next;
        } while (cursor !== undefined);
        const ids = puts.map(({ key: { id } }) => id);
        assertEqual(seen, order === 'newest' || order === 'answered' ? ids.toReversed() : ids);
      }
    }),
    withStore(
      'lets exactly one of many concurrent changes of a version win, each time',
      async (store, { open }) => {
        const stores = [store, ...(open === undefined ? [] : [await open(), await open()])];
        // Connects all of them first, so that the race is real.
        await Promise.all(stores.map((one) => one.get('interrupts', [key('a')])));
        await store.commit({ puts: [row('a', { by: -1 })] });
        const won: number[] = [];
        for (let round = 0; round < 15; round += 1) {
          const results = await Promise.all(
            Array.from({ length: 12 }, (_, n) =>
              (stores[n % stores.length] ?? store).commit({
                puts: [
                  row('a', { by: n }, { expect: round + 1 }),
                  row(`b${round}`, { by: n }, { expect: 0 }),
                ],
                appends: [append([n])],
              }),
            ),
          );
          const winners = results.flatMap((result, n) => (result.ok ? [n] : []));
          assertEqual(winners.length, 1);
          won.push(...winners);
          const [a, b] = await store.get('interrupts', [key('a'), key(`b${round}`)]);
          assertEqual([a?.doc, b?.doc], [{ by: winners[0] ?? -1 }, { by: winners[0] ?? -1 }]);
        }
        for (const other of stores.slice(1)) await other.close();
        assertEqual(
          (await store.read(log())).map(({ item }) => item),
          won,
        );
      },
    ),
    withStore('gives concurrent appends sequences of their own', async (store) => {
      const results = await Promise.all(
        Array.from({ length: 40 }, (_, n) => store.commit({ appends: [append([n, n])] })),
      );
      const firsts = results.map((result) => assertOk(result).sequences[0] ?? 0).toSorted((a, b) => a - b);
      assertEqual(
        firsts,
        Array.from({ length: 40 }, (_, n) => n * 2 + 1),
      );
      const items = await store.read(log());
      for (let n = 0; n < items.length; n += 2) assertEqual(items[n]?.item, items[n + 1]?.item);
    }),
    withStore('shows what one process committed to another', async (store, { open }) => {
      if (open === undefined) return;
      const other = await open();
      await store.commit({ puts: [row('a', { n: 1 })], appends: [append(['x'])] });
      const [found] = await other.get('interrupts', [key('a')]);
      assertEqual([found?.doc, (await other.read(log())).length], [{ n: 1 }, 1]);
      await other.close();
    }),
    withStore('keeps a commit that shares its moment with a trim', async (store, { open }) => {
      await store.commit({ appends: [append(['x'], 'events')] });
      await Promise.all([
        store.trim({ ...log(), log: 'events', through: 1 }),
        store.commit({ puts: [row('a', { n: 1 })], appends: [append(['y'])] }),
      ]);
      await store.commit({ puts: [row('b', { n: 2 })] });
      const other = open === undefined ? store : await open();
      const found = await other.get('interrupts', [key('a'), key('b')]);
      assertEqual(
        found.map((one) => one?.doc),
        [{ n: 1 }, { n: 2 }],
      );
      assertEqual((await other.read(log())).length, 1);
      assertEqual((await other.commit({ puts: [row('a', { n: 3 }, { expect: 0 })] })).ok, false);
      if (other !== store) await other.close();
    }),
    withStore(
      'tells those who watch of a thread that changed, also from another process',
      async (store, { open }) => {
        const writer = open === undefined ? store : await open();
        const told = new Promise<JsonObject>((resolve) => {
          const stop = store.watch((change) => {
            stop();
            resolve({ ...change });
          });
        });
        await writer.commit({ appends: [append(['x'], 'events')] });
        assertEqual(await told, { scope: 's', thread: 't' });
        if (writer !== store) await writer.close();
      },
    ),
    withStore('finds histories and interrupts without the row of their thread', async (store) => {
      const entries = (thread: string) => ({
        log: 'history' as const,
        scope: 's',
        thread,
        items: [{ n: 1 }],
      });
      const thread = (name: string) => ({
        table: 'threads' as const,
        key: { scope: 's', thread: name, id: '' },
        doc: {},
      });
      await store.commit({
        puts: [row('a', {}), thread('whole')],
        appends: [entries('alone'), entries('whole'), append([1])],
      });
      const names = async (choice: object) =>
        (await store.findStrays(choice)).map((stray) => `${stray.thread} ${stray.table}`).toSorted();
      assertEqual(await names({}), ['alone history', 't interrupts']);
      assertEqual(await names({ scope: 's', thread: 't' }), ['t interrupts']);
      assertEqual(await names({ scope: 'another' }), []);
      assertEqual(await names({ thread: 'whole' }), []);
    }),
    withStore('has one clock that moves on', async (store) => {
      const before = await store.now();
      const { now } = assertOk(await store.commit({ puts: [row('a', {})] }));
      assertEqual(before <= now && now <= (await store.now()), true);
    }),
  ];
}

/** The ids of a list of interrupts, in its order. */
const idsOf = (store: Store) => async (query: Partial<ListQuery>) =>
  (await store.list({ table: 'interrupts', scope: 's', ...query })).rows
    .map(({ key: { id } }) => id)
    .join('');

const key = (id: string): RowKey => ({ scope: 's', thread: 't', id });
const log = () => ({ log: 'messages' as const, scope: 's', thread: 't' });

function row(id: string, doc: JsonObject, rest: Pick<PutRow, 'index' | 'expect'> = {}): PutRow {
  return { table: 'interrupts', key: key(id), doc, ...rest };
}

function append(
  items: NonNullable<Batch['appends']>[number]['items'],
  name: 'messages' | 'events' = 'messages',
) {
  return { ...log(), log: name, items };
}
