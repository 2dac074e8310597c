import type { HistoryFacts } from './history-chain.ts';
import type { NewAnswer } from './check-answer.ts';
import type { ThreadView } from './thread-view.ts';

/** The history of answers that were given just now. */
export function stagedFacts(view: ThreadView, answers: ReadonlyMap<string, NewAnswer>): HistoryFacts[] {
  return [...answers].map(([interruptId, { answer }]) => {
    const { status, payload, by, at, via } = answer;
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
