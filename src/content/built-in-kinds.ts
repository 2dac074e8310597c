import type { DraftInterrupt, Interrupt, ResumeEntry } from '../protocol/index.ts';
import type {
  ChatContent,
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
 * with an interrupt of the draft (`{id, payload}`) as its raw representation carries that payload, with another JSON value
 * the value, in `metadata.payload`. An approval states its function in the metadata.
 *
 * @example
 * ```ts
 * import { toInterrupt } from 'holdpoint/content';
 *
 * const interrupt = toInterrupt({ type: 'userInputRequest', id: 'email', message: 'Your e-mail?' });
 * ```
 */
export function toInterrupt(request: RequestContent): Interrupt {
  return builtInKinds.toInterrupt(request);
}

/**
 * The request of an interrupt: an approval when the interrupt states a function or names a call that `findCall`
 * knows, else a request for user input. The interrupt, of AG-UI 1.0 or of the draft, becomes its `rawRepresentation`.
 *
 * @example
 * ```ts
 * import { fromInterrupt } from 'holdpoint/content';
 *
 * const request = fromInterrupt({ id: 'email', reason: 'input_required', message: 'Your e-mail?' });
 * ```
 */
export function fromInterrupt(
  interrupt: Interrupt | DraftInterrupt,
  options: FromInterruptOptions = {},
): RequestContent {
  return builtInKinds.fromInterrupt(interrupt, options);
}

/**
 * The `resume` entry of a response. A string is converted to the response schema of the interrupt; without an
 * interrupt, to the schema of the interrupt that the response was made from.
 *
 * @example
 * ```ts
 * import { toResume } from 'holdpoint/content';
 *
 * const entry = toResume({ type: 'userInputResponse', id: 'email', value: 'ada@example.com' });
 * ```
 */
export function toResume(response: ResponseContent, interrupt?: Interrupt): ResumeEntry {
  return builtInKinds.toResume(response, interrupt);
}

/**
 * The response of a `resume` entry, with the entry as its `rawRepresentation`. Without its request the result is a
 * user-input response, which approves nothing. Throws `INPUT_INVALID` when the entry answers another request.
 *
 * @example
 * ```ts
 * import { fromResume } from 'holdpoint/content';
 *
 * const response = fromResume({ interruptId: 'email', status: 'resolved', payload: 'ada@example.com' });
 * console.log(response.value);
 * ```
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

/**
 * The `resume` of the next run from the responses among some parts, in order; other parts are skipped. The open
 * interrupts give the schemas of responses without an interrupt of their own.
 *
 * @example
 * ```ts
 * import { contentsToResume } from 'holdpoint/content';
 *
 * const resume = contentsToResume([{ type: 'userInputResponse', id: 'email', value: 'ada@example.com' }]);
 * ```
 */
export function contentsToResume<
  Request extends CustomRequest = never,
  Response extends CustomResponse = never,
>(
  contents: readonly (ChatContent | Request | Response)[],
  open: readonly Interrupt[] = [],
  registry?: ContentRegistry<Request, Response>,
): ResumeEntry[] {
  const kinds = registryOrBuiltIn(registry);
  const byId = new Map(open.map((interrupt) => [interrupt.id, interrupt]));
  return contents.flatMap((content) =>
    kinds.isResponse(content) ? [kinds.toResume(content, byId.get(content.id))] : [],
  );
}
