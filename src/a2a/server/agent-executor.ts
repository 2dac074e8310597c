import type { Task } from '@a2a-js/sdk';
import { TaskState } from '@a2a-js/sdk';
import type { AgentExecutor, ExecutionEventBus, RequestContext } from '@a2a-js/sdk/server';
import { AgentEvent } from '@a2a-js/sdk/server';
import type { ErrorCode, IdGenerator } from '../../core/index.ts';
import { defined, HoldpointError, newId as defaultNewId } from '../../core/index.ts';
import type { Agent, AgentContext } from '../../engine/index.ts';
import type { Access, AccessOptions, ThreadKey } from '../../ledger/index.ts';
import { openInterrupts, operatorAccess, readRun, readThread } from '../../ledger/index.ts';
import type { ResumeEntry } from '../../protocol/index.ts';
import type { GeneratingAgent, StoredEnd } from '../../runs/index.ts';
import { runStored } from '../../runs/index.ts';
import type { Store } from '../../store/index.ts';
import type { ContextAccess } from './context-access.ts';
import { readAnswers } from './read-answers.ts';
import type { TaskIds } from './request-input.ts';
import type { PublishStatus } from './task-request.ts';
import { isAlive, keyOf, promptOf, runIdOf, statusPublisher, taskOf } from './task-request.ts';
import { createTextArtifacts } from './text-artifacts.ts';
import { askInput, cancelInterrupts } from './thread-interrupts.ts';

export interface ExecutorOptions {
  /** Keeps threads, interrupts and tasks. */
  readonly store: Store;
  /** Policies, mode, grants and error callbacks of every run. Default: none. */
  readonly context?: Pick<AgentContext, 'policies' | 'mode' | 'grants' | 'onError' | 'onWarning'>;
  /** Makes ids of messages, artifacts and contexts. Default: UUIDv7. */
  readonly newId?: IdGenerator;
  /** Milliseconds after which another process may take over a run of a dead process. Default 30,000. */
  readonly leaseMs?: number;
  /** 32 random bytes in base64; encrypts secrets in answers. Default: none, and interrupts that ask for secrets fail. */
  readonly secretKey?: string;
}

/** An executor for the SDK's own servers. */
export interface HoldpointExecutor extends AgentExecutor {
  /** Whether the task runs in this process. */
  isRunning(taskId: string): boolean;
  /** Continues a task of a dead process; resolves when it pauses or ends. Does nothing while a process works on it. */
  takeUp(request: RequestContext, bus: ExecutionEventBus): Promise<void>;
}

/** The start of a run: a prompt, answers, or neither to continue the thread. */
type Begin = {
  readonly access: Access<'run' | 'answer'>;
  readonly prompt?: string;
  readonly resume?: readonly ResumeEntry[];
};

/** Codes that leave an interrupt open; the person may answer again. */
const ASK_AGAIN: ReadonlySet<ErrorCode> = new Set([
  'ANSWER_INVALID',
  'ANSWER_FORBIDDEN',
  'INTERRUPTS_UNANSWERED',
  'INTERRUPT_EXPIRED',
]);
/** Codes that another run causes: on the same interrupt, or on another task of the context. */
const BUSY: ReadonlySet<ErrorCode> = new Set(['INTERRUPTS_PENDING', 'RUN_CONFLICT', 'INTERRUPT_CONFLICT']);

/**
 * Runs an agent as the executor of an A2A server. A context is a thread of the store, which keeps the interrupts, answers and calls of
 * the agent independently of the task.
 */
export function agentExecutor(
  agent: Agent | GeneratingAgent,
  options: ExecutorOptions & Pick<AccessOptions, 'interrupts'>,
  contexts: ContextAccess,
): HoldpointExecutor {
  const { store, newId = defaultNewId } = options;
  const accessTo = (request: RequestContext) => operatorAccess(store, keyOf(request));
  const running = new Map<string, AbortController>();
  const known = new Map<string, { readonly key: ThreadKey; readonly task: TaskIds }>();

  const accessFor = ({ context, contextId, task }: RequestContext) =>
    contexts.forMessage({ context, contextId, hasTask: task !== undefined });

  const run = async (request: RequestContext, bus: ExecutionEventBus, begin: Begin) => {
    const stop = new AbortController();
    running.set(request.taskId, stop);
    const publish = statusPublisher(bus, request, newId);
    try {
      const artifacts = createTextArtifacts(bus, request, newId);
      const stream = runStored(agent, {
        ...options.context,
        store,
        signal: stop.signal,
        newId,
        runId: runIdOf(request),
        approversOf: options.interrupts?.approvers,
        ...defined({ leaseMs: options.leaseMs, secretKey: options.secretKey }),
        ...begin,
      });
      for await (const event of stream) artifacts.take(event);
      const response = await stream.response;
      // A run of another process has no events here: publish its last text.
      if (artifacts.count === 0 && response.finishReason !== 'interrupted') artifacts.text(response.text);
      if (response.result !== undefined) artifacts.result(response.result);
      await end(response, { bus, request, publish });
    } catch (error) {
      options.context?.onError?.(error);
      if (stop.signal.aborted) publish(TaskState.TASK_STATE_CANCELED);
      else await fail(error, { bus, request, publish });
    } finally {
      running.delete(request.taskId);
      if ((await openInterrupts(accessTo(request))).length === 0) known.delete(request.taskId);
    }
  };
  const end = async ({ finishReason, interrupts }: StoredEnd, { bus, request, publish }: Ending) => {
    if (finishReason === 'interrupted')
      return askInput(bus, request, { interrupts: interrupts.map(({ interrupt }) => interrupt) });
    publish(finishReason === 'cancelled' ? TaskState.TASK_STATE_CANCELED : TaskState.TASK_STATE_COMPLETED);
  };
  const fail = async (error: unknown, { bus, request, publish }: Ending) => {
    const code = HoldpointError.is(error) ? error.code : 'INTERNAL';
    const open = await openInterrupts(accessTo(request));
    if (ASK_AGAIN.has(code) && open.length > 0) {
      await askInput(bus, request, {
        interrupts: open.map(({ interrupt }) => interrupt),
        problem: publicSentence(code),
      });
    } else if (BUSY.has(code) && request.task !== undefined) {
      // The other run publishes how the task ends.
      publish(TaskState.TASK_STATE_WORKING, 'Another caller has already answered.');
    } else if (BUSY.has(code)) {
      publish(TaskState.TASK_STATE_REJECTED, 'This context is busy with another task.');
    } else publish(TaskState.TASK_STATE_FAILED, publicSentence(code));
  };

  return {
    isRunning: (taskId) => running.has(taskId),
    async execute(request, bus) {
      const { task, userMessage } = request;
      known.set(request.taskId, { key: keyOf(request), task: request });
      const publishTask = (state: TaskState, status?: Task['status']) =>
        bus.publish(
          AgentEvent.task(
            taskOf(request, status ?? { state, message: undefined, timestamp: new Date().toISOString() }),
          ),
        );
      let access: Begin['access'];
      try {
        access = await accessFor(request);
      } catch (error) {
        options.context?.onError?.(error);
        // A caller who may not answer leaves a paused task as it is.
        if (task !== undefined) return publishTask(TaskState.TASK_STATE_INPUT_REQUIRED, task.status);
        publishTask(TaskState.TASK_STATE_REJECTED);
        const code = HoldpointError.is(error) ? error.code : 'INTERNAL';
        return statusPublisher(bus, request, newId)(TaskState.TASK_STATE_REJECTED, publicSentence(code));
      }
      const open = task === undefined ? [] : await openInterrupts(accessTo(request));
      if (open.length === 0) {
        const asked = task?.status?.state === TaskState.TASK_STATE_INPUT_REQUIRED;
        publishTask(TaskState.TASK_STATE_WORKING);
        // A person answered in the inbox: the thread already has the result, and the message is not a prompt.
        return run(request, bus, asked ? { access } : { access, prompt: promptOf(request) });
      }
      const interrupts = open.map(({ interrupt }) => interrupt);
      const read = await readAnswers(userMessage, interrupts);
      if (read.type === 'rejected') {
        publishTask(TaskState.TASK_STATE_INPUT_REQUIRED, task?.status);
        return askInput(bus, request, { interrupts, problem: read.problems.join('\n') });
      }
      publishTask(TaskState.TASK_STATE_WORKING);
      return run(request, bus, { access, resume: read.entries });
    },
    async takeUp(request, bus) {
      if (running.has(request.taskId) || (await isAlive(store, keyOf(request)))) return;
      // A caller who may only read the task does not continue it.
      const access = await accessFor(request).catch(() => undefined);
      if (access === undefined) return;
      known.set(request.taskId, { key: keyOf(request), task: request });
      const wasBegun = (await readRun(accessTo(request), runIdOf(request))) !== undefined;
      const active = (await readThread(accessTo(request)))?.active?.runId;
      const isLost = active === runIdOf(request);
      await run(request, bus, wasBegun || isLost ? { access } : { access, prompt: promptOf(request) });
    },
    async cancelTask(taskId, bus) {
      const paused = known.get(taskId);
      running.get(taskId)?.abort();
      if (paused === undefined || running.has(taskId)) return;
      await cancelInterrupts(agent, { ...options, key: paused.key });
      statusPublisher(bus, paused.task, newId)(TaskState.TASK_STATE_CANCELED);
    },
  };
}

interface Ending {
  readonly bus: ExecutionEventBus;
  readonly request: RequestContext;
  readonly publish: PublishStatus;
}

/** A sentence for callers: only the code, because our own messages name threads, runs and interrupts. */
export function publicSentence(code: ErrorCode): string {
  return code === 'INTERNAL' ? 'The agent failed.' : `The agent could not go on: ${code}.`;
}
