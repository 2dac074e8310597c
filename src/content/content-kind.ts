import type { Answer, FindCall, Interrupt, JsonPatch, ResumeEntry } from '../protocol/index.ts';
import type {
  ChatContent,
  FunctionCallContent,
  FunctionResultContent,
  RequestBase,
  ResponseBase,
} from './chat-content.ts';

/** A request of any kind, built-in or custom. */
export interface CustomRequest extends RequestBase {
  readonly type: `${string}Request`;
}

/** A response of any kind. */
export interface CustomResponse extends ResponseBase {
  readonly type: `${string}Response`;
}

/** Data about an interrupt from outside of it. */
export interface InterruptContext {
  /** Id of the request: that of the interrupt, or a new one for an interrupt without an id. */
  readonly id: string;
  /** Looks up the tool call that an interrupt names. */
  readonly findCall?: FindCall | undefined;
}

/**
 * One kind of interrupt: its conversion to and from parts, and the form of its answer. The parts of the kind
 * `choice` have the types `choiceRequest` and `choiceResponse`.
 */
export interface ContentKind<
  Request extends CustomRequest = CustomRequest,
  Response extends CustomResponse = CustomResponse,
> {
  /** Name of the kind; the part types begin with it. */
  readonly kind: string;
  /** True when an interrupt is of this kind. */
  matches(interrupt: Interrupt, findCall?: FindCall): boolean;
  /** The part of a matching interrupt; the interrupt becomes its `rawRepresentation` unless it has one. */
  fromInterrupt(interrupt: Interrupt, context: InterruptContext): Request;
  /** The interrupt of a request. */
  toInterrupt(request: Request): Interrupt;
  /**
   * The wire form of a response. The registry adds the id and handles cancelled responses itself. `interrupt` is
   * the given one, else the one that the response was made from.
   */
  toResume(response: Response, interrupt?: Interrupt): Answer;
  /** The part of an answer; a cancelled entry gives a response with `cancelled: true`. */
  fromResume(entry: ResumeEntry, request: Request): Response;
}

/**
 * Functions of an application that change parts. `mapContent` receives every part that a content reader returns;
 * the others receive the parts to be written. A hook that returns undefined drops the part.
 */
export interface ContentHooks<Request extends CustomRequest = never> {
  /** Changes a part that a reader returns. */
  readonly mapContent?: (content: ChatContent | Request) => ChatContent | Request | undefined;
  /** Not called for the call inside an approval request: a person approves the call that will run. */
  readonly mapCall?: (call: FunctionCallContent) => FunctionCallContent | undefined;
  /** Changes a result before it is written. */
  readonly mapResult?: (result: FunctionResultContent) => FunctionResultContent | undefined;
  /** The effect of a result on the shared state: a snapshot or a patch. */
  readonly mapResultAsStateSnapshot?: (result: FunctionResultContent) => unknown;
  /** The change of the shared state by a result, as JSON Patch. */
  readonly mapResultAsStateDelta?: (result: FunctionResultContent) => JsonPatch | undefined;
  /** Changes an interrupt before it is raised; it cannot be dropped. */
  readonly mapInterrupt?: (interrupt: Interrupt) => Interrupt;
}
