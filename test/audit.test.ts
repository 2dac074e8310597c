import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Client } from 'pg';
import { beforeAll, describe, expect, inject, it, vi } from 'vitest';
import type { Store } from 'holdpoint';
import { createHost } from 'holdpoint/host';
import { anchorAll, erasePerson, eraseThread, pruneThreads, verifyAll } from 'holdpoint/ledger';
import { postgresStore } from 'holdpoint/store/postgres';
import { sqliteStore } from 'holdpoint/store/sqlite';
import { memoryStore } from 'holdpoint/store/memory';
import { fakeClock, scriptedModel } from 'holdpoint/testing';
import { defineAgent, defineTool } from 'holdpoint';
import { z } from 'zod';
import { run } from '../src/cli/testing-support/run-command.ts';
import { createHostClient } from '../src/host/testing-support/host-client.ts';
import { sealEntry } from '../src/store/index.ts';
import type { JsonObject } from '../src/core/index.ts';
import { loadLibsql } from '../src/store/sqlite/driver.ts';
import { temporaryPaths } from '../src/store/sqlite/testing-support/temporary-paths.ts';
import { createDatabase } from './postgres/create-database.ts';

const newPath = temporaryPaths();
const scope = 'acme';

/** A database with recorded decisions, and plain SQL on copies of it. */
interface Place {
  /** The value of `--db`. */
  readonly db: string;
  readonly open: () => Store;
  /** A copy of the database, which no process has open. */
  readonly copy: () => Promise<Place>;
  /** Gives back its contents of the first call: faster than another copy. */
  readonly reset?: () => Promise<unknown>;
  /** Runs SQL with the driver and returns the number of changed rows. */
  readonly sql: (text: string) => Promise<number>;
  readonly isPostgres: boolean;
}

function sqlitePlace(path: string): Place {
  return {
    db: path,
    isPostgres: false,
    open: () => sqliteStore(path),
    async copy() {
      const to = newPath();
      copyFileSync(path, to);
      return sqlitePlace(to);
    },
    async sql(text) {
      const libsql = loadLibsql();
      const database = new libsql(path);
      const { changes } = database.prepare(text.replaceAll('::json', '').replaceAll('::text', '')).run([]);
      database.close();
      return changes;
    },
  };
}

function postgresPlace(url: string): Place {
  const query = async (on: string, text: string) => {
    const client = new Client({ connectionString: on });
    await client.connect();
    await client.query('SET search_path TO holdpoint');
    const { rowCount } = await client.query(text);
    await client.end();
    return rowCount ?? 0;
  };
  return {
    db: url,
    isPostgres: true,
    open: () => postgresStore(url),
    async copy() {
      const to = await createDatabase();
      const name = new URL(to).pathname.slice(1);
      const template = new URL(url).pathname.slice(1);
      await query(inject('postgresUrl'), `DROP DATABASE ${name}`);
      await query(inject('postgresUrl'), `CREATE DATABASE ${name} TEMPLATE ${template}`);
      return postgresPlace(to);
    },
    sql: (text) => query(url, text),
    async reset() {
      const tables = ['threads', 'interrupts', 'history', 'messages', 'events', 'runs', 'anchors'];
      await query(url, 'CREATE SCHEMA IF NOT EXISTS kept');
      for (const table of tables)
        await query(url, `CREATE TABLE IF NOT EXISTS kept.${table} AS SELECT * FROM ${table}`);
      const restored = tables.map(
        (table) => `TRUNCATE ${table}; INSERT INTO ${table} SELECT * FROM kept.${table};`,
      );
      return query(url, restored.join(' '));
    },
  };
}

const pay = defineTool({
  name: 'pay',
  version: '7',
  description: 'Pays.',
  input: z.object({ to: z.string(), amount: z.number() }),
  title: ({ to }) => `Pay ${to}`,
  approval: {
    approvers: { roles: ['cfo'] },
    editable: true,
    message: 'May this payment go out?',
  },
  run: ({ to, amount }) => `Paid ${amount} to ${to}.`,
});
const model = scriptedModel(({ messages }) =>
  messages.at(-1)?.role === 'user'
    ? { calls: [{ name: 'pay', input: { to: 'bob', amount: 5 } }] }
    : 'It is done.',
);

/** A host over HTTP; the header `who` names the caller. */
async function withHost(
  store: Store,
  work: (as: (who: string) => ReturnType<typeof createHostClient>) => Promise<void>,
  options: { readonly sweepMs?: number } = {},
): Promise<void> {
  const host = createHost({
    ...options,
    agents: [defineAgent({ id: 'assistant', model, tools: [pay] })],
    store,
    logger: false,
    authenticate: (request) => {
      const id = request.headers.get('who') ?? '';
      return { id, scope, roles: id === 'carl' ? ['cfo'] : [] };
    },
  });
  await work((who) => createHostClient((request) => host.fetch(request), { headers: { who } }));
  await host.close();
  await store.close();
}

/** Ana asks in a thread, and carl answers over the inbox. Resolves when the thread is at rest. */
async function decide(
  as: (who: string) => ReturnType<typeof createHostClient>,
  thread: string,
  payload?: object,
): Promise<void> {
  const ana = as('ana');
  const { interrupts } = await ana.run({ thread, say: 'Pay bob.' });
  if (payload === undefined) return;
  const watched = await ana.watch(thread, 0);
  const place = `/threads/${thread}/interrupts/${interrupts[0]?.id}/answer`;
  const { status } = await as('carl').post(place, { status: 'resolved', payload });
  expect(status).toBe(200);
  await watched.until('RUN_FINISHED');
  await watched.until('RUN_FINISHED');
  await watched.close();
}

async function fill(place: Place): Promise<Place> {
  await withHost(place.open(), async (as) => {
    await decide(as, 'rejected', { approved: false, reason: 'Wrong account.' });
    await decide(as, 'approved', { approved: true, editedArgs: { to: 'bob', amount: 4 } });
    await decide(as, 'open');
  });
  return place;
}

interface Verified {
  readonly code: number;
  readonly err: string;
  readonly checked: number;
  readonly findings: readonly { key?: object; says: string; field?: string; index?: number }[];
  readonly unanchored: readonly object[];
  readonly anchor?: { readonly count: number; readonly hash: string };
}

async function verify(place: Place, ...more: string[]): Promise<Verified> {
  const { code, out, err } = await run('audit', 'verify', '--db', place.db, '--json', ...more);
  return { code, err, ...(out === '' ? {} : JSON.parse(out)) };
}

const where = (thread: string) => `WHERE scope = '${scope}' AND thread = '${thread}'`;
/** Replaces a part of a document, which stands in it once. */
const swap = (table: string, thread: string, from: string, to: string) =>
  `UPDATE ${table} SET doc = replace(doc::text, '${from}', '${to}')::json ${where(thread)} AND doc::text LIKE '%${from}%'`;
const column = (table: string, thread: string, set: string) => `UPDATE ${table} SET ${set} ${where(thread)}`;

/** Changes of what people read, and what verify names. */
const CHANGES: readonly (readonly [what: string, sql: string, thread: string, field: string])[] = [
  [
    'the tool',
    swap('interrupts', 'approved', '"functionName":"pay"', '"functionName":"show"'),
    'approved',
    'tool',
  ],
  [
    'the version',
    swap('interrupts', 'approved', '"toolVersion":"7"', '"toolVersion":"6"'),
    'approved',
    'version',
  ],
  [
    'the arguments',
    swap('interrupts', 'approved', '"functionArguments":{"to":"bob"', '"functionArguments":{"to":"eve"'),
    'approved',
    'arguments',
  ],
  ['the message', swap('interrupts', 'approved', 'go out?', 'go in?'), 'approved', 'message'],
  ['the asker', swap('interrupts', 'approved', '"askedBy":"ana"', '"askedBy":"eve"'), 'approved', 'asker'],
  [
    'the approvers',
    swap('interrupts', 'approved', '"roles":["cfo"]', '"roles":["all"]'),
    'approved',
    'approvers',
  ],
  ['the schema', swap('interrupts', 'approved', '"type":"boolean"', '"type":"string"'), 'approved', 'schema'],
  [
    'the title',
    swap('interrupts', 'approved', '"title":"Pay bob"', '"title":"Pay ann"'),
    'approved',
    'details',
  ],
  [
    'the person of an answer',
    swap('interrupts', 'rejected', '"by":"carl"', '"by":"ana"'),
    'rejected',
    'answer by',
  ],
  [
    'the way of an answer',
    swap('interrupts', 'rejected', '"via":"inbox"', '"via":"link"'),
    'rejected',
    'answer via',
  ],
  [
    'the decision of an answer',
    swap('interrupts', 'rejected', '"approved":false', '"approved":true'),
    'rejected',
    'answer payload',
  ],
  [
    'the reason of an answer',
    swap('interrupts', 'rejected', 'Wrong account.', 'Fine.'),
    'rejected',
    'answer payload',
  ],
  [
    'the edits of an answer',
    swap('interrupts', 'approved', '"amount":4', '"amount":9'),
    'approved',
    'answer payload (edits)',
  ],
  [
    'an answer to an open interrupt',
    swap(
      'interrupts',
      'open',
      '"state":"pending"',
      '"state":"pending","answer":{"status":"resolved","by":"carl","at":1,"via":"inbox"}',
    ),
    'open',
    'answer',
  ],
  [
    'the state',
    swap('interrupts', 'rejected', '"state":"resolved"', '"state":"cancelled"'),
    'rejected',
    'state',
  ],
  [
    'the outcome',
    swap('interrupts', 'approved', '"state":"resolved"', '"state":"resolved","failed":true'),
    'approved',
    'outcome',
  ],
  ['the result', swap('messages', 'approved', 'Paid 4 to bob.', 'Paid 4 to eve.'), 'approved', 'result'],
  ['the column tool', column('interrupts', 'approved', `tool = 'show'`), 'approved', 'column tool'],
  ['the column message', column('interrupts', 'approved', `message = 'x'`), 'approved', 'column message'],
  ['the column asked_by', column('interrupts', 'approved', `asked_by = 'eve'`), 'approved', 'column askedBy'],
  [
    'the column answered_by',
    column('interrupts', 'rejected', `answered_by = 'ana'`),
    'rejected',
    'column answeredBy',
  ],
  ['the column state', column('interrupts', 'rejected', `state = 'cancelled'`), 'rejected', 'column status'],
  ['a removed row of an interrupt', `DELETE FROM interrupts ${where('rejected')}`, 'rejected', 'row'],
  [
    'a row of an interrupt that nobody raised',
    `INSERT INTO interrupts (scope, thread, id, version, created_at, doc)
     SELECT scope, thread, 'forged', version, created_at, doc FROM interrupts ${where('approved')}`,
    'approved',
    'row',
  ],
];

const PLACES: readonly (readonly [string, () => Promise<Place>])[] = [
  ['sqlite', async () => fill(sqlitePlace(newPath()))],
  ['postgres', async () => fill(postgresPlace(await createDatabase()))],
];

describe.each(PLACES)('an audit on %s', (_name, create) => {
  let filled: Place;
  let changed: Place | undefined;
  beforeAll(async () => {
    filled = await create();
  });
  const tampered = async (...texts: string[]) => {
    changed = changed?.reset === undefined ? await filled.copy() : changed;
    const place = changed;
    await place.reset?.();
    for (const text of texts) expect(await place.sql(text)).toBeGreaterThan(0);
    return place;
  };

  it('finds no difference in what a host recorded, and everything is anchored when the host has closed', async () => {
    const verified = await verify(filled);
    expect(verified).toMatchObject({ code: 0, checked: 3, findings: [], unanchored: [] });
    expect(verified.anchor?.count).toBeGreaterThan(0);
  });

  it.each(CHANGES)('names %s', async (_what, sql, thread, field) => {
    const { code, findings } = await verify(await tampered(sql));
    expect([code, findings]).toMatchObject([1, [{ key: { scope, thread }, field }]]);
    expect(findings[0]?.says).toContain(field === 'row' ? 'row' : field);
  });

  it('finds an entry that was emptied without an erasure', async () => {
    const place = await filled.copy();
    const store = place.open();
    const items = await store.read({ log: 'history', scope, thread: 'rejected' });
    const { sequence, item } = items.find(({ item: entry }) => (entry as JsonObject)['what'] === 'staged')!;
    const { by: _by, payload: _payload, salt: _salt, ...rest } = item as JsonObject;
    await store.commit({
      rewrites: [{ scope, thread: 'rejected', sequence, item: { ...rest, erased: true } }],
    });
    await store.close();
    const { code, findings } = await verify(place);
    expect([code, findings]).toMatchObject([1, [{ index: sequence - 1 }]]);
    expect(findings[0]?.says).toContain('no later entry says that it was erased');
  });

  it('finds a removed row of a thread, and a thread that was removed from all tables', async () => {
    const row = `DELETE FROM threads ${where('rejected')}`;
    const one = await verify(await tampered(row));
    expect([one.code, one.findings]).toMatchObject([1, [{ key: { scope, thread: 'rejected' } }]]);
    expect(one.findings[0]?.says).toContain('The row of the thread was removed');
    const exported = await run('audit', 'export', '--db', (await tampered(row)).db);
    expect(exported.out).toContain('"thread":"rejected"');
    const rest = ['history', 'interrupts', 'messages', 'events', 'runs'].map(
      (table) => `DELETE FROM ${table} ${where('rejected')}`,
    );
    const all = await verify(await tampered(row, ...rest));
    expect([all.code, all.findings]).toMatchObject([1, [{ key: { scope, thread: 'rejected' } }]]);
    expect(all.findings[0]?.says).toContain('The thread was removed');
    expect(await verify(await tampered(row, ...rest), '--thread', 'rejected')).toMatchObject({ code: 1 });
  });

  /** Writes another history of a thread, with a chain that fits. */
  const rewrite = async (place: Place, thread: string, change: (entries: JsonObject[]) => JsonObject[]) => {
    const store = place.open();
    const items = await store.read({ log: 'history', scope, thread });
    const entries: JsonObject[] = [];
    for (const entry of change(items.map(({ item }) => item as JsonObject))) {
      const {
        hash: _hash,
        previous: _previous,
        seal: _seal,
        salt: _salt,
        digests: _digests,
        ...facts
      } = entry;
      entries.push(sealEntry(facts, String(entries.at(-1)?.['hash'] ?? '')));
    }
    const key = { scope, thread, id: '' };
    const [row] = await store.get('threads', [key]);
    const chain = { count: entries.length, hash: String(entries.at(-1)?.['hash'] ?? '') };
    await store.commit({
      appends: [{ log: 'history', scope, thread, items: entries.slice(items.length) }],
      rewrites: entries.map((item, at) => ({ scope, thread, sequence: at + 1, item })),
      puts: [{ table: 'threads', key, doc: { ...row!.doc, chain }, index: row!.index }],
    });
    await store.close();
    if (entries.length < items.length)
      await place.sql(`DELETE FROM history ${where(thread)} AND sequence > ${entries.length}`);
  };

  it('finds a removed end of a history, and a history that was written anew', async () => {
    const short = await filled.copy();
    await rewrite(short, 'rejected', (entries) => entries.slice(0, 1));
    const one = await verify(short);
    expect([one.code, one.findings]).toMatchObject([1, [{ key: { scope, thread: 'rejected' } }]]);
    expect(one.findings[0]?.says).toContain('The end of the history was removed');
    // The next anchor does not cover the change.
    expect((await run('audit', 'anchor', '--db', short.db)).code).toBe(0);
    expect((await verify(short)).findings).toEqual(one.findings);
    const anew = await filled.copy();
    await rewrite(anew, 'rejected', (entries) => [...entries, entries.at(-1)!]);
    expect((await run('audit', 'anchor', '--db', anew.db)).code).toBe(0);
    const other = await verify(anew);
    expect([other.code, other.findings]).toMatchObject([1, [{ key: { scope, thread: 'rejected' } }]]);
    expect(other.findings[0]?.says).toContain('The history was written anew');
  });

  it('finds a changed chain of anchors, and with a kept end also one that was removed', async () => {
    const kept = newPath();
    const printed = await run('audit', 'anchor', '--db', filled.db);
    expect(printed.code).toBe(0);
    writeFileSync(kept, printed.out);
    expect(await verify(filled, '--anchor', kept)).toMatchObject({ code: 0, findings: [] });
    const other = await tampered(
      `UPDATE anchors SET doc = replace(doc::text, '"rejected",', '"rejecte",')::json WHERE id = 'entry 1'`,
    );
    expect((await verify(other)).findings).toMatchObject([
      { says: 'Entry 1 of the chain of anchors was changed or removed.' },
    ]);
    const gone = await tampered(`DELETE FROM anchors`);
    expect(await verify(gone)).toMatchObject({ code: 0, unanchored: [{}, {}, {}] });
    const { code, findings } = await verify(gone, '--anchor', kept);
    expect([code, findings]).toMatchObject([1, [{ says: expect.stringContaining('was kept') }]]);
    writeFileSync(kept, printed.out.replace(/"hash":"./, '"hash":"x'));
    expect((await verify(filled, '--anchor', kept)).findings).toMatchObject([
      { says: expect.stringContaining('is not the one that was kept') },
    ]);
    for (const content of ['', 'no json\n', '{"count":1}\n']) {
      writeFileSync(kept, content);
      expect(await verify(filled, '--anchor', kept)).toMatchObject({ code: 2 });
    }
    expect(await verify(filled, '--anchor', `${kept}.missing`)).toMatchObject({ code: 2 });
  });

  it('says which threads have entries that are not anchored yet', async () => {
    const place = await filled.copy();
    const store = place.open();
    const agent = defineAgent({ id: 'assistant', model, tools: [pay] });
    await agent.generate({ store, threadId: 'new', prompt: 'Pay bob.', principal: { id: 'ana', scope } });
    await store.close();
    const unanchored = [{ key: { scope, thread: 'new' }, entries: 1 }];
    expect(await verify(place)).toMatchObject({ code: 0, unanchored });
    const { out } = await run('audit', 'verify', '--db', place.db);
    expect(out).toContain('not anchored yet: acme/new, 1 of its entries');
    await run('audit', 'anchor', '--db', place.db);
    expect(await verify(place)).toMatchObject({ code: 0, unanchored: [] });
  });

  it('finds no difference after threads were pruned, deleted, erased and begun anew', async () => {
    const place = await filled.copy();
    await withHost(place.open(), async (as) => {
      await decide(as, 'deleted', { approved: true });
      await decide(as, 'begun anew', { approved: true });
      await decide(as, 'erased', { approved: false, reason: 'No.' });
      for (const thread of ['deleted', 'begun%20anew'])
        expect((await as('ana').send('DELETE', `/threads/${thread}`)).status).toBe(204);
      await decide(as, 'begun anew', { approved: true });
      expect((await as('ana').post('/threads/erased/erase')).status).toBe(204);
    });
    expect(await verify(place)).toMatchObject({ code: 0, checked: 6, findings: [], unanchored: [] });
    // The decision of a deleted thread stays for the audit.
    const gone = await place.copy();
    expect(await gone.sql(`DELETE FROM interrupts ${where('deleted')}`)).toBe(1);
    expect((await verify(gone)).findings).toMatchObject([
      { key: { scope, thread: 'deleted' }, field: 'row' },
    ]);
    const undone = await place.copy();
    expect(await undone.sql(swap('interrupts', 'deleted', 'Paid 5 to bob.', 'Paid 5 to eve.'))).toBe(1);
    expect((await verify(undone)).findings).toMatchObject([{ field: 'result' }]);
    const store = place.open();
    await erasePerson(store, { scope, person: 'carl' });
    await store.close();
    expect(await verify(place)).toMatchObject({ code: 0, findings: [] });
    const later = place.open();
    await pruneThreads(later, { olderThanMs: -1 });
    await eraseThread(later, { scope, thread: 'approved' });
    await later.close();
    expect(await verify(place)).toMatchObject({ code: 0, findings: [] });
    const { out } = await run('audit', 'export', '--db', place.db);
    const raised = out.split('\n').filter((line) => line.includes('"what":"raised"'));
    for (const line of raised) expect(line).toContain('"tool":"pay"');
    await run('erase', '--person', 'ana', '--scope', scope, '--db', place.db, '--yes');
    const verified = await verify(place);
    expect(verified).toMatchObject({ code: 0, findings: [] });
  });

  it('does not accept another answer or another asker in place of the erased ones', async () => {
    const place = await filled.copy();
    const store = place.open();
    await erasePerson(store, { scope, person: 'carl' });
    await store.close();
    expect(await verify(place)).toMatchObject({ code: 0, findings: [] });
    expect(await place.sql(swap('interrupts', 'rejected', '"by":"erased"', '"by":"ana"'))).toBe(1);
    expect((await verify(place)).findings).toMatchObject([{ field: 'answer by' }]);
  });

  it('keeps one chain of anchors, with each end once, when several hosts anchor at once', async () => {
    const place = await filled.copy();
    const stores = [place.open(), place.open(), place.open()];
    const agent = defineAgent({ id: 'assistant', model, tools: [pay] });
    for (let round = 0; round < 4; round += 1) {
      await Promise.all(
        stores.map((store, at) =>
          agent.generate({
            store,
            threadId: `t-${round}-${at}`,
            prompt: 'Pay.',
            principal: { id: 'ana', scope },
          }),
        ),
      );
      await Promise.all(stores.map((store) => anchorAll(store)));
    }
    const { rows } = await stores[0]!.list({ table: 'anchors', limit: 1000 });
    const ends = rows.flatMap(({ doc }) => (doc['ends'] as unknown[] | undefined) ?? []).map(String);
    expect(new Set(ends).size).toBe(ends.length);
    await Promise.all(stores.map((store) => store.close()));
    expect(await verify(place)).toMatchObject({ code: 0, checked: 15, findings: [], unanchored: [] });
  });

  it('fails for an unknown thread or scope', async () => {
    const { code, err } = await verify(filled, '--thread', 'rejectde');
    expect([code, err]).toEqual([1, expect.stringContaining('There is no thread rejectde')]);
    expect(await verify(filled, '--scope', 'acne')).toMatchObject({ code: 1 });
    expect(await verify(filled, '--thread', 'rejected')).toMatchObject({ code: 0, checked: 1 });
  });

  it('only reads', async () => {
    const place = await filled.copy();
    const store = place.open();
    const seen: unknown[] = [];
    // Beside a process that has the database open, and alone.
    for await (const finding of verifyAll(store)) seen.push(finding);
    expect(seen).toEqual([]);
    expect(await verify(place)).toMatchObject({ code: 0 });
    await store.close();
    const reader = place.isPostgres
      ? postgresStore(place.db, { readOnly: true })
      : sqliteStore(place.db, { readOnly: true });
    expect((await reader.list({ table: 'threads' })).rows).toHaveLength(3);
    const key = { scope, thread: 'another', id: '' };
    await expect(reader.commit({ puts: [{ table: 'threads', key, doc: {} }] })).rejects.toMatchObject({
      code: 'STORE_FAILED',
    });
    await reader.close();
    if (place.isPostgres) return;
    const before = readFileSync(place.db);
    const names = readdirSync(dirname(place.db));
    expect(await verify(place)).toMatchObject({ code: 0 });
    expect(readdirSync(dirname(place.db))).toEqual(names);
    expect(readFileSync(place.db).equals(before)).toBe(true);
  });
});

describe('a host', () => {
  const ends = async (store: Store) =>
    (await store.list({ table: 'anchors', limit: 1000 })).rows.flatMap(
      ({ doc }) => (doc['ends'] as readonly (readonly unknown[])[] | undefined) ?? [],
    );

  it('anchors what it and a host that died have changed once a minute, and before it deletes a thread', async () => {
    const clock = fakeClock();
    const store = memoryStore({ clock });
    const principal = { id: 'ana', scope };
    const agent = defineAgent({ id: 'assistant', model, tools: [pay] });
    await agent.generate({ store, threadId: 'of another', prompt: 'Pay bob.', principal });
    await withHost(
      store,
      async (as) => {
        await decide(as, 'own');
        await decide(as, 'gone');
        expect((await as('ana').send('DELETE', '/threads/gone')).status).toBe(204);
        // The end before the deletion. The sweep comes when a minute of the store is over.
        expect((await ends(store)).map((end) => end.slice(0, 3))).toEqual([[scope, 'gone', 1]]);
        await vi.waitFor(
          async () => {
            clock.advance(30_000);
            expect(await ends(store)).toHaveLength(4);
          },
          { timeout: 30_000 },
        );
        expect((await ends(store)).map(([, thread, count]) => [thread, count].join(' ')).toSorted()).toEqual([
          'gone 1',
          'gone 2',
          'of another 1',
          'own 1',
        ]);
        const found: unknown[] = [];
        for await (const finding of verifyAll(store)) found.push(finding);
        expect(found).toEqual([]);
        const [row] = await store.get('threads', [{ scope, thread: 'own', id: '' }]);
        await store.commit({ deletes: [{ table: 'threads', key: row!.key }] });
        for await (const { key, says } of verifyAll(store)) found.push([key?.thread, says]);
        expect(found).toEqual([
          ['own', 'The row of the thread was removed: it has a history, and no row in threads.'],
        ]);
      },
      { sweepMs: 5 },
    );
  });
});

describe('holdpoint audit on PostgreSQL', () => {
  let place: Place;
  beforeAll(async () => {
    place = await fill(postgresPlace(await createDatabase()));
  });

  it.each([
    ['what', `what = 'claimed'`],
    ['principal', `principal = 'ana'`],
    ['via', `via = 'link'`],
    ['interrupt', `interrupt = 'another'`],
    ['created_at', `created_at = 1`],
  ])('finds a changed column %s of the history', async (name, set) => {
    await place.reset?.();
    expect(await place.sql(`UPDATE history SET ${set} ${where('rejected')} AND what = 'staged'`)).toBe(1);
    const { code, findings } = await verify(place);
    expect([code, findings]).toMatchObject([1, [{ key: { scope, thread: 'rejected' } }]]);
    expect(findings[0]?.says).toContain(`column ${name}`);
  });

  it.each(['verify', 'export', 'anchor'])(
    '%s fails for a database without Holdpoint tables, and makes none',
    async (action) => {
      const url = await createDatabase();
      const { code, err } = await run('audit', action, '--db', url);
      expect([code, err]).toEqual([1, expect.stringMatching(/no Holdpoint/)]);
      const client = new Client({ connectionString: url });
      await client.connect();
      const { rows } = await client.query(`SELECT 1 FROM pg_namespace WHERE nspname = 'holdpoint'`);
      await client.end();
      expect(rows).toEqual([]);
    },
  );
});

describe('holdpoint audit on SQLite', () => {
  it.each(['verify', 'export', 'anchor'])(
    '%s fails for a file that is no Holdpoint database, and leaves it as it is',
    async (action) => {
      const other = newPath();
      const libsql = loadLibsql();
      const database = new libsql(other);
      database.exec('CREATE TABLE mine (id INTEGER)');
      database.close();
      const empty = newPath();
      writeFileSync(empty, '');
      const text = newPath();
      writeFileSync(text, 'This is no database, but a text of some length. '.repeat(100));
      for (const path of [other, empty, text]) {
        const before = readFileSync(path);
        const names = readdirSync(dirname(path));
        const { code, err } = await run('audit', action, '--db', path);
        expect([code, err]).toEqual([
          1,
          expect.stringMatching(/is no Holdpoint database|is not an SQLite database/),
        ]);
        expect(readFileSync(path).equals(before)).toBe(true);
        expect(readdirSync(dirname(path))).toEqual(names);
      }
      expect(await run('audit', action, '--db', `${other}.missing`)).toMatchObject({ code: 1 });
    },
  );
});
