import type { ResumeEntry } from '../../protocol/index.ts';
import { isRecord, ownMember } from '../../core/basics/index.ts';
import { isApproved } from './is-approved.ts';
import type { QuestionKind } from './question-kinds.ts';

/** The result a call gets when nobody will answer its question. */
export const CANCELLED_TEXT = 'Cancelled: nobody answered.';

/** The result a call gets when a person said no. */
export function rejectionText(reason: string | undefined): string {
  return reason === undefined || reason === ''
    ? 'Tool call invocation rejected.'
    : `Tool call invocation rejected. ${reason}`;
}

/** What an answer does to the call that asked. */
export type AnswerEffect =
  /** The body runs, with this as `ctx.resumed`, and with other arguments when they were edited. */
  | { readonly type: 'run'; readonly resumed: unknown; readonly editedArgs?: unknown }
  /** A person said no: the tool does not run, and the model is told. */
  | { readonly type: 'rejected'; readonly reason: string | undefined }
  /** The call's result is this value. */
  | { readonly type: 'output'; readonly value: unknown }
  /** The body runs again with its journal, in which this is the answer. */
  | { readonly type: 'replay'; readonly value: unknown }
  /** The body runs again with its answers and without its steps. */
  | { readonly type: 'replay-answers' }
  /** A call or a step that nobody knew the end of was done, and this is what it gave. */
  | { readonly type: 'finished'; readonly value: unknown }
  | { readonly type: 'abort' }
  | { readonly type: 'cancelled' };

/** The table of the kinds of question: what each answer to each of them does. */
export function answerEffect(kind: QuestionKind, entry: ResumeEntry): AnswerEffect {
  if (entry.status === 'cancelled') return { type: 'cancelled' };
  const payload: unknown = entry.payload ?? null;
  switch (kind) {
    case 'approval':
      return approvalEffect(payload);
    case 'respond':
      return { type: 'output', value: payload };
    case 'restart':
      return withEdits({ type: 'run', resumed: payload }, payload);
    case 'ask':
      return { type: 'replay', value: payload };
    case 'recovery':
      return recoveryEffect(payload);
  }
}

function approvalEffect(payload: unknown): AnswerEffect {
  if (isApproved(payload)) return withEdits({ type: 'run', resumed: payload }, payload);
  const reason = isRecord(payload) ? ownMember(payload, 'reason') : undefined;
  return { type: 'rejected', reason: typeof reason === 'string' ? reason : undefined };
}

function recoveryEffect(payload: unknown): AnswerEffect {
  const answer = isRecord(payload) ? payload : {};
  switch (ownMember(answer, 'action')) {
    case 'retry':
      return withEdits({ type: 'run', resumed: undefined }, answer);
    case 'restart':
      return { type: 'replay-answers' };
    case 'finished':
      return { type: 'finished', value: ownMember(answer, 'result') ?? null };
    case 'skip':
      return { type: 'output', value: ownMember(answer, 'result') ?? null };
    case 'abort':
      return { type: 'abort' };
    default:
      return { type: 'cancelled' };
  }
}

function withEdits(effect: Extract<AnswerEffect, { type: 'run' }>, payload: unknown): AnswerEffect {
  const editedArgs = isRecord(payload) ? ownMember(payload, 'editedArgs') : undefined;
  return editedArgs === undefined ? effect : { ...effect, editedArgs };
}
