import type { SendMessageRequest, Task } from '@a2a-js/sdk';
import { Role, TaskState } from '@a2a-js/sdk';
import { UnsupportedOperationError } from '@a2a-js/sdk/errors';
import type {
  A2ARequestHandler,
  DefaultRequestHandler,
  ExecutionEventBusManager,
  ServerCallContext,
  TaskStore,
} from '@a2a-js/sdk/server';
import { ExecutionEventQueue, RequestContext, ResultManager } from '@a2a-js/sdk/server';
import type { HoldpointExecutor } from './agent-executor.ts';

export interface Guard {
  readonly executor: HoldpointExecutor;
  readonly taskStore: TaskStore;
  readonly buses: ExecutionEventBusManager;
  /** Closes the questions of a context. */
  readonly cancel: (contextId: string, context: ServerCallContext) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/**
 * What the SDK's handler leaves open: a second message to a task at work would be run beside the first, a task that nobody
 * in this process has seen would be cancelled without its questions, and one whose process is gone would be at work for
 * ever. The last is taken up when somebody asks for it.
 */
export function guardedHandler(handler: DefaultRequestHandler, guard: Guard): A2ARequestHandler {
  const { executor, taskStore, cancel } = guard;
  const taken = new Set<string>();
  const take = ({ message }: SendMessageRequest): (() => void) => {
    const taskId = message?.taskId ?? '';
    if (taskId === '') return () => undefined;
    if (taken.has(taskId) || executor.isRunning(taskId)) {
      throw new UnsupportedOperationError(
        `The task ${taskId} is at work: it takes no message until it waits.`,
      );
    }
    taken.add(taskId);
    return () => void taken.delete(taskId);
  };
  return Object.assign(Object.create(handler) as A2ARequestHandler, {
    sendMessage: async (...[params, context]: Parameters<A2ARequestHandler['sendMessage']>) => {
      const release = take(params);
      try {
        return await handler.sendMessage(params, context);
      } finally {
        release();
      }
    },
    async *sendMessageStream(...[params, context]: Parameters<A2ARequestHandler['sendMessageStream']>) {
      const release = take(params);
      try {
        yield* handler.sendMessageStream(params, context);
      } finally {
        release();
      }
    },
    getTask: async (...[params, context]: Parameters<A2ARequestHandler['getTask']>) => {
      const task = await handler.getTask(params, context);
      if (isAtWork(task) && !taken.has(task.id)) void takeUp(guard, task.id, context).catch(guard.onError);
      return task;
    },
    cancelTask: async (...[params, context]: Parameters<A2ARequestHandler['cancelTask']>) => {
      const task = await taskStore.load(params.id, context);
      const waits = task?.status?.state === TaskState.TASK_STATE_INPUT_REQUIRED;
      if (task !== undefined && waits && !executor.isRunning(task.id)) await cancel(task.contextId, context);
      return handler.cancelTask(params, context);
    },
  });
}

function isAtWork({ status }: Task): boolean {
  return status?.state === TaskState.TASK_STATE_WORKING || status?.state === TaskState.TASK_STATE_SUBMITTED;
}

/** Goes on with a task that no process has, as if its last message had just come; the store keeps what comes of it. */
async function takeUp(
  { executor, taskStore, buses }: Guard,
  taskId: string,
  context: ServerCallContext,
): Promise<void> {
  const task = await taskStore.load(taskId, context);
  const message = task?.history.findLast(({ role }) => role === Role.ROLE_USER);
  if (task === undefined || message === undefined || executor.isRunning(taskId)) return;
  const given = { tenant: '', message, configuration: undefined, metadata: undefined };
  const request = new RequestContext(given, taskId, task.contextId, context, task);
  const bus = buses.createOrGetByTaskId(taskId, context);
  const queue = new ExecutionEventQueue(bus);
  const work = executor.takeUp(request, bus).finally(() => queue.stop());
  const results = new ResultManager(taskStore, context);
  for await (const event of queue.events()) await results.processEvent(event);
  await work;
}
