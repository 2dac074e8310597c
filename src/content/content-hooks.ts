import type { Interrupt, JsonPatch } from '../protocol/index.ts';
import type { ChatContent, FunctionCallContent, FunctionResultContent } from './chat-content.ts';
import type { CustomRequest } from './content-kind.ts';

/**
 * Where an application changes what passes. `mapContent` sees every part that a content reader gives; the
 * others see what is written. One that returns undefined leaves the part out.
 */
export interface ContentHooks<Request extends CustomRequest = never> {
  readonly mapContent?: (content: ChatContent | Request) => ChatContent | Request | undefined;
  /** The call inside an approval request does not come here: a person approves what will run. */
  readonly mapCall?: (call: FunctionCallContent) => FunctionCallContent | undefined;
  readonly mapResult?: (result: FunctionResultContent) => FunctionResultContent | undefined;
  /** What a result does to the shared state besides: replaces it, or patches it. */
  readonly mapResultAsStateSnapshot?: (result: FunctionResultContent) => unknown;
  readonly mapResultAsStateDelta?: (result: FunctionResultContent) => JsonPatch | undefined;
  /** The last word on a question before it is asked; it cannot be left out. */
  readonly mapInterrupt?: (interrupt: Interrupt) => Interrupt;
}
