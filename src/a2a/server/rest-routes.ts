import type { ListTasksRequest, ListTasksResponse } from '@a2a-js/sdk';
import {
  A2A_CONTENT_TYPE,
  AgentCard,
  formatSSEErrorEvent,
  formatSSEEvent,
  SendMessageRequest,
  SendMessageResponse,
  StreamResponse,
  Task,
  taskStateFromJSON,
  TaskState,
} from '@a2a-js/sdk';
import {
  ContentTypeNotSupportedError,
  PushNotificationNotSupportedError,
  RequestMalformedError,
  restStatusFor,
  TaskNotCancelableError,
  TaskNotFoundError,
  toRestErrorBody,
} from '@a2a-js/sdk/errors';
import type { A2ARequestHandler, ServerCallContext } from '@a2a-js/sdk/server';
import type { JsonObject } from '../../core/index.ts';
import { defined, messageOf as messageOfError, parseUniqueJson } from '../../core/index.ts';
import { readerOf } from './context-access.ts';
import { streamResponse } from './stream-response.ts';

/** A request of the HTTP+JSON binding: its path below the agent's address. */
export interface RestRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: string;
}

/** Answers a request of the HTTP+JSON binding; undefined for an unknown path. */
export async function restRoute(
  handler: A2ARequestHandler,
  request: RestRequest,
  context: ServerCallContext,
): Promise<Response | undefined> {
  const { method, path, query } = request;
  try {
    if (method === 'GET' && path === '/extendedAgentCard') {
      const card = await handler.getAuthenticatedExtendedAgentCard({ tenant: '' }, context);
      return json(AgentCard.toJSON(card));
    }
    if (method === 'POST' && path === '/message:send') {
      const result = await handler.sendMessage(messageOf(request), context);
      const payload =
        'messageId' in result
          ? { $case: 'message' as const, value: result }
          : { $case: 'task' as const, value: result };
      return json(SendMessageResponse.toJSON({ payload }));
    }
    if (method === 'POST' && path === '/message:stream')
      return stream(handler.sendMessageStream(messageOf(request), context), context);
    if (method === 'GET' && path === '/tasks') {
      const request = listOf(query);
      return json(toListJson(await handler.listTasks(request, context), request));
    }
    if (/^\/tasks\/[^/]+\/pushNotificationConfigs(?:\/[^/]+)?$/.test(path))
      throw new PushNotificationNotSupportedError();
    const [, id, action] = /^\/tasks\/([^/:]+)(?::(cancel|subscribe))?$/.exec(path) ?? [];
    if (id === undefined) return undefined;
    const task = { tenant: '', id: decodePath(id) };
    if (action === 'subscribe' && (method === 'GET' || method === 'POST'))
      return stream(handler.resubscribe(task, context), context);
    if (action === 'cancel' && method === 'POST') {
      return json(Task.toJSON(await handler.cancelTask({ ...task, metadata: undefined }, context)));
    }
    if (action !== undefined || method !== 'GET') return undefined;
    const length = wholeNumber(query, 'historyLength');
    const wanted = length === undefined ? task : { ...task, historyLength: length };
    return json(Task.toJSON(await handler.getTask(wanted, context)));
  } catch (error) {
    return restFailure(error);
  }
}

export function restFailure(error: unknown): Response {
  const status = statusOf(error);
  return json(toRestErrorBody(error, status), status);
}

/** The status of an error (A2A 1.0, section 5.4). The SDK has 400 for these two. */
function statusOf(error: unknown): number {
  if (error instanceof ContentTypeNotSupportedError) return 415;
  if (error instanceof TaskNotCancelableError) return 409;
  return restStatusFor(error);
}

/** Throws `ContentTypeNotSupportedError` for a body that is not JSON. `mediaType` is empty for a request that names none. */
export function assertJson(mediaType: string): void {
  if (mediaType === '' || mediaType === 'application/json' || mediaType === A2A_CONTENT_TYPE) return;
  throw new ContentTypeNotSupportedError(
    `The body must be application/json or ${A2A_CONTENT_TYPE}, not ${mediaType}.`,
  );
}

function decodePath(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new RequestMalformedError('The path is not percent-encoded UTF-8.');
  }
}

/** The response to an unknown path. */
export function restNotFound(): Response {
  return json(toRestErrorBody(new TaskNotFoundError('This path is unknown.'), 404), 404);
}

function json(body: unknown, status = 200): Response {
  return new Response(JSON.stringify(body), { status, headers: { 'content-type': A2A_CONTENT_TYPE } });
}

function stream(events: AsyncIterable<StreamResponse>, context: ServerCallContext): Promise<Response> {
  const form = {
    frame: (event: unknown) => formatSSEEvent(StreamResponse.toJSON(event as StreamResponse)),
    refuse: restFailure,
    failed: (error: unknown) => formatSSEErrorEvent(toRestErrorBody(error, statusOf(error))),
  };
  return streamResponse(events, form, readerOf(context));
}

function messageOf({ body }: RestRequest): SendMessageRequest {
  let parsed: unknown;
  try {
    parsed = parseUniqueJson(body);
  } catch (error) {
    throw new RequestMalformedError(messageOfError(error));
  }
  const request = SendMessageRequest.fromJSON(parsed ?? {});
  if (!request.message?.messageId) throw new RequestMalformedError('message.messageId is required');
  return request;
}

function listOf(query: URLSearchParams): Parameters<A2ARequestHandler['listTasks']>[0] {
  const status = query.get('status');
  const pageSize = wholeNumber(query, 'pageSize');
  const historyLength = wholeNumber(query, 'historyLength');
  return {
    tenant: '',
    contextId: query.get('contextId') ?? '',
    status: status === null ? TaskState.TASK_STATE_UNSPECIFIED : taskStateFromJSON(status),
    pageToken: query.get('pageToken') ?? '',
    statusTimestampAfter: query.get('statusTimestampAfter') ?? undefined,
    includeArtifacts: query.get('includeArtifacts') === 'true',
    ...defined({ pageSize, historyLength }),
  };
}

/** A page of tasks. Members that the SDK leaves out when they are empty are required (A2A 1.0, section 3.1.4). */
function toListJson(page: ListTasksResponse, { includeArtifacts }: ListTasksRequest): JsonObject {
  const { nextPageToken, pageSize, totalSize } = page;
  const tasks = page.tasks.map((task) => Task.toJSON(task) as JsonObject);
  return {
    tasks: includeArtifacts === true ? tasks.map((task) => ({ artifacts: [], ...task })) : tasks,
    nextPageToken,
    pageSize,
    totalSize,
  };
}

function wholeNumber(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null || text === '') return undefined;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0)
    throw new RequestMalformedError(`${name} must be a whole number.`);
  return value;
}
