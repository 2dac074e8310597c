/**
 * content/interrupts: the kinds of interrupt, the effect of an answer to each, and functions that check and write
 * answers. The entry of the server's modules; `content` exports the public part.
 */
export {
  answerEffect,
  cancelledText,
  DECIDED_TEXTS,
  INTERRUPT_KINDS,
  rejectionText,
} from './answer-effect.ts';
export type { AnswerEffect, Cancellation, InterruptKind, ReplyMethod } from './answer-effect.ts';
export {
  answerFormOf,
  answerFormsOf,
  checkForm,
  kindOfAnswer,
  schemaOfAnswer,
  schemaOfForm,
} from './answer-form.ts';
export type { AnswerForm } from './answer-form.ts';
export { isApprovable, isApproved, offersEdits, offersRemember, withoutRemember } from './approval-rules.ts';
export { assertAnswer, checkAnswer, checkBeyondSchema, checkPayload } from './check-answer.ts';
export { approversCheck, assertExpiry, onExpireCheck } from './check-rules.ts';
export { addUse, grantMatch, hasRoom, matchesOf } from './interrupt-rules.ts';
export type {
  ApprovalExpiry,
  Approvers,
  FoundGrant,
  Grant,
  GrantedCall,
  Grants,
  GrantUse,
  OnExpire,
} from './interrupt-rules.ts';
export { checkFiles } from './named-files.ts';
export type { FileContent, FileInfo, FileReader } from './named-files.ts';
export { respond, restart } from './form-replies.ts';
export { answer, approve, cancel, reject } from './replies.ts';
export type { ApproveOptions, InterruptTarget } from './replies.ts';
export { responseSchemaOf, schemaOfInputType } from './response-schema-of.ts';
export { approvalResponseSchema, recoveryResponseSchema } from './response-schemas.ts';
export type { ApprovalSchemaOptions } from './response-schemas.ts';
