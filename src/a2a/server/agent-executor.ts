import type { Task } from '@a2a-js/sdk';
import { TaskState } from '@a2a-js/sdk';
import type { AgentExecutor, ExecutionEventBus, RequestContext } from '@a2a-js/sdk/server';
import { AgentEvent } from '@a2a-js/sdk/server';
import type { ErrorCode, IdGenerator } from '../../core/index.ts';
import { HoldpointError, newId as defaultNewId } from '../../core/index.ts';
import type { Agent, AgentContext } from '../../engine/index.ts';
import type { Access, ThreadKey } from '../../ledger/index.ts';
import { openQuestions, operatorAccess, readRun, readThread } from '../../ledger/index.ts';
import type { ResumeEntry } from '../../protocol/index.ts';
import type { GeneratingAgent, StoredEnd } from '../../runs/index.ts';
import { runStored } from '../../runs/index.ts';
import type { Store } from '../../store/index.ts';
import type { ContextAccess } from './context-access.ts';
import { readAnswers } from './read-answers.ts';
import type { AskingTask } from './request-input.ts';
import type { Speaker } from './speaker.ts';
import { now, speakerFor } from './speaker.ts';
import { isAlive, keyOf, promptOf, runIdOf, taskOf } from './task-request.ts';
import { createTextArtifacts } from './text-artifacts.ts';
import { askInput, cancelQuestions } from './thread-questions.ts';

export interface ExecutorOptions {
  readonly store: Store;
  /** What surrounds every run: policies, the mode, a logger. */
  readonly context?: Pick<AgentContext, 'policies' | 'mode' | 'grants' | 'onError' | 'onWarning'>;
  readonly newId?: IdGenerator;
  readonly leaseMs?: number;
  /** 32 random bytes in base64, for questions that ask for secrets. */
  readonly secretKey?: string;
}

/** An executor that knows which of its tasks are at work in this process. */
export interface HoldpointExecutor extends AgentExecutor {
  isRunning(taskId: string): boolean;
  /** Goes on with a task that a process left at work; resolves when it waits or is over. Does nothing while one has it. */
  takeUp(request: RequestContext, bus: ExecutionEventBus): Promise<void>;
}

/** Something new, answers, or nothing: the thread as it is. */
type Begin = {
  readonly access: Access<'run' | 'answer'>;
  readonly prompt?: string;
  readonly resume?: readonly ResumeEntry[];
};

/** Refusals that leave a question as it is; the person may answer again. */
const ASK_AGAIN: ReadonlySet<ErrorCode> = new Set([
  'ANSWER_INVALID',
  'ANSWER_FORBIDDEN',
  'INTERRUPTS_UNANSWERED',
  'INTERRUPT_EXPIRED',
]);
/** Somebody else is at work here: on the same question, or on another task of the context. */
const BUSY: ReadonlySet<ErrorCode> = new Set(['INTERRUPTS_PENDING', 'RUN_CONFLICT', 'INTERRUPT_CONFLICT']);

/**
 * Runs an agent of ours as the executor of an A2A server. A context is a thread of the store: the agent's questions, their
 * answers and what its calls have done are kept there, whatever becomes of the task.
 */
export function agentExecutor(
  agent: Agent | GeneratingAgent,
  options: ExecutorOptions,
  contexts: ContextAccess,
): HoldpointExecutor {
  const { store, newId = defaultNewId } = options;
  const accessTo = (request: RequestContext) => operatorAccess(store, keyOf(request));
  const running = new Map<string, AbortController>();
  const places = new Map<string, { readonly key: ThreadKey; readonly task: AskingTask }>();

  const accessFor = ({ context, contextId, task }: RequestContext) =>
    contexts.forMessage({ context, contextId, hasTask: task !== undefined });

  const run = async (request: RequestContext, bus: ExecutionEventBus, begin: Begin) => {
    const stop = new AbortController();
    running.set(request.taskId, stop);
    const speak = speakerFor(bus, request, newId);
    try {
      const artifacts = createTextArtifacts(bus, request, newId);
      const stream = runStored(agent, {
        ...options.context,
        store,
        signal: stop.signal,
        newId,
        runId: runIdOf(request),
        ...(options.leaseMs === undefined ? {} : { leaseMs: options.leaseMs }),
        ...(options.secretKey === undefined ? {} : { secretKey: options.secretKey }),
        ...begin,
      });
      for await (const event of stream) artifacts.take(event);
      const response = await stream.response;
      // A run that happened elsewhere is not watched here; what it said last is.
      if (artifacts.count === 0 && response.finishReason !== 'interrupted') artifacts.text(response.text);
      if (response.result !== undefined) artifacts.result(response.result);
      await end(response, { bus, request, speak });
    } catch (error) {
      options.context?.onError?.(error);
      if (stop.signal.aborted) speak(TaskState.TASK_STATE_CANCELED);
      else await fail(error, { bus, request, speak });
    } finally {
      running.delete(request.taskId);
      if ((await openQuestions(accessTo(request))).length === 0) places.delete(request.taskId);
    }
  };
  const end = async ({ finishReason, interrupts }: StoredEnd, { bus, request, speak }: Ending) => {
    if (finishReason === 'interrupted')
      return askInput(bus, request, { interrupts: interrupts.map(({ interrupt }) => interrupt) });
    speak(finishReason === 'cancelled' ? TaskState.TASK_STATE_CANCELED : TaskState.TASK_STATE_COMPLETED);
  };
  const fail = async (error: unknown, { bus, request, speak }: Ending) => {
    const code = HoldpointError.is(error) ? error.code : 'INTERNAL';
    const open = await openQuestions(accessTo(request));
    if (ASK_AGAIN.has(code) && open.length > 0) {
      await askInput(bus, request, { interrupts: open.map(({ interrupt }) => interrupt), wrong: safe(code) });
    } else if (BUSY.has(code) && request.task !== undefined) {
      // Whoever has the task says how it ends.
      speak(TaskState.TASK_STATE_WORKING, 'Somebody else has answered.');
    } else if (BUSY.has(code)) {
      speak(TaskState.TASK_STATE_REJECTED, 'This context is busy with another task.');
    } else speak(TaskState.TASK_STATE_FAILED, safe(code));
  };

  return {
    isRunning: (taskId) => running.has(taskId),
    async execute(request, bus) {
      const { task, userMessage } = request;
      places.set(request.taskId, { key: keyOf(request), task: request });
      const publishTask = (state: TaskState, status?: Task['status']) =>
        bus.publish(
          AgentEvent.task(taskOf(request, status ?? { state, message: undefined, timestamp: now() })),
        );
      let access: Begin['access'];
      try {
        access = await accessFor(request);
      } catch (error) {
        options.context?.onError?.(error);
        // A caller who may not answer changes nothing about a task that waits.
        if (task !== undefined) return publishTask(TaskState.TASK_STATE_INPUT_REQUIRED, task.status);
        publishTask(TaskState.TASK_STATE_REJECTED);
        const code = HoldpointError.is(error) ? error.code : 'INTERNAL';
        return speakerFor(bus, request, newId)(TaskState.TASK_STATE_REJECTED, safe(code));
      }
      const open = task === undefined ? [] : await openQuestions(accessTo(request));
      if (open.length === 0) {
        const asked = task?.status?.state === TaskState.TASK_STATE_INPUT_REQUIRED;
        publishTask(TaskState.TASK_STATE_WORKING);
        // Somebody answered it elsewhere, in the inbox say: what came of that is the answer.
        return run(request, bus, asked ? { access } : { access, prompt: promptOf(request) });
      }
      const interrupts = open.map(({ interrupt }) => interrupt);
      const read = await readAnswers(userMessage, interrupts);
      if (read.type === 'wrong') {
        publishTask(TaskState.TASK_STATE_INPUT_REQUIRED, task?.status);
        return askInput(bus, request, { interrupts, wrong: read.sentences.join('\n') });
      }
      publishTask(TaskState.TASK_STATE_WORKING);
      return run(request, bus, { access, resume: read.entries });
    },
    async takeUp(request, bus) {
      if (running.has(request.taskId) || (await isAlive(store, keyOf(request)))) return;
      // A caller who may only look at a task takes nothing up.
      const access = await accessFor(request).catch(() => undefined);
      if (access === undefined) return;
      places.set(request.taskId, { key: keyOf(request), task: request });
      const wasBegun = (await readRun(accessTo(request), runIdOf(request))) !== undefined;
      const active = (await readThread(accessTo(request)))?.active?.runId;
      const isLost = active === runIdOf(request);
      await run(request, bus, wasBegun || isLost ? { access } : { access, prompt: promptOf(request) });
    },
    async cancelTask(taskId, bus) {
      const place = places.get(taskId);
      running.get(taskId)?.abort();
      if (place === undefined || running.has(taskId)) return;
      await cancelQuestions(agent, { ...options, key: place.key });
      speakerFor(bus, place.task, newId)(TaskState.TASK_STATE_CANCELED);
    },
  };
}

interface Ending {
  readonly bus: ExecutionEventBus;
  readonly request: RequestContext;
  readonly speak: Speaker;
}

/** Sentences of ours name threads, runs and questions; on this side only the code is told. */
function safe(code: ErrorCode): string {
  return code === 'INTERNAL' ? 'The agent failed.' : `The agent could not go on: ${code}.`;
}
