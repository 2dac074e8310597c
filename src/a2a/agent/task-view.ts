import type { Artifact, Message, StreamResponse, Task, TaskStatus } from '@a2a-js/sdk';
import { Role } from '@a2a-js/sdk';
import type { StateName } from './task-state.ts';
import { stateName } from './task-state.ts';

/** A task as it is known so far, put together from whatever tells of it. */
export interface TaskView {
  readonly taskId: string;
  readonly contextId: string;
  readonly state: StateName;
  readonly status: TaskStatus | undefined;
  /** What the agent said, in order, each once. */
  readonly messages: readonly Message[];
  readonly artifacts: readonly Artifact[];
  /** A reply without a task. */
  readonly reply: Message | undefined;
  /** Ids of the messages that the agent has got, as far as it says. */
  readonly heard: ReadonlySet<string>;
}

/** Takes in what an agent says of a task, in any order and as often as it likes. */
export function createTaskView(): TaskView & { take(payload: StreamResponse['payload']): void } {
  let taskId = '';
  let contextId = '';
  let status: TaskStatus | undefined;
  let reply: Message | undefined;
  const messages = new Map<string, Message>();
  const artifacts = new Map<string, Artifact>();
  const heard = new Set<string>();

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
          const { artifact, append } = payload.value;
          if (artifact === undefined) break;
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
  };
}
