import { Pool } from 'pg';
import { describe, expect, it } from 'vitest';
import { approve, defineAgent, defineTool } from '../src/index.ts';
import { bound } from '../src/ledger/testing-support/bound-store.ts';
import type { Batch, Store } from '../src/store/index.ts';
import { memoryStore } from '../src/store/memory/index.ts';
import { postgresStore } from '../src/store/postgres/index.ts';
import { scriptedModel } from '../src/testing/index.ts';
import { createDatabase } from './postgres/create-database.ts';

const TURN = { scope: 'default', thread: 't', id: '' };

/** Asks for an approval; `answer` approves and gives the text of the model. */
async function askIn(store: Store): Promise<{ readonly answer: () => Promise<string> }> {
  const pay = defineTool({
    name: 'pay',
    description: 'Pays.',
    input: { type: 'object' },
    approval: true,
    run: () => 'paid',
  });
  const model = scriptedModel(({ messages }) =>
    messages.at(-1)?.role === 'tool' ? 'Done.' : { calls: [{ id: 'call', name: 'pay' }] },
  );
  const agent = defineAgent({ id: 'a', tools: [pay], model });
  const { interrupts } = await agent.generate({ store, threadId: 't', prompt: 'Pay.' });
  const resume = interrupts.map((interrupt) => approve(interrupt));
  return { answer: async () => (await agent.generate({ store, threadId: 't', resume })).text };
}

describe('a durable cycle', () => {
  it('writes its turn once, when it raises the interrupt, and removes it when the turn ends', async () => {
    const store = memoryStore();
    const batches: Batch[] = [];
    const recorded: Store = {
      ...bound(store),
      commit(batch) {
        batches.push(batch);
        return store.commit(batch);
      },
    };
    const { answer } = await askIn(recorded);
    expect(await answer()).toBe('Done.');
    const turnRows = (rows: Batch['puts'] | Batch['deletes']) =>
      (rows ?? []).filter(({ table, key }) => table === 'executions' && key.id === TURN.id).length;
    expect(batches.map(({ puts }) => turnRows(puts))).toEqual([0, 1, 0, 0]);
    expect(batches.map(({ deletes }) => turnRows(deletes))).toEqual([0, 0, 0, 1]);
    const threads = batches.flatMap(({ puts = [] }) => puts.filter(({ table }) => table === 'threads'));
    expect(threads).toHaveLength(4);
    expect(threads.filter(({ doc }) => 'turn' in doc)).toEqual([]);
    expect(await store.get('executions', [TURN])).toEqual([undefined]);
  });

  it('continues a turn that an earlier version stored in the row of its thread', async () => {
    const store = memoryStore();
    const { answer } = await askIn(store);
    const place = { scope: 'default', thread: 't', id: '' };
    const [[thread], [turn]] = await store.snapshot([
      { table: 'threads', keys: [place] },
      { table: 'executions', keys: [TURN] },
    ]);
    await store.commit({
      puts: [
        {
          table: 'threads',
          key: place,
          index: thread!.index,
          doc: { ...thread!.doc, turn: turn!.doc['turn']! },
        },
      ],
      deletes: [{ table: 'executions', key: TURN }],
    });
    expect(await answer()).toBe('Done.');
    const [after] = await store.get('threads', [place]);
    expect(after?.doc['turn']).toBeUndefined();
  });

  it('reads once on PostgreSQL to claim and start a run, and commits twice', async () => {
    const pool = new Pool({ connectionString: await createDatabase() });
    pool.on('error', () => undefined);
    const statements: string[] = [];
    pool.on('connect', (client) => {
      const query = client.query.bind(client) as (query: { readonly text: string }) => unknown;
      client.query = ((given: { readonly text: string }) => {
        statements.push(given.text);
        return query(given);
      }) as typeof client.query;
    });
    const store = postgresStore(pool);
    const { answer } = await askIn(store);
    statements.length = 0;
    expect(await answer()).toBe('Done.');
    // The time is asked for when the last answer of the database is too old.
    const kinds = statements.flatMap((text) => {
      if (text.includes('now_ms()')) return [];
      return text.includes('commit_batches') ? ['commit'] : ['read'];
    });
    expect(kinds).toEqual(['read', 'commit', 'commit']);
    await store.close();
    await pool.end();
  });
});
