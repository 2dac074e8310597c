import type { Task } from '@a2a-js/sdk';
import type { RequestContext } from '@a2a-js/sdk/server';
import type { ThreadKey } from '../../ledger/index.ts';
import { isThreadAtWork, operatorAccess, readThread } from '../../ledger/index.ts';
import type { Store } from '../../store/index.ts';
import { dataOf, textOf } from '../parts.ts';
import { principalOf } from './principal.ts';

/** The thread of a context. */
export function keyOf(request: RequestContext): ThreadKey {
  return { scope: principalOf(request.context).scope, thread: request.contextId };
}

/** The task as this turn begins with it. */
export function taskOf(
  { taskId, contextId, task, userMessage }: RequestContext,
  status: Task['status'],
): Task {
  if (task !== undefined) return { ...task, status };
  return { id: taskId, contextId, status, artifacts: [], history: [userMessage], metadata: undefined };
}

/** The run that a message leads to has a name that comes from it, so that it is known later whether it began. */
export function runIdOf({ userMessage }: RequestContext): string {
  return `a2a-${userMessage.messageId}`;
}

/** What a message asks for, in words; data is given as JSON. */
export function promptOf({ userMessage }: RequestContext): string {
  const data = userMessage.parts.flatMap((part) => dataOf(part) ?? []);
  return [textOf(userMessage.parts), ...data.map((one) => JSON.stringify(one))]
    .filter((text) => text !== '')
    .join('\n');
}

/** Whether some process is at work on a thread. */
export async function isAlive(store: Store, key: ThreadKey): Promise<boolean> {
  const access = operatorAccess(store, key);
  return isThreadAtWork(access, await readThread(access));
}
