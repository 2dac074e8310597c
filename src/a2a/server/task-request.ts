import type { Part, Task } from '@a2a-js/sdk';
import { TaskState } from '@a2a-js/sdk';
import type { ExecutionEventBus, RequestContext } from '@a2a-js/sdk/server';
import { AgentEvent } from '@a2a-js/sdk/server';
import type { IdGenerator } from '../../core/index.ts';
import { digestJson, toBase64 } from '../../core/index.ts';
import type { ThreadKey } from '../../ledger/index.ts';
import { isThreadAtWork, openInterrupts, operatorAccess, readRun, readThread } from '../../ledger/index.ts';
import type { ContentPart } from '../../protocol/index.ts';
import type { Store } from '../../store/index.ts';
import { a2aMessage, textPart } from '../parts.ts';
import { principalOf } from './context-access.ts';

/** The thread of the request's context. */
export function keyOf(request: RequestContext): ThreadKey {
  return { scope: principalOf(request.context).scope, thread: request.contextId };
}

/** Whether a task has ended. */
export function isOver({ status }: Pick<Task, 'status'>): boolean {
  return status !== undefined && OVER.has(status.state);
}

const OVER: ReadonlySet<TaskState> = new Set([
  TaskState.TASK_STATE_COMPLETED,
  TaskState.TASK_STATE_FAILED,
  TaskState.TASK_STATE_CANCELED,
  TaskState.TASK_STATE_REJECTED,
]);

/** Whether an agent works on the task, as far as its status says. */
export function isAtWork({ status }: Pick<Task, 'status'>): boolean {
  return status?.state === TaskState.TASK_STATE_WORKING || status?.state === TaskState.TASK_STATE_SUBMITTED;
}

/** The run id of a message. It is derived from the message id, so that a later process can tell whether the run started. */
export function runIdOf({ messageId }: { readonly messageId: string }): string {
  return `a2a-${messageId}`;
}

/** The id in the conversation of the message that started a task; derived like {@link runIdOf}. */
export function promptIdOf({ messageId }: { readonly messageId: string }): string {
  return `a2a-${digestJson(messageId).slice(0, ID_LENGTH)}`;
}

const ID_LENGTH = 32;

/** The prompt of a message: its texts and its data as JSON, in one text; as content parts if the message has files. */
export function promptOf({ userMessage: { parts } }: RequestContext): string | ContentPart[] {
  const content: ContentPart[] = parts.flatMap((part) => toContent(part) ?? []);
  const texts = content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  return texts.length === content.length ? texts.join('\n') : content;
}

function toContent({ content, mediaType, filename }: Part): ContentPart | undefined {
  switch (content?.$case) {
    case 'text':
      return content.value === '' ? undefined : { type: 'text', text: content.value };
    case 'data':
      return { type: 'text', text: JSON.stringify(content.value) };
    case 'url':
    case 'raw': {
      const source =
        content.$case === 'url'
          ? {
              type: 'url' as const,
              value: content.value,
              ...(mediaType === '' ? {} : { mimeType: mediaType }),
            }
          : { type: 'data' as const, value: toBase64(content.value), mimeType: mediaType };
      return { type: mediaKind(mediaType), source, ...(filename === '' ? {} : { metadata: { filename } }) };
    }
    default:
      return undefined;
  }
}

function mediaKind(mediaType: string): 'image' | 'audio' | 'video' | 'document' {
  const [kind] = mediaType.split('/');
  return kind === 'image' || kind === 'audio' || kind === 'video' ? kind : 'document';
}

/** Whether a process works on the thread now. */
export async function isAlive(store: Store, key: ThreadKey): Promise<boolean> {
  const access = operatorAccess(store, key);
  return isThreadAtWork(access, await readThread(access));
}

/** Whether the thread waits for an answer. */
export async function isWaiting(store: Store, key: ThreadKey): Promise<boolean> {
  return (await openInterrupts(operatorAccess(store, key))).length > 0;
}

/** Whether a run has begun with the message. */
export async function hasBegun(
  store: Store,
  key: ThreadKey,
  message: { readonly messageId: string },
): Promise<boolean> {
  const access = operatorAccess(store, key);
  const runId = runIdOf(message);
  return (await readRun(access, runId)) !== undefined || (await readThread(access))?.active?.runId === runId;
}

/** Publishes the events of one turn of a task. */
export interface TaskPublisher {
  /** The task as its first event: the stored one, or a new one; with its stored status unless `state` is given. */
  task(state?: TaskState): void;
  /** A status, with an optional message to the caller. */
  status(state: TaskState, parts?: readonly Part[]): void;
  /** A status that any later change of another process replaces. */
  repeat(state: TaskState, parts: readonly Part[]): void;
}

export function taskPublisher(
  bus: ExecutionEventBus,
  { taskId, contextId, task, userMessage }: RequestContext,
  newId: IdGenerator,
): TaskPublisher {
  // Each status of a task is later than the one before, also if another process with another clock wrote that one.
  let last = Date.parse(task?.status?.timestamp ?? '') || 0;
  const timestamp = (now: number) => {
    last = Math.max(now, last + 1);
    return new Date(last).toISOString();
  };
  const publish = (state: TaskState, parts: readonly Part[] | undefined, now: number) => {
    const ids = { messageId: newId(), taskId, contextId, role: 'agent' as const };
    const message = parts === undefined ? undefined : a2aMessage(ids, parts);
    const status = { state, message, timestamp: timestamp(now) };
    bus.publish(AgentEvent.statusUpdate({ taskId, contextId, status, metadata: undefined }));
  };
  return {
    task(state) {
      const status =
        state === undefined && task?.status !== undefined
          ? task.status
          : {
              state: state ?? TaskState.TASK_STATE_SUBMITTED,
              message: undefined,
              timestamp: timestamp(Date.now()),
            };
      const created = { id: taskId, contextId, artifacts: [], history: [userMessage], metadata: undefined };
      bus.publish(AgentEvent.task({ ...(task ?? created), status }));
    },
    status: (state, parts) => publish(state, parts, Date.now()),
    repeat: (state, parts) => publish(state, parts, 0),
  };
}

/** The parts of a status with a sentence. */
export function sentence(text: string): readonly Part[] {
  return [textPart(text)];
}
