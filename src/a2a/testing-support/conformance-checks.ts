/**
 * The mandatory requirements of A2A 1.0 that concern a server without push notifications, gRPC and an extended card, in the words of this
 * project. The agent under test reacts to the text of a message: see `Scene`.
 */
import { expect } from 'vitest';
import type { Binding } from './a2a-server.ts';
import type { Reply, Wire } from './a2a-wire.ts';
import { createWire, OPERATIONS as op } from './a2a-wire.ts';

type Json = Record<string, unknown>;

/** What the agent does with a message of this text. */
export type Scene =
  /** Completes with the text `Hello.` */
  | 'complete'
  /** Waits until `release`, then completes. */
  | 'wait'
  /** Asks for any text. */
  | 'ask'
  /** Completes with a file of the bytes `file`, named `output.txt`. */
  | 'file'
  /** Completes with the file `https://example.com/output.txt`. */
  | 'file-url'
  /** Completes with the data `{ key: 'value', count: 42 }`. */
  | 'data';

/** A server under test. */
export interface Subject {
  /** The address of the card. */
  readonly cardUrl: string;
  readonly urls: Readonly<Record<Binding, string>>;
  /** A server whose agent replies with a message. */
  readonly messageUrls: Readonly<Record<Binding, string>>;
  /** Lets the agents that wait complete. */
  readonly release: () => void;
}

/** A check throws if the server breaks the requirement. */
export interface Check {
  readonly section: string;
  readonly name: string;
  /** Default: both bindings. */
  readonly only?: Binding;
  readonly run: (wire: Wire, subject: Subject) => Promise<void>;
}

let count = 0;
const messageOf = (text: string, more: Json = {}): Json => {
  count += 1;
  return { messageId: `message-${count}`, role: 'ROLE_USER', parts: [{ text }], ...more };
};

/** JSON-RPC codes and HTTP statuses (section 5.4). */
const CODES: Readonly<Record<string, readonly [rpc: number, http: number]>> = {
  TASK_NOT_FOUND: [-32_001, 404],
  TASK_NOT_CANCELABLE: [-32_002, 409],
  PUSH_NOTIFICATION_NOT_SUPPORTED: [-32_003, 400],
  UNSUPPORTED_OPERATION: [-32_004, 400],
  CONTENT_TYPE_NOT_SUPPORTED: [-32_005, 415],
  VERSION_NOT_SUPPORTED: [-32_009, 400],
};

function expectError(
  wire: Wire,
  { code, reason, body }: Pick<Reply, 'code' | 'reason'> & Partial<Reply>,
  name: string,
): void {
  const [rpc, http] = CODES[name] ?? [];
  expect({ reason, code, body }).toMatchObject({
    reason: name,
    code: wire.binding === 'JSONRPC' ? rpc : http,
  });
}

const taskOf = (reply: Reply): Json => (reply.result['task'] ?? {}) as Json;
const stateOf = (task: Json): unknown => ((task['status'] ?? {}) as Json)['state'];
const send = async (wire: Wire, scene: Scene, more: Json = {}): Promise<Json> =>
  taskOf(await wire.call(op.send(messageOf(scene, more))));
const idOf = ({ id }: Json): string => String(id);

/** Sends a message and returns at once. */
const begin = async (wire: Wire, scene: Scene): Promise<Json> =>
  taskOf(await wire.call(op.send(messageOf(scene), { returnImmediately: true })));

const artifactPart = async (wire: Wire, scene: Scene): Promise<Json> => {
  const task = await send(wire, scene);
  const artifacts = task['artifacts'] as { artifactId: string; parts: Json[] }[];
  expect(artifacts[0]?.artifactId).toEqual(expect.any(String));
  return artifacts[0]?.parts[0] ?? {};
};

const lastState = (events: readonly Json[]): unknown => {
  const { statusUpdate, task } = (events.at(-1) ?? {}) as { statusUpdate?: Json; task?: Json };
  return stateOf(statusUpdate ?? task ?? {});
};

/** Texts of artifacts in events, and their states, in order. */
const outline = (events: readonly Json[]): string[] =>
  events.map((event) => {
    const [kind = ''] = Object.keys(event);
    const value = event[kind] as { status?: Json; artifact?: { parts: Json[] } };
    return `${kind} ${JSON.stringify(value.status?.['state'] ?? value.artifact?.parts)}`;
  });

/** A server may order by milliseconds: what comes after this call has a later one. */
const nextMillisecond = async (): Promise<void> => {
  const now = Date.now();
  while (Date.now() === now) await new Promise((resolve) => setImmediate(resolve));
};
const cardOf = async ({ cardUrl }: Subject) => fetch(cardUrl);

export const CHECKS: readonly Check[] = [
  {
    section: '8.2',
    name: 'the card has all required members',
    run: async (_wire, subject) => {
      const card = (await (await cardOf(subject)).json()) as Json;
      for (const name of [
        'name',
        'description',
        'version',
        'capabilities',
        'skills',
        'supportedInterfaces',
        'defaultInputModes',
        'defaultOutputModes',
      ])
        expect(card).toHaveProperty(name);
    },
  },
  {
    section: '8.3',
    name: 'the card lists the binding with its address and version',
    run: async ({ binding }, subject) => {
      const { supportedInterfaces } = (await (await cardOf(subject)).json()) as {
        supportedInterfaces: Json[];
      };
      expect(supportedInterfaces).toContainEqual(
        expect.objectContaining({
          protocolBinding: binding,
          protocolVersion: '1.0',
          url: expect.stringMatching(/^http/) as string,
        }),
      );
    },
  },
  {
    section: '8.6',
    name: 'the card may be cached: Cache-Control with max-age, and ETag',
    run: async (_wire, subject) => {
      const { headers } = await cardOf(subject);
      expect(headers.get('cache-control')).toMatch(/max-age=\d+/);
      expect(headers.get('etag')).toMatch(/./);
    },
  },
  {
    section: '3.1.1',
    name: 'SendMessage returns a task with an id, a context and a status',
    run: async (wire) => {
      const task = await send(wire, 'complete');
      expect(task).toMatchObject({
        id: expect.any(String) as string,
        contextId: expect.any(String) as string,
        status: {
          state: 'TASK_STATE_COMPLETED',
          timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/) as string,
        },
      });
      const names = [...JSON.stringify(task).matchAll(/"([^"]+)":/g)].map(([, name]) => name ?? '');
      expect(names.filter((name) => name.includes('_'))).toEqual([]);
      expect(JSON.stringify(task)).toContain('"role":"ROLE_');
    },
  },
  {
    section: '3.1.1',
    name: 'SendMessage may return a message with its context',
    run: async ({ binding }, { messageUrls }) => {
      const { result } = await createWire(binding, messageUrls[binding]).call(op.send(messageOf('complete')));
      expect(result['message']).toMatchObject({
        role: 'ROLE_AGENT',
        messageId: expect.any(String) as string,
        contextId: expect.any(String) as string,
        parts: [{ text: 'Hello.' }],
      });
    },
  },
  {
    section: '3.1.2',
    name: 'a stream with a message has that message and ends',
    run: async ({ binding }, { messageUrls }) => {
      const stream = await createWire(binding, messageUrls[binding]).open(op.stream(messageOf('complete')));
      expect(await stream.rest()).toMatchObject([{ message: { parts: [{ text: 'Hello.' }] } }]);
    },
  },
  {
    section: '3.1.1',
    name: 'a message to a task that has ended is an unsupported operation',
    run: async (wire) => {
      const { id } = await send(wire, 'complete');
      expectError(wire, await wire.call(op.send(messageOf('more', { taskId: id }))), 'UNSUPPORTED_OPERATION');
    },
  },
  {
    section: '3.1.1',
    name: 'a part of an unknown media type is rejected',
    run: async (wire) => {
      const parts = [{ raw: 'dGNr', mediaType: 'application/x-unknown' }];
      const reply = await wire.call(op.send(messageOf('complete', { parts })));
      expectError(wire, reply, 'CONTENT_TYPE_NOT_SUPPORTED');
    },
  },
  {
    section: '3.3.2',
    name: 'a request without a message, or without its id, is rejected',
    run: async (wire) => {
      const [rpc, http] = [-32_602, 400];
      const expected = wire.binding === 'JSONRPC' ? rpc : http;
      const message = { role: 'ROLE_USER', parts: [{ text: 'complete' }] };
      for (const params of [{}, { message }]) {
        const bare = { rpc: ['SendMessage', params], http: ['POST', '/message:send', params] } as const;
        expect((await wire.call(bare)).code).toBe(expected);
      }
    },
  },
  {
    section: '3.2.2',
    name: 'a blocking request waits for the end, another returns the task at work',
    run: async (wire, { release }) => {
      const working = await begin(wire, 'wait');
      expect(stateOf(working)).toMatch(/^TASK_STATE_(SUBMITTED|WORKING)$/);
      const blocking = send(wire, 'wait');
      await expect
        .poll(async () => {
          const { result } = await wire.call(op.list({}));
          return (result['tasks'] as Json[]).filter((task) => stateOf(task) === 'TASK_STATE_WORKING').length;
        })
        .toBeGreaterThan(1);
      release();
      expect(stateOf(await blocking)).toBe('TASK_STATE_COMPLETED');
    },
  },
  {
    section: '3.4.1',
    name: 'the context of the client is kept, and each task gets an id',
    run: async (wire) => {
      const contextId = `context-${wire.binding}`;
      const [one, two] = [
        await send(wire, 'complete', { contextId }),
        await send(wire, 'complete', { contextId }),
      ];
      expect([one['contextId'], two['contextId']]).toEqual([contextId, contextId]);
      expect(one['id']).not.toBe(two['id']);
    },
  },
  {
    section: '3.4.2',
    name: 'a message to an unknown task is not found',
    run: async (wire) =>
      expectError(wire, await wire.call(op.send(messageOf('more', { taskId: 'nobody' }))), 'TASK_NOT_FOUND'),
  },
  {
    section: '3.4.3',
    name: 'a message with a task needs no context, and is rejected with the wrong one',
    run: async (wire) => {
      const { id: taskId, contextId } = await send(wire, 'ask');
      const wrong = await wire.call(op.send(messageOf('answer', { taskId, contextId: 'elsewhere' })));
      expect(wrong.code).toBe(wire.binding === 'JSONRPC' ? -32_602 : 400);
      const task = taskOf(await wire.call(op.send(messageOf('answer', { taskId }))));
      expect([stateOf(task), task['contextId']]).toEqual(['TASK_STATE_COMPLETED', contextId]);
    },
  },
  {
    section: '4.1.6',
    name: 'an artifact may be a text',
    run: async (wire) => expect(await artifactPart(wire, 'complete')).toMatchObject({ text: 'Hello.' }),
  },
  {
    section: '4.1.6',
    name: 'an artifact may be a file',
    run: async (wire) =>
      expect(await artifactPart(wire, 'file')).toMatchObject({
        raw: btoa('file'),
        filename: 'output.txt',
        mediaType: 'text/plain',
      }),
  },
  {
    section: '4.1.6',
    name: 'an artifact may be a file at an address',
    run: async (wire) =>
      expect(await artifactPart(wire, 'file-url')).toMatchObject({
        url: 'https://example.com/output.txt',
        filename: 'output.txt',
        mediaType: 'text/plain',
      }),
  },
  {
    section: '4.1.6',
    name: 'an artifact may be data',
    run: async (wire) =>
      expect(await artifactPart(wire, 'data')).toMatchObject({ data: { key: 'value', count: 42 } }),
  },
  {
    section: '3.1.3',
    name: 'GetTask returns the task',
    run: async (wire) => {
      const { id } = await send(wire, 'complete');
      const { result } = await wire.call(op.get(idOf({ id })));
      expect([result['id'], stateOf(result)]).toEqual([id, 'TASK_STATE_COMPLETED']);
    },
  },
  {
    section: '3.1.3',
    name: 'GetTask of an unknown task is not found',
    run: async (wire) => expectError(wire, await wire.call(op.get('nobody')), 'TASK_NOT_FOUND'),
  },
  {
    section: '3.2.4',
    name: 'historyLength limits the history',
    run: async (wire) => {
      const { id: taskId } = await send(wire, 'ask');
      await wire.call(op.send(messageOf('answer', { taskId })));
      const lengthOf = async (historyLength: number) => {
        const { result } = await wire.call(op.get(idOf({ id: taskId }), { historyLength }));
        return ((result['history'] ?? []) as unknown[]).length;
      };
      expect([await lengthOf(0), await lengthOf(1), await lengthOf(2)]).toEqual([0, 1, 2]);
      const none = await wire.call(op.send(messageOf('complete'), { historyLength: 0 }));
      expect(taskOf(none)['history'] ?? []).toEqual([]);
    },
  },
  {
    section: '3.1.4',
    name: 'ListTasks has the most recently updated task first, in pages, with the total',
    run: async (wire) => {
      const contextId = `list-${wire.binding}`;
      const ids: string[] = [];
      for (let n = 0; n < 3; n += 1) {
        ids.push(idOf(await send(wire, 'complete', { contextId })));
        await nextMillisecond();
      }
      const first = (await wire.call(op.list({ contextId, pageSize: 2 }))).result;
      const idsOf = (page: Json) => (page['tasks'] as Json[]).map(idOf);
      expect(idsOf(first)).toEqual([ids[2], ids[1]]);
      expect(first).toMatchObject({
        totalSize: 3,
        pageSize: 2,
        nextPageToken: expect.stringMatching(/./) as string,
      });
      const pageToken = String(first['nextPageToken']);
      const second = (await wire.call(op.list({ contextId, pageSize: 2, pageToken }))).result;
      expect(idsOf(second)).toEqual([ids[0]]);
      expect(second).toMatchObject({ totalSize: 3, nextPageToken: '' });
      const none = (await wire.call(op.list({ contextId: 'empty' }))).result;
      expect(none).toMatchObject({ tasks: [], totalSize: 0, nextPageToken: '' });
    },
  },
  {
    section: '3.1.4',
    name: 'ListTasks orders by the last update, not by the start',
    run: async (wire) => {
      const waiting = await send(wire, 'ask');
      await send(wire, 'complete');
      await nextMillisecond();
      await wire.call(op.send(messageOf('answer', { taskId: waiting['id'] })));
      const { result } = await wire.call(op.list({ pageSize: 1 }));
      expect((result['tasks'] as Json[]).map(idOf)).toEqual([idOf(waiting)]);
    },
  },
  {
    section: '3.1.4',
    name: 'ListTasks has artifacts only on request, and filters by state',
    run: async (wire) => {
      const contextId = `artifacts-${wire.binding}`;
      await send(wire, 'complete', { contextId });
      const [plain] = (await wire.call(op.list({ contextId }))).result['tasks'] as Json[];
      expect(plain).not.toHaveProperty('artifacts');
      const [full] = (await wire.call(op.list({ contextId, includeArtifacts: true }))).result[
        'tasks'
      ] as Json[];
      expect(full?.['artifacts']).toHaveLength(1);
      const { result } = await wire.call(op.list({ contextId, status: 'TASK_STATE_WORKING' }));
      expect(result['tasks']).toEqual([]);
    },
  },
  {
    section: '3.1.4',
    name: 'ListTasks rejects a page size or a page token that is not valid',
    run: async (wire) => {
      for (const params of [{ pageSize: 0 }, { pageSize: 101 }, { pageToken: 'nonsense' }])
        expect((await wire.call(op.list(params))).code).toBe(wire.binding === 'JSONRPC' ? -32_602 : 400);
    },
  },
  {
    section: '3.1.5',
    name: 'CancelTask returns the canceled task',
    run: async (wire) => {
      const { id } = await send(wire, 'ask');
      const { result } = await wire.call(op.cancel(idOf({ id })));
      expect([result['id'], stateOf(result)]).toEqual([id, 'TASK_STATE_CANCELED']);
    },
  },
  {
    section: '3.1.5',
    name: 'CancelTask of a completed task is not possible',
    run: async (wire) => {
      const { id } = await send(wire, 'complete');
      expectError(wire, await wire.call(op.cancel(idOf({ id }))), 'TASK_NOT_CANCELABLE');
    },
  },
  {
    section: '3.1.5',
    name: 'CancelTask of an unknown task is not found',
    run: async (wire) => expectError(wire, await wire.call(op.cancel('nobody')), 'TASK_NOT_FOUND'),
  },
  {
    section: '3.1.2',
    name: 'a stream is SSE, begins with the task, and ends when the task ends',
    run: async (wire) => {
      const stream = await wire.open(op.stream(messageOf('complete')));
      expect(stream.reply.headers.get('content-type')).toMatch(/^text\/event-stream/);
      const events = await stream.rest();
      expect(Object.keys(events[0] ?? {})).toEqual(['task']);
      expect(lastState(events)).toBe('TASK_STATE_COMPLETED');
    },
  },
  {
    section: '3.1.6',
    name: 'SubscribeToTask begins with the task and ends when the task ends',
    run: async (wire, { release }) => {
      const { id } = await begin(wire, 'wait');
      const stream = await wire.open(op.subscribe(idOf({ id })));
      expect(await stream.next()).toMatchObject({ task: { id } });
      release();
      expect(lastState(await stream.rest())).toBe('TASK_STATE_COMPLETED');
    },
  },
  {
    section: '3.1.6',
    name: 'SubscribeToTask follows a paused task to its end',
    run: async (wire) => {
      const { id: taskId } = await send(wire, 'ask');
      const stream = await wire.open(op.subscribe(idOf({ id: taskId })));
      expect(await stream.next()).toMatchObject({ task: { id: taskId } });
      await wire.call(op.send(messageOf('answer', { taskId })));
      expect(lastState(await stream.rest())).toBe('TASK_STATE_COMPLETED');
    },
  },
  {
    section: '3.5.2',
    name: 'each stream of a task has the same events, also when another one closes',
    run: async (wire, { release }) => {
      const { id } = await begin(wire, 'wait');
      const streams = await Promise.all([1, 2, 3].map(() => wire.open(op.subscribe(idOf({ id })))));
      for (const stream of streams) expect(await stream.next()).toHaveProperty('task');
      await streams[2]?.close();
      release();
      const [one, two] = [await streams[0]?.rest(), await streams[1]?.rest()];
      expect(outline(one ?? [])).toEqual(outline(two ?? []));
      expect(lastState(one ?? [])).toBe('TASK_STATE_COMPLETED');
    },
  },
  {
    section: '3.5.2',
    name: 'a task goes on when the reader of its stream leaves',
    run: async (wire, { release }) => {
      const stream = await wire.open(op.stream(messageOf('wait')));
      const { task } = (await stream.next()) as { task: Json };
      await stream.close();
      release();
      await expect
        .poll(async () => stateOf((await wire.call(op.get(idOf(task)))).result))
        .toBe('TASK_STATE_COMPLETED');
    },
  },
  {
    section: '3.1.6',
    name: 'SubscribeToTask of a task that has ended is an unsupported operation',
    run: async (wire) => {
      const { id } = await send(wire, 'complete');
      expectError(wire, (await wire.open(op.subscribe(idOf({ id })))).reply, 'UNSUPPORTED_OPERATION');
    },
  },
  {
    section: '3.1.6',
    name: 'SubscribeToTask of an unknown task is not found',
    run: async (wire) => expectError(wire, (await wire.open(op.subscribe('nobody'))).reply, 'TASK_NOT_FOUND'),
  },
  {
    section: '3.3.4',
    name: 'push notifications are not supported',
    run: async (wire) => {
      const { id } = await send(wire, 'complete');
      for (const operation of [op.setPush, op.getPush, op.listPush, op.deletePush])
        expectError(wire, await wire.call(operation(idOf({ id }))), 'PUSH_NOTIFICATION_NOT_SUPPORTED');
    },
  },
  {
    section: '3.3.4',
    name: 'the extended card is an unsupported operation',
    run: async (wire) => expectError(wire, await wire.call(op.extendedCard()), 'UNSUPPORTED_OPERATION'),
  },
  {
    section: '3.6.2',
    name: 'an unknown version is rejected',
    run: async (wire) =>
      expectError(
        wire,
        await wire.call(op.send(messageOf('complete')), { 'a2a-version': '99.0' }),
        'VERSION_NOT_SUPPORTED',
      ),
  },
  {
    section: '3.6',
    name: 'the patch number of a version does not count',
    run: async (wire) => {
      const reply = await wire.call(op.send(messageOf('complete')), { 'a2a-version': '1.0.7' });
      expect(stateOf(taskOf(reply))).toBe('TASK_STATE_COMPLETED');
    },
  },
  {
    section: '3.6.2',
    name: 'a request without a version is one of 0.3',
    only: 'JSONRPC',
    run: async (wire) => {
      const message = {
        kind: 'message',
        messageId: 'm',
        role: 'user',
        parts: [{ kind: 'text', text: 'complete' }],
      };
      const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'message/send', params: { message } });
      const headers = { 'content-type': 'application/json' };
      for (const more of [{}, { 'a2a-version': '' }, { 'a2a-version': '0.3' }]) {
        const reply = await wire.raw({ method: 'POST', body, headers: { ...headers, ...more } });
        expect(reply.body).toMatchObject({ id: 7, result: { kind: 'task', status: { state: 'completed' } } });
      }
    },
  },
  {
    section: '9.5',
    name: 'a body that is not JSON is a parse error',
    only: 'JSONRPC',
    run: async (wire) => {
      const headers = { 'content-type': 'application/json', 'a2a-version': '1.0' };
      const reply = await wire.raw({ method: 'POST', body: '{"jsonrpc": "2.0",', headers });
      expect(reply.body).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32_700 } });
    },
  },
  {
    section: '9.5',
    name: 'a body that is no JSON-RPC request is an invalid request',
    only: 'JSONRPC',
    run: async (wire) => {
      const headers = { 'content-type': 'application/json', 'a2a-version': '1.0' };
      for (const body of ['[]', '{"id":1,"method":"GetTask"}', '{"jsonrpc":"2.0","id":1,"params":{}}'])
        expect((await wire.raw({ method: 'POST', body, headers })).code).toBe(-32_600);
    },
  },
  {
    section: '9.5',
    name: 'an unknown method is not found, and the error has the id of the request',
    only: 'JSONRPC',
    run: async (wire) => {
      for (const id of [1, 'one']) {
        const body = JSON.stringify({ jsonrpc: '2.0', id, method: 'Dance', params: {} });
        const headers = { 'content-type': 'application/json', 'a2a-version': '1.0' };
        const reply = await wire.raw({ method: 'POST', body, headers });
        expect(reply.body).toMatchObject({ id, error: { code: -32_601 } });
        const old = await wire.raw({ method: 'POST', body, headers: { ...headers, 'a2a-version': '99.0' } });
        expect(old.body).toMatchObject({ id, error: { code: -32_009 } });
      }
    },
  },
  {
    section: '9.1',
    name: 'a body of another content type is rejected',
    run: async (wire) => {
      const message = messageOf('complete');
      const body = JSON.stringify(
        wire.binding === 'JSONRPC'
          ? { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } }
          : { message },
      );
      const path = wire.binding === 'JSONRPC' ? '' : '/message:send';
      const headers = { 'content-type': 'text/plain' };
      expectError(
        wire,
        await wire.raw({ method: 'POST', path, body, headers }),
        'CONTENT_TYPE_NOT_SUPPORTED',
      );
    },
  },
  {
    section: '9.1',
    name: 'responses have the content type of the binding',
    run: async (wire) => {
      const type = wire.binding === 'JSONRPC' ? /^application\/json/ : /^application\/a2a\+json/;
      for (const operation of [op.send(messageOf('complete')), op.get('nobody')])
        expect((await wire.call(operation)).headers.get('content-type')).toMatch(type);
    },
  },
  {
    section: '11.6',
    name: 'an HTTP error has the form of AIP-193',
    only: 'HTTP+JSON',
    run: async (wire) => {
      const { body } = await wire.call(op.get('nobody'));
      expect(body).toMatchObject({
        error: {
          code: 404,
          status: 'NOT_FOUND',
          message: expect.any(String) as string,
          details: [
            {
              '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
              reason: 'TASK_NOT_FOUND',
              domain: 'a2a-protocol.org',
            },
          ],
        },
      });
    },
  },
  {
    section: '11.3',
    name: 'a malformed path is the error of the client',
    only: 'HTTP+JSON',
    run: async (wire) => {
      const headers = { 'a2a-version': '1.0' };
      expect((await wire.raw({ path: '/tasks/%E0%A4%A', headers })).status).toBe(400);
    },
  },
];
