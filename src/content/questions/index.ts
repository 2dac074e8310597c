/** questions: the kinds of interrupt, the effect of an answer to each, and functions that check and write answers. */
export { answerEffect, CANCELLED_TEXT, rejectionText } from './answer-effect.ts';
export type { AnswerEffect } from './answer-effect.ts';
export { assertAnswer, checkAnswer } from './check-answer.ts';
export { checkBeyondSchema } from './checking/index.ts';
export { canonicalApprovers } from './interrupt-rules.ts';
export type { Approvers, Grant, Grants, OnExpire } from './interrupt-rules.ts';
export { isApproved } from './is-approved.ts';
export { offersEdits, offersRemember } from './offers-member.ts';
export { QUESTION_KINDS } from './question-kinds.ts';
export type { QuestionKind, ReplyMethod } from './question-kinds.ts';
export { isApprovable } from '../../protocol/interrupts/approval/index.ts';
export { answer, approve, cancel, reject } from './replies.ts';
export type { ApproveOptions, Asked } from './replies.ts';
export { approvalResponseSchema, recoveryResponseSchema } from './response-schemas.ts';
export type { ApprovalSchemaOptions } from './response-schemas.ts';
