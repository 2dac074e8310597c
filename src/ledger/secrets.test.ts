import { describe, expect, it } from 'vitest';
import type { ResumeEntry } from '../protocol/index.ts';
import type { LogName, Store, TableName } from '../store/index.ts';
import { memoryStore } from '../store/memory/index.ts';
import { sqliteStore } from '../store/sqlite/index.ts';
import type { BeginRun, ClaimedRun, EndRun, RaisedInterrupt } from './index.ts';
import { createVault, openAnswers, openMarkers, openSecrets } from './index.ts';
import { beginRun, readThread, stageAnswer } from './testing-support/as-operator.ts';
import { endRun } from './testing-support/end-run.ts';

const key = { scope: 's', thread: 't' };
const ana = { id: 'ana', scope: 's' };
const secretKey = btoa('0123456789abcdef0123456789abcdef');
const otherKey = btoa('fedcba9876543210fedcba9876543210');
const PASSWORD = 'correct horse battery staple';
const login: RaisedInterrupt = {
  interrupt: {
    id: 'q',
    reason: 'input_required',
    responseSchema: {
      type: 'object',
      properties: { user: { type: 'string' }, password: { type: 'string', format: 'password' } },
      required: ['user', 'password'],
    },
  },
};
const answerWith = (password: string): ResumeEntry => ({
  interruptId: 'q',
  status: 'resolved',
  payload: { user: 'ana', password },
});
const TABLES: readonly TableName[] = ['threads', 'runs', 'interrupts', 'executions', 'secrets'];
const LOGS: readonly LogName[] = ['messages', 'history', 'events'];

/** The whole content of a store, as one text. */
async function everything(store: Store): Promise<string> {
  const pages = await Promise.all(TABLES.map((table) => store.list({ table })));
  const logs = await Promise.all(LOGS.map((log) => store.read({ log, ...key })));
  return JSON.stringify([pages, logs]);
}
const secretRows = async (store: Store) => (await store.list({ table: 'secrets' })).rows.length;

let runs = 0;
async function begin(store: Store, rest: Partial<BeginRun>): Promise<ClaimedRun> {
  runs += 1;
  const base = { key, agent: 'a', principal: ana, entries: [], newMessages: [], via: 'ag-ui' as const };
  const begun = await beginRun(store, { ...base, leaseMs: 1000, runId: `run-${runs}`, ...rest });
  if (begun.type !== 'started') throw new Error(`expected a run, found ${begun.type}`);
  return begun;
}

const STORES: Readonly<Record<string, () => Store>> = {
  memory: () => memoryStore(),
  sqlite: () => sqliteStore(':memory:'),
};

describe.each(Object.entries(STORES))('a secret in an answer, over the store %s', (_name, create) => {
  const setUp = async () => {
    const store = create();
    const vault = await createVault(secretKey);
    const end = (run: ClaimedRun, rest: Partial<EndRun> = {}) =>
      endRun(store, run.lease, { outcome: 'success', vault, ...rest });
    const asking = await begin(store, { newMessages: ['hello'], vault });
    await end(asking, { outcome: 'interrupt', raised: [login], turn: { saved: true } });
    const stage = (password: string, rest = {}) =>
      stageAnswer(store, { key, entry: answerWith(password), principal: ana, via: 'inbox', vault, ...rest });
    return { store, vault, end, stage };
  };

  it('a secret in an answer is stored encrypted, opened for the run that claims it, and erased with its end', async () => {
    const { store, vault, end, stage } = await setUp();
    await stage(PASSWORD);
    expect(await everything(store)).not.toContain(PASSWORD);
    const run = await begin(store, { continues: 'background', vault });
    expect(run.answers).toEqual([
      { interruptId: 'q', status: 'resolved', payload: { user: 'ana', password: { $secret: 'q/0' } } },
    ]);
    const thread = run.thread.view.thread!;
    const secrets = await openSecrets(store, { key, thread }, vault);
    expect(openMarkers(run.answers[0]?.payload, secrets)).toEqual({ user: 'ana', password: PASSWORD });
    expect(await openAnswers(store, run, vault)).toEqual([answerWith(PASSWORD)]);
    expect(await everything(store)).not.toContain(PASSWORD);
    await end(run, { turn: null });
    expect(await secretRows(store)).toBe(0);
    expect((await readThread(store, key))?.secrets).toBeUndefined();
  });

  it('a secret in an answer is compared by its fingerprint: the same answer changes nothing, another is a conflict', async () => {
    const { store, vault, end, stage } = await setUp();
    await stage(PASSWORD);
    const bob = { principal: { id: 'bob', scope: 's' } };
    expect(await stage(PASSWORD, bob)).toEqual({ state: 'complete', open: [] });
    const conflict = await stage('another', bob).catch((error: unknown) => error);
    expect(conflict).toMatchObject({ code: 'INTERRUPT_CONFLICT', details: { by: 'ana' } });
    expect(JSON.stringify(conflict)).not.toContain(PASSWORD);
    await end(await begin(store, { continues: 'background', vault }), { turn: null });
    const again = { key, runId: 'again', agent: 'a', principal: ana, newMessages: [], leaseMs: 1, vault };
    const begun = await beginRun(store, { ...again, entries: [answerWith(PASSWORD)], via: 'ag-ui' });
    expect(begun).toEqual({ type: 'as-is' });
  });

  it('a secret in an answer is replaced with its answer, and erased by a cancellation', async () => {
    const { store, vault, stage } = await setUp();
    await stage(PASSWORD);
    await stage('changed');
    const thread = (await readThread(store, key))!;
    expect(await openSecrets(store, { key, thread }, vault)).toEqual(new Map([['q', ['changed']]]));
    const entry = { interruptId: 'q', status: 'cancelled' as const };
    await stageAnswer(store, { key, entry, principal: ana, via: 'inbox' });
    expect(await secretRows(store)).toBe(0);
  });

  it('a secret in an answer stays while a waiting turn has it in its journal, and while a failed run may continue', async () => {
    const { store, vault, end, stage } = await setUp();
    await stage(PASSWORD);
    const failed = await begin(store, { continues: 'background', vault });
    await end(failed, { outcome: 'error', error: { code: 'MODEL_FAILED', message: 'x' } });
    const run = await begin(store, { continues: 'background', vault });
    const next: RaisedInterrupt = { interrupt: { id: 'q2', reason: 'x' } };
    const turn = { journal: [{ value: run.answers[0]?.payload as never }] };
    await end(run, { outcome: 'interrupt', raised: [next], turn });
    expect(await secretRows(store)).toBe(1);
    const entries = [{ interruptId: 'q2', status: 'resolved' as const, payload: 1 }];
    await end(await begin(store, { entries, vault }), { turn: null });
    expect(await secretRows(store)).toBe(0);
  });

  it('a secret in an answer is erased when its answer is released', async () => {
    const { store, vault, end } = await setUp();
    const run = await begin(store, { entries: [answerWith(PASSWORD)], vault });
    await end(run, { outcome: 'error', release: true, error: { code: 'TOOL_UNKNOWN', message: 'x' } });
    expect(await secretRows(store)).toBe(0);
    expect(await readThread(store, key)).toMatchObject({ batch: { interruptIds: ['q'] } });
  });

  it('a secret needs a key when it is asked for, and the same key when it is opened', async () => {
    const { store, stage } = await setUp();
    const refused = { code: 'INPUT_INVALID', message: expect.stringContaining('secretKey') as string };
    const run = await begin(create(), { newMessages: ['x'] });
    const ending = endRun(create(), run.lease, { outcome: 'interrupt', raised: [login] });
    await expect(ending).rejects.toMatchObject(refused);
    await expect(stage(PASSWORD, { vault: undefined })).rejects.toMatchObject(refused);
    await stage(PASSWORD);
    const before = await everything(store);
    await expect(begin(store, { continues: 'background' })).rejects.toMatchObject(refused);
    const vault = await createVault(otherKey);
    await expect(begin(store, { continues: 'background', vault })).rejects.toMatchObject(refused);
    expect(await everything(store)).toBe(before);
    await expect(createVault('short')).rejects.toMatchObject(refused);
  });

  it('a secret in an answer cannot be fetched by an answer that contains a marker', async () => {
    const { store, vault, end, stage } = await setUp();
    await stage(PASSWORD);
    const run = await begin(store, { continues: 'background', vault });
    const anything: RaisedInterrupt = { interrupt: { id: 'q2', reason: 'x' } };
    await end(run, {
      outcome: 'interrupt',
      raised: [anything],
      turn: { has: run.answers[0]?.payload as never },
    });
    const payload = [{ deep: { $secret: 'q/0' } }];
    const entries = [{ interruptId: 'q2', status: 'resolved' as const, payload }];
    await expect(begin(store, { entries, vault })).rejects.toMatchObject({ code: 'ANSWER_INVALID' });
  });

  it('opens only in its own row', async () => {
    const vault = await createVault(secretKey);
    const sealed = await vault.seal({ ...key, id: 'q' }, [PASSWORD]);
    expect(await vault.open({ ...key, id: 'q' }, sealed)).toEqual([PASSWORD]);
    await expect(vault.open({ ...key, id: 'q2' }, sealed)).rejects.toMatchObject({ code: 'INPUT_INVALID' });
    expect(await vault.seal({ ...key, id: 'q' }, [PASSWORD])).not.toEqual(sealed);
  });
});
