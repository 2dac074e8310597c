/** A2A 1.0 on the wire, without a client: the same operations over JSON-RPC and over HTTP+JSON. */
import { isRecord } from '../../core/index.ts';
import type { Binding } from './a2a-server.ts';

type Json = Record<string, unknown>;

/** The response to one operation. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  /** The whole body. */
  readonly body: Json;
  /** The result of the operation; empty for an error. */
  readonly result: Json;
  /** The code of a JSON-RPC error or the status of an HTTP error; undefined for a result. */
  readonly code: number | undefined;
  /** The reason in the `ErrorInfo` of the error. */
  readonly reason: string | undefined;
}

/** An open stream. */
export interface EventStream {
  readonly reply: Omit<Reply, 'body'>;
  /** The next event; undefined at the end. */
  next(): Promise<Json | undefined>;
  rest(): Promise<Json[]>;
  close(): Promise<void>;
}

/** An operation: its JSON-RPC method and parameters, and its HTTP form. */
interface Operation {
  readonly rpc: readonly [method: string, params: Json];
  readonly http: readonly [method: string, path: string, body?: Json];
}

const query = (given: Json) => {
  const pairs = Object.entries(given).map(([name, value]) => [name, String(value)]);
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`;
};

export const OPERATIONS = {
  send: (message: Json, configuration?: Json): Operation => {
    const params = configuration === undefined ? { message } : { message, configuration };
    return { rpc: ['SendMessage', params], http: ['POST', '/message:send', params] };
  },
  stream: (message: Json): Operation => ({
    rpc: ['SendStreamingMessage', { message }],
    http: ['POST', '/message:stream', { message }],
  }),
  get: (id: string, more: Json = {}): Operation => ({
    rpc: ['GetTask', { id, ...more }],
    http: ['GET', `/tasks/${id}${query(more)}`],
  }),
  list: (params: Json): Operation => ({
    rpc: ['ListTasks', params],
    http: ['GET', `/tasks${query(params)}`],
  }),
  cancel: (id: string): Operation => ({ rpc: ['CancelTask', { id }], http: ['POST', `/tasks/${id}:cancel`] }),
  subscribe: (id: string): Operation => ({
    rpc: ['SubscribeToTask', { id }],
    http: ['POST', `/tasks/${id}:subscribe`],
  }),
  setPush: (taskId: string): Operation => ({
    rpc: ['CreateTaskPushNotificationConfig', { taskId, url: 'https://example.com' }],
    http: ['POST', `/tasks/${taskId}/pushNotificationConfigs`, { url: 'https://example.com' }],
  }),
  getPush: (taskId: string): Operation => ({
    rpc: ['GetTaskPushNotificationConfig', { taskId, id: 'c' }],
    http: ['GET', `/tasks/${taskId}/pushNotificationConfigs/c`],
  }),
  listPush: (taskId: string): Operation => ({
    rpc: ['ListTaskPushNotificationConfigs', { taskId }],
    http: ['GET', `/tasks/${taskId}/pushNotificationConfigs`],
  }),
  deletePush: (taskId: string): Operation => ({
    rpc: ['DeleteTaskPushNotificationConfig', { taskId, id: 'c' }],
    http: ['DELETE', `/tasks/${taskId}/pushNotificationConfigs/c`],
  }),
  extendedCard: (): Operation => ({
    rpc: ['GetExtendedAgentCard', {}],
    http: ['GET', '/extendedAgentCard'],
  }),
} as const;

/** One server and one binding. */
export interface Wire {
  readonly binding: Binding;
  readonly url: string;
  call(operation: Operation, headers?: Record<string, string>): Promise<Reply>;
  open(operation: Operation): Promise<EventStream>;
  /** A request with this body and these headers, as they are. */
  raw(init: RequestInit & { readonly path?: string }): Promise<Reply>;
}

export function createWire(binding: Binding, url: string): Wire {
  const isRpc = binding === 'JSONRPC';
  const request = ({ rpc, http }: Operation, headers: Record<string, string> = {}): Promise<Response> => {
    const [method, params] = rpc;
    const [verb, path, body] = http;
    const json = isRpc ? { jsonrpc: '2.0', id: 'request-1', method, params } : body;
    return fetch(isRpc ? url : `${url}${path}`, {
      method: isRpc ? 'POST' : verb,
      headers: {
        'a2a-version': '1.0',
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    });
  };
  const read = async (response: Response): Promise<Reply> => {
    const text = await response.text();
    const parsed: unknown = text === '' ? {} : JSON.parse(text);
    return toReply(response, isRecord(parsed) ? parsed : {}, isRpc);
  };
  return {
    binding,
    url,
    call: async (operation, headers) => read(await request(operation, headers)),
    async open(operation) {
      const response = await request(operation);
      if (response.headers.get('content-type')?.startsWith('text/event-stream') !== true) {
        const reply = await read(response);
        const none = async () => undefined;
        return { reply, next: none, rest: async () => [], close: none };
      }
      return eventStream(response, isRpc);
    },
    raw: async ({ path = '', ...init }) => read(await fetch(`${url}${path}`, init)),
  };
}

function toReply(response: Response, body: Json, isRpc: boolean): Reply {
  const { status, headers } = response;
  const error = isRecord(body['error']) ? body['error'] : undefined;
  const details: unknown = isRpc ? error?.['data'] : error?.['details'];
  const info: unknown = Array.isArray(details) ? details[0] : undefined;
  const result = isRpc ? body['result'] : body;
  const code = error === undefined ? undefined : Number(isRpc ? error['code'] : status);
  return {
    status,
    headers,
    body,
    result: error === undefined && isRecord(result) ? result : {},
    code,
    reason: isRecord(info) && typeof info['reason'] === 'string' ? info['reason'] : undefined,
  };
}

function eventStream(response: Response, isRpc: boolean): EventStream {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let buffer = '';
  const next = async (): Promise<Json | undefined> => {
    for (;;) {
      const end = buffer.indexOf('\n\n');
      if (end !== -1) {
        const frame = buffer.slice(0, end);
        buffer = buffer.slice(end + 2);
        const data = frame.split('\n').flatMap((line) => (line.startsWith('data:') ? [line.slice(5)] : []));
        if (data.length === 0) continue;
        const event = JSON.parse(data.join('\n')) as Json;
        return isRpc ? (event['result'] as Json) : event;
      }
      const piece = await reader?.read();
      if (piece?.value === undefined) return undefined;
      buffer += piece.value;
    }
  };
  const { status, headers } = response;
  return {
    reply: { status, headers, result: {}, code: undefined, reason: undefined },
    next,
    async rest() {
      const events: Json[] = [];
      for (let event = await next(); event !== undefined; event = await next()) events.push(event);
      return events;
    },
    close: async () => reader?.cancel(),
  };
}
