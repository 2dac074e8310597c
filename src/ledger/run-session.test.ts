import { describe, expect, it } from 'vitest';
import { HoldpointError, nextTurn } from '../core/index.ts';
import type { AgentStreamEvent } from '../protocol/index.ts';
import { EventType } from '../protocol/index.ts';
import { memoryStore } from '../store/memory/index.ts';
import type { Store } from '../store/index.ts';
import type { RunSession, RunStatus, ToLogItems } from './index.ts';
import { openSession } from './index.ts';
import { key, newInterrupt, started } from './testing-support/ledger-world.ts';

const say = (delta: string): AgentStreamEvent => ({
  type: EventType.TEXT_MESSAGE_CONTENT,
  messageId: 'm',
  delta,
});
const FINISHED: AgentStreamEvent = { type: EventType.RUN_FINISHED, threadId: 't', runId: 'r' };

/** Stores the parts of each event that identify it. */
const toItems: ToLogItems = (events) =>
  events.map((event) => ('delta' in event ? String(event.delta) : event.type));

/** A session with its log open, on a store that counts commits. */
async function setUp() {
  const inner = memoryStore();
  const commits = { count: 0 };
  const store = {
    ...inner,
    commit: (batch: Parameters<typeof inner.commit>[0]) => {
      commits.count += 1;
      return inner.commit(batch);
    },
  };
  const run = await started(store, { newMessages: ['hello'], leaseMs: 60_000 });
  commits.count = 0;
  const outcomes: RunStatus[] = [];
  const session = openSession(store, run, { onOutcome: (outcome) => outcomes.push(outcome) });
  const log = async () => (await store.read({ log: 'events', ...key })).map(({ item }) => item);
  return { session, emit: session.openLog(toItems), log, commits, outcomes };
}

describe('the event log of a session', () => {
  it('writes each event once, with the commit that follows it', async () => {
    const { session, emit, log, commits } = await setUp();
    emit(say('a'));
    emit(say('b'));
    while ((await log()).length === 0) await nextTurn();
    expect([await log(), commits.count]).toEqual([['a', 'b'], 1]);
    emit(say('c'));
    emit(say('d'));
    while (commits.count === 1) await nextTurn();
    await session.end({ outcome: 'success' });
    expect(await log()).toEqual(['a', 'b', 'c', 'd']);
  });

  it('writes events before a change with it, and later ones with the next', async () => {
    const { session, emit, log, commits } = await setUp();
    emit(say('a'));
    const kept = session.keep({ state: { n: 1 } });
    emit(say('b'));
    await kept;
    expect([await log(), commits.count]).toEqual([['a'], 1]);
    await session.end({ outcome: 'success' });
    expect(await log()).toEqual(['a', 'b']);
  });

  it('writes the final event together with the end', async () => {
    const { session, emit, log } = await setUp();
    emit(say('a'));
    emit(FINISHED);
    await session.keep({ state: { n: 1 } });
    expect(await log()).toEqual(['a']);
    await session.end({ outcome: 'success' });
    expect(await log()).toEqual(['a', 'RUN_FINISHED']);
  });

  it('writes the error instead of a rejected end', async () => {
    const { session, emit, log, outcomes } = await setUp();
    emit(FINISHED);
    const unnamed = session.end({ outcome: 'interrupt', raised: [newInterrupt('')] });
    await expect(unnamed).rejects.toMatchObject({ code: 'INPUT_INVALID' });
    await session.end({ outcome: 'error', error: { code: 'INPUT_INVALID', message: 'No id.' } });
    expect([await log(), outcomes]).toEqual([['RUN_ERROR'], ['error']]);
  });

  it('reports the outcome once: lost after a hand-over, and nothing after the end', async () => {
    const given = await setUp();
    given.session.abandon();
    await given.session.handOver();
    expect(given.outcomes).toEqual(['lost']);
    const ended = await setUp();
    await ended.session.end({ outcome: 'success' });
    ended.session.abandon();
    expect(ended.outcomes).toEqual(['success']);
  });
});

describe('a run whose id another run has taken', () => {
  /** Two sessions with one run id: the lease of the first has ended, and the second holds the thread. */
  async function twoSessions(onFirstCommit: (second: RunSession) => Promise<void>) {
    const time = { value: 0 };
    const inner = memoryStore({ clock: { now: () => time.value } });
    let takeOver: (() => Promise<void>) | undefined;
    const store: Store = {
      ...inner,
      async commit(batch) {
        const begin = takeOver;
        takeOver = undefined;
        await begin?.();
        return inner.commit(batch);
      },
    };
    const first = openSession(store, await started(store, { runId: 'r', newMessages: ['hello'] }));
    takeOver = async () => {
      time.value = 5000;
      const claim = await started(store, { runId: 'r', continues: 'on-request' });
      await onFirstCommit(openSession(store, claim));
    };
    return first;
  }

  it('fails to write with the epoch of the first', async () => {
    const first = await twoSessions(async () => undefined);
    await expect(first.keep({ state: { n: 1 } })).rejects.toMatchObject({ code: 'RUN_LOST' });
  });

  it('does not take a commit of the other run for its own, which failed with an unknown outcome', async () => {
    const first = await twoSessions(async (second) => {
      await second.keep({ state: { n: 2 } });
      throw new HoldpointError('STORE_FAILED', 'The connection was cut.');
    });
    await expect(first.keep({ state: { n: 1 } })).rejects.toMatchObject({ code: 'RUN_LOST' });
  });
});
