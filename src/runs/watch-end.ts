import type { RunSession, RunStatus } from '../ledger/index.ts';

/** A session that says once how its run ended: when the end is written, or as lost when it is given up without one. */
export function watchEnd(session: RunSession, onOutcome: (outcome: RunStatus) => void): RunSession {
  let isOver = false;
  const over = (outcome: RunStatus) => {
    if (isOver) return;
    isOver = true;
    onOutcome(outcome);
  };
  return {
    lease: session.lease,
    signal: session.signal,
    get cancelledBy() {
      return session.cancelledBy;
    },
    now: () => session.now(),
    keep: (change) => session.keep(change),
    async end(given) {
      await session.end(given);
      over(given.outcome);
    },
    assertHeld: () => session.assertHeld(),
    refresh: () => session.refresh(),
    abandon() {
      session.abandon();
      over('lost');
    },
    async handOver() {
      await session.handOver();
      over('lost');
    },
  };
}
