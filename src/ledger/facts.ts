import type { HistoryFacts } from './history-chain.ts';
import type { GivenAnswer } from './records.ts';
import type { ThreadView } from './thread-work.ts';

/** The history of answers that were given just now. */
export function stagedFacts(view: ThreadView, answers: ReadonlyMap<string, GivenAnswer>): HistoryFacts[] {
  return [...answers].map(([interruptId, { status, payload, by, at, via }]) => {
    const raisedAt = view.interrupts.get(interruptId)?.raisedAt ?? at;
    return {
      what: status === 'cancelled' ? ('cancelled' as const) : ('staged' as const),
      interruptId,
      at,
      by,
      via,
      status,
      ...(payload === undefined ? {} : { payload }),
      latency: at - raisedAt,
    };
  });
}
