import { HoldpointError } from '../core/index.ts';
import type { Access } from './access.ts';
import { unknownInterrupt } from './access.ts';
import { eraseSecrets } from './kept-secrets.ts';
import type { InterruptRecord } from './records.ts';
import type { Decision } from './thread-change.ts';
import { workAs } from './thread-work.ts';

/**
 * Takes the caller's own answer back before a run claims it: the interrupt is pending again, and its thread waits for an
 * answer. Without an answer, it changes nothing. Throws `INTERRUPT_UNKNOWN`, `ANSWER_FORBIDDEN` for the answer of another
 * principal, and `INTERRUPT_CONFLICT` for an answer that a run has claimed.
 */
export function takeBackAnswer(access: Access<'answer'>, interruptId: string): Promise<void> {
  const by = access.principal.id;
  return workAs(access, [interruptId], (view): Decision<void> => {
    const { thread, now } = view;
    const record = view.interrupts.get(interruptId);
    if (thread === undefined || record === undefined) throw unknownInterrupt([interruptId]);
    const { answer, ...unanswered } = record;
    if (answer === undefined) return { result: undefined };
    if (record.state !== 'answered') {
      throw new HoldpointError(
        'INTERRUPT_CONFLICT',
        `The answer to ${interruptId} can no longer be taken back: the interrupt is ${record.state}.`,
        { details: { interruptId, state: record.state } },
      );
    }
    if (answer.by !== by) {
      throw new HoldpointError(
        'ANSWER_FORBIDDEN',
        `The answer to ${interruptId} is ${answer.by}'s: only they can take it back.`,
      );
    }
    const pending: InterruptRecord = { ...unanswered, state: 'pending' };
    const { thread: kept, deletes } = eraseSecrets(view.key, thread, (id) => id === interruptId);
    return {
      change: {
        thread: { ...kept, readyAt: undefined },
        interrupts: new Map([[interruptId, pending]]),
        history: [{ what: 'taken-back', interruptId, at: now, by, via: 'inbox' }],
        deletes,
      },
      result: undefined,
    };
  });
}
