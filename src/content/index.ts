/**
 * content: the parts of a conversation, named as in Microsoft.Extensions.AI, and their conversion to AG-UI:
 * interrupt ↔ request, response ↔ resume, messages ↔ parts, events ↔ parts. Imports core and protocol only; it runs
 * in a browser.
 */
export { contentsToResume, fromInterrupt, fromResume, toInterrupt, toResume } from './built-in-kinds.ts';
export {
  isAudioContent,
  isErrorContent,
  isFileContent,
  isFunctionApprovalRequest,
  isFunctionApprovalResponse,
  isFunctionCall,
  isFunctionResult,
  isImageContent,
  isMediaContent,
  isReasoningContent,
  isTextContent,
  isUserInputRequest,
  isUserInputResponse,
  isVideoContent,
} from './chat-content.ts';
export type {
  ChatContent,
  ErrorContent,
  FunctionApprovalRequestContent,
  FunctionApprovalResponseContent,
  FunctionCallContent,
  FunctionResultContent,
  MediaContent,
  MediaSource,
  RawContent,
  ReasoningContent,
  RequestBase,
  RequestContent,
  ResponseBase,
  ResponseContent,
  TextContent,
  UserInputRequestContent,
  UserInputResponseContent,
} from './chat-content.ts';
export type {
  ContentHooks,
  ContentKind,
  CustomRequest,
  CustomResponse,
  InterruptContext,
} from './content-kind.ts';
export { createContentReader } from './content-reader.ts';
export type { ContentReader, ContentReaderOptions, ContentUpdate } from './content-reader.ts';
export { createContentRegistry } from './content-registry.ts';
export type { ContentRegistry, ContentRegistryOptions, FromInterruptOptions } from './content-registry.ts';
export { contentsToMessages } from './contents-to-messages.ts';
export type { ContentRole } from './contents-to-messages.ts';
export {
  answer,
  answerEffect,
  answerFormsOf,
  approvalResponseSchema,
  approve,
  assertAnswer,
  cancel,
  checkAnswer,
  INTERRUPT_KINDS,
  isApprovable,
  isApproved,
  offersEdits,
  reject,
  respond,
  responseSchemaOf,
  restart,
  schemaOfForm,
} from './interrupts/index.ts';
export type {
  AnswerEffect,
  AnswerForm,
  ApprovalSchemaOptions,
  ApproveOptions,
  InterruptKind,
  InterruptTarget,
  ReplyMethod,
} from './interrupts/index.ts';
export { messageToContents } from './message-to-contents.ts';
export { approvalResponse, cancelledResponse, inputResponse } from './responses.ts';
export type { Decision } from './responses.ts';
export { createContentWriter, writeContents } from './write-contents.ts';
export type { ContentWriter } from './write-contents.ts';
