import type { ErrorCode } from '../../core/index.ts';
import { HoldpointError, pointerTokens } from '../../core/index.ts';
import { type Text, translate, translateSentence } from '../base/strings.ts';
import { visibleText } from '../base/visible-text.ts';
import { toWords } from '../base/words.ts';

/** For each error code: what happened and what to do. */
const SENTENCES: Partial<Readonly<Record<ErrorCode, Text>>> = {
  INTERRUPT_CONFLICT: 'Another answer came first. It counts; nothing was done twice.',
  INTERRUPT_EXPIRED: 'This request has expired. Ask again, or cancel it.',
  INTERRUPT_UNKNOWN: 'This request does not exist, or you may not see it.',
  INTERRUPTS_UNANSWERED:
    'Other requests of this conversation are still open. Answer them too; all answers are sent together.',
  INTERRUPTS_PENDING: 'A request is open. Answer it, or cancel it and send your message.',
  RUN_CONFLICT: 'The agent is working on this conversation. Wait until it has finished, then try again.',
  RUN_LOST: 'The server could not be reached. Try again.',
  STORE_FAILED: 'The server cannot store anything right now. Try again in a moment.',
  UNAVAILABLE: 'The server is restarting. Try again in a moment.',
  RATE_LIMITED: 'Too many requests. Wait a moment and try again.',
  UNAUTHENTICATED: 'You are no longer signed in. Sign in and try again.',
  FORBIDDEN: 'You are not allowed to do this. Ask a person who is.',
  ANSWER_FORBIDDEN: 'You are not allowed to answer this request. Another person has to.',
  THREAD_UNKNOWN: 'This conversation does not exist. Start a new one.',
  AGENT_UNKNOWN: 'This agent does not exist. Choose another one.',
  TOO_LARGE: 'The message is too large. Send less.',
  MODEL_FAILED: 'The model failed. Try again.',
  INTERNAL: 'Something went wrong on the server. Try again.',
};

/** The same for a person who has entered something. */
const SENTENCES_WITH_INPUT: Partial<Readonly<Record<ErrorCode, Text>>> = {
  RUN_LOST: 'The server could not be reached. What you entered is kept; try again.',
  STORE_FAILED:
    'The server cannot store anything right now. What you entered is kept; try again in a moment.',
  UNAVAILABLE: 'The server is restarting. What you entered is kept; try again in a moment.',
};

/** The same for the answer to a request that was open on the page. */
const SENTENCES_ABOUT_ANSWER: Partial<Readonly<Record<ErrorCode, Text>>> = {
  INTERRUPT_UNKNOWN: 'This request is no longer open. Reload the page to see the conversation.',
};

/**
 * One sentence for a person. For an invalid answer, the sentence names the field. `hasInput`: the page keeps what the person
 * has entered, and the sentence says so. `isAnswer`: the answer to a request that was open has failed. Default of both: false.
 */
export function errorSentence(
  error: unknown,
  { hasInput = false, isAnswer = false }: { readonly hasInput?: boolean; readonly isAnswer?: boolean } = {},
): string {
  if (!HoldpointError.is(error)) return translate('Something went wrong. Try again.');
  if (error.code === 'ANSWER_INVALID') {
    const [issue] = error.issues;
    return issue === undefined
      ? translate('The answer does not have the requested form. Change it and send it again.')
      : translate(
          'The answer does not have the requested form: {0}.',
          visibleText([...placeWords(issue.pointer), issue.message.replace(/\.$/, '')].join(': ')),
        );
  }
  if (error.details?.['isUnsent'] === true)
    return translate('This page was left before your answer was sent. Retry sends it.');
  const known =
    (isAnswer ? SENTENCES_ABOUT_ANSWER[error.code] : undefined) ??
    (hasInput ? SENTENCES_WITH_INPUT[error.code] : undefined) ??
    SENTENCES[error.code];
  return known === undefined ? translateSentence(error.message) : translate(known);
}

/** The field of a pointer as a form labels it: "Address › City". Edited arguments have the labels of their own form. */
function placeWords(pointer: string): readonly string[] {
  const names = (pointerTokens(pointer) ?? []).filter((name, index) => index > 0 || name !== 'editedArgs');
  return names.length === 0 ? [] : [names.map(toWords).join(' › ')];
}
