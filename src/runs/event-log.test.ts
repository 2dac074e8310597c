import { describe, expect, it } from 'vitest';
import { nextTurn } from '../core/index.ts';
import type { RunChange, RunSession } from '../ledger/index.ts';
import type { AgentStreamEvent } from '../protocol/index.ts';
import { EventType } from '../protocol/index.ts';
import { createEventLog } from './event-log.ts';

const say = (delta: string): AgentStreamEvent => ({
  type: EventType.TEXT_MESSAGE_CONTENT,
  messageId: 'm',
  delta,
});

/** A session that makes its commits when the test says so, as the real one does in a later turn. */
function createSession() {
  const queue: (RunChange | (() => RunChange))[] = [];
  const keep: RunSession['keep'] = async (change) => {
    queue.push(change);
  };
  const lease = { key: { scope: 's', thread: 't' }, runId: 'r', epoch: 1 };
  const session: RunSession = {
    lease,
    signal: new AbortController().signal,
    cancelledBy: undefined,
    now: () => 0,
    keep,
    end: (end) => keep(end),
    assertHeld: () => undefined,
    refresh: async () => undefined,
    abandon: () => undefined,
    handOver: async () => undefined,
  };
  const commit = () =>
    queue
      .splice(0)
      .flatMap((change) => (typeof change === 'function' ? change() : change).events ?? [])
      .map((event) => (event as { delta: unknown }).delta);
  return { session, commit, queued: () => queue.length };
}

describe('the log of a run', () => {
  it('writes what has come when the commit is made, once', async () => {
    const { session, commit, queued } = createSession();
    const log = createEventLog(session, { messageHead: 0, delayMs: 1 });
    log.write(say('a'));
    log.write(say('b'));
    expect(queued()).toBe(1);
    expect(commit()).toEqual(['a', 'b']);
    log.write(say('c'));
    expect(queued()).toBe(0);
    while (queued() === 0) await nextTurn();
    log.write(say('d'));
    expect(commit()).toEqual(['c', 'd']);
  });

  it('keeps the order where another write takes what is due before the commit', () => {
    const { session, commit } = createSession();
    const log = createEventLog(session, { messageHead: 0, delayMs: 1 });
    log.write(say('a'));
    void log.session.keep({ state: { n: 1 } });
    log.write(say('b'));
    // What came after the state was kept is not in the commit with it.
    expect(commit()).toEqual(['a']);
    void log.session.end({ outcome: 'success' });
    expect(commit()).toEqual(['b']);
  });
});
