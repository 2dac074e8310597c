import type { UnknownRecord } from '../core/basics/index.ts';
import type { ContentPart } from '../protocol/index.ts';

/** What every part can carry. */
export interface RawContent {
  /**
   * What the part was made from (an interrupt, a resume entry, an event, a message), the very object and
   * never a copy, so that whatever a provider put there survives.
   */
  readonly rawRepresentation?: unknown;
}

/** Something said. */
export interface TextContent extends RawContent {
  readonly type: 'text';
  readonly text: string;
}

/** What the model thought before it spoke. */
export interface ReasoningContent extends RawContent {
  readonly type: 'reasoning';
  readonly text: string;
  /** Reasoning that only its provider can read; AG-UI's `encryptedValue`. */
  readonly protectedData?: string;
}

/** Where the bytes of a medium are: inline, at a URL, or a file of a provider. */
export type MediaSource = Exclude<ContentPart, { type: 'text' }>['source'];

/** An image, a sound, a film or another file (AG-UI's `document`). */
export interface MediaContent extends RawContent {
  readonly type: 'image' | 'audio' | 'video' | 'file';
  readonly source: MediaSource;
}

/** The model calls a function. */
export interface FunctionCallContent extends RawContent {
  readonly type: 'functionCall';
  readonly callId: string;
  readonly name: string;
  /** Parsed; the text itself where the model did not write JSON; absent for a call without arguments. */
  readonly arguments?: unknown;
}

/** What a call gave. */
export interface FunctionResultContent extends RawContent {
  readonly type: 'functionResult';
  readonly callId: string;
  readonly result?: unknown;
  /** Why the function failed, in words. */
  readonly error?: string;
}

/** What a request tells a user interface; read from the interrupt, or written into it. */
export interface Question extends RawContent {
  readonly id: string;
  readonly reason?: string;
  readonly message?: string;
  /** A JSON Schema of the answer. */
  readonly responseSchema?: UnknownRecord;
  /** An ISO 8601 time after which only cancelling is possible. */
  readonly expiresAt?: string;
}

/** May this function be called with these arguments? */
export interface FunctionApprovalRequestContent extends Question {
  readonly type: 'functionApprovalRequest';
  readonly functionCall: FunctionCallContent;
}

/** A person is asked for something. */
export interface UserInputRequestContent extends Question {
  readonly type: 'userInputRequest';
}

/** What the answers of every kind share. */
export interface Reply extends RawContent {
  /** The id of the request. */
  readonly id: string;
  /** Nobody will answer. A denial is an answer and is not marked so. */
  readonly cancelled?: true;
}

/** A person's decision about a call. */
export interface FunctionApprovalResponseContent extends Reply {
  readonly type: 'functionApprovalResponse';
  readonly approved: boolean;
  readonly functionCall: FunctionCallContent;
  readonly reason?: string;
  /** Arguments that replace those of the call as a whole. */
  readonly editedArgs?: unknown;
  /** Further members of the answer, which the tool's own schema asked for. */
  readonly additionalProperties?: UnknownRecord;
}

/** What a person gave. */
export interface UserInputResponseContent extends Reply {
  readonly type: 'userInputResponse';
  /** Any JSON; a string is fitted to the schema of the question. */
  readonly value?: unknown;
}

/** Something went wrong; in a stream, the run ended with it. */
export interface ErrorContent extends RawContent {
  readonly type: 'error';
  readonly message: string;
  readonly code?: string;
}

/** The two built-in kinds of question. */
export type RequestContent = FunctionApprovalRequestContent | UserInputRequestContent;

/** The answers to them. */
export type ResponseContent = FunctionApprovalResponseContent | UserInputResponseContent;

/** One part of what is said in a conversation; named as in Microsoft.Extensions.AI. */
export type ChatContent =
  | TextContent
  | ReasoningContent
  | MediaContent
  | FunctionCallContent
  | FunctionResultContent
  | RequestContent
  | ResponseContent
  | ErrorContent;
