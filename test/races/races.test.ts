import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OnExpire } from '../../src/content/interrupts/index.ts';
import type { HistoryEntry } from '../../src/ledger/index.ts';
import {
  beginRun,
  readHistory,
  readThread,
  stageAnswer,
  verifyHistory,
} from '../../src/ledger/testing-support/as-operator.ts';
import { endRun } from '../../src/ledger/testing-support/end-run.ts';
import type { Store } from '../../src/store/index.ts';
import type { RacerResult, RacerSetting, RacerTask } from './child.ts';
import { call, until } from '../processes/processes.ts';
import { runs, showProgress } from '../size.ts';
import { openPlace } from '../processes/store-place.ts';
import { useProgram } from '../processes/use-program.ts';

/** Rounds of each kind of race, and of the races for one answer. */
const ROUNDS = runs(6);
const ANSWERED = runs(12);
const LIMIT = 60_000 + ANSWERED * 2000;

const approval = (interruptId: string, approved = true) => ({
  interruptId,
  status: 'resolved' as const,
  payload: { approved },
});
const cancellation = (interruptId: string) => ({ interruptId, status: 'cancelled' as const });

const { program, places } = useProgram(import.meta.dirname);

const SETTINGS: Readonly<Record<string, { readonly count: number; readonly setting: () => RacerSetting }>> = {
  'two over one SQLite file': {
    count: 2,
    setting: () => ({
      ...places['one SQLite file'](),
      effects: join(program().folder, 'sqlite-effects'),
    }),
  },
  'four over one PostgreSQL': {
    count: 4,
    setting: () => ({
      ...places.PostgreSQL(),
      effects: join(program().folder, 'postgres-effects'),
    }),
  },
};

describe.each(Object.entries(SETTINGS))('processes at the same moment: %s', (_name, { count, setting }) => {
  let store: Store;
  let children: ChildProcess[];
  /** A process that maintains the store during every race. */
  let keeper: ChildProcess;
  let turns = 0;
  beforeAll(async () => {
    store = openPlace(setting());
    await store.now();
    children = Array.from({ length: count }, () => program().start(setting()));
    keeper = program().start(setting());
    await Promise.all([...children, keeper].map((child) => call(child, 'ready')));
  });
  afterAll(async () => {
    const ended = [...children, keeper].map((child) => once(child, 'exit'));
    for (const child of [...children, keeper]) child.send('end');
    await Promise.all(ended);
    await store.close();
  });

  const keyOf = (thread: string) => ({ scope: 's', thread });
  /** Gives every process a task at the same moment, and returns the results. */
  const race = async (taskOf: (index: number) => RacerTask): Promise<RacerResult[]> => {
    turns += 1;
    const maintained = call<RacerResult>(keeper, { type: 'maintain', turn: turns });
    const results = await Promise.all(
      children.map((child, index) => call<RacerResult>(child, taskOf(index))),
    );
    expect(await maintained).toEqual({ type: 'maintained' });
    return results;
  };
  const rounds = async (
    name: string,
    round: (thread: string, n: number) => Promise<void>,
    count = ROUNDS,
  ) => {
    for (let n = 0; n < count; n += 1) {
      await round(`${name}-${n}`, n);
      showProgress(`Races (${name})`, n + 1, count);
    }
  };
  const begin = async (thread: string, leaseMs = 60_000) => {
    const begun = await beginRun(store, {
      key: keyOf(thread),
      runId: `first-${thread}`,
      agent: 'a',
      principal: { id: 'asker', scope: 's' },
      entries: [],
      newMessages: ['hello'],
      via: 'ag-ui',
      leaseMs,
    });
    if (begun.type !== 'started') throw new Error(`expected a run, found ${begun.type}`);
    return begun;
  };
  /** Raises interrupts on a new thread. */
  const raise = async (
    thread: string,
    rest: { readonly many?: number; readonly expiresAt?: number; readonly onExpire?: OnExpire } = {},
  ) => {
    const { lease } = await begin(thread);
    const { many = 1, expiresAt, onExpire = 'keep' } = rest;
    const ids = Array.from({ length: many }, (_, n) => `${thread}-q${n}`);
    const expiry = expiresAt === undefined ? {} : { expiresAt: new Date(expiresAt).toISOString() };
    const raised = ids.map((id) => ({ interrupt: { id, reason: 'tool_call', ...expiry }, onExpire }));
    await endRun(store, lease, { outcome: 'interrupt', batch: `batch-${thread}`, raised });
    return ids;
  };
  /** The lines that the runs of a thread added. Checks the history chain. */
  const ranOn = async (thread: string) => {
    expect(await verifyHistory(store, keyOf(thread))).toBeUndefined();
    return (await store.read({ log: 'events', ...keyOf(thread) })).map(({ item }) => item);
  };
  const historyOf = async (thread: string, what: HistoryEntry['what']) =>
    (await readHistory(store, keyOf(thread))).filter((entry) => entry.what === what);
  const types = (results: readonly RacerResult[]) => results.map(({ type }) => type).toSorted();
  const endedBy = (results: readonly RacerResult[]) => results.reduce((sum, { ended = 0 }) => sum + ended, 0);
  const paidFor = (thread: string) => {
    const { effects } = setting();
    const lines = existsSync(effects) ? readFileSync(effects, 'utf8').split('\n') : [];
    return lines.filter((line) => line === thread);
  };
  const nameOf = (index: number) => String(children[index]?.pid);

  it(
    'of several processes that answer one interrupt, one runs it, those with an equal answer follow, and the others get INTERRUPT_CONFLICT with the winner',
    async () => {
      await rounds(
        'answer',
        async (thread, n) => {
          const [id = ''] = await raise(thread);
          const says = children.map((_, index) => n % 2 === 0 || index % 2 === 0);
          const results = await race((index) => ({
            type: 'answer',
            thread,
            entry: approval(id, says[index]),
          }));
          const winner = results.findIndex(({ type }) => type === 'started');
          results.forEach(({ type, by }, index) => {
            if (index === winner) return;
            if (says[index] === says[winner]) expect(['follow', 'as-is']).toContain(type);
            else expect([type, by]).toEqual(['INTERRUPT_CONFLICT', nameOf(winner)]);
          });
          const payload = { approved: says[winner] };
          expect(await ranOn(thread)).toEqual([{ ran: [{ status: 'resolved', payload }] }]);
        },
        ANSWERED,
      );
    },
    LIMIT,
  );

  it.each(['keep', 'cancel', 'deny'] as const)(
    'an interrupt that is answered and expires at the same moment (onExpire: %s) is either answered or expired',
    async (onExpire) => {
      await rounds(`expiry-${onExpire}`, async (thread, n) => {
        const expiresAt = (await store.now()) + 40;
        const [id = ''] = await raise(thread, { expiresAt, onExpire });
        // Close to the expiry, so that sometimes the answers win and sometimes the sweeps.
        const at = expiresAt - 4 + (n % 8);
        const answers = (index: number) => index % 2 === 0;
        const results = await race((index) =>
          answers(index)
            ? { type: 'answer', thread, entry: approval(id), at }
            : { type: 'sweep', at: at + 1 },
        );
        const ran = await ranOn(thread);
        const ended = endedBy(results);
        const given = results.filter((_, index) => answers(index));
        const [record] = await store.get('interrupts', [{ ...keyOf(thread), id }]);
        if (ran.length > 0) {
          expect(ran).toEqual([{ ran: [{ status: 'resolved', payload: { approved: true } }] }]);
          expect(given.filter(({ type }) => type === 'started')).toHaveLength(1);
          // An equal answer may come too late while another came in time.
          for (const { type } of given)
            expect(['started', 'follow', 'as-is', 'INTERRUPT_EXPIRED']).toContain(type);
          expect([ended, record?.doc['state']]).toEqual([0, 'resolved']);
          expect(await historyOf(thread, 'expired')).toHaveLength(0);
          return;
        }
        for (const { type, by } of given) {
          if (type !== 'INTERRUPT_EXPIRED') expect([type, by]).toEqual(['INTERRUPT_CONFLICT', 'holdpoint']);
          if (onExpire === 'keep') expect(type).toBe('INTERRUPT_EXPIRED');
        }
        // Sweeps that came too early leave the interrupt to the next ones.
        const next = ended > 0 ? [] : await race(() => ({ type: 'sweep' }));
        expect(ended + endedBy(next)).toBe(1);
        const what = { keep: 'expired', cancel: 'cancelled', deny: 'staged' } as const;
        expect(await historyOf(thread, what[onExpire])).toMatchObject([{ interruptId: id, via: 'expiry' }]);
        const [after] = await store.get('interrupts', [{ ...keyOf(thread), id }]);
        expect(after?.doc['state']).toBe(onExpire === 'keep' ? 'expired' : 'answered');
        expect(await ranOn(thread)).toEqual([]);
      });
    },
    LIMIT,
  );

  it(
    'an interrupt that is cancelled and approved at the same moment takes one answer, and the tool runs only if it is the approval',
    async () => {
      await rounds('cancel', async (thread, n) => {
        const [id = ''] = await raise(thread);
        const approves = (index: number) => (index + n) % 2 === 0;
        const results = await race((index) => ({
          type: 'answer',
          thread,
          entry: approves(index) ? approval(id) : cancellation(id),
        }));
        const winner = results.findIndex(({ type }) => type === 'started');
        results.forEach(({ type, by }, index) => {
          if (index === winner) return;
          if (approves(index) === approves(winner)) expect(['follow', 'as-is']).toContain(type);
          else expect([type, by]).toEqual(['INTERRUPT_CONFLICT', nameOf(winner)]);
        });
        const ran = approves(winner)
          ? { status: 'resolved', payload: { approved: true } }
          : { status: 'cancelled', payload: null };
        expect(await ranOn(thread)).toEqual([{ ran: [ran] }]);
        const [record] = await store.get('interrupts', [{ ...keyOf(thread), id }]);
        expect(record?.doc['state']).toBe(approves(winner) ? 'resolved' : 'cancelled');
      });
    },
    LIMIT,
  );

  it(
    'an interrupt that is withdrawn and approved at the same moment is either approved and run, or withdrawn and not run',
    async () => {
      await rounds('withdraw', async (thread, n) => {
        const [id = ''] = await raise(thread);
        const approves = (index: number) => (index + n) % 2 === 0;
        const results = await race((index) =>
          approves(index)
            ? { type: 'answer', thread, entry: approval(id) }
            : { type: 'withdraw', thread, interruptId: id },
        );
        const winner = results.findIndex(({ type }) => type === 'started');
        const isWithdrawn = winner === -1;
        results.forEach(({ type, by }, index) => {
          if (index === winner) return;
          if (approves(index) !== isWithdrawn)
            expect(isWithdrawn ? ['withdrawn'] : ['follow', 'as-is']).toContain(type);
          else expect([type, by]).toEqual(['INTERRUPT_CONFLICT', isWithdrawn ? 'asker' : nameOf(winner)]);
        });
        expect(await historyOf(thread, 'withdrawn')).toHaveLength(isWithdrawn ? 1 : 0);
        const [record] = await store.get('interrupts', [{ ...keyOf(thread), id }]);
        expect(record?.doc['state']).toBe(isWithdrawn ? 'answered' : 'resolved');
        const approved = [{ ran: [{ status: 'resolved', payload: { approved: true } }] }];
        expect(await ranOn(thread)).toEqual(isWithdrawn ? [] : approved);
      });
    },
    LIMIT,
  );

  it(
    'several processes that sweep many interrupts end each interrupt once',
    async () => {
      await rounds('sweep', async (thread, n) => {
        const expiresAt = await store.now();
        const onExpire = (['keep', 'cancel', 'deny'] as const)[n % 3] ?? 'keep';
        const threads = [`${thread}-a`, `${thread}-b`, `${thread}-c`];
        const raised = await Promise.all(
          threads.map((one, index) => raise(one, { many: [1, 3, 12][index] ?? 1, expiresAt, onExpire })),
        );
        const results = await race(() => ({ type: 'sweep' }));
        expect(endedBy(results)).toBe(raised.flat().length);
        const what = { keep: 'expired', cancel: 'cancelled', deny: 'staged' } as const;
        for (const [index, one] of threads.entries()) {
          const entries = await historyOf(one, what[onExpire]);
          expect(entries.map(({ interruptId }) => interruptId).toSorted()).toEqual(raised[index]?.toSorted());
          expect(await verifyHistory(store, keyOf(one))).toBeUndefined();
          const ready = (await readThread(store, keyOf(one)))?.readyAt !== undefined;
          expect(ready).toBe(onExpire !== 'keep');
        }
      });
    },
    LIMIT,
  );

  it(
    'of several processes that continue a ready thread, one runs it',
    async () => {
      await rounds('ready', async (thread) => {
        const [id = ''] = await raise(thread);
        const principal = { id: 'ana', scope: 's' };
        await stageAnswer(store, { key: keyOf(thread), entry: approval(id), principal, via: 'inbox' });
        const results = await race(() => ({ type: 'continue', thread }));
        expect(types(results)).toEqual([...children.slice(1).map(() => 'as-is'), 'started']);
        expect(await ranOn(thread)).toEqual([{ ran: [{ status: 'resolved', payload: { approved: true } }] }]);
        expect(await historyOf(thread, 'claimed')).toHaveLength(1);
      });
    },
    LIMIT,
  );

  it(
    'of several processes that continue a lost run, one runs it, and the lost run can write nothing',
    async () => {
      await rounds('lost', async (thread) => {
        const { lease } = await begin(thread, 1);
        await until(
          async () =>
            (await store.now()) > ((await readThread(store, keyOf(thread)))?.active?.leaseUntil ?? 0),
        );
        const results = await race(() => ({ type: 'continue', thread }));
        expect(types(results)).toEqual([...children.slice(1).map(() => 'as-is'), 'started']);
        expect(await ranOn(thread)).toEqual([{ ran: [] }]);
        await expect(endRun(store, lease, { outcome: 'success' })).rejects.toMatchObject({
          code: 'RUN_LOST',
        });
        const { rows } = await store.list({ table: 'runs', ...keyOf(thread) });
        expect(rows.map(({ doc }) => doc['status'])).toEqual(['lost', 'success']);
      });
    },
    LIMIT,
  );

  it(
    'several processes that answer through generate run the tool once and get the same result',
    async () => {
      await rounds(
        'generate',
        async (thread) => {
          const first = children[0];
          if (first === undefined) throw new Error('There is no process.');
          const paused = await call<RacerResult>(first, { type: 'generate', thread });
          const [id = ''] = paused.response?.interruptIds ?? [];
          const results = await race(() => ({ type: 'generate', thread, entry: approval(id) }));
          for (const { response } of results)
            expect(response).toEqual({ finishReason: 'stop', text: 'Done.', interruptIds: [] });
          expect(paidFor(thread)).toHaveLength(1);
          expect(await verifyHistory(store, keyOf(thread))).toBeUndefined();
        },
        ANSWERED,
      );
    },
    LIMIT,
  );

  it(
    'processes that cancel and approve through generate run the tool once if it is approved, and not if it is cancelled',
    async () => {
      await rounds('generate-cancel', async (thread, n) => {
        const first = children[0];
        if (first === undefined) throw new Error('There is no process.');
        const paused = await call<RacerResult>(first, { type: 'generate', thread });
        const [id = ''] = paused.response?.interruptIds ?? [];
        const approves = (index: number) => (index + n) % 2 === 0;
        const results = await race((index) => ({
          type: 'generate',
          thread,
          entry: approves(index) ? approval(id) : cancellation(id),
        }));
        const approved = results.some(({ type }, index) => type === 'generated' && approves(index));
        results.forEach(({ type }, index) => {
          expect(type).toBe(approves(index) === approved ? 'generated' : 'INTERRUPT_CONFLICT');
        });
        expect(paidFor(thread)).toHaveLength(approved ? 1 : 0);
      });
    },
    LIMIT,
  );
});
