import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestPostgres } from '../../test/postgres/start-postgres.ts';
import { startPostgres } from '../../test/postgres/start-postgres.ts';
import type { Store } from '../store/index.ts';
import { postgresStore } from '../store/postgres/index.ts';
import { sqliteStore } from '../store/sqlite/index.ts';
import { beginRun, endRun, verifyHistory } from './index.ts';
import type { RaceResult, RaceRound, RaceSetting } from './testing-support/race-child.ts';

const ROUNDS = Number(process.env['RACE_ROUNDS'] ?? 50);

async function startChild(setting: RaceSetting): Promise<ChildProcess> {
  const program = join(import.meta.dirname, 'testing-support/race-child.ts');
  const execArgv = ['--conditions=holdpoint-source', '--import', 'tsx'];
  const child = fork(program, [JSON.stringify(setting)], { execArgv });
  await once(child, 'message');
  return child;
}

/** Raises one question on a thread of its own. */
async function raise(store: Store, thread: string): Promise<string> {
  const key = { scope: 's', thread };
  const interruptId = `question-${thread}`;
  const begun = await beginRun(store, {
    key,
    runId: `first-${thread}`,
    agent: 'a',
    principal: { id: 'asker', scope: 's' },
    entries: [],
    newMessages: ['hello'],
    via: 'ag-ui',
    leaseMs: 60_000,
  });
  if (begun.type !== 'started') throw new Error(`expected a run, found ${begun.type}`);
  const questions = [{ interrupt: { id: interruptId, reason: 'tool_call' } }];
  await endRun(store, begun.lease, { outcome: 'interrupt', batch: `batch-${thread}`, questions });
  return interruptId;
}

async function answerAtOnce(
  children: readonly ChildProcess[],
  rounds: readonly RaceRound[],
): Promise<RaceResult[]> {
  const results = children.map(async (child) => (await once(child, 'message'))[0] as RaceResult);
  children.forEach((child, index) => child.send(rounds[index] ?? 'end'));
  return Promise.all(results);
}

/** Every question is answered by all processes at the same moment: alike in even rounds, otherwise in odd ones. */
async function race(store: Store, children: readonly ChildProcess[]): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) {
    const thread = `t${round}`;
    const interruptId = await raise(store, thread);
    const says = children.map((_, index) => round % 2 === 0 || index % 2 === 0);
    const results = await answerAtOnce(
      children,
      says.map((approved) => ({ thread, interruptId, approved })),
    );
    const winner = results.findIndex(({ type }) => type === 'started');
    expect(results.filter(({ type }) => type === 'started')).toHaveLength(1);
    results.forEach(({ type, by }, index) => {
      if (index === winner) return;
      if (says[index] === says[winner]) expect(['follow', 'as-is']).toContain(type);
      else expect([type, by]).toEqual(['INTERRUPT_CONFLICT', String(children[winner]?.pid)]);
    });
    const ran = await store.read({ log: 'events', scope: 's', thread });
    expect(ran.map(({ item }) => item)).toEqual([{ ran: says[winner] }]);
    expect(await verifyHistory(store, { scope: 's', thread })).toBeUndefined();
  }
}

async function withChildren(
  setting: RaceSetting,
  count: number,
  run: (children: ChildProcess[]) => Promise<void>,
) {
  const children = await Promise.all(Array.from({ length: count }, () => startChild(setting)));
  try {
    await run(children);
  } finally {
    const ended = children.map((child) => once(child, 'exit'));
    for (const child of children) child.send('end');
    await Promise.all(ended);
  }
}

describe('processes that answer the same question at the same moment', () => {
  let postgres: TestPostgres;
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-races-'));
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(async () => {
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('run it once, two of them over one SQLite file', async () => {
    const place = join(folder, 'race.db');
    const store = sqliteStore(place);
    await withChildren({ kind: 'sqlite', place }, 2, (children) => race(store, children));
    await store.close();
  });

  it('run it once, four of them over one PostgreSQL', async () => {
    const setting = { kind: 'postgres' as const, place: postgres.url, schema: 'races' };
    const store = postgresStore(postgres.url, { schema: 'races' });
    await store.now();
    await withChildren(setting, 4, (children) => race(store, children));
    await store.close();
  });
});
