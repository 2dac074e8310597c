import type { ListTasksRequest, ListTasksResponse } from '@a2a-js/sdk';
import { Task, TaskState } from '@a2a-js/sdk';
import type { ServerCallContext, TaskStore } from '@a2a-js/sdk/server';
import type { JsonObject } from '../../core/index.ts';
import type { RowKey, Store } from '../../store/index.ts';
import { principalOf } from './principal.ts';
import { withoutSecrets } from './without-secrets.ts';

/** Tasks that a page has where the request says none. */
const PAGE_SIZE = 50;

/**
 * Tasks in a store, within the scope of whoever calls. They are rows of the table `files` that belong to no thread: the
 * task is the agent's face to the outside, and its thread has a life of its own. What a person entered as a secret is not
 * kept.
 */
export function storeTaskStore(store: Store, agent: string): TaskStore {
  const place = (context: ServerCallContext, taskId: string): RowKey => ({
    scope: principalOf(context).scope,
    thread: '',
    id: `a2a:task:${agent}:${taskId}`,
  });
  return {
    async save(task, context) {
      const doc = { value: Task.toJSON(withoutSecrets(task)) } as JsonObject;
      const index = { status: 'a2a-task', agent, reason: task.contextId };
      await store.commit({ puts: [{ table: 'files', key: place(context, task.id), doc, index }] });
    },
    async load(taskId, context) {
      const [row] = await store.get('files', [place(context, taskId)]);
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
    tasks.push(...found.filter((task) => isAsked(task, request)));
    cursor = page.next ?? '';
  } while (cursor !== '' && tasks.length < pageSize);
  return { tasks, nextPageToken: cursor, pageSize, totalSize: tasks.length };
}

function isAsked({ status }: Task, request: ListTasksRequest): boolean {
  if (request.status !== TaskState.TASK_STATE_UNSPECIFIED && status?.state !== request.status) return false;
  const after = request.statusTimestampAfter;
  return after === undefined || Date.parse(status?.timestamp ?? '') > Date.parse(after);
}
