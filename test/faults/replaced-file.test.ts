import { copyFileSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { answer, approve, defineAgent, defineTool } from 'holdpoint';
import type { GenerateResponse, GeneratingAgent } from 'holdpoint';
import { restoreSqlite, sqliteStore } from 'holdpoint/store/sqlite';
import { scriptedModel } from 'holdpoint/testing';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { setFaultHook } from '../../src/core/index.ts';
import { markRestored } from '../../src/ledger/index.ts';
import { readThread } from '../../src/ledger/testing-support/as-operator.ts';
import type { Store } from '../../src/store/index.ts';
import { payer } from './payer.ts';
import { backUp } from '../../src/store/sqlite/testing-support/execute.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdpoint-replaced-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(() => setFaultHook(undefined));
let files = 0;
const newPath = () => join(folder, `${(files += 1)}.db`);
const APPROVAL = { approval: true };
const threadId = 't';
const key = { scope: 'default', thread: threadId };

function backUpOf(path: string): string {
  const backup = newPath();
  backUp(path, backup);
  return backup;
}

/** What `holdpoint restore` does. */
async function restore(backup: string, path: string): Promise<void> {
  await restoreSqlite({ backup, path, prepare: async (store) => void (await markRestored(store)) });
}

/** What a program does that knows nothing of holdpoint. */
function exchange(backup: string, path: string): void {
  copyFileSync(backup, `${path}.copy`);
  for (const end of ['-wal', '-shm']) rmSync(path + end, { force: true });
  renameSync(`${path}.copy`, path);
}

/** An agent with one tool of two steps; `betweenSteps` happens after the first. */
function subscriber(betweenSteps: () => Promise<void>) {
  const steps: string[] = [];
  const subscribe = defineTool({
    name: 'subscribe',
    description: 'Works in two steps.',
    input: { type: 'object' },
    async run(_input, { step }) {
      await step('create', () => void steps.push('create'));
      await betweenSteps();
      await step('charge', () => void steps.push('charge'));
      return 'subscribed';
    },
  });
  const model = scriptedModel(({ messages }) =>
    messages.some(({ role }) => role === 'tool') ? 'Done.' : { calls: [{ id: 'call', name: 'subscribe' }] },
  );
  return { steps, agent: defineAgent({ id: 'subscriber', model, tools: [subscribe] }) };
}

function onlyInterrupt({ interrupts }: GenerateResponse) {
  const [interrupt] = interrupts;
  if (interrupt === undefined || interrupts.length > 1) throw new Error('expected one interrupt');
  return interrupt;
}

const approveOnly = (agent: GeneratingAgent, store: Store, shown: GenerateResponse) =>
  agent.generate({ store, threadId, resume: [approve(onlyInterrupt(shown))] });

/** Resolves when a store has the restored file open; it looks which file it has every 50 ms. */
async function noticed(...stores: readonly Store[]): Promise<void> {
  for (const store of stores) {
    const restoredAt = async () => (await store.get('threads', []), store.incarnation?.restoredAt);
    await expect.poll(restoredAt).toBeDefined();
  }
}

/** Each way to put a backup in the place of an open database. */
const WAYS = {
  'restored by holdpoint': restore,
  'exchanged by another program': async (backup: string, path: string) => exchange(backup, path),
};

describe.each(Object.entries(WAYS))('a SQLite file that is %s', (_name, putInPlace) => {
  it('refuses an approval of an interrupt that was shown before the replacement, if its call ran', async () => {
    const path = newPath();
    const store = sqliteStore(path);
    const { agent, counts } = payer(undefined, APPROVAL);
    const shown = await agent.generate({ store, threadId, prompt: 'Pay.' });
    const backup = backUpOf(path);
    await approveOnly(agent, store, shown);
    await putInPlace(backup, path);
    await noticed(store);
    await expect(approveOnly(agent, store, shown)).rejects.toMatchObject({
      code: 'INTERRUPT_CONFLICT',
    });
    expect(counts.paid).toBe(1);
    await store.close();
  });

  it('shows its open interrupts with a warning, and runs their calls when a person approves again', async () => {
    const path = newPath();
    const store = sqliteStore(path);
    const { agent, counts } = payer(undefined, APPROVAL);
    const first = onlyInterrupt(await agent.generate({ store, threadId, prompt: 'Pay.' }));
    await putInPlace(backUpOf(path), path);
    await noticed(store);
    const shown = await agent.generate({ store, threadId });
    const { interrupt } = onlyInterrupt(shown);
    expect(interrupt.message).toContain('its call may already have run');
    expect(interrupt.metadata).toMatchObject({ mayHaveRun: true, supersedes: first.interrupt.id });
    expect((await approveOnly(agent, store, shown)).text).toBe('Done.');
    expect(counts.paid).toBe(1);
    await store.close();
  });

  it('shows the warning even if the clock of the process was an hour ahead', async () => {
    const path = newPath();
    const store = sqliteStore(path, { clock: { now: () => Date.now() + 3_600_000 } });
    const { agent } = payer(undefined, APPROVAL);
    await agent.generate({ store, threadId, prompt: 'Pay.' });
    await putInPlace(backUpOf(path), path);
    await noticed(store);
    const shown = await agent.generate({ store, threadId });
    expect(onlyInterrupt(shown).interrupt.metadata).toMatchObject({ mayHaveRun: true });
    await store.close();
  });

  it('asks a person about a call that was running when the backup was made, and runs it once', async () => {
    const path = newPath();
    const store = sqliteStore(path);
    const { agent, counts } = payer(() => putInPlace(backUpOf(path), path), APPROVAL);
    const shown = await agent.generate({ store, threadId, prompt: 'Pay.' });
    await expect(approveOnly(agent, store, shown)).rejects.toMatchObject({ code: 'RUN_LOST' });
    await noticed(store);
    const doubt = onlyInterrupt(await agent.generate({ store, threadId }));
    expect([doubt.kind, doubt.toolName, counts.paid]).toEqual(['recovery', 'pay', 1]);
    expect((await readThread(store, key))?.active).toBeUndefined();
    await store.close();
  });

  it('asks a person about a call whose next step is not in the backup, and does not repeat the step', async () => {
    const path = newPath();
    const store = sqliteStore(path);
    let backup = '';
    const { agent, steps } = subscriber(async () => {
      backup = backUpOf(path);
    });
    await agent.generate({ store, threadId, prompt: 'Subscribe.' });
    expect(steps).toEqual(['create', 'charge']);
    await putInPlace(backup, path);
    await noticed(store);
    const doubt = onlyInterrupt(await agent.generate({ store, threadId }));
    expect([doubt.kind, doubt.toolName]).toEqual(['recovery', 'subscribe']);
    const resume = [answer(doubt.interrupt, { action: 'finished', result: 'found done' })];
    expect((await agent.generate({ store, threadId, resume })).text).toBe('Done.');
    expect(steps).toEqual(['create', 'charge']);
    await store.close();
  });

  it('stops a run before its call when the file is replaced between the approval and the call', async () => {
    const path = newPath();
    const store = sqliteStore(path);
    const { agent, counts } = payer(undefined, APPROVAL);
    const shown = await agent.generate({ store, threadId, prompt: 'Pay.' });
    setFaultHook(async (point) => {
      if (point === 'tool:before') await putInPlace(backUpOf(path), path);
    });
    await expect(approveOnly(agent, store, shown)).rejects.toMatchObject({ code: 'RUN_LOST' });
    expect(counts.paid).toBe(0);
    await store.close();
  });

  it('runs a call once if two processes approve it at the same moment', async () => {
    const path = newPath();
    const stores = [sqliteStore(path), sqliteStore(path)];
    const { agent, counts } = payer(undefined, APPROVAL);
    await agent.generate({ store: stores[0]!, threadId, prompt: 'Pay.' });
    await putInPlace(backUpOf(path), path);
    await noticed(...stores);
    const shown = await Promise.all(stores.map((store) => agent.generate({ store, threadId })));
    await Promise.all(
      stores.map((store, index) => approveOnly(agent, store, shown[index]!).catch(() => undefined)),
    );
    expect(counts.paid).toBe(1);
    for (const store of stores) await store.close();
  });
});
