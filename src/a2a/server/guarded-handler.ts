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
import type { ContextAccess } from './context-access.ts';
import { whileReadable } from './context-access.ts';

export interface Guard {
  readonly executor: HoldpointExecutor;
  readonly taskStore: TaskStore;
  readonly buses: ExecutionEventBusManager;
  /** Cancels the open interrupts of a context. */
  readonly cancel: (contextId: string, context: ServerCallContext) => Promise<void>;
  readonly onError: (error: unknown) => void;
  readonly contexts: ContextAccess;
  readonly newId: () => string;
  /** Milliseconds between two checks whether the reader of a stream still may read it; 0 for none. */
  readonly accessCheckMs: number;
}

/**
 * Adds to the handler of the SDK:
 *
 * - It checks the permission of the caller before the SDK reads a message.
 * - It rejects a message to a task that is at work; the SDK would run both.
 * - It cancels the interrupts of a task that another process has paused.
 * - It continues a task whose process died, when a caller reads the task.
 */
export function guardedHandler(handler: DefaultRequestHandler, guard: Guard): A2ARequestHandler {
  const { executor, taskStore, cancel, contexts } = guard;
  const taken = new Set<string>();
  const take = ({ message }: SendMessageRequest): (() => void) => {
    const taskId = message?.taskId ?? '';
    if (taskId === '') return () => undefined;
    if (taken.has(taskId) || executor.isRunning(taskId)) {
      throw new UnsupportedOperationError(
        `The task ${taskId} is at work. It accepts a message when it is input-required.`,
      );
    }
    taken.add(taskId);
    return () => void taken.delete(taskId);
  };
  /** The message with its context. Throws if the caller may not send it. */
  const admit = async (params: SendMessageRequest, context: ServerCallContext) => {
    const { message } = params;
    if (message === undefined) return params;
    const task = message.taskId === '' ? undefined : await taskStore.load(message.taskId, context);
    // The SDK rejects a message to an unknown task.
    if (message.taskId !== '' && task === undefined) return params;
    const contextId = task?.contextId ?? (message.contextId === '' ? guard.newId() : message.contextId);
    await contexts.assertMessage({ context, contextId, hasTask: task !== undefined });
    return task === undefined ? { ...params, message: { ...message, contextId } } : params;
  };
  const readable = <Event>(
    events: AsyncIterable<Event>,
    contextId: string,
    context: ServerCallContext,
  ): AsyncIterable<Event> =>
    whileReadable(events, () => contexts.mayRead(contextId, context), guard.accessCheckMs);
  return Object.assign(Object.create(handler) as A2ARequestHandler, {
    sendMessage: async (...[params, context]: Parameters<A2ARequestHandler['sendMessage']>) => {
      const release = take(params);
      try {
        return await handler.sendMessage(await admit(params, context), context);
      } finally {
        release();
      }
    },
    async *sendMessageStream(...[params, context]: Parameters<A2ARequestHandler['sendMessageStream']>) {
      const release = take(params);
      try {
        const admitted = await admit(params, context);
        const task = await taskStore.load(admitted.message?.taskId ?? '', context);
        const contextId = task?.contextId ?? admitted.message?.contextId ?? '';
        yield* readable(handler.sendMessageStream(admitted, context), contextId, context);
      } finally {
        release();
      }
    },
    async *resubscribe(...[params, context]: Parameters<A2ARequestHandler['resubscribe']>) {
      const task = await taskStore.load(params.id, context);
      yield* readable(handler.resubscribe(params, context), task?.contextId ?? '', context);
    },
    getTask: async (...[params, context]: Parameters<A2ARequestHandler['getTask']>) => {
      const task = await handler.getTask(params, context);
      if (isAtWork(task) && !taken.has(task.id)) void takeUp(guard, task.id, context).catch(guard.onError);
      return task;
    },
    cancelTask: async (...[params, context]: Parameters<A2ARequestHandler['cancelTask']>) => {
      const task = await taskStore.load(params.id, context);
      if (task !== undefined) await contexts.assertCancel(task.contextId, context);
      const waits = task?.status?.state === TaskState.TASK_STATE_INPUT_REQUIRED;
      if (task !== undefined && waits && !executor.isRunning(task.id)) await cancel(task.contextId, context);
      return handler.cancelTask(params, context);
    },
  });
}

function isAtWork({ status }: Task): boolean {
  return status?.state === TaskState.TASK_STATE_WORKING || status?.state === TaskState.TASK_STATE_SUBMITTED;
}

/** Runs a task without a process again from its last message, and stores its events. */
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
