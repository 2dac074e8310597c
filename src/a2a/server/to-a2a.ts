import type { AgentCard } from '@a2a-js/sdk';
import { A2A_VERSION_HEADER, AGENT_CARD_PATH, AgentCard as CardForm } from '@a2a-js/sdk';
import { RequestMalformedError } from '@a2a-js/sdk/errors';
import type { A2ARequestHandler, TaskStore, User } from '@a2a-js/sdk/server';
import {
  DefaultExecutionEventBusManager,
  DefaultRequestHandler,
  ServerCallContext,
  UnauthenticatedUser,
  validateVersion,
} from '@a2a-js/sdk/server';
import { HoldpointError, httpStatusOf, newId as defaultNewId } from '../../core/index.ts';
import type { Agent } from '../../engine/index.ts';
import type { AccessOptions } from '../../ledger/index.ts';
import { callerOf, CHALLENGE, createGate } from '../../ledger/index.ts';
import type { GeneratingAgent } from '../../runs/index.ts';
import { agentCard } from './agent-card.ts';
import type { ExecutorOptions, HoldpointExecutor } from './agent-executor.ts';
import { agentExecutor } from './agent-executor.ts';
import { contextAccess, readableTasks } from './context-access.ts';
import { guardedHandler } from './guarded-handler.ts';
import { jsonRpcFailure, jsonRpcRoute } from './json-rpc-route.ts';
import { principalOf, PrincipalUser } from './principal.ts';
import { withPublicFailures } from './public-failures.ts';
import { restFailure, restNotFound, restRoute } from './rest-routes.ts';
import { storeTaskStore } from './store-task-store.ts';
import { cancelQuestions } from './thread-questions.ts';

export interface ToA2aOptions extends ExecutorOptions, AccessOptions {
  /** The address that others reach it at; the one they asked at when absent. */
  readonly url?: string;
  /** Where it is mounted, such as `/a2a`. Default: at the root. */
  readonly basePath?: string;
  /** What the card says besides. */
  readonly card?: Partial<AgentCard>;
  /** Bytes of a request's body. Default 1 MiB. */
  readonly bodyBytes?: number;
  /** In place of tasks in the store. */
  readonly taskStore?: TaskStore;
}

/** An agent as an A2A server. */
export interface A2aService {
  /** Card, JSON-RPC and HTTP+JSON, as one function of a request. */
  fetch(request: Request): Promise<Response>;
  readonly executor: HoldpointExecutor;
  /** For the SDK's own servers, such as its handlers for Express. */
  readonly requestHandler: A2ARequestHandler;
  readonly taskStore: TaskStore;
  card(url: string): AgentCard;
}

const BODY_BYTES = 1024 * 1024;

/** Serves an agent of ours as an A2A agent: its questions are `input-required`, its answers are checked before `working`. */
export function toA2a(agent: Agent | GeneratingAgent, options: ToA2aOptions): A2aService {
  const { store, basePath = '' } = options;
  const { authorize, interrupts, accessCheckMs = 30_000, newId = defaultNewId } = options;
  const gate = createGate(store, { authorize, mayAnswer: interrupts?.mayAnswer, onlyAgent: agent.id });
  const contexts = contextAccess(gate, store, agent.id);
  const executor = agentExecutor(agent, options, contexts);
  const taskStore = readableTasks(options.taskStore ?? storeTaskStore(store, agent.id), contexts);
  const card = (url: string) => agentCard(agent, url.replace(/\/$/, ''), options.card);
  const buses = new DefaultExecutionEventBusManager();
  const sdk = new DefaultRequestHandler(card(options.url ?? ''), taskStore, executor, buses);
  const guarded = guardedHandler(sdk, {
    executor,
    taskStore,
    buses,
    contexts,
    newId,
    accessCheckMs: authorize === undefined ? 0 : accessCheckMs,
    onError: (error) => options.context?.onError?.(error),
    cancel: (contextId, context) =>
      cancelQuestions(agent, {
        ...options,
        key: { scope: principalOf(context).scope, thread: contextId },
      }),
  });
  const requestHandler = withPublicFailures(guarded, (error) => options.context?.onError?.(error));
  const rpc = jsonRpcRoute(requestHandler);

  const fetch = async (request: Request): Promise<Response> => {
    const url = new URL(request.url);
    const { pathname, searchParams: query, origin } = url;
    if (!pathname.startsWith(basePath)) return restNotFound();
    const path = pathname.slice(basePath.length).replace(/\/$/, '');
    const isCard = request.method === 'GET' && path === `/${AGENT_CARD_PATH}`;
    const isOpen = options.authenticate === undefined;
    let user: User = new UnauthenticatedUser();
    try {
      // The card of a service that authenticates is for everybody.
      if (!isCard || isOpen) {
        const principal = await callerOf(request, options, (warning) =>
          options.context?.onWarning?.(warning),
        );
        if (!isOpen) user = new PrincipalUser(principal);
      }
    } catch (error) {
      return refuse(error);
    }
    if (isCard) return Response.json(CardForm.toJSON(card(options.url ?? `${origin}${basePath}`)));
    const context = new ServerCallContext({ user, ...versionOf(request) });
    const isRpc = request.method === 'POST' && path === '';
    try {
      validateVersion(context.requestedVersion, card(''), isRpc ? 'JSONRPC' : 'HTTP+JSON');
      const body = await readBody(request, options.bodyBytes ?? BODY_BYTES);
      if (isRpc) return await rpc(body, context);
      const given = { method: request.method, path, query, body };
      return (await restRoute(requestHandler, given, context)) ?? restNotFound();
    } catch (error) {
      options.context?.onError?.(error);
      return isRpc ? jsonRpcFailure(error) : restFailure(error);
    }
  };
  return { fetch, executor, requestHandler, taskStore, card };
}

/** A caller who is not known, or who may not call at all. */
function refuse(error: unknown): Response {
  if (!HoldpointError.is(error)) throw error;
  const { code, message } = error;
  const status = httpStatusOf(code);
  return Response.json({ error: { code, message } }, { status, headers: status === 401 ? CHALLENGE : {} });
}

function versionOf(request: Request): { requestedVersion?: string } {
  const requestedVersion = request.headers.get(A2A_VERSION_HEADER);
  return requestedVersion === null ? {} : { requestedVersion };
}

async function readBody(request: Request, limit: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  for await (const piece of request.body ?? []) {
    size += piece.length;
    if (size > limit) throw new RequestMalformedError(`A body may have ${limit} bytes.`);
    text += decoder.decode(piece, { stream: true });
  }
  return text + decoder.decode();
}
