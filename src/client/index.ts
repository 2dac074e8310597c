/**
 * client: runs an agent from a browser or any other JavaScript runtime: stream, answer, resume, reconnect. Imports
 * core, protocol and content only. Loads on demand: the validator, content parts, the inbox, client tools, JSON Patch
 * and older dialects.
 */

export { answer, approve, cancel, reject } from '../content/interrupts/replies.ts';
export { respond, restart } from '../content/interrupts/form-replies.ts';
export { answerFormsOf, schemaOfForm } from '../content/interrupts/answer-form.ts';
export { isApprovable } from '../content/interrupts/approval-rules.ts';
export { responseSchemaOf } from '../content/interrupts/response-schema-of.ts';
export type { AnswerForm, ApproveOptions, InterruptTarget } from '../content/index.ts';
export { HoldpointError } from '../core/index.ts';
export type { ErrorCode, Issue } from '../core/index.ts';
export type { Interrupt, Message, ResumeEntry } from '../protocol/index.ts';
export type {
  ClientOptions,
  ClientStorage,
  ClientTool,
  ClientToolContext,
  RequestHeaders,
  RetryOptions,
} from './client-options.ts';
export type { Client, OnThread, Staged } from './create-client.ts';
export { createClient } from './create-client.ts';
export type {
  FileInfo,
  GrantInfo,
  GrantList,
  PageQuery,
  ThreadDetails,
  ThreadFiles,
  ThreadFilter,
  ThreadInfo,
  ThreadPage,
  Threads,
} from './host-records.ts';
export type { Inbox, InboxAnswer, InboxFilter, InboxItem, InboxPage } from './inbox.ts';
export type {
  AnswerInput,
  DraftAnswer,
  Finished,
  MessageInput,
  Run,
  RunOptions,
  RunRequest,
  RunUpdate,
} from './run/run.ts';
export type { Thread, ThreadSnapshot, ThreadStatus } from './thread/thread-store.ts';
