import type { Artifact, StreamResponse, Task } from '@a2a-js/sdk';
import { TaskState } from '@a2a-js/sdk';
import { readWhenStored, threadChanges } from '../../runs/index.ts';
import type { Store } from '../../store/index.ts';
import { isOver } from './task-request.ts';

export interface FollowTask {
  readonly store: Store;
  readonly scope: string;
  /** Reads the task again; undefined if it is gone or the caller may no longer read it. */
  readonly load: () => Promise<Task | undefined>;
  /** Called with a task that has not ended: its process may have died. */
  readonly onOpen: (task: Task) => void;
  /** Aborts when the reader has left. */
  readonly signal: AbortSignal;
}

/**
 * Yields the task and then its changes, also changes of other processes. Ends when the task has ended or asks for input again. If the
 * task asks for input at the start, follows it until it continues and then pauses or ends. Ends early when `signal` aborts.
 */
export async function* followTask(
  task: Task,
  { store, scope, load, onOpen, signal }: FollowTask,
): AsyncGenerator<StreamResponse, void, undefined> {
  let seen = task;
  yield { payload: { $case: 'task', value: task } };
  for await (const _look of threadChanges(store, { scope, thread: task.contextId }, signal)) {
    const next = await readWhenStored(load, signal);
    if (next === undefined) return;
    yield* updatesBetween(seen, next);
    const isChanged = next.status?.timestamp !== seen.status?.timestamp;
    seen = next;
    const asks = next.status?.state === TaskState.TASK_STATE_INPUT_REQUIRED;
    if (isOver(next) || (asks && isChanged)) return;
    onOpen(next);
  }
}

/** The task when it has ended or asks for input again. */
export async function nextPause(task: Task, options: FollowTask): Promise<Task> {
  for await (const _update of followTask(task, options)) {
    // Only the end counts.
  }
  return (await options.load()) ?? task;
}

/** The changes of a task as events: its artifacts first, then its status. */
function* updatesBetween(before: Task, after: Task): Generator<StreamResponse, void, undefined> {
  const { id: taskId, contextId, status } = after;
  const known = new Map(before.artifacts.map((artifact) => [artifact.artifactId, artifact]));
  for (const artifact of after.artifacts) {
    const update = updateOf(known.get(artifact.artifactId), artifact);
    if (update === undefined) continue;
    const value = { taskId, contextId, ...update, lastChunk: isOver(after), metadata: undefined };
    yield { payload: { $case: 'artifactUpdate', value } };
  }
  if (status === undefined || status.timestamp === before.status?.timestamp) return;
  yield { payload: { $case: 'statusUpdate', value: { taskId, contextId, status, metadata: undefined } } };
}

function updateOf(
  before: Artifact | undefined,
  after: Artifact,
): { readonly artifact: Artifact; readonly append: boolean } | undefined {
  if (before === undefined) return { artifact: after, append: false };
  const isSame = (one: Artifact['parts'], other: Artifact['parts']) =>
    JSON.stringify(one) === JSON.stringify(other);
  const { length } = before.parts;
  if (!isSame(before.parts, after.parts.slice(0, length))) return { artifact: after, append: false };
  if (after.parts.length === length) return undefined;
  return { artifact: { ...after, parts: after.parts.slice(length) }, append: true };
}
