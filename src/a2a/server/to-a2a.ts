import type { AgentCard } from '@a2a-js/sdk';
import { AGENT_CARD_PATH } from '@a2a-js/sdk';
import { RequestMalformedError } from '@a2a-js/sdk/errors';
import type { A2ARequestHandler, TaskStore, User } from '@a2a-js/sdk/server';
import {
  DefaultRequestHandler,
  ServerCallContext,
  UnauthenticatedUser,
  validateVersion,
} from '@a2a-js/sdk/server';
import {
  aboveZero,
  callback,
  checkOptions,
  either,
  flag,
  HoldpointError,
  httpStatusOf,
  members,
  newId as defaultNewId,
  oneOf,
  optional,
  record,
  text,
} from '../../core/index.ts';
import type { Agent } from '../../engine/index.ts';
import type { AccessOptions, RequestSource } from '../../ledger/index.ts';
import {
  accessChecks,
  accessInterruptChecks,
  accessLimitChecks,
  createGate,
  createLogin,
  errorHeaders,
  isStillCaller,
  neverStore,
  secretKeyCheck,
  storeCheck,
} from '../../ledger/index.ts';
import type { GeneratingAgent } from '../../runs/index.ts';
import { agentCard, assertInputModes, cardResponse, versionOf } from './agent-card.ts';
import type { ExecutorOptions, HoldpointExecutor } from './agent-executor.ts';
import { agentExecutor, runSettings } from './agent-executor.ts';
import { contextAccess, principalOf, PrincipalUser, readableTasks, readerOf } from './context-access.ts';
import { guardedHandler } from './guarded-handler.ts';
import { jsonRpcFailure, jsonRpcRoute } from './json-rpc-route.ts';
import { withPublicFailures } from './public-failures.ts';
import { assertJson, restFailure, restNotFound, restRoute } from './rest-routes.ts';
import { readableTaskStore } from './store-task-store.ts';
import { cancelInterrupts } from './thread-interrupts.ts';

/** Options of {@link toA2a}, together with those of access, such as `authenticate`. */
export interface ToA2aOptions extends ExecutorOptions, AccessOptions {
  /** The public address of the agent, for its card. Default: the address of the request. */
  readonly url?: string;
  /** The path that the service is mounted at, such as `/a2a`. Default: the root. */
  readonly basePath?: string;
  /** Members that replace those of the generated card. Default: none. */
  readonly card?: Partial<AgentCard>;
  /**
   * Whether clients of A2A 0.3 and 0.2 are served. Default true: a client that asks for no version gets their members on the card.
   * False: every card is that of 1.0, and requests of earlier versions are rejected.
   */
  readonly legacy?: boolean;
  /** Limit for the body of a request, in bytes. Default 1 MiB. */
  readonly bodyBytes?: number;
  /** Keeps the tasks. Default: {@link storeTaskStore} on `store`. */
  readonly taskStore?: TaskStore;
}

/** An agent as an A2A server. */
export interface A2aService {
  /** Serves the card, JSON-RPC and HTTP+JSON. `source` has the address of the client. */
  fetch(request: Request, source?: RequestSource): Promise<Response>;
  /** For an A2A server of the SDK. */
  readonly executor: HoldpointExecutor;
  /** For an A2A server of the SDK, such as its handlers for Express. */
  readonly requestHandler: A2ARequestHandler;
  readonly taskStore: TaskStore;
  /** The card for the agent at this address. */
  card(url: string): AgentCard;
}

const toA2aOptions = members<ToA2aOptions>({
  ...accessChecks,
  limits: optional(members<NonNullable<ToA2aOptions['limits']>>(accessLimitChecks)),
  interrupts: optional(members<NonNullable<ToA2aOptions['interrupts']>>(accessInterruptChecks)),
  store: storeCheck,
  context: optional(record),
  newId: optional(callback),
  leaseMs: optional(aboveZero),
  onInterrupt: optional(callback),
  replies: optional(
    either(
      '"task", "message" or a function',
      [(value) => typeof value === 'string', oneOf('task', 'message')],
      [(value) => typeof value === 'function', callback],
    ),
  ),
  secretKey: optional(secretKeyCheck),
  url: optional(text),
  basePath: optional(text),
  card: optional(record),
  legacy: optional(flag),
  bodyBytes: optional(aboveZero),
  taskStore: optional(record),
});

const BODY_BYTES = 1024 * 1024;

/** The path of the card, and the one that clients of A2A 0.2 read. */
const CARD_PATHS: ReadonlySet<string> = new Set([`/${AGENT_CARD_PATH}`, '/.well-known/agent.json']);

/**
 * Serves an agent as an A2A agent. Its interrupts become `input-required`; answers are checked before the task becomes `working`.
 *
 * @example
 * ```ts
 * import { defineAgent } from 'holdpoint';
 * import { toA2a } from 'holdpoint/a2a';
 * import { sqliteStore } from 'holdpoint/store/sqlite';
 * import { scriptedModel } from 'holdpoint/testing';
 *
 * const agent = defineAgent({ id: 'echo', model: scriptedModel(['Hello.']) });
 * const service = toA2a(agent, { store: sqliteStore('agent.db'), basePath: '/a2a' });
 * export const fetch = (request: Request): Promise<Response> => service.fetch(request);
 * ```
 */
export function toA2a(agent: Agent | GeneratingAgent, options: ToA2aOptions): A2aService {
  checkOptions('options of toA2a', options, toA2aOptions);
  const { store, basePath = '', legacy = true } = options;
  const { authorize, visibility, interrupts, accessCheckMs = 30_000, newId = defaultNewId } = options;
  const gate = createGate(store, {
    authorize,
    visibility,
    mayAnswer: interrupts?.mayAnswer,
    onlyAgent: agent.id,
  });
  const contexts = contextAccess(gate, store, agent.id);
  const executor = agentExecutor(agent, options, contexts);
  const taskStore =
    options.taskStore === undefined
      ? readableTaskStore(store, agent.id, { mayRead: contexts.mayRead, visibility })
      : readableTasks(options.taskStore, contexts);
  const authenticates = options.authenticate !== undefined;
  const card = (url: string) =>
    agentCard(agent, { url: url.replace(/\/$/, ''), authenticates, legacy }, options.card);
  const sdk = sdkHandler(card(options.url ?? ''), taskStore, executor);
  const guarded = guardedHandler(sdk, {
    store,
    executor,
    taskStore,
    assertInput: (message) => assertInputModes(message, card('')),
    contexts,
    newId,
    accessCheckMs: authenticates || authorize !== undefined ? accessCheckMs : 0,
    onError: (error) => options.context?.onError?.(error),
    cancel: (contextId, context) => {
      const principal = principalOf(context);
      const key = { scope: principal.scope, thread: contextId };
      return cancelInterrupts(agent, { ...runSettings(options, key.scope), key, principal });
    },
  });
  const requestHandler = withPublicFailures(guarded, (error) => options.context?.onError?.(error));
  const rpc = jsonRpcRoute(requestHandler);
  const login = createLogin(options, (sentence) => options.context?.onWarning?.(sentence));

  const answer = async (request: Request, source?: RequestSource): Promise<Response> => {
    const url = new URL(request.url);
    const { pathname, searchParams: query, origin } = url;
    if (!pathname.startsWith(basePath)) return restNotFound();
    const path = pathname.slice(basePath.length).replace(/\/$/, '');
    const isCard = request.method === 'GET' && CARD_PATHS.has(path);
    let user: User = new UnauthenticatedUser();
    try {
      // Every caller may read the card of a service that authenticates.
      if (!isCard || !authenticates) {
        const principal = await login(request, source);
        if (authenticates)
          user = new PrincipalUser(principal, () => isStillCaller(request, options, principal));
      }
    } catch (error) {
      return refuse(error);
    }
    if (isCard) return cardResponse(card(options.url ?? `${origin}${basePath}`), request);
    const context = new ServerCallContext({ user, requestedVersion: versionOf(request.headers) });
    // A server may not notice a reader who leaves before it reads the body.
    request.signal.addEventListener('abort', () => readerOf(context).abort(), { once: true });
    const isRpc = request.method === 'POST' && path === '';
    const assertVersion = () =>
      validateVersion(context.requestedVersion, card(''), isRpc ? 'JSONRPC' : 'HTTP+JSON');
    const mediaType = mediaTypeOf(request);
    try {
      const body = await readBody(request, options.bodyBytes ?? BODY_BYTES);
      if (isRpc) return await rpc({ body, mediaType }, context, assertVersion);
      assertJson(mediaType);
      assertVersion();
      const given = { method: request.method, path, query, body };
      return (await restRoute(requestHandler, given, context)) ?? restNotFound();
    } catch (error) {
      options.context?.onError?.(error);
      return isRpc ? jsonRpcFailure(error) : restFailure(error);
    }
  };
  const fetch = async (request: Request, source?: RequestSource): Promise<Response> => {
    const response = await answer(request, source);
    // The card has its own rule.
    if (!response.headers.get('cache-control')?.includes('max-age')) neverStore(response);
    return response;
  };
  return { fetch, executor, requestHandler, taskStore, card };
}

/** The handler of the SDK. It keeps no event bus for a paused task: streams read the store. */
function sdkHandler(
  card: AgentCard,
  taskStore: TaskStore,
  executor: HoldpointExecutor,
): DefaultRequestHandler {
  const none = undefined;
  return new DefaultRequestHandler(card, taskStore, executor, none, none, none, none, none, {
    keepBusAliveStates: [],
  });
}

/** The response to a caller who is not authenticated or may not call. */
function refuse(error: unknown): Response {
  if (!HoldpointError.is(error)) throw error;
  const { code, message, details } = error;
  const status = httpStatusOf(code);
  const headers = errorHeaders(status, details?.['retryAfterMs']);
  return Response.json({ error: { code, message } }, { status, headers });
}

/**
 * The media type of the body; empty if a program names none. A page of any origin can send a body without a type, with the cookies
 * of a person, so for a page it counts as another type.
 */
function mediaTypeOf({ method, headers }: Request): string {
  const type = headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  return type === '' && method === 'POST' && headers.has('origin') ? 'a body without a type' : type;
}

async function readBody(request: Request, limit: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  for await (const piece of request.body ?? []) {
    size += piece.length;
    if (size > limit) throw new RequestMalformedError(`The body is larger than ${limit} bytes.`);
    text += decoder.decode(piece, { stream: true });
  }
  return text + decoder.decode();
}
