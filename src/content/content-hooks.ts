import type { Interrupt, JsonPatch } from '../protocol/index.ts';
import type { ChatContent, FunctionCallContent, FunctionResultContent } from './chat-content.ts';
import type { CustomRequest } from './content-kind.ts';

/**
 * Functions of an application that change parts. `mapContent` receives every part that a content reader returns;
 * the others receive the parts to be written. A hook that returns undefined drops the part.
 */
export interface ContentHooks<Request extends CustomRequest = never> {
  readonly mapContent?: (content: ChatContent | Request) => ChatContent | Request | undefined;
  /** Not called for the call inside an approval request: a person approves the call that will run. */
  readonly mapCall?: (call: FunctionCallContent) => FunctionCallContent | undefined;
  readonly mapResult?: (result: FunctionResultContent) => FunctionResultContent | undefined;
  /** The effect of a result on the shared state: a snapshot or a patch. */
  readonly mapResultAsStateSnapshot?: (result: FunctionResultContent) => unknown;
  readonly mapResultAsStateDelta?: (result: FunctionResultContent) => JsonPatch | undefined;
  /** Changes an interrupt before it is raised; it cannot be dropped. */
  readonly mapInterrupt?: (interrupt: Interrupt) => Interrupt;
}
