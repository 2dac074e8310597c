/** A scripted A2A request handler behind the SDK's transports, for agents that misbehave. */
import type { Message, Part, StreamResponse, Task } from '@a2a-js/sdk';
import { TaskState } from '@a2a-js/sdk';
import { TaskNotFoundError } from '@a2a-js/sdk/errors';
import type { A2ARequestHandler, ServerCallContext } from '@a2a-js/sdk/server';
import { a2aMessage } from '../parts.ts';

export interface ScriptedTasks {
  /** The tasks that `getTask` returns. */
  readonly tasks: Map<string, Task>;
  /** The received messages. */
  readonly messages: Message[];
  statusOf(
    task: Task,
    state: TaskState,
    given?: { parts?: readonly Part[]; messageId?: string; timestamp?: string },
  ): NonNullable<Task['status']>;
}

export type Turn = (
  message: Message,
  script: ScriptedTasks & { readonly task: Task },
) => AsyncGenerator<StreamResponse['payload'], void, undefined>;

export interface ScriptedHandler extends ScriptedTasks {
  readonly handler: A2ARequestHandler;
}

const NEVER = new Promise<never>(() => undefined);
export const forever = (): Promise<never> => NEVER;

export function scriptedHandler(turn: Turn, given: Partial<A2ARequestHandler> = {}): ScriptedHandler {
  const tasks = new Map<string, Task>();
  const messages: Message[] = [];
  let count = 0;
  const script: ScriptedTasks = {
    tasks,
    messages,
    statusOf: (task, state, { parts, messageId, timestamp } = {}) => {
      count += 1;
      const ids = {
        messageId: messageId ?? `status-${count}`,
        taskId: task.id,
        contextId: task.contextId,
        role: 'agent' as const,
      };
      return {
        state,
        message: parts === undefined ? undefined : a2aMessage(ids, parts),
        timestamp: timestamp ?? new Date(count * 1000).toISOString(),
      };
    },
  };
  const taskFor = (message: Message): Task => {
    const known = tasks.get(message.taskId);
    if (message.taskId !== '' && known === undefined) throw new TaskNotFoundError(message.taskId);
    const task = known ?? {
      id: `task-${tasks.size + 1}`,
      contextId: 'context-1',
      status: undefined,
      artifacts: [],
      history: [],
      metadata: undefined,
    };
    task.status ??= script.statusOf(task, TaskState.TASK_STATE_WORKING);
    tasks.set(task.id, task);
    return task;
  };
  const refuse = async (): Promise<never> => {
    throw new Error('not here');
  };
  async function* stream(message: Message | undefined): AsyncGenerator<StreamResponse, void, undefined> {
    if (message === undefined) throw new Error('There is no message.');
    const task = taskFor(message);
    messages.push(message);
    for await (const payload of turn(message, { ...script, task }))
      yield payload === undefined ? {} : { payload };
  }
  const handler: Omit<A2ARequestHandler, 'getAgentCard'> = {
    getAuthenticatedExtendedAgentCard: refuse,
    sendMessage: refuse,
    sendMessageStream: ({ message }) => stream(message),
    async getTask({ id }) {
      const task = tasks.get(id);
      if (task === undefined) throw new TaskNotFoundError(id);
      return structuredClone(task);
    },
    cancelTask: refuse,
    createTaskPushNotificationConfig: refuse,
    getTaskPushNotificationConfig: refuse,
    listTaskPushNotificationConfigs: refuse,
    deleteTaskPushNotificationConfig: refuse,
    async *resubscribe(_params, _context: ServerCallContext) {
      await forever();
      yield {};
    },
    listTasks: refuse,
    ...given,
  };
  return { ...script, handler: handler as A2ARequestHandler };
}
