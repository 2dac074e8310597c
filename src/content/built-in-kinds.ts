import type { Interrupt, ResumeEntry } from '../protocol/index.ts';
import type {
  FunctionApprovalRequestContent,
  FunctionApprovalResponseContent,
  RequestContent,
  ResponseContent,
  UserInputRequestContent,
  UserInputResponseContent,
} from './chat-content.ts';
import type { CustomRequest, CustomResponse } from './content-kind.ts';
import type { ContentRegistry, FromInterruptOptions } from './content-registry.ts';
import { createContentRegistry } from './content-registry.ts';

const builtInKinds: ContentRegistry = /* @__PURE__ */ createContentRegistry();

/** The given registry, or that of those who add no kinds. */
export function registryOrBuiltIn<Request extends CustomRequest, Response extends CustomResponse>(
  registry: ContentRegistry<Request, Response> | undefined,
): ContentRegistry<Request, Response> {
  // Nobody who passes no registry has parts of further kinds: both parameters are never then.
  return registry ?? (builtInKinds as unknown as ContentRegistry<Request, Response>);
}

/**
 * The interrupt that asks a request. A user-input request that was made from an interrupt gives that very
 * object; one with other JSON as its raw representation carries it in `metadata.payload`. An approval states
 * its function in the metadata.
 */
export function toInterrupt(request: RequestContent): Interrupt {
  return builtInKinds.toInterrupt(request);
}

/**
 * The request that an interrupt is: an approval when it says which function it is about or names a call that
 * `findCall` knows, else a request for user input. The interrupt is its `rawRepresentation`.
 */
export function fromInterrupt(interrupt: Interrupt, options: FromInterruptOptions = {}): RequestContent {
  return builtInKinds.fromInterrupt(interrupt, options);
}

/**
 * The `resume` entry for a response. A string is fitted to the interrupt's response schema; without an
 * interrupt, to that of the one which the response was made from.
 */
export function toResume(response: ResponseContent, interrupt?: Interrupt): ResumeEntry {
  return builtInKinds.toResume(response, interrupt);
}

/**
 * The response that an answer is, with the entry as its `rawRepresentation`. Without the request it answers
 * it is a user-input response, which approves nothing. Throws `INPUT_INVALID` for the answer to another one.
 */
export function fromResume(
  entry: ResumeEntry,
  request: FunctionApprovalRequestContent,
): FunctionApprovalResponseContent;
export function fromResume(entry: ResumeEntry, request?: UserInputRequestContent): UserInputResponseContent;
export function fromResume(entry: ResumeEntry, request?: RequestContent): ResponseContent;
export function fromResume(entry: ResumeEntry, request?: RequestContent): ResponseContent {
  return builtInKinds.fromResume(entry, request);
}
