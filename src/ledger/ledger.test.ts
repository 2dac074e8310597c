import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../test/size.ts';
import type { Clock, JsonObject } from '../core/index.ts';
import type { Interrupt, ResumeEntry } from '../protocol/index.ts';
import type { ListQuery, Store } from '../store/index.ts';
import { findBrokenEntry } from '../store/index.ts';
import { memoryStore } from '../store/memory/index.ts';
import { sqliteStore } from '../store/sqlite/index.ts';
import type { BeginResult, EndRun, MayAnswer, Principal, RaisedInterrupt } from './index.ts';
import { expireDue, openSession } from './index.ts';
import type { RunBy } from './testing-support/as-operator.ts';
import {
  adoptInterrupts,
  askAgain,
  beginRun,
  lookAtThread,
  openInterrupts,
  readHistory,
  readThread,
  stageAnswer,
  verifyHistory,
} from './testing-support/as-operator.ts';
import { bound } from './testing-support/bound-store.ts';
import { endRun } from './testing-support/end-run.ts';

const key = { scope: 's', thread: 't' };
const ana = { id: 'ana', scope: 's' };
const bob = { id: 'bob', scope: 's', roles: ['boss'] };
const approvalSchema = {
  type: 'object',
  properties: { approved: { type: 'boolean' } },
  required: ['approved'],
};
const newInterrupt = (id: string, rest: Partial<Interrupt> = {}): RaisedInterrupt => ({
  interrupt: { id, reason: 'tool_call', responseSchema: approvalSchema, ...rest },
});
const yes = (interruptId: string): ResumeEntry => ({
  interruptId,
  status: 'resolved',
  payload: { approved: true },
});
const no = (interruptId: string): ResumeEntry => ({
  interruptId,
  status: 'resolved',
  payload: { approved: false },
});
const cancelled = (interruptId: string): ResumeEntry => ({ interruptId, status: 'cancelled' });

let ids = 0;
const newId = () => `id-${(ids += 1)}`;

function begin(store: Store, rest: Partial<RunBy> = {}): Promise<BeginResult> {
  const base = {
    key,
    agent: 'a',
    principal: ana,
    entries: [],
    newMessages: [],
    via: 'ag-ui' as const,
    leaseMs: 1000,
  };
  return beginRun(store, { ...base, runId: newId(), ...rest });
}

async function started(
  store: Store,
  rest: Partial<RunBy> = {},
): Promise<Extract<BeginResult, { type: 'started' }>> {
  const begun = await begin(store, rest);
  if (begun.type !== 'started') throw new Error(`expected a run, found ${begun.type}`);
  return begun;
}

function end(store: Store, run: Extract<BeginResult, { type: 'started' }>, rest: Partial<EndRun> = {}) {
  return endRun(store, run.lease, { outcome: 'success', batch: newId(), ...rest });
}

/** A thread with an open batch of these interrupts. */
async function waiting(store: Store, raised: readonly RaisedInterrupt[]): Promise<void> {
  const run = await started(store, { newMessages: ['hello'] });
  await end(store, run, { outcome: 'interrupt', raised, turn: { saved: true }, messages: ['asked'] });
}

const STORES: Readonly<Record<string, (options?: { readonly clock: Clock }) => Store>> = {
  memory: (options) => memoryStore(options),
  sqlite: (options) => sqliteStore(':memory:', options),
};

describe.each(Object.entries(STORES))('over the store %s', (_name, create) => {
  describe('an interrupt in the ledger', () => {
    it('an interrupt in the ledger is stored with its checkpoint and listed in order', async () => {
      const store = create();
      await waiting(store, [newInterrupt('q1'), newInterrupt('q2')]);
      expect((await openInterrupts(store, key)).map(({ interrupt }) => interrupt.id)).toEqual(['q1', 'q2']);
      expect(await readThread(store, key)).toMatchObject({
        turn: { saved: true },
        batch: { interruptIds: ['q1', 'q2'] },
      });
      expect((await store.read({ log: 'messages', ...key })).map(({ item }) => item)).toEqual([
        'hello',
        'asked',
      ]);
    });

    it('an interrupt in the ledger is claimed once, together with all answers of its batch', async () => {
      const store = create();
      await waiting(store, [newInterrupt('q1'), newInterrupt('q2')]);
      await expect(begin(store, { entries: [yes('q1')] })).rejects.toMatchObject({
        code: 'INTERRUPTS_UNANSWERED',
      });
      const run = await started(store, { entries: [no('q2'), yes('q1')] });
      expect(run.answers).toEqual([yes('q1'), no('q2')]);
      expect(run.turn).toEqual({ saved: true });
      await end(store, run, { settled: ['q1', 'q2'] });
      expect(await openInterrupts(store, key)).toEqual([]);
      expect(await begin(store, { entries: [yes('q1'), no('q2')] })).toEqual({ type: 'as-is' });
    });

    it('an interrupt in the ledger needs an id, and an answer without an id answers no interrupt', async () => {
      const store = create();
      const run = await started(store, { newMessages: ['hello'] });
      const raised = { outcome: 'interrupt', batch: 'b' } as const;
      const unnamed = { code: 'INPUT_INVALID' };
      await expect(end(store, run, { ...raised, raised: [newInterrupt('')] })).rejects.toMatchObject(unnamed);
      const session = openSession(store, run);
      await expect(session.end({ ...raised, raised: [newInterrupt('')] })).rejects.toMatchObject(unnamed);
      await session.end({ ...raised, raised: [newInterrupt('q1')] });
      const unknown = { code: 'INTERRUPT_UNKNOWN' };
      await expect(begin(store, { entries: [yes('')] })).rejects.toMatchObject(unknown);
      const staged = stageAnswer(store, { key, entry: yes(''), principal: ana, via: 'inbox' });
      await expect(staged).rejects.toMatchObject(unknown);
      expect(await openInterrupts(store, key)).toMatchObject([{ state: 'pending' }]);
    });

    it('lets the same answer follow the run that claimed it', async () => {
      const store = create();
      await waiting(store, [newInterrupt('q1')]);
      const run = await started(store, { entries: [yes('q1')] });
      expect(await begin(store, { entries: [yes('q1')] })).toEqual({
        type: 'follow',
        runId: run.lease.runId,
      });
      await expect(begin(store, { entries: [no('q1')], principal: bob })).rejects.toMatchObject({
        code: 'INTERRUPT_CONFLICT',
        details: { by: 'ana', answer: { status: 'resolved', payload: { approved: true } } },
      });
      await expect(begin(store, { newMessages: ['more'] })).rejects.toMatchObject({ code: 'RUN_CONFLICT' });
    });

    it('is claimed on an earlier look at its thread, unless the thread has changed since', async () => {
      const store = create();
      await waiting(store, [newInterrupt('q1')]);
      const look = await lookAtThread(store, key, ['q1']);
      const { runId } = (await started(store, { entries: [yes('q1')], look })).lease;
      expect(await begin(store, { entries: [yes('q1')], look })).toEqual({ type: 'follow', runId });
      const other = begin(store, { entries: [no('q1')], principal: bob, look });
      await expect(other).rejects.toMatchObject({ code: 'INTERRUPT_CONFLICT' });
    });

    it('is not claimed on a look at another database', async () => {
      const store = create();
      await waiting(store, [newInterrupt('q1')]);
      let reads = 0;
      const counted: Store = {
        ...bound(store),
        snapshot(asked) {
          reads += 1;
          return store.snapshot(asked);
        },
      };
      const look = await lookAtThread(counted, key, ['q1']);
      await expect(begin(counted, { entries: [yes('q2')], look })).rejects.toMatchObject({
        code: 'INTERRUPT_UNKNOWN',
      });
      expect(reads).toBe(1);
      const replaced: Store = { ...counted, incarnation: { id: 'another' } };
      await started(replaced, { entries: [yes('q1')], look });
      expect(reads).toBe(2);
    });

    it('shows the thread if its answer comes again during a later run', async () => {
      const store = create();
      await waiting(store, [newInterrupt('q1')]);
      const run = await started(store, { entries: [yes('q1')] });
      await end(store, run, { outcome: 'interrupt', raised: [newInterrupt('q2')], settled: ['q1'] });
      await started(store, { entries: [yes('q2')] });
      expect(await begin(store, { entries: [yes('q1')] })).toEqual({ type: 'as-is' });
      await expect(begin(store, { entries: [yes('q1')], newMessages: ['more'] })).rejects.toMatchObject({
        code: 'RUN_CONFLICT',
      });
    });

    it('an interrupt in the ledger is claimed by exactly one of many simultaneous answers, equal or different', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(fc.boolean(), { minLength: 2, maxLength: 12 }), async (approvals) => {
          const store = create();
          await waiting(store, [newInterrupt('q')]);
          const results = await Promise.allSettled(
            approvals.map((approved, n) =>
              begin(store, {
                entries: [approved ? yes('q') : no('q')],
                principal: { id: `p${n}`, scope: 's' },
                runId: `r${n}`,
              }),
            ),
          );
          const winners = results.flatMap((result, n) =>
            result.status === 'fulfilled' && result.value.type === 'started' ? [n] : [],
          );
          expect(winners).toHaveLength(1);
          const said = approvals[winners[0]!];
          results.forEach((result, n) => {
            if (n === winners[0]) return;
            if (approvals[n] === said)
              expect(result).toMatchObject({ value: { type: 'follow', runId: `r${winners[0]}` } });
            else expect(result).toMatchObject({ reason: { code: 'INTERRUPT_CONFLICT' } });
          });
        }),
        { numRuns: runs(30) },
      );
    });

    it('an answer {response: value} counts as the value where the schema takes the value and not the object', async () => {
      const email = { responseSchema: { type: 'string', format: 'email' } };
      const entry = (payload: unknown) => ({ interruptId: 'q', status: 'resolved' as const, payload });
      const wrapped = entry({ response: 'ana@example.com' });
      const store = create();
      await waiting(store, [newInterrupt('q', email)]);
      for (const wrong of [
        { response: 'ana' },
        { response: { approved: true } },
        { response: 'a@b.com', more: 1 },
      ])
        await expect(begin(store, { entries: [entry(wrong)] })).rejects.toMatchObject({
          code: 'ANSWER_INVALID',
        });
      expect((await started(store, { entries: [wrapped] })).answers).toEqual([entry('ana@example.com')]);
      expect(await begin(store, { entries: [entry('ana@example.com')] })).toMatchObject({ type: 'follow' });
      const open = create();
      await waiting(open, [newInterrupt('q', { responseSchema: { properties: { response: {} } } })]);
      expect((await started(open, { entries: [wrapped] })).answers).toEqual([wrapped]);
    });

    it('an interrupt in the ledger stays open after an invalid answer', async () => {
      const store = create();
      await waiting(store, [newInterrupt('q')]);
      for (const payload of [{ approved: 'yes' }, null, undefined]) {
        const entries = [{ interruptId: 'q', status: 'resolved' as const, payload }];
        await expect(begin(store, { entries })).rejects.toMatchObject({ code: 'ANSWER_INVALID' });
      }
      expect(await started(store, { entries: [yes('q')] })).toBeDefined();
    });

    it('rejects new messages unless it is cancelled with them', async () => {
      const store = create();
      await waiting(store, [newInterrupt('q1'), newInterrupt('q2')]);
      await expect(begin(store, { newMessages: ['x'] })).rejects.toMatchObject({
        code: 'INTERRUPTS_PENDING',
      });
      expect(await begin(store)).toEqual({ type: 'as-is' });
      const run = await started(store, {
        entries: [cancelled('q1'), cancelled('q2')],
        newMessages: ['never mind'],
      });
      expect(run.answers.map(({ status }) => status)).toEqual(['cancelled', 'cancelled']);
      expect(run.input).toEqual(['never mind']);
      expect((await readThread(store, key))?.input).toEqual(['never mind']);
    });

    it('an interrupt of another thread or scope is unknown', async () => {
      const store = create();
      await waiting(store, [newInterrupt('q')]);
      for (const other of [
        { scope: 's', thread: 'other' },
        { scope: 'other', thread: 't' },
      ]) {
        await expect(begin(store, { key: other, entries: [yes('q')] })).rejects.toMatchObject({
          code: 'INTERRUPT_UNKNOWN',
        });
      }
      const run = await started(store, { entries: [yes('q'), yes('nonsense')] });
      expect(run.warnings).toEqual(['The thread has no interrupt nonsense.']);
    });

    it('an interrupt in the ledger can be answered only by its approvers', async () => {
      const store = create();
      await waiting(store, [{ ...newInterrupt('q'), approvers: { roles: ['boss'] } }]);
      await expect(begin(store, { entries: [yes('q')] })).rejects.toMatchObject({ code: 'ANSWER_FORBIDDEN' });
      expect(await started(store, { entries: [yes('q')], principal: bob })).toBeDefined();
    });

    it('an interrupt in the ledger cannot be answered by its asker with notAsker', async () => {
      const store = create();
      await waiting(store, [{ ...newInterrupt('q'), approvers: { notAsker: true } }]);
      await expect(begin(store, { entries: [yes('q')] })).rejects.toMatchObject({ code: 'ANSWER_FORBIDDEN' });
      expect(await started(store, { entries: [yes('q')], principal: bob })).toBeDefined();
    });

    it('an interrupt in the ledger is staged with uncovered: reinterrupt, and the rest is asked again', async () => {
      const store = create();
      await waiting(store, [newInterrupt('q1'), newInterrupt('q2')]);
      const some = await begin(store, { entries: [yes('q1')], uncovered: 'reinterrupt' });
      expect(some).toEqual({ type: 'staged', open: ['q2'] });
      expect((await openInterrupts(store, key)).map(({ interrupt }) => interrupt.id)).toEqual(['q2']);
      expect((await started(store, { entries: [no('q2')] })).answers).toEqual([yes('q1'), no('q2')]);
    });

    it('opens again if its call never started', async () => {
      const store = create();
      await waiting(store, [newInterrupt('q1'), newInterrupt('q2')]);
      const run = await started(store, { entries: [yes('q1'), yes('q2')] });
      const error = { code: 'TOOL_UNKNOWN', message: 'x' };
      await end(store, run, { outcome: 'error', error, release: true });
      expect((await openInterrupts(store, key)).map(({ interrupt }) => interrupt.id)).toEqual(['q1', 'q2']);
      expect((await started(store, { entries: [no('q1'), no('q2')] })).answers).toEqual([no('q1'), no('q2')]);
    });

    it('keeps its answer if the run fails, and the turn continues without a new one', async () => {
      const store = create();
      await waiting(store, [newInterrupt('q1'), newInterrupt('q2')]);
      const run = await started(store, { entries: [yes('q1'), no('q2')] });
      const error = { code: 'MODEL_FAILED', message: 'x' };
      await end(store, run, { outcome: 'error', error, settled: ['q1'] });
      expect(await openInterrupts(store, key)).toEqual([]);
      const again = await started(store);
      expect(again).toMatchObject({ recovers: true, turn: { saved: true }, answers: [no('q2')] });
    });
  });

  describe('an answer from the inbox', () => {
    const stage = (store: Store, entry: ResumeEntry, principal = ana) =>
      stageAnswer(store, { key, entry, principal, via: 'inbox' });

    it('waits for the rest of the batch, and the last one makes the thread ready', async () => {
      const store = create();
      await waiting(store, [newInterrupt('q1'), newInterrupt('q2')]);
      expect(await stage(store, yes('q1'))).toEqual({ state: 'staged', open: ['q2'] });
      expect((await store.list({ table: 'threads', status: ['ready'] })).rows).toEqual([]);
      expect(await stage(store, no('q2'))).toEqual({ state: 'complete', open: [] });
      expect((await store.list({ table: 'threads', status: ['ready'] })).rows).toMatchObject([{ key }]);
    });

    it('an answer from the inbox is recorded with payload, author, way and latency', async () => {
      const time = { value: 1000 };
      const store = create({ clock: { now: () => time.value } });
      await waiting(store, [newInterrupt('q1'), newInterrupt('q2')]);
      const payload = { approved: true, editedArgs: { amount: 3 } };
      time.value = 1250;
      await stage(store, { interruptId: 'q1', status: 'resolved', payload });
      time.value = 1900;
      await stage(store, cancelled('q2'), bob);
      const said = { via: 'inbox', status: 'resolved', payload };
      expect((await readHistory(store, key)).slice(2)).toMatchObject([
        { what: 'staged', interruptId: 'q1', at: 1250, by: 'ana', ...said, latency: 250 },
        { what: 'cancelled', interruptId: 'q2', at: 1900, by: 'bob', status: 'cancelled', latency: 900 },
      ]);
    });

    it('an answer from the inbox can be repeated, and changed only by its author until the claim', async () => {
      const store = create();
      await waiting(store, [newInterrupt('q')]);
      await stage(store, yes('q'));
      await stage(store, yes('q'), bob);
      await expect(stage(store, no('q'), bob)).rejects.toMatchObject({
        code: 'INTERRUPT_CONFLICT',
        details: { by: 'ana' },
      });
      await stage(store, no('q'));
      expect((await readHistory(store, key)).map(({ what }) => what)).toEqual(['raised', 'staged', 'staged']);
    });
  });

  it('a run reads and decides again if a staged answer changed during its read', async () => {
    const store = create();
    await waiting(store, [newInterrupt('q1'), newInterrupt('q2'), newInterrupt('q3')]);
    const change = (entry: ResumeEntry) => stageAnswer(store, { key, entry, principal: ana, via: 'inbox' });
    await change(yes('q2'));
    let reads = 0;
    const torn: Store = {
      ...bound(store),
      async snapshot(wanted) {
        const found = await store.snapshot(wanted);
        reads += 1;
        if (reads === 1) await change(no('q2'));
        return found;
      },
    };
    const entries = [yes('q1'), yes('q2')];
    await expect(begin(torn, { entries, principal: bob, uncovered: 'reinterrupt' })).rejects.toMatchObject({
      code: 'INTERRUPT_CONFLICT',
    });
    expect(reads).toBe(2);
  });

  it('adopts interrupts that an agent holds open, unless the thread waits or runs', async () => {
    const store = create();
    const adopt = (id: string) => {
      const { interrupt } = newInterrupt(id);
      return adoptInterrupts(store, {
        key,
        agent: 'a',
        principal: ana,
        interrupts: [interrupt],
        batch: newId(),
      });
    };
    const run = await started(store, { newMessages: ['hello'] });
    expect(await adopt('early')).toBe(false);
    await end(store, run, { outcome: 'interrupt', raised: [newInterrupt('q')], turn: { saved: true } });
    expect(await adopt('beside')).toBe(false);
    const next = await started(store, { entries: [yes('q')] });
    await end(store, next, { outcome: 'error', error: { code: 'MODEL_FAILED', message: 'x' } });
    expect(await adopt('unfinished')).toBe(false);
    await end(store, await started(store), { settled: ['q'], turn: null });
    expect([await adopt('held'), await adopt('held')]).toEqual([true, false]);
    expect((await openInterrupts(store, key)).map(({ interrupt }) => interrupt.id)).toEqual(['held']);
  });

  describe('an expired interrupt', () => {
    const setUp = async (onExpire?: RaisedInterrupt['onExpire']) => {
      const time = { value: 0 };
      const store = create({ clock: { now: () => time.value } });
      const raised = newInterrupt('q', { expiresAt: new Date(100).toISOString() });
      await waiting(store, [onExpire === undefined ? raised : { ...raised, onExpire }]);
      return { store, time };
    };

    it('an expired interrupt can be cancelled or asked again, but not answered', async () => {
      const { store, time } = await setUp();
      time.value = 100;
      await expect(begin(store, { entries: [yes('q')] })).rejects.toMatchObject({
        code: 'INTERRUPT_EXPIRED',
      });
      const again = await askAgain(store, { key, interruptId: 'q', principal: bob, newId, expiresInMs: 50 });
      expect(again).toMatchObject({ metadata: { supersedes: 'q' }, expiresAt: new Date(150).toISOString() });
      await expect(begin(store, { entries: [yes('q')] })).rejects.toMatchObject({
        code: 'INTERRUPT_CONFLICT',
      });
      expect(await started(store, { entries: [yes(again.id)] })).toBeDefined();
      const other = await setUp();
      other.time.value = 100;
      expect(await started(other.store, { entries: [cancelled('q')], newMessages: ['x'] })).toBeDefined();
    });

    it('an expired interrupt is asked again with its own time or the default', async () => {
      const again = async (
        raised: RaisedInterrupt,
        options: { readonly interruptTtlMs?: number; readonly expiresInMs?: number } = {},
      ) => {
        const time = { value: 40 };
        const store = create({ clock: { now: () => time.value } });
        await waiting(store, [raised]);
        time.value = 1000;
        const first = await askAgain(store, { key, interruptId: 'q', principal: ana, newId, ...options });
        time.value = 2000;
        const id = first.id;
        const second = await askAgain(store, { key, interruptId: id, principal: ana, newId, ...options });
        expect((await openInterrupts(store, key))[0]?.interrupt).toEqual(second);
        return [first, second].map(({ expiresAt }) =>
          expiresAt === undefined ? undefined : Date.parse(expiresAt),
        );
      };
      const timed = newInterrupt('q', { expiresAt: new Date(100).toISOString() });
      expect(await again(timed)).toEqual([1060, 2060]);
      expect(await again(timed, { interruptTtlMs: 500 })).toEqual([1060, 2060]);
      expect(await again(timed, { expiresInMs: 5 })).toEqual([1005, 2005]);
      const early = newInterrupt('q', { expiresAt: new Date(10).toISOString() });
      expect(await again(early, { interruptTtlMs: 500 })).toEqual([1500, 2500]);
      expect(await again(newInterrupt('q'))).toEqual([undefined, undefined]);
      expect(await again(newInterrupt('q'), { interruptTtlMs: 500 })).toEqual([1500, 2500]);
      const doubt = newInterrupt('q', { reason: 'error_recovery' });
      expect(await again(doubt, { interruptTtlMs: 500 })).toEqual([undefined, undefined]);
    });

    it('an expired interrupt can be asked again only by principals who may answer it', async () => {
      const store = create();
      await waiting(store, [{ ...newInterrupt('q'), approvers: { roles: ['boss'], notAsker: true } }]);
      const ask = (interruptId: string, principal: Principal, mayAnswer?: MayAnswer) =>
        askAgain(store, { key, interruptId, principal, newId, mayAnswer });
      const forbidden = { code: 'ANSWER_FORBIDDEN' };
      await expect(ask('q', { ...ana, roles: ['boss'] })).rejects.toMatchObject(forbidden);
      await expect(ask('q', { id: 'carl', scope: 's' })).rejects.toMatchObject(forbidden);
      await expect(ask('q', bob, () => false)).rejects.toMatchObject(forbidden);
      expect((await openInterrupts(store, key)).map(({ interrupt }) => interrupt.id)).toEqual(['q']);
      const { id } = await ask('q', bob, (record) => record.interrupt.id === 'q');
      await expect(begin(store, { entries: [yes(id)] })).rejects.toMatchObject(forbidden);
      expect(await started(store, { entries: [yes(id)], principal: bob })).toBeDefined();
    });

    it('an expired interrupt is ended once by concurrent sweeps', async () => {
      const { store, time } = await setUp();
      expect(await expireDue(store)).toBe(0);
      time.value = 200;
      const swept = await Promise.all(Array.from({ length: 5 }, () => expireDue(store)));
      expect(swept.reduce((sum, count) => sum + count, 0)).toBe(1);
      expect((await openInterrupts(store, key))[0]?.state).toBe('expired');
    });

    it.each([
      ['cancel' as const, { status: 'cancelled' }],
      ['deny' as const, { status: 'resolved', payload: { approved: false } }],
      [{ answer: { approved: true } }, { status: 'resolved', payload: { approved: true } }],
    ])('is answered by its onExpire rule %j', async (onExpire, expected) => {
      const { store, time } = await setUp(onExpire);
      time.value = 100;
      expect(await expireDue(store)).toBe(1);
      expect((await store.list({ table: 'threads', status: ['ready'] })).rows).toHaveLength(1);
      const [row] = await store.get('interrupts', [{ ...key, id: 'q' }]);
      expect(row?.doc).toMatchObject({
        state: 'answered',
        answer: { ...expected, by: 'holdpoint', via: 'expiry' },
      });
    });

    it('does not expire before its time, although a sweep has listed it', async () => {
      const { store, time } = await setUp('cancel');
      const eager = new Proxy(store, {
        get(target, name: keyof Store) {
          const member = target[name];
          if (name === 'list') return (query: ListQuery) => target.list({ ...query, dueBefore: 10_000 });
          return typeof member === 'function' ? member.bind(target) : member;
        },
      });
      time.value = 50;
      expect(await expireDue(eager)).toBe(0);
      expect((await openInterrupts(store, key))[0]?.state).toBe('pending');
    });

    it('does not expire after it was answered', async () => {
      const { store, time } = await setUp('cancel');
      await stageAnswer(store, { key, entry: yes('q'), principal: ana, via: 'inbox' });
      time.value = 500;
      expect(await expireDue(store)).toBe(0);
      expect((await started(store, { entries: [yes('q')] })).answers).toEqual([yes('q')]);
    });
  });

  describe('a run that lost its lease', () => {
    it('a run that was handed over continues at once with its pending writes', async () => {
      const store = create();
      const run = await started(store, { newMessages: ['x'], leaseMs: 60_000 });
      const session = openSession(store, run);
      // This pending write would renew the lease.
      const kept = session.keep({ messages: ['y'] });
      await session.handOver();
      await kept;
      await expect(session.keep({ messages: ['too late'] })).rejects.toMatchObject({ code: 'RUN_LOST' });
      expect((await started(store, { continues: 'background' })).recovers).toBe(true);
      expect((await store.read({ log: 'messages', ...key })).map(({ item }) => item)).toEqual(['x', 'y']);
      // The new owner keeps the lease.
      const { leaseUntil } = (await readThread(store, key))?.active ?? {};
      await session.handOver();
      expect((await readThread(store, key))?.active?.leaseUntil).toBe(leaseUntil);
    });

    it('a run that lost its lease cannot write after another run has taken over', async () => {
      const time = { value: 0 };
      const store = create({ clock: { now: () => time.value } });
      const stalled = await started(store, { newMessages: ['x'], leaseMs: 10 });
      await expect(begin(store, { newMessages: ['y'] })).rejects.toMatchObject({ code: 'RUN_CONFLICT' });
      time.value = 11;
      const other = await started(store, { newMessages: ['y'] });
      await expect(end(store, stalled, { messages: ['too late'] })).rejects.toMatchObject({
        code: 'RUN_LOST',
      });
      await end(store, other);
      expect((await store.read({ log: 'messages', ...key })).map(({ item }) => item)).toEqual(['x', 'y']);
    });
  });

  describe('the history', () => {
    it('records actor, time and way, and verifyHistory finds a change', async () => {
      const store = create();
      await waiting(store, [newInterrupt('q')]);
      await stageAnswer(store, { key, entry: yes('q'), principal: bob, via: 'inbox' });
      const run = await started(store, { entries: [yes('q')] });
      await end(store, run, { settled: ['q'] });
      const history = await readHistory(store, key);
      expect(history.map(({ what, by, via }) => [what, by, via])).toEqual([
        ['raised', undefined, undefined],
        ['staged', 'bob', 'inbox'],
        ['claimed', 'ana', undefined],
        ['settled', undefined, undefined],
      ]);
      expect(await verifyHistory(store, key)).toBeUndefined();
      const thread = await readThread(store, key);
      const broken = [
        history.map((entry, n) => (n === 1 ? { ...entry, by: 'eve' } : entry)),
        history.filter((_, n) => n !== 2),
        [history[0]!, history[2]!, history[1]!, history[3]!],
        history.slice(0, 3),
      ];
      const places = broken.map((entries) =>
        findBrokenEntry(entries as unknown as readonly JsonObject[], thread!.chain),
      );
      expect(places).toEqual([1, 2, 1, 3]);
    });
  });
});
