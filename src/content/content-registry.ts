import type { IdGenerator } from '../core/index.ts';
import { defined, HoldpointError, newId as defaultNewId } from '../core/index.ts';
import type { Answer, DraftInterrupt, FindCall, Interrupt, ResumeEntry } from '../protocol/index.ts';
import { fromDraftInterrupt } from '../protocol/interrupts/draft-interrupt.ts';
import { UNNAMED_INTERRUPT } from '../protocol/interrupts/interrupt.ts';
import type { RequestContent, ResponseBase, ResponseContent } from './chat-content.ts';
import type { ContentHooks, ContentKind, CustomRequest, CustomResponse } from './content-kind.ts';
import { functionApproval } from './function-approval.ts';
import { interruptIn, isInterrupt, isResumeEntry } from './interrupt-fields.ts';
import { userInput } from './user-input.ts';

/** Options for reading an interrupt. */
export interface FromInterruptOptions {
  /** Looks up the tool call that an interrupt names, for its function and arguments. Default: no call is known. */
  readonly findCall?: FindCall;
  /** Creates the id of a request whose interrupt has no id; default UUIDv7. */
  readonly newId?: IdGenerator;
}

/** The kinds of interrupt that an application knows, tried in order; the two built-in kinds come last. */
export interface ContentRegistry<
  Request extends CustomRequest = never,
  Response extends CustomResponse = never,
> {
  /** The application's hooks. */
  readonly hooks: ContentHooks<Request>;
  /** The request of an interrupt, of AG-UI 1.0 or of the draft. Every interrupt has one. */
  fromInterrupt(
    interrupt: Interrupt | DraftInterrupt,
    options?: FromInterruptOptions,
  ): RequestContent | Request;
  /** Throws `INPUT_INVALID` for a part of an unregistered kind. */
  toInterrupt(request: RequestContent | Request): Interrupt;
  /**
   * The `resume` entry of a response. The interrupt gives the schema of the answer; by default, the interrupt that
   * the response was made from. Throws `INPUT_INVALID` for an unregistered kind.
   */
  toResume(response: ResponseContent | Response, interrupt?: Interrupt): ResumeEntry;
  /**
   * The response of a `resume` entry. Without its request the result is a user-input response, which approves
   * nothing. Throws `INPUT_INVALID` when the entry answers another request.
   */
  fromResume(entry: ResumeEntry, request?: RequestContent | Request): ResponseContent | Response;
  /** True for a request of a registered kind. */
  isRequest(content: { readonly type: string }): content is RequestContent | Request;
  /** True for a response of a registered kind. */
  isResponse(content: { readonly type: string }): content is ResponseContent | Response;
}

type RequestOf<Kind> = Kind extends ContentKind<infer Request> ? Request : never;
type ResponseOf<Kind> = Kind extends ContentKind<CustomRequest, infer Response> ? Response : never;

/** An application's own kinds, tried in this order, and its hooks. */
export interface ContentRegistryOptions<Kinds extends readonly ContentKind[]> extends ContentHooks<
  RequestOf<Kinds[number]>
> {
  /** The application's own kinds; default none. */
  readonly kinds?: Kinds;
}

/**
 * Creates a registry with an application's own kinds. Throws `INPUT_INVALID` for two kinds of one name.
 *
 * @example
 * ```ts
 * import { createContentRegistry } from 'holdpoint/content';
 *
 * const registry = createContentRegistry({ mapCall: (call) => (call.name === 'internal' ? undefined : call) });
 * ```
 */
export function createContentRegistry<const Kinds extends readonly ContentKind[] = readonly []>(
  options: ContentRegistryOptions<Kinds> = {},
): ContentRegistry<RequestOf<Kinds[number]>, ResponseOf<Kinds[number]>> {
  const { kinds: added = [], ...hooks } = options;
  const kinds: readonly ContentKind[] = [...added, functionApproval, userInput];
  const byType = kindsByType(kinds);
  const kindOf = ({ type }: { readonly type: string }) => {
    const kind = byType.get(type);
    if (kind !== undefined) return kind;
    throw new HoldpointError(
      'INPUT_INVALID',
      `No registered kind has parts of type ${type}. Add the kind with createContentRegistry().`,
    );
  };

  const registry: ContentRegistry<CustomRequest, CustomResponse> = {
    hooks: hooks as ContentHooks<CustomRequest>,
    fromInterrupt(given, { findCall, newId = defaultNewId } = {}) {
      const isOfDraft = Object.hasOwn(given, 'payload') || !isInterrupt(given);
      const interrupt = isOfDraft ? fromDraftInterrupt({ ...given }) : given;
      const kind = kinds.find((known) => known.matches(interrupt, findCall)) ?? userInput;
      const id = interrupt.id === UNNAMED_INTERRUPT ? newId() : interrupt.id;
      const part = withRaw(kind.fromInterrupt(interrupt, { id, findCall }), interrupt);
      return isOfDraft ? { ...part, rawRepresentation: given } : part;
    },
    toInterrupt(request) {
      const interrupt = kindOf(request).toInterrupt(request);
      return hooks.mapInterrupt?.(interrupt) ?? interrupt;
    },
    toResume(response, interrupt = interruptOf(response)) {
      const answer: Answer =
        response.cancelled === true
          ? { status: 'cancelled' }
          : kindOf(response).toResume(response, interrupt);
      const payload: unknown = answer.status === 'resolved' ? answer.payload : undefined;
      const metadata = answer.metadata ?? entryOf(response)?.metadata;
      return {
        interruptId: isUnnamed(response, interrupt) ? UNNAMED_INTERRUPT : response.id,
        status: answer.status,
        ...defined({ payload, metadata }),
      };
    },
    fromResume(entry, request) {
      if (request === undefined) {
        const original = { type: 'userInputRequest', id: entry.interruptId } as const;
        return withRaw(userInput.fromResume(entry, original), entry);
      }
      if (entry.interruptId !== request.id && entry.interruptId !== UNNAMED_INTERRUPT) {
        throw new HoldpointError(
          'INPUT_INVALID',
          `The answer is for the interrupt ${entry.interruptId}, not for ${request.id}.`,
        );
      }
      return withRaw(kindOf(request).fromResume(entry, request), entry);
    },
    isRequest: (content): content is CustomRequest =>
      byType.has(content.type) && content.type.endsWith('Request'),
    isResponse: (content): content is CustomResponse =>
      byType.has(content.type) && content.type.endsWith('Response'),
  };
  // The part type selects the kind at run time; only the caller's types know which part it is.
  return registry as unknown as ContentRegistry<RequestOf<Kinds[number]>, ResponseOf<Kinds[number]>>;
}

function kindsByType(kinds: readonly ContentKind[]): ReadonlyMap<string, ContentKind> {
  const byType = new Map<string, ContentKind>();
  for (const kind of kinds) {
    if (byType.has(`${kind.kind}Request`)) {
      throw new HoldpointError('INPUT_INVALID', `Two kinds are named ${kind.kind}. Rename one of them.`);
    }
    byType.set(`${kind.kind}Request`, kind).set(`${kind.kind}Response`, kind);
  }
  return byType;
}

function withRaw<Part extends { readonly rawRepresentation?: unknown }>(part: Part, raw: object): Part {
  return part.rawRepresentation === undefined ? { ...part, rawRepresentation: raw } : part;
}

function interruptOf({ rawRepresentation: raw }: ResponseBase): Interrupt | undefined {
  return interruptIn(raw);
}

function entryOf({ rawRepresentation: raw }: ResponseBase): ResumeEntry | undefined {
  return isResumeEntry(raw) ? raw : undefined;
}

/** True when the interrupt has no id: its answer then has none either, although the request got one. */
function isUnnamed(response: ResponseBase, interrupt: Interrupt | undefined): boolean {
  return (interrupt?.id ?? entryOf(response)?.interruptId) === UNNAMED_INTERRUPT;
}
