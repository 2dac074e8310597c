import { InterruptReason } from '../../protocol/interrupts/reasons/index.ts';

/**
 * What raised a question, and with it what an answer does. The record of the question says which it is, never
 * the answer.
 */
export type QuestionKind = 'approval' | 'respond' | 'restart' | 'ask' | 'recovery';

/** How a program answers in process. */
export type ReplyMethod = 'approve' | 'reject' | 'respond' | 'restart' | 'answer' | 'recover' | 'cancel';

interface KindRule {
  /** The reason a question of this kind has when nobody names another. */
  readonly reason: string;
  /** What may answer it, besides a cancel. */
  readonly methods: readonly ReplyMethod[];
}

export const QUESTION_KINDS: Readonly<Record<QuestionKind, KindRule>> = {
  approval: { reason: InterruptReason.ToolCall, methods: ['approve', 'reject'] },
  respond: { reason: InterruptReason.InputRequired, methods: ['respond'] },
  restart: { reason: InterruptReason.Confirmation, methods: ['restart'] },
  ask: { reason: InterruptReason.InputRequired, methods: ['answer'] },
  recovery: { reason: InterruptReason.ErrorRecovery, methods: ['recover'] },
};
