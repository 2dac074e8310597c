import type { ListTasksRequest, ListTasksResponse, Message, Part } from '@a2a-js/sdk';
import { Task, TaskState } from '@a2a-js/sdk';
import type { ServerCallContext, TaskStore } from '@a2a-js/sdk/server';
import type { JsonObject } from '../../core/index.ts';
import { isRecord } from '../../core/index.ts';
import { hasSecrets, replaceSecrets } from '../../core/schema/index.ts';
import type { RowKey, Store } from '../../store/index.ts';
import { fieldsToSchema, fromValues, toValues } from '../fields.ts';
import { requestsIn, responsePart, responsesIn } from '../parts.ts';
import { principalOf } from './context-access.ts';

/** Default number of tasks on a page. */
const PAGE_SIZE = 50;

/**
 * A task store of the SDK that keeps the tasks of one agent in a Holdpoint store, within the scope of the caller. Secrets that a person
 * entered are masked. The tasks are rows of the table `files` without a thread, so they outlive their thread.
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
  const rowKey = (context: ServerCallContext, taskId: string): RowKey => ({
    scope: principalOf(context).scope,
    thread: '',
    id: `a2a:task:${agent}:${taskId}`,
  });
  return {
    async save(task, context) {
      const doc = { value: Task.toJSON(await withoutSecrets(task)) } as JsonObject;
      const index = { status: 'a2a-task', agent, reason: task.contextId };
      await store.commit({ puts: [{ table: 'files', key: rowKey(context, task.id), doc, index }] });
    },
    async load(taskId, context) {
      const [row] = await store.get('files', [rowKey(context, taskId)]);
      return row === undefined ? undefined : Task.fromJSON(row.doc['value']);
    },
    list: async (request, context) => list(store, agent, { request, scope: principalOf(context).scope }),
  };
}

async function list(
  store: Store,
  agent: string,
  { request, scope }: { readonly request: ListTasksRequest; readonly scope: string },
): Promise<ListTasksResponse> {
  const pageSize = request.pageSize ?? PAGE_SIZE;
  const tasks: Task[] = [];
  let cursor = request.pageToken;
  do {
    const page = await store.list({
      table: 'files',
      scope,
      thread: '',
      status: ['a2a-task'],
      agent,
      limit: pageSize - tasks.length,
      ...(request.contextId === '' ? {} : { reason: request.contextId }),
      ...(cursor === '' ? {} : { cursor }),
    });
    const found = page.rows.map(({ doc }) => Task.fromJSON(doc['value']));
    tasks.push(...found.filter((task) => matches(task, request)));
    cursor = page.next ?? '';
  } while (cursor !== '' && tasks.length < pageSize);
  return { tasks, nextPageToken: cursor, pageSize, totalSize: tasks.length };
}

function matches({ status }: Task, request: ListTasksRequest): boolean {
  if (request.status !== TaskState.TASK_STATE_UNSPECIFIED && status?.state !== request.status) return false;
  const after = request.statusTimestampAfter;
  return after === undefined || Date.parse(status?.timestamp ?? '') > Date.parse(after);
}

const MASK = '••••••';

/** The task with masked secrets in its history. The schemas of its requests tell which values are secret. */
async function withoutSecrets(task: Task): Promise<Task> {
  const asked = [...task.history, ...(task.status?.message === undefined ? [] : [task.status.message])];
  const schemas = new Map(
    asked.flatMap(({ parts }) =>
      requestsIn(parts).flatMap((request) => {
        const schema = schemaOf(request);
        return hasSecrets(schema) ? [[request['requestId'], schema] as const] : [];
      }),
    ),
  );
  if (schemas.size === 0) return task;
  const masked = async (part: Part): Promise<Part> => {
    const [response] = responsesIn([part]);
    const schema = response === undefined ? undefined : schemas.get(response.requestId);
    if (response === undefined || schema === undefined) return part;
    const hidden = await replaceSecrets(schema, fromValues(schema, response.values), () => MASK);
    return responsePart({ ...response, values: toValues(schema, hidden) });
  };
  const history = await Promise.all(
    task.history.map(async (message): Promise<Message> => ({
      ...message,
      parts: await Promise.all(message.parts.map(masked)),
    })),
  );
  return { ...task, history };
}

function schemaOf({ metadata, fields }: JsonObject): unknown {
  return isRecord(metadata) && isRecord(metadata['schema']) ? metadata['schema'] : fieldsToSchema(fields);
}
