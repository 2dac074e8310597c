import type { Answer, FindCall, Interrupt, ResumeEntry } from '../protocol/index.ts';
import type { Question, Reply } from './chat-content.ts';

/** A request of any kind; the built-in ones among them. */
export interface CustomRequest extends Question {
  readonly type: `${string}Request`;
}

/** A response of any kind. */
export interface CustomResponse extends Reply {
  readonly type: `${string}Response`;
}

/** What is known about an interrupt beyond itself. */
export interface InterruptContext {
  /** The id of the request: the interrupt's own, or a new one for a question that has none. */
  readonly id: string;
  /** Looks up the tool call that an interrupt names. */
  readonly findCall?: FindCall | undefined;
}

/**
 * One kind of question: how it looks as an interrupt, as a part, and how its answer travels. The parts of the
 * kind `choice` have the types `choiceRequest` and `choiceResponse`.
 */
export interface ContentKind<
  Request extends CustomRequest = CustomRequest,
  Response extends CustomResponse = CustomResponse,
> {
  readonly kind: string;
  /** Whether an interrupt is a question of this kind. */
  matches(interrupt: Interrupt, findCall?: FindCall): boolean;
  /** The part for an interrupt that matched; the interrupt becomes its `rawRepresentation` unless it has one. */
  fromInterrupt(interrupt: Interrupt, context: InterruptContext): Request;
  toInterrupt(request: Request): Interrupt;
  /**
   * What goes on the wire for a response; the id is added by the registry, and a cancelled response never
   * comes here. The interrupt is the one that was passed, else the one that the response was made from.
   */
  toResume(response: Response, interrupt?: Interrupt): Answer;
  /** The part for an answer; a cancelled one gives a response that is marked so. */
  fromResume(entry: ResumeEntry, request: Request): Response;
}
