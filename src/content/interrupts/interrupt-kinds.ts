import { InterruptReason } from '../../protocol/interrupts/reasons.ts';

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
  restart: { reason: InterruptReason.Confirmation, methods: ['restart'] },
  ask: { reason: InterruptReason.InputRequired, methods: ['answer'] },
  recovery: { reason: InterruptReason.ErrorRecovery, methods: ['recover'] },
};
