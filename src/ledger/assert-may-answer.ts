import type { AnswerToCheck } from './check-answer.ts';
import { checkAnswer } from './check-answer.ts';

/**
 * Whether somebody may decide about an open question, whatever they would say: what holds for cancelling it. Throws
 * `ANSWER_FORBIDDEN`, or `INTERRUPT_CONFLICT` for a question that is over or has another's answer.
 */
export async function assertMayAnswer(
  asked: Pick<AnswerToCheck, 'record' | 'principal' | 'mayAnswer' | 'key'>,
): Promise<void> {
  const entry = { interruptId: asked.record.interrupt.id, status: 'cancelled' as const };
  await checkAnswer({ ...asked, entry, now: 0, via: 'inbox' });
}
