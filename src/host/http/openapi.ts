import { defined } from '../../core/index.ts';
import type { JsonObject } from '../../core/index.ts';

/** One route of the host in the OpenAPI document. */
interface Operation {
  readonly summary: string;
  /** Query parameters, each with its meaning. */
  readonly query?: Readonly<Record<string, string>>;
  /** The name of the schema of the JSON body, or the media types of another body. */
  readonly body?: string | { readonly types: readonly string[] };
  /** The status of a success. Default 200. */
  readonly status?: number;
  /** The name of the schema of the JSON response, or the media types of another response. Default: no body. */
  readonly returns?: string | { readonly types: readonly string[] };
  /** The statuses of expected failures. */
  readonly fails?: readonly number[];
}

const STREAM = { types: ['text/event-stream', 'application/vnd.ag-ui.event+proto'] };
const PAGE = {
  limit: 'The number of items, 1 to 500. Default 50.',
  cursor: 'The `next` of the page before.',
};
const INTERRUPT_QUERY = {
  status:
    'pending, answered, claimed, resolved, cancelled or expired, several with commas; or all. Default: pending,expired.',
  agent: 'The id of an agent.',
  reason: 'A reason, such as tool_call.',
  thread: 'The id of a thread.',
  tool: 'The name of a tool.',
  askedBy: 'The id of the person whose run asked.',
  answeredBy: 'The id of the person who answered.',
  text: 'Words in the title, the message, the name of the tool or the id of the person who asked.',
  expiringBefore: 'A time, such as 2026-01-31T12:00:00Z.',
  raisedBefore: 'A time, such as 2026-01-31T12:00:00Z.',
  order: 'oldest, newest, expiring (expired ones at the end) or answered. Default: oldest.',
};

/** Every route with its methods; a test compares them with the routes of the host. */
const ROUTES: Readonly<Record<string, Readonly<Record<string, Operation>>>> = {
  '/healthz': {
    get: { summary: 'Says whether the host reaches its store.', returns: 'Health', fails: [503] },
  },
  '/openapi.json': { get: { summary: 'Returns this document.', returns: 'OpenApi' } },
  '/agents': { get: { summary: 'Lists the agents that the caller may use.', returns: 'Agents' } },
  '/agents/{agent}': {
    get: {
      summary: 'Describes an agent and its AG-UI capabilities.',
      returns: 'AgentDescription',
      fails: [403, 404],
    },
    post: {
      summary: 'Starts a run, or continues one with answers in `resume`. Streams AG-UI events.',
      body: 'RunAgentInput',
      returns: STREAM,
      fails: [400, 403, 404, 409, 413, 415, 429],
    },
  },
  '/agents/{agent}/chat/stream': {
    post: {
      summary: 'The same as POST /agents/{agent}.',
      body: 'RunAgentInput',
      returns: STREAM,
      fails: [400, 403, 404, 409, 413, 415, 429],
    },
  },
  '/agents/{agent}/connect': {
    post: {
      summary: 'Shows a thread as it is, with its open interrupts, and follows an active run.',
      body: 'RunAgentInput',
      returns: STREAM,
      fails: [400, 403, 404],
    },
  },
  '/agents/{agent}/ui-message-stream': {
    post: {
      summary: 'Takes a message or answers of the `useChat` of AI SDK. Streams its UI message chunks.',
      body: 'UiChat',
      returns: { types: ['text/event-stream'] },
      fails: [400, 403, 404, 409, 413, 415, 429],
    },
  },
  '/agents/{agent}/ui-message-stream/{thread}': {
    get: {
      summary: 'Returns a thread as UI messages of AI SDK, with its open interrupts.',
      returns: 'UiChat',
      fails: [403, 404],
    },
  },
  '/agents/{agent}/ui-message-stream/{thread}/stream': {
    get: {
      summary:
        'Streams the last reply of a thread that waits or runs, for `resume` of `useChat`; otherwise 204.',
      returns: { types: ['text/event-stream'] },
      fails: [403, 404],
    },
  },
  '/interrupts': {
    get: {
      summary: 'Lists interrupts across threads.',
      query: { ...INTERRUPT_QUERY, ...PAGE },
      returns: 'InterruptPage',
      fails: [400],
    },
  },
  '/interrupts/events': {
    get: {
      summary: 'Streams the first page of a list: at once, and after every change.',
      query: { ...INTERRUPT_QUERY, ...PAGE },
      returns: { types: ['text/event-stream'] },
      fails: [400],
    },
  },
  '/threads/{thread}/interrupts/{interrupt}': {
    get: {
      summary: 'Returns one interrupt, with the words before it and the result of its call.',
      returns: 'InterruptItem',
      fails: [404],
    },
  },
  '/threads/{thread}/interrupts/{interrupt}/history': {
    get: {
      summary: 'Returns what happened to an interrupt, and to those that it was asked again for.',
      returns: 'History',
      fails: [404],
    },
  },
  '/threads/{thread}/interrupts/{interrupt}/answer': {
    post: {
      summary: 'Answers an interrupt. The run continues when all interrupts of its batch have an answer.',
      body: 'Answer',
      returns: 'AnswerState',
      fails: [400, 403, 404, 409, 410],
    },
    delete: {
      summary: 'Takes back an answer that the run has not used yet.',
      status: 204,
      fails: [403, 404, 409],
    },
  },
  '/threads/{thread}/interrupts/{interrupt}/ask-again': {
    post: {
      summary: 'Asks an expired or claimed interrupt again, under a new id.',
      body: 'AskAgain',
      status: 201,
      returns: 'AskedAgain',
      fails: [400, 403, 404, 409],
    },
  },
  '/threads/{thread}/interrupts/{interrupt}/withdraw': {
    post: {
      summary: 'Takes back a request that the caller asked for, until a run claims its answer.',
      body: 'Withdrawal',
      returns: 'AnswerState',
      fails: [403, 404, 409],
    },
  },
  '/threads': {
    get: {
      summary: 'Lists threads.',
      query: {
        agent: 'The id of an agent.',
        status: 'active, ready, failed, waiting or idle, several with commas. Default: all.',
        text: 'Words in the title.',
        order: 'created (the oldest first) or newest. Default: created.',
        ...PAGE,
      },
      returns: 'ThreadPage',
      fails: [400],
    },
  },
  '/threads/{thread}': {
    get: {
      summary: 'Returns a thread with its messages, state and open interrupts.',
      returns: 'Thread',
      fails: [404],
    },
    patch: {
      summary: 'Renames a thread.',
      body: 'ThreadTitle',
      returns: 'ThreadTitle',
      fails: [400, 403, 404],
    },
    delete: {
      summary: 'Deletes a thread and its files. Its decided interrupts and its history stay.',
      status: 204,
      fails: [403, 404, 409],
    },
  },
  '/threads/{thread}/erase': {
    post: {
      summary:
        'Erases a thread of the caller: its data, its decided interrupts, and the names, answers and reasons in its history.',
      body: 'Empty',
      status: 204,
      fails: [403, 404, 409],
    },
  },
  '/threads/{thread}/events': {
    get: {
      summary: 'Streams all events on a thread, from `after` or the header `Last-Event-ID` on.',
      query: { after: 'The id of the last event that the caller has.' },
      returns: STREAM,
      fails: [400, 404],
    },
  },
  '/threads/{thread}/continue': {
    post: {
      summary: 'Continues a thread whose run was lost or whose answers are complete.',
      body: 'Empty',
      status: 202,
      returns: 'RunState',
      fails: [403, 404, 409],
    },
  },
  '/threads/{thread}/runs/{run}/cancel': {
    post: {
      summary: 'Stops a run.',
      body: 'Empty',
      status: 202,
      returns: 'RunState',
      fails: [403, 404, 409],
    },
  },
  '/threads/{thread}/files': {
    get: { summary: 'Lists the files of a thread.', query: PAGE, returns: 'FilePage', fails: [404] },
    post: {
      summary:
        'Uploads a file: as the body, with its name in the header `X-File-Name` or in `name`, or as a form with one file.',
      query: { name: 'The name of the file.' },
      body: { types: ['*/*'] },
      status: 201,
      returns: 'UploadedFile',
      fails: [400, 403, 404, 413, 415],
    },
  },
  '/threads/{thread}/files/{file}': {
    get: {
      summary: 'Downloads a file.',
      returns: { types: ['application/octet-stream'] },
      fails: [404],
    },
  },
  '/grants': {
    get: { summary: 'Lists the remembered decisions.', query: PAGE, returns: 'GrantPage', fails: [400] },
    delete: {
      summary: 'Revokes the remembered decision that `id` names.',
      query: { id: 'The id of the decision.' },
      status: 204,
      fails: [403],
    },
  },
  '/grants/{grant}': {
    delete: { summary: 'Revokes a remembered decision.', status: 204, fails: [403] },
  },
};

const TEXT = { type: 'string' };
const TIME = { type: 'string', format: 'date-time' };
const COUNT = { type: 'integer', minimum: 0 };
const listOf = (items: JsonObject): JsonObject => ({ type: 'array', items });
const named = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` });
/** An object schema; the members after `required` are optional. Objects may grow further members. */
const object = (required: JsonObject, optional: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties: { ...required, ...optional },
  ...(Object.keys(required).length === 0 ? {} : { required: Object.keys(required) }),
});
const oneOf = (...values: string[]): JsonObject => ({ type: 'string', enum: values });

const THREAD_SUMMARY: readonly [JsonObject, JsonObject] = [
  { threadId: TEXT, agent: TEXT, status: oneOf('active', 'ready', 'failed', 'waiting', 'idle') },
  { title: TEXT, runId: TEXT, error: {}, createdAt: TIME },
];
const STATES = ['pending', 'answered', 'claimed', 'resolved', 'cancelled', 'expired'];

const SCHEMAS: Readonly<Record<string, JsonObject>> = {
  OpenApi: { type: 'object' },
  Empty: { type: 'object' },
  Health: object({ status: oneOf('ok', 'closing') }),
  Error: object({
    error: object({ code: TEXT, message: TEXT }, { issues: listOf({ type: 'object' }), details: {} }),
  }),
  Agent: object({ id: TEXT }, { alias: TEXT, name: TEXT, description: TEXT, metadata: {} }),
  Agents: object({ agents: listOf(named('Agent')) }),
  AgentDescription: object({ id: TEXT, capabilities: { type: 'object' } }, { name: TEXT, description: TEXT }),
  RunAgentInput: object(
    { threadId: TEXT, runId: TEXT },
    {
      messages: listOf({ type: 'object' }),
      tools: listOf({ type: 'object' }),
      context: listOf({ type: 'object' }),
      state: {},
      forwardedProps: {},
      resume: {},
    },
  ),
  UiChat: object(
    {
      id: TEXT,
      messages: listOf(object({ id: TEXT, role: TEXT, parts: listOf({ type: 'object' }) })),
    },
    { trigger: oneOf('submit-message', 'regenerate-message'), messageId: TEXT },
  ),
  Interrupt: object(
    { id: TEXT, reason: TEXT },
    {
      message: TEXT,
      toolCallId: TEXT,
      responseSchema: {},
      expiresAt: TEXT,
      metadata: {},
    },
  ),
  Answer: object({ status: oneOf('resolved', 'cancelled') }, { payload: {}, metadata: {}, undoMs: COUNT }),
  AnswerState: object({ state: oneOf('continued', 'staged'), open: listOf(TEXT) }),
  Withdrawal: object({}, { reason: TEXT }),
  AskAgain: object({}, { expiresInMs: { type: 'number', exclusiveMinimum: 0 } }),
  AskedAgain: object({ interrupt: named('Interrupt') }),
  InterruptItem: object(
    {
      threadId: TEXT,
      interrupt: named('Interrupt'),
      status: oneOf(...STATES),
      agent: TEXT,
      askedBy: TEXT,
      raisedAt: TIME,
    },
    {
      runId: TEXT,
      askedByYou: { type: 'boolean' },
      approvers: { type: 'object' },
      answer: object(
        { status: oneOf('resolved', 'cancelled'), by: TEXT, at: TIME, via: TEXT },
        {
          payload: {},
          you: { type: 'boolean' },
          withdrawn: { type: 'boolean' },
          reason: TEXT,
          grantedAt: TIME,
        },
      ),
      endedAt: TIME,
      supersededBy: TEXT,
      threadDeleted: object({ by: TEXT, at: TIME }, { you: { type: 'boolean' } }),
      mayAnswer: { type: 'boolean' },
      mayWithdraw: { type: 'boolean' },
      barredAsAsker: { type: 'boolean' },
      maySeeThread: { type: 'boolean' },
      said: listOf(object({ role: TEXT, text: TEXT })),
      result: TEXT,
      display: {},
      failed: { type: 'boolean' },
      uncertain: { type: 'boolean' },
    },
  ),
  InterruptPage: object({ interrupts: listOf(named('InterruptItem')) }, { next: TEXT }),
  History: object({ history: listOf({ type: 'object' }) }),
  ThreadPage: object({ threads: listOf(object(...THREAD_SUMMARY)) }, { next: TEXT }),
  Thread: object(
    {
      ...THREAD_SUMMARY[0],
      messages: listOf({ type: 'object' }),
      state: {},
      interrupts: listOf(named('Interrupt')),
    },
    THREAD_SUMMARY[1],
  ),
  ThreadTitle: object({ title: TEXT }, { threadId: TEXT }),
  RunState: object({ state: TEXT }, { runId: TEXT }),
  File: object({ id: TEXT, name: TEXT, type: TEXT, size: COUNT, uploadedBy: TEXT, uploadedAt: COUNT }),
  UploadedFile: object({ file: named('File') }),
  FilePage: object({ files: listOf(named('File')) }, { next: TEXT }),
  Grant: object(
    { id: TEXT, toolName: TEXT, grantedAt: COUNT, used: COUNT, spent: { type: 'number' } },
    {
      agent: TEXT,
      approvers: { type: 'object' },
      toolVersion: TEXT,
      input: {},
      threadId: TEXT,
      principalId: TEXT,
      forYou: { type: 'boolean' },
      givenBy: TEXT,
      givenByYou: { type: 'boolean' },
      interruptId: TEXT,
      until: COUNT,
      maxUses: COUNT,
      maxTotal: { type: 'number' },
    },
  ),
  GrantPage: object({ grants: listOf(named('Grant')) }, { next: TEXT }),
};

/** The version of the package. `npm run release` sets it, and a test compares it with `package.json`. */
const VERSION = '0.2.0';

/** Creates the OpenAPI document of the host's routes. */
export function createOpenApi(): JsonObject {
  const paths: Record<string, JsonObject> = {};
  for (const [path, operations] of Object.entries(ROUTES)) {
    const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
      name,
      in: 'path',
      required: true,
      schema: TEXT,
    }));
    const entries = Object.entries(operations).map(([method, operation]) => [method, describe(operation)]);
    paths[path] = { ...(parameters.length === 0 ? {} : { parameters }), ...Object.fromEntries(entries) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Holdpoint host',
      version: VERSION,
      description: 'Agents over AG-UI, with an inbox for their interrupts.',
    },
    paths,
    components: { schemas: SCHEMAS },
  };
}

function describe({ summary, query = {}, body, status = 200, returns, fails = [] }: Operation): JsonObject {
  const content = (what: Operation['body']): JsonObject =>
    typeof what === 'string'
      ? { 'application/json': { schema: named(what) } }
      : Object.fromEntries((what?.types ?? []).map((type) => [type, {}]));
  const responses: Record<string, JsonObject> = {
    [status]: { description: 'Success', ...defined({ content: returns && content(returns) }) },
  };
  for (const failure of fails) responses[failure] = { description: 'Failure', content: content('Error') };
  responses['default'] = { description: 'Failure', content: content('Error') };
  const parameters = Object.entries(query).map(([name, description]) => ({
    name,
    in: 'query',
    description,
    schema: TEXT,
  }));
  return {
    summary,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...defined({ requestBody: body && { content: content(body) } }),
    responses,
  };
}
