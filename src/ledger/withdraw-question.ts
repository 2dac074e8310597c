import { HoldpointError } from '../core/index.ts';
import type { Store } from '../store/index.ts';
import { cancelledAnswer } from './cancelled-answer.ts';
import type { ThreadKey } from './records.ts';
import type { Staged } from './stage-answer.ts';
import { keepAnswers } from './stage-answer.ts';
import { workOnThread } from './thread-work.ts';

/** Who withdraws where nobody says who it is. */
const SERVER = 'holdpoint';

/**
 * Takes an open question back, for the agent or the server that asked it. It counts as cancelled; when it was the last one
 * without an answer, the thread is ready to go on, in the same commit. Once more changes nothing. Throws `INTERRUPT_UNKNOWN`,
 * or `INTERRUPT_CONFLICT` for a question that has an answer: whoever gave it was first.
 */
export function withdrawQuestion(
  store: Store,
  withdrawal: {
    readonly key: ThreadKey;
    readonly interruptId: string;
    readonly reason?: string;
    readonly by?: string;
  },
): Promise<Staged> {
  const { key, interruptId, reason, by = SERVER } = withdrawal;
  return workOnThread(store, { key, interruptIds: [interruptId] }, async (view) => {
    const { thread, now } = view;
    const record = view.interrupts.get(interruptId);
    if (thread === undefined || record === undefined) {
      throw new HoldpointError('INTERRUPT_UNKNOWN', `The thread has no question ${interruptId}.`);
    }
    const isOpen = record.state === 'pending' || record.state === 'expired';
    if (!isOpen && record.answer?.status === 'cancelled') return keepAnswers(view, thread, new Map());
    if (!isOpen) {
      throw new HoldpointError(
        'INTERRUPT_CONFLICT',
        `The question ${interruptId} is already ${record.state}.`,
        {
          details: { interruptId, state: record.state },
        },
      );
    }
    const answer = cancelledAnswer({ by, at: now, via: 'in-process', reason });
    const { change, result } = keepAnswers(view, thread, new Map([[interruptId, { answer }]]));
    if (change === undefined) return { result };
    const why = reason === undefined ? {} : { reason };
    const latency = now - record.raisedAt;
    const fact = { what: 'withdrawn' as const, interruptId, at: now, by, ...why, latency };
    return { change: { ...change, history: [fact] }, result };
  });
}
