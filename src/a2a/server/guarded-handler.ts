import type { Message, SendMessageRequest, StreamResponse, Task } from '@a2a-js/sdk';
import { Role, TaskState } from '@a2a-js/sdk';
import { TaskNotCancelableError, UnsupportedOperationError } from '@a2a-js/sdk/errors';
import type {
  A2ARequestHandler,
  DefaultRequestHandler,
  ServerCallContext,
  TaskStore,
} from '@a2a-js/sdk/server';
import {
  AgentEvent,
  DefaultExecutionEventBus,
  ExecutionEventQueue,
  RequestContext,
  ResultManager,
} from '@a2a-js/sdk/server';
import { TOO_LATE, within } from '../../core/index.ts';
import { createEventQueue } from '../../engine/index.ts';
import { readThread, requestCancel } from '../../ledger/index.ts';
import type { Store } from '../../store/index.ts';
import type { HoldpointExecutor } from './agent-executor.ts';
import type { ContextAccess } from './context-access.ts';
import { isStillCaller, principalOf, readerOf, whileReadable } from './context-access.ts';
import type { FollowTask } from './follow-task.ts';
import { followTask, nextPause } from './follow-task.ts';
import { hasBegun, isAlive, isAtWork, isOver, isWaiting } from './task-request.ts';

export interface Guard {
  readonly store: Store;
  readonly executor: HoldpointExecutor;
  readonly taskStore: TaskStore;
  /** Throws an A2A error for a message that the card does not allow. */
  readonly assertInput: (message: Message) => void;
  /** Cancels the open interrupts of a context, and closes the run of a dead process. */
  readonly cancel: (contextId: string, context: ServerCallContext) => Promise<void>;
  readonly onError: (error: unknown) => void;
  readonly contexts: ContextAccess;
  readonly newId: () => string;
  /** Milliseconds between two checks whether the reader of a stream still may read it; 0 for none. */
  readonly accessCheckMs: number;
}

/** Milliseconds for a run to stop after CancelTask. */
const CANCEL_MS = 10_000;

/**
 * Adds to the handler of the SDK:
 *
 * - It checks the message and the permission of the caller before the SDK reads the message.
 * - It takes a message once: the same message again returns the task.
 * - It rejects a message to a task that is at work; the SDK would run both.
 * - A task goes on when the reader of its stream leaves.
 * - It cancels and follows tasks of other processes on the same store.
 * - It continues a task whose process died, when a caller reads or follows the task.
 */
export function guardedHandler(handler: DefaultRequestHandler, guard: Guard): A2ARequestHandler {
  const { store, executor, taskStore, contexts } = guard;
  const taken = new Set<string>();
  const takingUp = new Set<string>();
  const keyOf = ({ contextId }: Task, context: ServerCallContext) => ({
    scope: principalOf(context).scope,
    thread: contextId,
  });

  /** Continues a task without a process, unless it waits for an answer. */
  const takeUp = (task: Task, context: ServerCallContext): void => {
    if (taken.has(task.id) || takingUp.has(task.id) || executor.isRunning(task.id) || isOver(task)) return;
    takingUp.add(task.id);
    takeUpTask(guard, task.id, context)
      .catch(guard.onError)
      .finally(() => takingUp.delete(task.id));
  };
  const following = (task: Task, context: ServerCallContext): FollowTask => ({
    store,
    scope: principalOf(context).scope,
    load: () => taskStore.load(task.id, context),
    onOpen: (next) => takeUp(next, context),
    signal: readerOf(context).signal,
  });
  const readable = <Event>(
    events: AsyncIterable<Event>,
    contextId: string,
    context: ServerCallContext,
  ): AsyncIterable<Event> =>
    whileReadable(events, {
      mayRead: async () => (await isStillCaller(context)) && contexts.mayRead(contextId, context),
      everyMs: guard.accessCheckMs,
      gone: readerOf(context).signal,
    });

  /** Whether a run has taken the message. A message whose process died before that is taken again. */
  const isTaken = async (task: Task, message: Message, context: ServerCallContext) =>
    task.history.some(({ messageId }) => messageId === message.messageId) &&
    hasBegun(store, keyOf(task, context), message);
  /** Whether the task has ended, or waits for an answer. The status alone may be older than the thread. */
  const isAtRest = async (task: Task, context: ServerCallContext) =>
    isOver(task) || (!isAtWork(task) && (await isWaiting(store, keyOf(task, context))));
  const assertAtRest = (task: Task, context: ServerCallContext) => {
    if (!isAtWork(task)) return;
    takeUp(task, context);
    throw new UnsupportedOperationError(
      `The task ${task.id} is at work. It accepts a message when it is input-required.`,
    );
  };
  /** Reserves the task of the message in this process. Returns the function to release it. */
  const reserve = (taskId: string): (() => void) => {
    if (taskId === '') return () => undefined;
    if (taken.has(taskId) || executor.isRunning(taskId)) {
      throw new UnsupportedOperationError(
        `The task ${taskId} is at work. It accepts a message when it is input-required.`,
      );
    }
    taken.add(taskId);
    return () => void taken.delete(taskId);
  };
  /**
   * Checks a message. Returns the task if the message was taken before, else the request for the SDK with its context, and the function
   * to release the task. Throws if the caller may not send it.
   */
  const admit = async (params: SendMessageRequest, context: ServerCallContext): Promise<Admitted> => {
    const { message } = params;
    if (message === undefined) return { params, contextId: '', release: () => undefined };
    guard.assertInput(message);
    const task = message.taskId === '' ? undefined : await taskStore.load(message.taskId, context);
    if (task !== undefined && (await isTaken(task, message, context))) return { task };
    // The SDK rejects a message to an unknown task, also to a task of another caller.
    if (message.taskId !== '' && task === undefined)
      return { params, contextId: '', release: () => undefined };
    const release = reserve(message.taskId);
    try {
      if (task !== undefined) assertAtRest(task, context);
      const contextId = task?.contextId ?? (message.contextId === '' ? guard.newId() : message.contextId);
      await contexts.assertMessage({ context, contextId, hasTask: task !== undefined });
      const admitted = task === undefined ? { ...params, message: { ...message, contextId } } : params;
      return { params: admitted, contextId, release };
    } catch (error) {
      release();
      throw error;
    }
  };

  const streams = async () => (await handler.getAgentCard()).capabilities?.streaming === true;

  return Object.assign(Object.create(handler) as A2ARequestHandler, {
    sendMessage: async (...[given, context]: Parameters<A2ARequestHandler['sendMessage']>) => {
      const isBlocking = given.configuration?.returnImmediately !== true;
      const admitted = await admit(given, context);
      if ('task' in admitted) {
        const { task } = admitted;
        const waits = !isBlocking || (await isAtRest(task, context));
        return withHistory(waits ? task : await nextPause(task, following(task, context)), given);
      }
      try {
        const result = await handler.sendMessage(admitted.params, context);
        if ('messageId' in result) return result;
        // Another process may have changed the task meanwhile.
        return withHistory((await taskStore.load(result.id, context)) ?? result, given);
      } finally {
        admitted.release();
      }
    },
    async *sendMessageStream(...[given, context]: Parameters<A2ARequestHandler['sendMessageStream']>) {
      // The SDK has the error for this.
      if (!(await streams())) return yield* handler.sendMessageStream(given, context);
      const admitted = await admit(given, context);
      if ('task' in admitted) {
        const { task } = admitted;
        if (await isAtRest(task, context)) yield { payload: { $case: 'task' as const, value: task } };
        else yield* readable(followTask(task, following(task, context)), task.contextId, context);
        return;
      }
      const { params, contextId, release } = admitted;
      yield* readable(detached(handler.sendMessageStream(params, context), release), contextId, context);
    },
    async *resubscribe(...[params, context]: Parameters<A2ARequestHandler['resubscribe']>) {
      const task = await taskStore.load(params.id, context);
      // The SDK has the errors for these.
      if (task === undefined || isOver(task) || !(await streams()))
        yield* handler.resubscribe(params, context);
      else yield* readable(followTask(task, following(task, context)), task.contextId, context);
    },
    getTask: async (...[params, context]: Parameters<A2ARequestHandler['getTask']>) => {
      const task = await handler.getTask(params, context);
      takeUp(task, context);
      return task;
    },
    cancelTask: async (...[params, context]: Parameters<A2ARequestHandler['cancelTask']>) => {
      const task = await taskStore.load(params.id, context);
      if (task === undefined || isOver(task)) return handler.cancelTask(params, context);
      const access = await contexts.assertCancel(task.contextId, context);
      const key = keyOf(task, context);
      const active = (await readThread(access))?.active;
      if (executor.isRunning(task.id)) executor.stop(task.id);
      else if (active !== undefined && (await isAlive(store, key))) await requestCancel(access, active.runId);
      else {
        await guard.cancel(task.contextId, context);
        await new ResultManager(taskStore, context).processEvent(cancelledStatus(task));
      }
      const ended = await endOf(task, following(task, context));
      if (ended?.status?.state === TaskState.TASK_STATE_CANCELED) return ended;
      throw new TaskNotCancelableError(
        ended === undefined ? `The task ${task.id} has not stopped yet.` : `The task ${task.id} has ended.`,
      );
    },
  });
}

/** A message for the SDK, or the task that has taken the message before. */
type Admitted =
  | { readonly task: Task }
  | { readonly params: SendMessageRequest; readonly contextId: string; readonly release: () => void };

/** The task with as much of its history as the request wants. */
function withHistory(task: Task, { configuration }: SendMessageRequest): Task {
  const length = configuration?.historyLength;
  if (length === undefined) return task;
  return { ...task, history: length <= 0 ? [] : task.history.slice(-length) };
}

/** Events for one reader. The source goes on to its end when the reader leaves; then `done` is called. */
function detached(events: AsyncIterable<StreamResponse>, done: () => void): AsyncIterable<StreamResponse> {
  const queue = createEventQueue<StreamResponse>();
  const pump = async () => {
    for await (const event of events) queue.push(event);
  };
  pump()
    .then(() => queue.end())
    .catch((error: unknown) => queue.end(error))
    .finally(done);
  return queue;
}

function cancelledStatus({ id: taskId, contextId }: Task) {
  const status = {
    state: TaskState.TASK_STATE_CANCELED,
    message: undefined,
    timestamp: new Date().toISOString(),
  };
  return AgentEvent.statusUpdate({ taskId, contextId, status, metadata: undefined });
}

/** The task after its end; undefined if it does not end in time. */
async function endOf(task: Task, options: FollowTask): Promise<Task | undefined> {
  const updates = followTask(task, { ...options, onOpen: () => undefined });
  const end = async () => {
    for await (const _update of updates) {
      // Only the end counts.
    }
    return options.load();
  };
  try {
    const ended = await within(end(), CANCEL_MS);
    return ended === TOO_LATE ? undefined : ended;
  } finally {
    // Not awaited: it ends with the next read.
    void updates.return().catch(() => undefined);
  }
}

/**
 * Runs a task without a process again from its last message, and stores its events. This includes a task that asks for an answer
 * although its thread no longer waits: a person answered elsewhere, or a process died after it had claimed the answer.
 */
async function takeUpTask(
  { store, executor, taskStore }: Guard,
  taskId: string,
  context: ServerCallContext,
): Promise<void> {
  const task = await taskStore.load(taskId, context);
  const message = task?.history.findLast(({ role }) => role === Role.ROLE_USER);
  if (task === undefined || message === undefined || isOver(task)) return;
  const key = { scope: principalOf(context).scope, thread: task.contextId };
  if (!isAtWork(task) && (await isWaiting(store, key))) return;
  const given = { tenant: '', message, configuration: undefined, metadata: undefined };
  const request = new RequestContext(given, taskId, task.contextId, context, task);
  const bus = new DefaultExecutionEventBus();
  const queue = new ExecutionEventQueue(bus);
  const work = executor.takeUp(request, bus).finally(() => queue.stop());
  const results = new ResultManager(taskStore, context);
  for await (const event of queue.events()) await results.processEvent(event);
  await work;
}
