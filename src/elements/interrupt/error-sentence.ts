import type { ErrorCode } from '../../core/index.ts';
import { HoldpointError } from '../../core/index.ts';

/** What happened and what to do about it, by the code of an error. */
const SENTENCES: Partial<Readonly<Record<ErrorCode, string>>> = {
  INTERRUPT_CONFLICT: 'Somebody else answered this first. Their answer counts; nothing was done twice.',
  INTERRUPT_EXPIRED: 'This question has expired. Ask it again, or cancel it.',
  INTERRUPT_UNKNOWN: 'This question is no longer open. Reload to see where the conversation stands.',
  INTERRUPTS_UNANSWERED:
    'Other questions of this conversation are still open. Answer them, and all go together.',
  INTERRUPTS_PENDING: 'A question is open. Answer it, or cancel it and send your message.',
  RUN_CONFLICT: 'The agent is at work on this conversation. Wait until it is done, then try again.',
  RUN_LOST: 'The server could not be reached. What you entered is kept; try again.',
  STORE_FAILED:
    'The server cannot store anything right now. What you entered is kept; try again in a moment.',
  UNAVAILABLE: 'The server is restarting. What you entered is kept; try again in a moment.',
  RATE_LIMITED: 'That was too fast. Wait a moment and try again.',
  UNAUTHENTICATED: 'You are not signed in any more. Sign in and try again.',
  FORBIDDEN: 'You may not do this. Ask somebody who may.',
  ANSWER_FORBIDDEN: 'You may not answer this question. Somebody else has to.',
  THREAD_UNKNOWN: 'There is no such conversation. Start a new one.',
  AGENT_UNKNOWN: 'There is no such agent. Choose another one.',
  TOO_LARGE: 'That is too large. Send less.',
  MODEL_FAILED: 'The model failed. Try again.',
  INTERNAL: 'Something went wrong on the server. Try again.',
};

/** One sentence for a person. An answer that does not fit says where. */
export function errorSentence(error: unknown): string {
  if (!HoldpointError.is(error)) return 'Something went wrong. Try again.';
  if (error.code === 'ANSWER_INVALID') {
    const [issue] = error.issues;
    return issue === undefined
      ? 'The answer does not fit the question. Change it and send it again.'
      : `The answer does not fit: ${issue.pointer === '' ? '' : `${issue.pointer} `}${issue.message}.`;
  }
  return SENTENCES[error.code] ?? error.message;
}
