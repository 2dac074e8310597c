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

/** Returns the given registry, or the built-in one. */
export function registryOrBuiltIn<Request extends CustomRequest, Response extends CustomResponse>(
  registry: ContentRegistry<Request, Response> | undefined,
): ContentRegistry<Request, Response> {
  // Without a registry there are no custom parts: both type parameters are never.
  return registry ?? (builtInKinds as unknown as ContentRegistry<Request, Response>);
}

/**
 * The interrupt of a request. A user-input request that was made from an interrupt returns that object; a request
 * with another JSON value as its raw representation carries the value in `metadata.payload`. An approval states its
 * function in the metadata.
 *
 * @example
 * ```ts
 * const interrupt = toInterrupt({ type: 'userInputRequest', id: 'email', message: 'Your e-mail?' });
 * ```
 */
export function toInterrupt(request: RequestContent): Interrupt {
  return builtInKinds.toInterrupt(request);
}

/**
 * The request of an interrupt: an approval when the interrupt states a function or names a call that `findCall`
 * knows, else a request for user input. The interrupt becomes its `rawRepresentation`.
 *
 * @example
 * ```ts
 * const request = fromInterrupt({ id: 'email', reason: 'input_required', message: 'Your e-mail?' });
 * ```
 */
export function fromInterrupt(interrupt: Interrupt, options: FromInterruptOptions = {}): RequestContent {
  return builtInKinds.fromInterrupt(interrupt, options);
}

/**
 * The `resume` entry of a response. A string is converted to the response schema of the interrupt; without an
 * interrupt, to the schema of the interrupt that the response was made from.
 *
 * @example
 * ```ts
 * const entry = toResume({ type: 'userInputResponse', id: 'email', value: 'ada@example.com' });
 * ```
 */
export function toResume(response: ResponseContent, interrupt?: Interrupt): ResumeEntry {
  return builtInKinds.toResume(response, interrupt);
}

/**
 * The response of a `resume` entry, with the entry as its `rawRepresentation`. Without its request the result is a
 * user-input response, which approves nothing. Throws `INPUT_INVALID` when the entry answers another request.
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
