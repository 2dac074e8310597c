/** content/interrupts: the kinds of interrupt, the effect of an answer to each, and functions that check and write answers. The entry of the server's modules. */
export { answerEffect, CANCELLED_TEXT, rejectionText } from './answer-effect.ts';
export type { AnswerEffect } from './answer-effect.ts';
export { assertAnswer, checkAnswer } from './check-answer.ts';
export { checkBeyondSchema } from './check-beyond-schema.ts';
export { isApproved } from './is-approved.ts';
export { offersEdits, offersRemember } from './offers-member.ts';
export { INTERRUPT_KINDS } from './interrupt-kinds.ts';
export type { InterruptKind, ReplyMethod } from './interrupt-kinds.ts';
export { isApprovable } from '../../protocol/index.ts';
export { answer, approve, cancel, reject } from './replies.ts';
export type { ApproveOptions, InterruptTarget } from './replies.ts';
export { approvalResponseSchema, recoveryResponseSchema } from './response-schemas.ts';
export type { ApprovalSchemaOptions } from './response-schemas.ts';
