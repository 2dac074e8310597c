/**
 * content: the parts of a conversation, named as in Microsoft.Extensions.AI, and their conversion to AG-UI:
 * interrupt ↔ request, response ↔ resume, messages ↔ parts, events ↔ parts. Imports core and protocol only; it runs
 * in a browser.
 */
export { fromInterrupt, fromResume, toInterrupt, toResume } from './built-in-kinds.ts';
export type {
  ChatContent,
  ErrorContent,
  FunctionApprovalRequestContent,
  FunctionApprovalResponseContent,
  FunctionCallContent,
  FunctionResultContent,
  MediaContent,
  MediaSource,
  Question,
  RawContent,
  ReasoningContent,
  Reply,
  RequestContent,
  ResponseContent,
  TextContent,
  UserInputRequestContent,
  UserInputResponseContent,
} from './chat-content.ts';
export type { ContentHooks } from './content-hooks.ts';
export type { ContentKind, CustomRequest, CustomResponse, InterruptContext } from './content-kind.ts';
export { createContentReader } from './reading/index.ts';
export type { ContentReader, ContentReaderOptions, ContentUpdate } from './reading/index.ts';
export { createContentRegistry } from './content-registry.ts';
export type { ContentRegistry, ContentRegistryOptions, FromInterruptOptions } from './content-registry.ts';
export { contentsToMessages, contentsToResume } from './writing/index.ts';
export type { ContentRole } from './writing/index.ts';
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
} from './guards.ts';
export { messageToContents } from './message-to-contents.ts';
export { offersEdits } from './questions/index.ts';
export {
  answer,
  answerEffect,
  approvalResponseSchema,
  approve,
  assertAnswer,
  cancel,
  checkAnswer,
  isApprovable,
  isApproved,
  QUESTION_KINDS,
  reject,
} from './questions/index.ts';
export type {
  AnswerEffect,
  ApprovalSchemaOptions,
  ApproveOptions,
  Asked,
  QuestionKind,
  ReplyMethod,
} from './questions/index.ts';
export { approvalResponse, cancelledResponse, inputResponse } from './responses.ts';
export type { Decision } from './responses.ts';
export { createContentWriter, writeContents } from './write-contents.ts';
export type { ContentWriter } from './write-contents.ts';
