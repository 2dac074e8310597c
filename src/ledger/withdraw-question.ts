import { HoldpointError } from '../core/index.ts';
import type { Access } from './access.ts';
import { unknownInterrupt } from './access.ts';
import { cancelledAnswer } from './cancelled-answer.ts';
import type { Staged } from './stage-answer.ts';
import { keepAnswers } from './stage-answer.ts';
import { workAs } from './thread-work.ts';

/**
 * Takes an open question back, for the agent or the server that asked it. It counts as cancelled; when it was the last one
 * without an answer, the thread is ready to go on, in the same commit. Once more changes nothing. Throws `INTERRUPT_UNKNOWN`,
 * or `INTERRUPT_CONFLICT` for a question that has an answer: whoever gave it was first.
 */
export function withdrawQuestion(
  access: Access<never>,
  withdrawal: { readonly interruptId: string; readonly reason?: string },
): Promise<Staged> {
  const { interruptId, reason } = withdrawal;
  const by = access.principal.id;
  return workAs(access, [interruptId], async (view) => {
    const { thread, now } = view;
    const record = view.interrupts.get(interruptId);
    if (thread === undefined || record === undefined) throw unknownInterrupt([interruptId]);
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
