import { isRecord, ownMember } from '../../core/index.ts';
import type { ResumeEntry } from '../../protocol/index.ts';
import { InterruptReason } from '../../protocol/interrupts/interrupt.ts';
import { isApproved } from './approval-rules.ts';

/**
 * What raised an interrupt; it decides the effect of an answer. The record of the interrupt has the kind, never the
 * answer.
 */
export type InterruptKind = 'approval' | 'respond' | 'restart' | 'ask' | 'recovery';

/** How a program answers in process. */
export type ReplyMethod = 'approve' | 'reject' | 'respond' | 'restart' | 'answer' | 'recover' | 'cancel';

interface KindRule {
  /** Default reason of an interrupt of this kind. */
  readonly reason: string;
  /** Methods that answer the interrupt, besides `cancel`. */
  readonly methods: readonly ReplyMethod[];
}

/** The rules of each kind. */
export const INTERRUPT_KINDS: Readonly<Record<InterruptKind, KindRule>> = {
  approval: { reason: InterruptReason.ToolCall, methods: ['approve', 'reject'] },
  respond: { reason: InterruptReason.InputRequired, methods: ['respond'] },
  restart: { reason: InterruptReason.Confirmation, methods: ['restart', 'respond'] },
  ask: { reason: InterruptReason.InputRequired, methods: ['answer'] },
  recovery: { reason: InterruptReason.ErrorRecovery, methods: ['recover'] },
};

/** How an interrupt was cancelled. */
export interface Cancellation {
  /** The person who cancelled it; absent if it expired. */
  readonly by?: { readonly id: string } | undefined;
  /** Whether its asker took it back. */
  readonly isWithdrawn?: boolean | undefined;
  /** The reason that the person gave. */
  readonly reason?: string | undefined;
}

/** The result of a call whose interrupt expired, or was cancelled or withdrawn. */
export function cancelledText({ by, isWithdrawn = false, reason = '' }: Cancellation = {}): string {
  const unanswered = by === undefined ? 'Cancelled: nobody answered.' : `Cancelled by ${by.id}.`;
  const text = isWithdrawn ? 'Withdrawn by the asker.' : unanswered;
  return reason === '' ? text : `${text} ${reason}`;
}

/** The result of a call that a person rejected. */
export function rejectionText(reason: string | undefined): string {
  return reason === undefined || reason === ''
    ? 'Tool call invocation rejected.'
    : `Tool call invocation rejected. ${reason}`;
}

/** The results of calls in doubt about which a person decided without a result, so that the model does not repeat them. */
export const DECIDED_TEXTS = {
  finished: 'A person confirmed that the call was made. Its result is not known.',
  skip: 'A person decided to continue without this call. It has no result.',
  abort: 'Aborted.',
} as const;

/** The effect of an answer on the call that raised the interrupt. */
export type AnswerEffect =
  /** The body runs with `ctx.resumed` set to this value, and with edited arguments if there are any. */
  | { readonly type: 'run'; readonly resumed: unknown; readonly editedArgs?: unknown }
  /** A person rejected the call: the tool does not run, and the model receives the rejection. */
  | { readonly type: 'rejected'; readonly reason: string | undefined }
  /** The result of the call is this value. */
  | { readonly type: 'output'; readonly value: unknown }
  /** The body runs again with its journal, which now contains this answer. */
  | { readonly type: 'replay'; readonly value: unknown }
  /** The body runs again with its recorded answers and without its recorded steps. */
  | { readonly type: 'replay-answers' }
  /** The outcome of a call or a step was unknown; the call was completed with this result. */
  | { readonly type: 'finished'; readonly value: unknown }
  | { readonly type: 'abort' }
  | { readonly type: 'cancelled' };

/**
 * The effect of each answer to each kind of interrupt.
 *
 * @example
 * ```ts
 * import { answerEffect } from 'holdpoint/content';
 *
 * const effect = answerEffect('approval', { interruptId: 'i1', status: 'resolved', payload: { approved: true } });
 * console.log(effect.type); // 'run'
 * ```
 */
export function answerEffect(kind: InterruptKind, entry: ResumeEntry): AnswerEffect {
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
