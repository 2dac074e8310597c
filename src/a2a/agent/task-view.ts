import type { Artifact, Message, StreamResponse, Task, TaskStatus } from '@a2a-js/sdk';
import { Role, TaskState } from '@a2a-js/sdk';
import type { PauseMemory } from './a2a-memory.ts';

/** The state of a task, as A2A 0.3 spells it. */
export type StateName =
  | 'submitted'
  | 'working'
  | 'input-required'
  | 'auth-required'
  | 'completed'
  | 'failed'
  | 'canceled'
  | 'rejected'
  | 'unknown';

const NAMES: ReadonlyMap<TaskState, StateName> = new Map([
  [TaskState.TASK_STATE_SUBMITTED, 'submitted'],
  [TaskState.TASK_STATE_WORKING, 'working'],
  [TaskState.TASK_STATE_INPUT_REQUIRED, 'input-required'],
  [TaskState.TASK_STATE_AUTH_REQUIRED, 'auth-required'],
  [TaskState.TASK_STATE_COMPLETED, 'completed'],
  [TaskState.TASK_STATE_FAILED, 'failed'],
  [TaskState.TASK_STATE_CANCELED, 'canceled'],
  [TaskState.TASK_STATE_REJECTED, 'rejected'],
]);

export function stateName(state: TaskState | undefined): StateName {
  return state === undefined ? 'unknown' : (NAMES.get(state) ?? 'unknown');
}

/** Whether the state is final. */
export function isOver(state: StateName): boolean {
  return state === 'completed' || state === 'failed' || state === 'canceled' || state === 'rejected';
}

/** Whether the task waits for input or for an authorization. */
export function isPaused(state: StateName): boolean {
  return state === 'input-required' || state === 'auth-required';
}

/** The current knowledge of a task, merged from stream events and reads. */
export interface TaskView {
  readonly taskId: string;
  readonly contextId: string;
  readonly state: StateName;
  readonly status: TaskStatus | undefined;
  /** The messages of the agent, in order, each once. */
  readonly messages: readonly Message[];
  readonly artifacts: readonly Artifact[];
  /** Ids of the artifacts whose last chunk has arrived. */
  readonly whole: ReadonlySet<string>;
  /** A reply without a task. */
  readonly reply: Message | undefined;
  /** Ids of the user messages in the history that the agent reports. */
  readonly heard: ReadonlySet<string>;
}

/** A view that merges payloads of the agent, which may come in any order and repeat. */
export function createTaskView(): TaskView & { take(payload: StreamResponse['payload']): void } {
  let taskId = '';
  let contextId = '';
  let status: TaskStatus | undefined;
  let reply: Message | undefined;
  const messages = new Map<string, Message>();
  const artifacts = new Map<string, Artifact>();
  const heard = new Set<string>();
  const whole = new Set<string>();

  const hear = (message: Message | undefined) => {
    if (message === undefined) return;
    if (message.role === Role.ROLE_USER) heard.add(message.messageId);
    else messages.set(message.messageId === '' ? `?${messages.size}` : message.messageId, message);
  };
  const setStatus = (next: TaskStatus | undefined) => {
    if (next === undefined) return;
    status = next;
    hear(next.message);
  };
  const takeTask = (task: Task) => {
    taskId = task.id;
    contextId = task.contextId;
    for (const message of task.history) hear(message);
    for (const artifact of task.artifacts) artifacts.set(artifact.artifactId, artifact);
    setStatus(task.status);
  };
  return {
    take(payload) {
      switch (payload?.$case) {
        case 'task':
          takeTask(payload.value);
          break;
        case 'message':
          reply = payload.value;
          contextId = payload.value.contextId || contextId;
          break;
        case 'statusUpdate':
          taskId ||= payload.value.taskId;
          contextId ||= payload.value.contextId;
          setStatus(payload.value.status);
          break;
        case 'artifactUpdate': {
          const { artifact, append, lastChunk } = payload.value;
          if (artifact === undefined) break;
          if (lastChunk) whole.add(artifact.artifactId);
          else whole.delete(artifact.artifactId);
          const before = append ? artifacts.get(artifact.artifactId) : undefined;
          const parts = [...(before?.parts ?? []), ...artifact.parts];
          artifacts.set(artifact.artifactId, { ...before, ...artifact, parts });
          break;
        }
        case undefined:
      }
    },
    get taskId() {
      return taskId;
    },
    get contextId() {
      return contextId;
    },
    get state() {
      return stateName(status?.state);
    },
    get status() {
      return status;
    },
    get messages() {
      return [...messages.values()];
    },
    get artifacts() {
      return [...artifacts.values()];
    },
    get reply() {
      return reply;
    },
    heard,
    whole,
  };
}

/** Identifies a pause of a task: the id of the message that asks, and its time. */
export function pauseMarks({ status }: TaskView): Pick<PauseMemory, 'statusMessageId' | 'timestamp'> {
  return { statusMessageId: status?.message?.messageId ?? '', timestamp: status?.timestamp ?? '' };
}

/** Whether the task is in this pause. An agent may show an old pause again after the answer. */
export function isSamePause(view: TaskView, pause: PauseMemory | undefined): boolean {
  if (pause === undefined || !isPaused(view.state) || view.state !== pause.state) return false;
  const { statusMessageId, timestamp } = pauseMarks(view);
  return statusMessageId === pause.statusMessageId && timestamp === pause.timestamp;
}
