import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { approve, defineAgent, defineTool } from 'holdpoint';
import { restoreSqlite, sqliteStore } from 'holdpoint/store/sqlite';
import { scriptedModel } from 'holdpoint/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { markRestored } from '../../src/ledger/index.ts';
import { readThread } from '../../src/ledger/testing-support/as-operator.ts';
import type { Store } from '../../src/store/index.ts';
import { loadLibsql } from '../../src/store/sqlite/driver.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdpoint-replaced-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;
const newPath = () => join(folder, `${(files += 1)}.db`);
const threadId = 't';
const key = { scope: 'default', thread: threadId };

function backUp(path: string): string {
  const backup = newPath();
  const libsql = loadLibsql();
  const database = new libsql(path);
  database.prepare('VACUUM INTO ?').run([backup]);
  database.close();
  return backup;
}

/** As `holdpoint restore` does. */
async function restore(backup: string, path: string): Promise<void> {
  const prepare = async (store: Store) => {
    await markRestored(store, { restoredAt: store.incarnation?.restoredAt ?? 0 });
  };
  await restoreSqlite({ backup, path, prepare });
}

/** An agent whose one tool, which cannot be undone and needs a yes, lets something happen while it runs. */
function payer(whilePaying: () => Promise<void>) {
  const counts = { paid: 0 };
  const pay = defineTool({
    name: 'pay',
    description: 'Cannot be undone.',
    input: { type: 'object' },
    approval: true,
    async run() {
      counts.paid += 1;
      await whilePaying();
      return 'paid';
    },
  });
  const model = scriptedModel(({ messages }) =>
    messages.at(-1)?.role === 'user' ? { calls: [{ id: 'pay-call', name: 'pay' }] } : 'Done.',
  );
  return { counts, agent: defineAgent({ id: 'payer', model, tools: [pay] }) };
}

describe('a SQLite file that is restored while a tool runs', () => {
  it('ends the run as RUN_LOST, and a backup from before the approval asks again with a warning', async () => {
    const path = newPath();
    const store = sqliteStore(path);
    let backup = '';
    const { agent, counts } = payer(() => restore(backup, path));
    const asked = await agent.generate({ store, threadId, prompt: 'Pay.' });
    backup = backUp(path);
    const [question] = asked.interrupts;
    if (question === undefined) throw new Error('nothing was asked');
    await expect(agent.generate({ store, threadId, resume: [approve(question)] })).rejects.toMatchObject({
      code: 'RUN_LOST',
    });
    expect(counts.paid).toBe(1);
    const { rows } = await store.list({ table: 'interrupts', status: ['pending'] });
    expect(rows.map(({ index }) => index.message)).toEqual([
      expect.stringContaining('its call may already have run'),
    ]);
    await store.close();
  });

  it('asks a person what became of a call that the backup has at work', async () => {
    const path = newPath();
    const store = sqliteStore(path);
    const { agent, counts } = payer(() => restore(backUp(path), path));
    const { interrupts } = await agent.generate({ store, threadId, prompt: 'Pay.' });
    const [question] = interrupts;
    if (question === undefined) throw new Error('nothing was asked');
    await expect(agent.generate({ store, threadId, resume: [approve(question)] })).rejects.toMatchObject({
      code: 'RUN_LOST',
    });
    expect((await readThread(store, key))?.active).toBeUndefined();
    const doubt = await agent.generate({ store, threadId });
    expect(doubt.interrupts.map(({ kind, toolName }) => [kind, toolName])).toEqual([['recovery', 'pay']]);
    expect(counts.paid).toBe(1);
    await store.close();
  });

  it('lets an approval that two processes were given count once', async () => {
    const path = newPath();
    const stores = [sqliteStore(path), sqliteStore(path)];
    const { agent, counts } = payer(async () => undefined);
    const [store] = stores;
    if (store === undefined) throw new Error('no store');
    const { interrupts } = await agent.generate({ store, threadId, prompt: 'Pay.' });
    await restore(backUp(path), path);
    const [question] = interrupts;
    if (question === undefined) throw new Error('nothing was asked');
    const give = async (each: Store): Promise<unknown> => {
      try {
        return await agent.generate({ store: each, threadId, resume: [approve(question)] });
      } catch {
        // The first commit of a process fails where it notices; the person tries again.
        return agent.generate({ store: each, threadId, resume: [approve(question)] }).catch(() => undefined);
      }
    };
    await Promise.all(stores.map(give));
    expect(counts.paid).toBe(1);
    for (const each of stores) await each.close();
  });
});
