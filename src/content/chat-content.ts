import type { UnknownRecord } from '../core/index.ts';
import type { ContentPart } from '../protocol/index.ts';

/** The common members of every part. */
export interface RawContent {
  /**
   * The object that the part was made from (an interrupt, a resume entry, an event or a message), never a copy, so
   * that a provider's own members survive.
   */
  readonly rawRepresentation?: unknown;
}

/** Text. */
export interface TextContent extends RawContent {
  readonly type: 'text';
  readonly text: string;
}

/** Reasoning of the model. */
export interface ReasoningContent extends RawContent {
  readonly type: 'reasoning';
  readonly text: string;
  /** Reasoning that only its provider can read; AG-UI's `encryptedValue`. */
  readonly protectedData?: string;
}

/** Where the bytes of a medium are: inline, at a URL, or in a file of a provider. */
export type MediaSource = Exclude<ContentPart, { type: 'text' }>['source'];

/** An image, audio, video or another file (AG-UI's `document`). */
export interface MediaContent extends RawContent {
  readonly type: 'image' | 'audio' | 'video' | 'file';
  readonly source: MediaSource;
}

/** A function call of the model. */
export interface FunctionCallContent extends RawContent {
  readonly type: 'functionCall';
  readonly callId: string;
  readonly name: string;
  /** Parsed arguments; the text itself when it is not JSON; absent for a call without arguments. */
  readonly arguments?: unknown;
}

/** The result of a function call. */
export interface FunctionResultContent extends RawContent {
  readonly type: 'functionResult';
  readonly callId: string;
  readonly result?: unknown;
  /** Error message of a failed function. */
  readonly error?: string;
}

/** The members that an interrupt and its request share. */
export interface RequestBase extends RawContent {
  readonly id: string;
  readonly reason?: string;
  readonly message?: string;
  /** JSON Schema of the answer. */
  readonly responseSchema?: UnknownRecord;
  /** ISO 8601 time; after it, the interrupt can only be cancelled. */
  readonly expiresAt?: string;
}

/** Asks whether a function may be called with these arguments. */
export interface FunctionApprovalRequestContent extends RequestBase {
  readonly type: 'functionApprovalRequest';
  readonly functionCall: FunctionCallContent;
}

/** Asks a person for a value. */
export interface UserInputRequestContent extends RequestBase {
  readonly type: 'userInputRequest';
}

/** The common members of every response. */
export interface ResponseBase extends RawContent {
  /** Id of the request. */
  readonly id: string;
  /** True when the interrupt was cancelled. A rejection is an answer and has no such mark. */
  readonly cancelled?: true;
}

/** A person's decision about a call. */
export interface FunctionApprovalResponseContent extends ResponseBase {
  readonly type: 'functionApprovalResponse';
  readonly approved: boolean;
  readonly functionCall: FunctionCallContent;
  readonly reason?: string;
  /** Arguments that replace all arguments of the call. */
  readonly editedArgs?: unknown;
  /** Additional members of the answer, from the tool's own schema. */
  readonly additionalProperties?: UnknownRecord;
}

/** A value that a person gave. */
export interface UserInputResponseContent extends ResponseBase {
  readonly type: 'userInputResponse';
  /** Any JSON value; a string is converted to the response schema of the interrupt. */
  readonly value?: unknown;
}

/** An error; in a stream, the error that ended the run. */
export interface ErrorContent extends RawContent {
  readonly type: 'error';
  readonly message: string;
  readonly code?: string;
}

/** The two built-in requests. */
export type RequestContent = FunctionApprovalRequestContent | UserInputRequestContent;

/** The responses to the built-in requests. */
export type ResponseContent = FunctionApprovalResponseContent | UserInputResponseContent;

/** One part of a conversation; named as in Microsoft.Extensions.AI. */
export type ChatContent =
  | TextContent
  | ReasoningContent
  | MediaContent
  | FunctionCallContent
  | FunctionResultContent
  | RequestContent
  | ResponseContent
  | ErrorContent;

/** Any part with a `type`, built-in or custom. */
interface Typed {
  readonly type: string;
}

type ContentOf<Type extends ChatContent['type']> = Type extends MediaContent['type']
  ? MediaContent & { readonly type: Type }
  : Extract<ChatContent, { readonly type: Type }>;

function guard<Type extends ChatContent['type']>(type: Type) {
  return (content: Typed): content is ContentOf<Type> => content.type === type;
}

/** True for a text part. */
export const isTextContent = /* @__PURE__ */ guard('text');
/** True for a reasoning part. */
export const isReasoningContent = /* @__PURE__ */ guard('reasoning');
/** True for an image. */
export const isImageContent = /* @__PURE__ */ guard('image');
/** True for an audio part. */
export const isAudioContent = /* @__PURE__ */ guard('audio');
/** True for a video. */
export const isVideoContent = /* @__PURE__ */ guard('video');
/** True for a file that is neither image, audio nor video. */
export const isFileContent = /* @__PURE__ */ guard('file');
/** True for a function call. */
export const isFunctionCall = /* @__PURE__ */ guard('functionCall');
/** True for the result of a function call. */
export const isFunctionResult = /* @__PURE__ */ guard('functionResult');
/** True for a request to approve a function call. */
export const isFunctionApprovalRequest = /* @__PURE__ */ guard('functionApprovalRequest');
/** True for the response to an approval request. */
export const isFunctionApprovalResponse = /* @__PURE__ */ guard('functionApprovalResponse');
/** True for a request for a value. */
export const isUserInputRequest = /* @__PURE__ */ guard('userInputRequest');
/** True for the response to a request for a value. */
export const isUserInputResponse = /* @__PURE__ */ guard('userInputResponse');
/** True for an error part. */
export const isErrorContent = /* @__PURE__ */ guard('error');

/**
 * True for an image, audio, video or another file.
 *
 * @example
 * ```ts
 * import { isMediaContent, messageToContents } from 'holdpoint/content';
 *
 * const media = messageToContents(message).filter(isMediaContent);
 * ```
 */
export function isMediaContent(content: Typed): content is MediaContent {
  return (
    isImageContent(content) || isAudioContent(content) || isVideoContent(content) || isFileContent(content)
  );
}
