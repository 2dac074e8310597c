/** Agents for the tests, written against the SDK's own types. */
import { randomUUID } from 'node:crypto';
import type { Artifact, Part, Task } from '@a2a-js/sdk';
import { TaskState } from '@a2a-js/sdk';
import type { AgentExecutor, ExecutionEventBus, RequestContext } from '@a2a-js/sdk/server';
import { AgentEvent } from '@a2a-js/sdk/server';
import { a2aMessage, dataPart, textPart } from '../parts.ts';

/** Publishes events of one turn of a test executor. */
export interface Speaker {
  readonly request: RequestContext;
  readonly bus: ExecutionEventBus;
  /** Publishes the task; the SDK requires it as the first event of a turn. */
  task(state: TaskState, extra?: Partial<Task>): void;
  status(state: TaskState, parts?: readonly Part[], given?: { messageId?: string; timestamp?: string }): void;
  artifact(
    artifact: Partial<Artifact> & { artifactId: string },
    options?: { append?: boolean; lastChunk?: boolean },
  ): void;
}

export function executor(
  turn: (speaker: Speaker) => void | Promise<void>,
  cancel?: AgentExecutor['cancelTask'],
): AgentExecutor {
  const contexts = new Map<string, string>();
  return {
    async execute(request, bus) {
      contexts.set(request.taskId, request.contextId);
      await turn(speakerFor(request, bus));
    },
    async cancelTask(taskId, bus) {
      if (cancel !== undefined) return cancel(taskId, bus);
      const contextId = contexts.get(taskId) ?? '';
      const status = {
        state: TaskState.TASK_STATE_CANCELED,
        message: undefined,
        timestamp: new Date().toISOString(),
      };
      bus.publish(AgentEvent.statusUpdate({ taskId, contextId, status, metadata: undefined }));
    },
  };
}

function speakerFor(request: RequestContext, bus: ExecutionEventBus): Speaker {
  const { taskId, contextId } = request;
  const statusOf: (...given: Parameters<Speaker['status']>) => NonNullable<Task['status']> = (
    state,
    parts,
    given,
  ) => ({
    state,
    message:
      parts === undefined
        ? undefined
        : a2aMessage(
            { messageId: given?.messageId ?? randomUUID(), taskId, contextId, role: 'agent' },
            parts,
          ),
    timestamp: given?.timestamp ?? new Date().toISOString(),
  });
  return {
    request,
    bus,
    task(state, extra = {}) {
      const history = request.task?.history ?? [request.userMessage];
      const artifacts = request.task?.artifacts ?? [];
      const task = {
        id: taskId,
        contextId,
        status: statusOf(state),
        artifacts,
        history,
        metadata: undefined,
        ...extra,
      };
      bus.publish(AgentEvent.task(task));
    },
    status(state, parts, given) {
      const status = statusOf(state, parts, given);
      bus.publish(AgentEvent.statusUpdate({ taskId, contextId, status, metadata: undefined }));
    },
    artifact(artifact, { append = false, lastChunk = true } = {}) {
      const whole = {
        name: '',
        description: '',
        parts: [],
        metadata: undefined,
        extensions: [],
        ...artifact,
      };
      bus.publish(
        AgentEvent.artifactUpdate({
          taskId,
          contextId,
          artifact: whole,
          append,
          lastChunk,
          metadata: undefined,
        }),
      );
    },
  };
}

export const WORKING = TaskState.TASK_STATE_WORKING;
export const ASKS = TaskState.TASK_STATE_INPUT_REQUIRED;
export const DONE = TaskState.TASK_STATE_COMPLETED;
export const FAILED = TaskState.TASK_STATE_FAILED;

export const EMAIL_REQUEST: readonly Part[] = [
  textPart('Which e-mail address?'),
  dataPart({
    type: 'a2a.input.request',
    requestId: 'mail',
    title: 'E-mail',
    fields: [
      { name: 'email', type: 'string', required: true },
      { name: 'pin', type: 'string', secret: true },
    ],
  }),
];

/** A request without a secret, for hosts without `secretKey`. */
export const OPEN_REQUEST: readonly Part[] = [
  textPart('Which e-mail address?'),
  dataPart({ type: 'a2a.input.request', fields: [{ name: 'email', type: 'string', required: true }] }),
];

/** An agent that asks for an address, keeps the answer in `taken` and completes. */
export function signUp(taken: unknown[] = [], request: readonly Part[] = EMAIL_REQUEST): AgentExecutor {
  return executor((speaker) => {
    const data = speaker.request.userMessage.parts.map(({ content }) => content);
    const answer = data.find((content) => content?.$case === 'data');
    if (answer === undefined) {
      speaker.task(WORKING);
      speaker.status(WORKING, [textPart('One moment.')]);
      speaker.artifact({ artifactId: 'notes', parts: [textPart('Notes so far.')] });
      speaker.status(ASKS, request);
      return;
    }
    taken.push(answer.value);
    speaker.task(WORKING);
    speaker.artifact({
      artifactId: 'result',
      name: 'Result',
      parts: [textPart('Signed up.'), dataPart({ ok: true })],
    });
    speaker.status(DONE, [textPart('Done.')]);
  });
}
