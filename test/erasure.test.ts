import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { GenerateOptions, Store } from 'holdpoint';
import { answer, defineAgent, defineTool, storeGrants } from 'holdpoint';
import { erasePerson, eraseThread, readHistory, verifyHistory } from 'holdpoint/ledger';
import { migratePostgres, postgresStore } from 'holdpoint/store/postgres';
import { migrateSqlite, sqliteStore } from 'holdpoint/store/sqlite';
import { scriptedModel } from 'holdpoint/testing';
import { Client } from 'pg';
import { digestJson } from '../src/core/index.ts';
import type { JsonObject, JsonValue } from '../src/core/index.ts';
import type { ChainHead } from '../src/store/index.ts';
import { findBrokenEntry } from '../src/store/index.ts';
import { LOG_NAMES, TABLE_NAMES } from '../src/store/tables.ts';
import { loadLibsql } from '../src/store/sqlite/driver.ts';
import { temporaryPaths } from '../src/store/sqlite/testing-support/temporary-paths.ts';
import { createDatabase } from './postgres/create-database.ts';

const newPath = temporaryPaths();
const scope = 'default';
const ana = { id: 'ana', scope };
const bob = { id: 'bob', scope };

interface Place {
  readonly open: () => Store;
  /** Marks the database as one of the schema before this one. */
  readonly markEarlier: () => Promise<void>;
  readonly migrate: () => Promise<unknown>;
}

function sqlitePlace(): Place {
  const path = newPath();
  return {
    open: () => sqliteStore(path),
    async markEarlier() {
      const libsql = loadLibsql();
      const database = new libsql(path);
      database.exec('UPDATE holdpoint_schema SET version = 4');
      database.close();
    },
    migrate: () => migrateSqlite(path),
  };
}

async function postgresPlace(): Promise<Place> {
  const url = await createDatabase();
  return {
    open: () => postgresStore(url),
    async markEarlier() {
      const client = new Client({ connectionString: url });
      await client.connect();
      await client.query(`UPDATE holdpoint.migrations SET version = 3;
        ALTER FUNCTION holdpoint.commit_batches_5(jsonb, text[], boolean[]) RENAME TO commit_batches_3;
        ALTER FUNCTION holdpoint.trim_log_5(text, text, text, text, bigint) RENAME TO trim_log_3;`);
      await client.end();
    },
    migrate: () => migratePostgres(url),
  };
}

const PLACES: readonly (readonly [string, () => Place | Promise<Place>])[] = [
  ['sqlite', sqlitePlace],
  ['postgres', postgresPlace],
];

const send = defineTool({
  name: 'send',
  description: 'Sends.',
  input: { type: 'object' },
  approval: { response: { note: { type: 'string' } } },
  run: () => 'sent',
});
const model = scriptedModel(({ messages }) =>
  messages.at(-1)?.role === 'user' ? { calls: [{ name: 'send' }] } : 'Done.',
);
const agent = defineAgent({ id: 'a', model, tools: [send] });

/** Asks as ana, and answers as someone with a note that can be found again. */
async function decide(store: Store, threadId: string, by: GenerateOptions['principal'] = bob): Promise<void> {
  const given = { store, threadId, grants: storeGrants(store, scope) };
  const asked = await agent.generate({ ...given, principal: ana, prompt: 'Send it, says ana.' });
  const payload = { approved: true, note: `written by ${by?.id}` };
  await agent.generate({ ...given, principal: by, resume: [answer(asked.interrupts[0]!, payload)] });
}

/** All rows and logs of a thread, as text. */
async function contentsOf(store: Store, thread?: string): Promise<string> {
  const place = { scope, ...(thread === undefined ? {} : { thread }) };
  const rows = await Promise.all(TABLE_NAMES.map((table) => store.list({ table, ...place, limit: 1000 })));
  const threads = rows.flatMap((page) => page.rows.map(({ key }) => key.thread));
  const logs = await Promise.all(
    [...new Set(threads)].flatMap((one) =>
      LOG_NAMES.map((log) => store.read({ log, scope, thread: one, limit: 1000 })),
    ),
  );
  return JSON.stringify([rows, logs]);
}

describe.each(PLACES)('erasure on %s', (_name, create) => {
  let place: Place;
  let store: Store;
  beforeAll(async () => {
    place = await create();
    store = place.open();
  });
  afterAll(() => store.close());
  const isIntact = async (thread: string) => (await verifyHistory(store, { scope, thread })) === undefined;

  it('an erased thread has no values, its history verifies, and a change of it is found', async () => {
    const key = { scope, thread: 'erased' };
    await decide(store, 'erased');
    expect(await contentsOf(store, 'erased')).toContain('written by bob');
    expect(await eraseThread(store, key, { by: 'ana' })).toBe(true);
    const left = await contentsOf(store, 'erased');
    for (const value of ['written by', 'bob', 'says ana', '"salt":"', 'payload'])
      expect(left.replaceAll(/"what":"erased"[^}]*/g, '')).not.toContain(value);
    const history = await readHistory(store, key);
    expect(history.map(({ what, erased }) => [what, erased])).toEqual([
      ['raised', true],
      ['staged', true],
      ['claimed', true],
      ['settled', true],
      ['erased', undefined],
    ]);
    expect(await isIntact('erased')).toBe(true);
    expect(await eraseThread(store, key)).toBe(false);
    const rewrite = (item: object) =>
      store.commit({ rewrites: [{ ...key, sequence: 2, item: item as JsonValue }] });
    const staged = history[1]!;
    for (const changed of [
      { ...staged, by: 'eve' },
      { ...staged, status: 'cancelled' },
      { ...staged, erased: undefined },
    ]) {
      await rewrite(changed);
      expect(await verifyHistory(store, key)).toMatchObject({ index: 1 });
    }
    await rewrite(staged);
    expect(await isIntact('erased')).toBe(true);
  });

  it('erasing a person removes own threads, answers in other threads, grants and the name', async () => {
    await decide(store, 'of ana');
    const ofCid = { store, threadId: 'of cid', principal: { id: 'cid', scope }, prompt: 'Send it.' };
    const asked = await agent.generate(ofCid);
    const given = { ...ofCid, prompt: undefined as never, principal: ana };
    const waiting = { store, threadId: 'open', principal: { id: 'cid', scope }, prompt: 'Send it.' };
    await agent.generate(waiting);
    await agent.generate({
      ...given,
      resume: [answer(asked.interrupts[0]!, { approved: true, note: 'written by ana' })],
    });
    await storeGrants(store, scope).add({ agent: 'a', toolName: 'x', principalId: 'cid', givenBy: 'ana' });
    const erased = await erasePerson(store, { scope, person: 'ana' });
    expect(erased).toMatchObject({ others: 1, grants: 1, busy: [] });
    expect(erased.threads).toBeGreaterThan(0);
    for (const thread of ['of ana', 'of cid']) {
      expect(await contentsOf(store, thread)).not.toMatch(/written by ana|says ana|"ana"/);
      expect(await isIntact(thread)).toBe(true);
    }
    expect(await contentsOf(store, 'of cid')).toContain('"cid"');
    expect((await storeGrants(store, scope).list()).filter(({ givenBy }) => givenBy === 'ana')).toEqual([]);
    expect(await erasePerson(store, { scope, person: 'ana' })).toMatchObject({ threads: 0, others: 0 });
    const again = await agent.generate({ ...waiting, prompt: undefined as never, resume: [] });
    expect(again.finishReason).toBe('interrupted');
  });

  it('an erased history has no digest of a person or of arguments: grants lose their ids', async () => {
    const key = { scope, thread: 'granted' };
    const given = { store, threadId: 'granted', grants: storeGrants(store, scope), principal: ana };
    const asked = await agent.generate({ ...given, prompt: 'Send it.' });
    const payload = { approved: true, remember: { what: 'arguments', where: 'principal' } };
    await agent.generate({ ...given, resume: [answer(asked.interrupts[0]!, payload)] });
    await agent.generate({ ...given, prompt: 'Send it again.' });
    const granted = async () => (await readHistory(store, key)).find(({ what }) => what === 'granted');
    expect(await granted()).toMatchObject({ by: 'ana', grant: expect.any(String) });
    expect(await isIntact('granted')).toBe(true);
    expect(await eraseThread(store, key)).toBe(true);
    expect(await granted()).toMatchObject({ erased: true, toolCallId: expect.any(String) });
    expect(await granted()).not.toHaveProperty('grant');
    expect(await isIntact('granted')).toBe(true);
    for (const { id } of await storeGrants(store, scope).list()) await storeGrants(store, scope).revoke(id);
  });

  it('erasure during runs leaves a whole run or nothing of it, and an intact history', async () => {
    const threads = Array.from({ length: 6 }, (_none, n) => `race ${n}`);
    const outcomes = await Promise.all(
      threads.map(async (thread) => {
        const deciding = decide(store, thread).then(
          () => 'done',
          (error: { code: string }) => error.code,
        );
        const erased: boolean[] = [];
        for (let n = 0; n < 5; n += 1) erased.push(await eraseThread(store, { scope, thread }));
        return { outcome: await deciding, erased };
      }),
    );
    for (const { outcome } of outcomes)
      expect(['done', 'RUN_LOST', 'INTERRUPT_UNKNOWN', 'INPUT_INVALID']).toContain(outcome);
    for (const thread of threads) {
      expect(await isIntact(thread)).toBe(true);
      await eraseThread(store, { scope, thread });
      expect(await contentsOf(store, thread)).not.toMatch(/written by|says ana/);
      expect(await isIntact(thread)).toBe(true);
    }
  });

  it('migrating the earlier schema seals every history anew, and a broken history stays broken', async () => {
    const earlier = await create();
    const writer = earlier.open();
    await decide(writer, 'whole');
    await decide(writer, 'broken');
    for (const thread of ['whole', 'broken']) await writeEarlier(writer, thread);
    const items = await writer.read({ log: 'history', scope, thread: 'broken' });
    const item = { ...(items[1]?.item as JsonObject), by: 'eve' };
    await writer.commit({ rewrites: [{ scope, thread: 'broken', sequence: 2, item }] });
    await writer.close();
    await earlier.markEarlier();
    await earlier.migrate();
    const reader = earlier.open();
    expect(await brokenAt(reader, 'whole')).toBeUndefined();
    expect(await brokenAt(reader, 'broken')).toBe(1);
    expect((await readHistory(reader, { scope, thread: 'whole' }))[1]).toMatchObject({
      by: 'bob',
      salt: expect.any(String),
    });
    await decide(reader, 'whole');
    expect(await brokenAt(reader, 'whole')).toBeUndefined();
    await eraseThread(reader, { scope, thread: 'whole' });
    expect(await contentsOf(reader, 'whole')).not.toContain('written by');
    expect(await brokenAt(reader, 'whole')).toBeUndefined();
    await reader.close();
  });
});

/** The position of the first entry that does not fit the chain. */
async function brokenAt(store: Store, thread: string): Promise<number | undefined> {
  const [row] = await store.get('threads', [{ scope, thread, id: '' }]);
  const items = await store.read({ log: 'history', scope, thread });
  return findBrokenEntry(
    items.map(({ item }) => item as JsonObject),
    row?.doc['chain'] as unknown as ChainHead,
  );
}

/** Writes the history of a thread as the schema before this one had it: its hashes cover the values. */
async function writeEarlier(store: Store, thread: string): Promise<void> {
  const [row] = await store.get('threads', [{ scope, thread, id: '' }]);
  let previous = '';
  const items = await store.read({ log: 'history', scope, thread });
  const rewrites = items.map(({ sequence, item }) => {
    const { seal: _seal, salt: _salt, hash: _hash, ...facts } = item as JsonObject;
    const linked = { ...facts, previous };
    previous = digestJson(linked);
    return { scope, thread, sequence, item: { ...linked, hash: previous } };
  });
  const doc = { ...row!.doc, chain: { count: items.length, hash: previous } };
  await store.commit({ rewrites, puts: [{ table: 'threads', key: row!.key, doc, index: row!.index }] });
}
