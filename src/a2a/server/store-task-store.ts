import type { ListTasksRequest, Message, Part } from '@a2a-js/sdk';
import { Role, Task, TaskState } from '@a2a-js/sdk';
import { RequestMalformedError } from '@a2a-js/sdk/errors';
import type { ServerCallContext, TaskStore } from '@a2a-js/sdk/server';
import type { JsonObject, JsonValue } from '../../core/index.ts';
import { everyPage, isRecord } from '../../core/index.ts';
import { hasSecrets, replaceSecrets } from '../../core/schema/index.ts';
import type { Visibility } from '../../ledger/index.ts';
import type { ListQuery, PutRow, Row, RowIndex, RowKey, Store } from '../../store/index.ts';
import { functionResponsesIn } from '../dialects/adk-dialect.ts';
import { fieldsToSchema, isObjectSchema } from '../fields.ts';
import { requestsIn, responsePart, responsesIn, textPart } from '../parts.ts';
import { principalOf } from './context-access.ts';
import { jsonObjectIn } from './read-answers.ts';
import { isOver } from './task-request.ts';

/** Default number of tasks on a page. */
const PAGE_SIZE = 50;
/** Rows that one read of the list takes. */
const ROWS = 1000;

const ENTRY = 'a2a-entry';

/** Whether the caller may read tasks of a context. */
export type MayReadContext = (contextId: string, context: ServerCallContext) => Promise<boolean>;

/**
 * A task store of the SDK that keeps the tasks of one agent in a Holdpoint store, within the scope of the caller. Secrets that a person
 * entered are masked. A task that has ended never changes again, also if several processes write it.
 *
 * Each task has two rows of the table `files`: the task, without a thread, so it outlives its thread; and an entry for lists in the
 * thread of its context.
 *
 * @example
 * ```ts
 * import { storeTaskStore } from 'holdpoint/a2a';
 * import { sqliteStore } from 'holdpoint/store/sqlite';
 *
 * export const taskStore = storeTaskStore(sqliteStore('agent.db'), 'travel');
 * ```
 */
export function storeTaskStore(store: Store, agent: string): TaskStore {
  return readableTaskStore(store, agent, { mayRead: async () => true, visibility: 'scope' });
}

/** {@link storeTaskStore} without the tasks in contexts that the caller may not read. Lists filter by owner in the store. */
export function readableTaskStore(
  store: Store,
  agent: string,
  readers: { readonly mayRead: MayReadContext; readonly visibility?: Visibility | undefined },
): TaskStore {
  const { mayRead, visibility = 'owner' } = readers;
  const keyOf = (context: ServerCallContext, taskId: string): RowKey => ({
    scope: principalOf(context).scope,
    thread: '',
    id: rowIdOf(agent, taskId),
  });
  return {
    async save(given, context) {
      const key = keyOf(context, given.id);
      const task = await withoutSecrets(given);
      for (let isSaved = false; !isSaved;) {
        const [row] = await store.get('files', [key]);
        const stored = row === undefined ? undefined : toTask(row);
        const next = stored === undefined ? task : mergeTask(stored, task);
        if (next === stored) return;
        const doc = { value: Task.toJSON(next) } as JsonObject;
        const owner = row?.index.owner ?? principalOf(context).id;
        const index = { status: 'a2a-task', agent, reason: next.contextId, owner };
        const put = { table: 'files', key, doc, index, expect: row?.version ?? 0 } as const;
        isSaved = (await store.commit({ puts: [put, entryOf(next, key, { agent, owner })] })).ok;
      }
    },
    async load(taskId, context) {
      const [row] = await store.get('files', [keyOf(context, taskId)]);
      const task = row === undefined ? undefined : toTask(row);
      return task !== undefined && (await mayRead(task.contextId, context)) ? task : undefined;
    },
    async list(request, context) {
      const { id: owner, scope } = principalOf(context);
      const visibleRows = { scope, agent, ...(visibility === 'scope' ? {} : { owner }) };
      const entries = await listEntries(store, request, visibleRows);
      const contexts = [...new Set(entries.map(({ contextId }) => contextId))];
      const readable = await Promise.all(contexts.map((contextId) => mayRead(contextId, context)));
      const visible = new Set(contexts.filter((_contextId, index) => readable[index]));
      const all = entries.filter(({ contextId }) => visible.has(contextId)).toSorted(byUpdate);
      const after = readToken(request.pageToken);
      const rest = after === undefined ? all : all.filter((entry) => byUpdate(after, entry) < 0);
      const pageSize = request.pageSize ?? PAGE_SIZE;
      const page = rest.slice(0, pageSize);
      const rows = await store.get(
        'files',
        page.map(({ id }) => keyOf(context, id)),
      );
      const tasks = rows.flatMap((row) => (row === undefined ? [] : [toTask(row)]));
      const last = page.at(-1);
      return {
        tasks: request.includeArtifacts === true ? tasks : tasks.map((task) => ({ ...task, artifacts: [] })),
        nextPageToken: last === undefined || rest.length === page.length ? '' : writeToken(last),
        pageSize,
        totalSize: all.length,
      };
    },
  };
}

const rowIdOf = (agent: string, taskId: string) => `a2a:task:${agent}:${taskId}`;

/** The task of a row, without the artifacts that were cleared. */
function toTask({ doc }: Row): Task {
  const task = Task.fromJSON(doc['value']);
  return { ...task, artifacts: task.artifacts.filter(({ parts }) => parts.length > 0) };
}

/** A task in a list. */
interface TaskEntry {
  readonly id: string;
  readonly contextId: string;
  readonly state: TaskState;
  /** The time of its status. */
  readonly at: string;
}

/** The row for lists. It is written with every change of the task, so that watchers of the context see the change. */
function entryOf(
  { id, contextId, status }: Task,
  { scope, id: rowId }: RowKey,
  index: Pick<RowIndex, 'agent' | 'owner'>,
): PutRow {
  const doc = { id, state: status?.state ?? TaskState.TASK_STATE_UNSPECIFIED, at: status?.timestamp ?? '' };
  const key = { scope, thread: contextId, id: rowId };
  return { table: 'files', key, doc, index: { status: ENTRY, ...index } };
}

async function listEntries(
  store: Store,
  request: ListTasksRequest,
  rows: Pick<ListQuery, 'scope' | 'agent' | 'owner'>,
): Promise<TaskEntry[]> {
  const after = Date.parse(request.statusTimestampAfter ?? '');
  const entries: TaskEntry[] = [];
  const place = request.contextId === '' ? {} : { thread: request.contextId };
  const query = { table: 'files', status: [ENTRY], ...rows, limit: ROWS, ...place } as const;
  for await (const page of everyPage((from) => store.list({ ...query, ...from }))) {
    for (const { key, doc } of page.rows) {
      // `entryOf` wrote it.
      const { id, state, at } = doc as unknown as Omit<TaskEntry, 'contextId'>;
      if (request.status !== TaskState.TASK_STATE_UNSPECIFIED && state !== request.status) continue;
      if (Number.isNaN(after) || Date.parse(at) > after)
        entries.push({ id, state, at, contextId: key.thread });
    }
  }
  return entries;
}

/** The most recently updated task first (A2A 1.0, section 3.1.4). */
function byUpdate(one: Pick<TaskEntry, 'id' | 'at'>, other: Pick<TaskEntry, 'id' | 'at'>): number {
  if (one.at !== other.at) return one.at > other.at ? -1 : 1;
  if (one.id === other.id) return 0;
  return one.id > other.id ? -1 : 1;
}

function writeToken({ at, id }: TaskEntry): string {
  return btoa(JSON.stringify([at, id]));
}

/** The last task of the page before; undefined for the first page. Throws `RequestMalformedError`. */
function readToken(token: string): Pick<TaskEntry, 'id' | 'at'> | undefined {
  if (token === '') return undefined;
  try {
    const [at, id] = JSON.parse(atob(token)) as unknown[];
    if (typeof at === 'string' && typeof id === 'string') return { at, id };
  } catch {
    // The error below says it.
  }
  throw new RequestMalformedError('The pageToken is not valid.');
}

/**
 * The stored task with what a writer adds. A task that has ended stays as it is, and a status never replaces a newer one: the writer may
 * have read the task before another process changed it.
 */
function mergeTask(stored: Task, task: Task): Task {
  if (isOver(stored)) return stored;
  const known = new Set(stored.history.map(({ messageId }) => messageId));
  const isOlder = (task.status?.timestamp ?? '') < (stored.status?.timestamp ?? '');
  const artifacts = new Map(stored.artifacts.map((artifact) => [artifact.artifactId, artifact]));
  for (const artifact of task.artifacts) {
    const { length } = artifacts.get(artifact.artifactId)?.parts ?? [];
    // Fewer parts mean an outdated writer, unless it clears the artifact.
    if (artifact.parts.length === 0 || artifact.parts.length >= length)
      artifacts.set(artifact.artifactId, artifact);
  }
  return {
    ...task,
    status: isOlder ? stored.status : task.status,
    history: [...stored.history, ...task.history.filter(({ messageId }) => !known.has(messageId))],
    artifacts: [...artifacts.values()],
    metadata: task.metadata ?? stored.metadata,
  };
}

const MASK = '••••••';

/**
 * The task with masked secrets in its history. The schemas of the last request mark the secret values in later messages. A
 * text that answers a request for a secret is masked as a whole unless it is a JSON object.
 */
async function withoutSecrets(task: Task): Promise<Task> {
  let schemas: SecretSchemas = new Map();
  const history: Message[] = [];
  for (const message of task.history) {
    const requests = requestsIn(message.parts);
    const isAnswer = message.role === Role.ROLE_USER;
    if (!isAnswer && requests.length > 0) schemas = secretSchemas(requests);
    const asked = schemas;
    if (!isAnswer || asked.size === 0) history.push(message);
    else {
      const parts = await Promise.all(message.parts.map((part) => withoutSecretsOf(part, asked)));
      history.push({ ...message, parts });
    }
  }
  return { ...task, history };
}

/** Schemas with secrets, by the id of their request. */
type SecretSchemas = ReadonlyMap<unknown, unknown>;

function secretSchemas(requests: readonly JsonObject[]): SecretSchemas {
  const schemas = requests.map((request) => [request['requestId'], schemaOf(request)] as const);
  return new Map(schemas.filter(([, schema]) => hasSecrets(schema)));
}

async function withoutSecretsOf(part: Part, schemas: SecretSchemas): Promise<Part> {
  const mask = async (value: unknown, requestId?: string): Promise<unknown> => {
    let masked = value;
    for (const schema of requestId === undefined ? schemas.values() : [schemas.get(requestId)])
      masked = await replaceSecrets(schema, masked, () => MASK);
    return masked;
  };
  const [response] = responsesIn([part]);
  if (response !== undefined) {
    const { requestId, values } = response;
    const isObject = isObjectSchema(requestId === undefined ? undefined : schemas.get(requestId));
    if (isObject || !('value' in values))
      return responsePart({ ...response, values: (await mask(values, requestId)) as JsonObject });
    return responsePart({
      ...response,
      values: { value: (await mask(values['value'], requestId)) as JsonValue },
    });
  }
  const { content } = part;
  if (content?.$case === 'text') return textPart(await maskText(content.value, mask));
  if (content?.$case !== 'data') return part;
  const [answer] = functionResponsesIn([part]);
  if (answer !== undefined) {
    if (!schemas.has(answer.id)) return part;
    const masked = isObjectSchema(schemas.get(answer.id)) ? await mask(answer.response, answer.id) : MASK;
    return { ...part, content: { $case: 'data', value: { ...answer, response: masked } } };
  }
  return {
    ...part,
    content: { $case: 'data', value: isRecord(content.value) ? await mask(content.value) : MASK },
  };
}

async function maskText(text: string, mask: (value: unknown) => Promise<unknown>): Promise<string> {
  try {
    const value = jsonObjectIn(text);
    return value === undefined ? MASK : JSON.stringify(await mask(value));
  } catch {
    return MASK;
  }
}

function schemaOf({ metadata, fields }: JsonObject): unknown {
  return isRecord(metadata) && isRecord(metadata['schema']) ? metadata['schema'] : fieldsToSchema(fields);
}
