import type { Task, TaskState } from '@a2a-js/sdk';
import type { ExecutionEventBus, RequestContext } from '@a2a-js/sdk/server';
import { AgentEvent } from '@a2a-js/sdk/server';
import type { IdGenerator } from '../../core/index.ts';
import type { ThreadKey } from '../../ledger/index.ts';
import { isThreadAtWork, operatorAccess, readThread } from '../../ledger/index.ts';
import type { Store } from '../../store/index.ts';
import { a2aMessage, dataOf, textOf, textPart } from '../parts.ts';
import { principalOf } from './context-access.ts';
import type { TaskIds } from './request-input.ts';

/** The thread of the request's context. */
export function keyOf(request: RequestContext): ThreadKey {
  return { scope: principalOf(request.context).scope, thread: request.contextId };
}

/** The task at the start of this turn: the stored one with a new status, or a new one. */
export function taskOf(
  { taskId, contextId, task, userMessage }: RequestContext,
  status: Task['status'],
): Task {
  if (task !== undefined) return { ...task, status };
  return { id: taskId, contextId, status, artifacts: [], history: [userMessage], metadata: undefined };
}

/** The run id of a message. It is derived from the message id, so that a later process can tell whether the run started. */
export function runIdOf({ userMessage }: RequestContext): string {
  return `a2a-${userMessage.messageId}`;
}

/** The prompt of a message: its text, then its data parts as JSON. */
export function promptOf({ userMessage }: RequestContext): string {
  const data = userMessage.parts.flatMap((part) => dataOf(part) ?? []);
  return [textOf(userMessage.parts), ...data.map((one) => JSON.stringify(one))]
    .filter((text) => text !== '')
    .join('\n');
}

/** Whether a process works on the thread now. */
export async function isAlive(store: Store, key: ThreadKey): Promise<boolean> {
  const access = operatorAccess(store, key);
  return isThreadAtWork(access, await readThread(access));
}

/** Publishes a status of a task, with an optional message to the caller. */
export type PublishStatus = (state: TaskState, text?: string) => void;

export function statusPublisher(
  bus: ExecutionEventBus,
  { taskId, contextId }: TaskIds,
  newId: IdGenerator,
): PublishStatus {
  return (state, text) => {
    const ids = { messageId: newId(), taskId, contextId, role: 'agent' as const };
    const message = text === undefined ? undefined : a2aMessage(ids, [textPart(text)]);
    const status = { state, message, timestamp: new Date().toISOString() };
    bus.publish(AgentEvent.statusUpdate({ taskId, contextId, status, metadata: undefined }));
  };
}
