import { Role, TaskState } from '@a2a-js/sdk';
import type { AgentExecutor, ExecutionEventBus, RequestContext } from '@a2a-js/sdk/server';
import type { FileReader, Grants } from '../../content/interrupts/index.ts';
import type { ErrorCode, IdGenerator } from '../../core/index.ts';
import { defined, HoldpointError, newId as defaultNewId } from '../../core/index.ts';
import type { Agent, AgentContext } from '../../engine/index.ts';
import type { Access, AccessOptions } from '../../ledger/index.ts';
import { openInterrupts, operatorAccess, readThread, storeGrants } from '../../ledger/index.ts';
import type { ContentPart, Message, ResumeEntry } from '../../protocol/index.ts';
import type { GeneratingAgent, StoredEnd, StoredOptions } from '../../runs/index.ts';
import { readConversation, runStored } from '../../runs/index.ts';
import type { OnInterrupt } from '../../runs/index.ts';
import type { Store } from '../../store/index.ts';
import type { ContextAccess } from './context-access.ts';
import { principalOf } from './context-access.ts';
import { holdReply } from './message-reply.ts';
import { readAnswers } from './read-answers.ts';
import type { RunArtifacts } from './run-artifacts.ts';
import { createRunArtifacts } from './run-artifacts.ts';
import type { TaskPublisher } from './task-request.ts';
import {
  hasBegun,
  isAlive,
  keyOf,
  promptIdOf,
  promptOf,
  runIdOf,
  sentence,
  taskPublisher,
} from './task-request.ts';
import { askParts, cancelInterrupts } from './thread-interrupts.ts';

export interface ExecutorOptions {
  /** Keeps threads, interrupts and tasks. */
  readonly store: Store;
  /**
   * Policies, mode, grants and error callbacks of every run. Grants apply within the scope of the caller who gave them; those of a store
   * are kept in `store`. Default: none.
   */
  readonly context?: Pick<AgentContext, 'policies' | 'mode' | 'grants' | 'onError' | 'onWarning'>;
  /** Makes ids of messages, artifacts and contexts. Default: UUIDv7. */
  readonly newId?: IdGenerator;
  /** Milliseconds after which another process may take over a run of a dead process. Default 30,000. */
  readonly leaseMs?: number;
  /**
   * The reply to a message that starts a task. With `message`, a run that completes with nothing but text replies with one message
   * after its end, and there is no task. Default `task`.
   */
  readonly replies?: 'task' | 'message';
  /**
   * Called for each interrupt that the server stores, for notifications. Best effort: a process that dies in between does not
   * call it. Default: none.
   */
  readonly onInterrupt?: OnInterrupt;
  /** 32 random bytes in base64; encrypts secrets in answers. Default: none, and interrupts that ask for secrets fail. */
  readonly secretKey?: string;
}

/** An executor for the SDK's own servers. */
export interface HoldpointExecutor extends AgentExecutor {
  /** Whether the task runs in this process. */
  isRunning(taskId: string): boolean;
  /** Asks a run of this process to stop at its next call. */
  stop(taskId: string): void;
  /** Continues a task of a dead process; resolves when it pauses or ends. Does nothing while a process works on it. */
  takeUp(request: RequestContext, bus: ExecutionEventBus): Promise<void>;
}

/** The start of a run: a prompt, answers, or neither to continue the thread. */
type Begin = {
  readonly access: Access<'run' | 'answer'>;
  readonly prompt?: string | readonly ContentPart[];
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
  const { store, newId = defaultNewId, replies = 'task' } = options;
  const accessTo = (request: RequestContext) => operatorAccess(store, keyOf(request));
  const running = new Map<string, AbortController>();
  /** The last request of each task whose bus the SDK keeps. */
  const requests = new WeakMap<ExecutionEventBus, RequestContext>();

  const accessFor = ({ context, contextId, task }: RequestContext) =>
    contexts.forMessage({ context, contextId, hasTask: task !== undefined });

  const run = async (request: RequestContext, bus: ExecutionEventBus, begin: Begin) => {
    const turn: Turn = {
      request,
      continues: begin.prompt === undefined && begin.resume === undefined,
      publish: taskPublisher(bus, request, newId),
      artifacts: createRunArtifacts(bus, request),
      isBegun: false,
    };
    const stop = new AbortController();
    running.set(request.taskId, stop);
    const unwatch = watchCancel(store, request, stop);
    try {
      const stream = runStored(agent, {
        ...runSettings(options, keyOf(request).scope),
        signal: stop.signal,
        newId,
        runId: runIdOf(request.userMessage),
        promptId: promptIdOf(request.userMessage),
        ...begin,
      });
      for await (const event of stream) {
        // Its first event shows that the run has claimed the thread; before that, another process may own the task.
        if (!turn.isBegun) turn.publish.task(TaskState.TASK_STATE_WORKING);
        turn.isBegun = true;
        turn.artifacts.take(event);
      }
      await end(await stream.response, turn);
    } catch (error) {
      options.context?.onError?.(error);
      await fail(error, turn, stop.signal.aborted);
    } finally {
      unwatch();
      running.delete(request.taskId);
    }
  };
  const ask = async (turn: Turn, problem?: string) => {
    const { userMessage } = turn.request;
    const interrupts = (await openInterrupts(accessTo(turn.request))).map(({ interrupt }) => interrupt);
    const parts = await askParts(interrupts, { userMessage, ...defined({ problem }) });
    if (problem === undefined) turn.publish.status(TaskState.TASK_STATE_INPUT_REQUIRED, parts);
    else turn.publish.repeat(TaskState.TASK_STATE_INPUT_REQUIRED, parts);
  };
  const end = async ({ finishReason, result }: StoredEnd, turn: Turn) => {
    const { request, publish, artifacts } = turn;
    // Another run has done the work: a person answered in the inbox, or another process got the same answer.
    if (!turn.isBegun) publish.task();
    if (!turn.isBegun || turn.continues) {
      const messages = await messagesOf(accessTo(request), request);
      artifacts.messages(messages, { replaces: request.task?.artifacts });
    }
    if (result !== undefined) artifacts.result(result);
    if (finishReason === 'interrupted') return ask(turn);
    publish.status(
      finishReason === 'cancelled' ? TaskState.TASK_STATE_CANCELED : TaskState.TASK_STATE_COMPLETED,
    );
  };
  const fail = async (error: unknown, turn: Turn, isCancelled: boolean) => {
    const { request, publish, isBegun } = turn;
    const code = HoldpointError.is(error) ? error.code : 'INTERNAL';
    const open = await openInterrupts(accessTo(request));
    if (!isBegun) publish.task();
    if (isCancelled) publish.status(TaskState.TASK_STATE_CANCELED);
    else if (ASK_AGAIN.has(code) && open.length > 0) await ask(turn, publicSentence(code));
    // Another run has the thread and publishes how the task ends.
    else if (code === 'RUN_LOST' || (BUSY.has(code) && request.task !== undefined)) return;
    else if (BUSY.has(code))
      publish.status(TaskState.TASK_STATE_REJECTED, sentence('This context is busy with another task.'));
    else publish.status(TaskState.TASK_STATE_FAILED, sentence(publicSentence(code)));
  };
  /** Starts a turn. Never throws: the SDK would store the task as failed, also if another process works on it. */
  const execute = async (request: RequestContext, bus: ExecutionEventBus) => {
    const { task, userMessage } = request;
    const publish = taskPublisher(bus, request, newId);
    let access: Begin['access'];
    try {
      access = await accessFor(request);
    } catch (error) {
      options.context?.onError?.(error);
      publish.task();
      // A caller who may not answer leaves a paused task as it is.
      if (task !== undefined) return;
      const code = HoldpointError.is(error) ? error.code : 'INTERNAL';
      return publish.status(TaskState.TASK_STATE_REJECTED, sentence(publicSentence(code)));
    }
    const open = task === undefined ? [] : await openInterrupts(accessTo(request));
    if (open.length === 0) {
      const asked = task?.status?.state === TaskState.TASK_STATE_INPUT_REQUIRED;
      // A person answered in the inbox: the thread already has the result, and the message is not a prompt.
      return run(request, bus, asked ? { access } : { access, prompt: promptOf(request) });
    }
    const interrupts = open.map(({ interrupt }) => interrupt);
    const read = await readAnswers(userMessage, interrupts);
    if (read.type === 'answers') return run(request, bus, { access, resume: read.entries });
    publish.task();
    const problem = read.problems.join('\n');
    publish.repeat(TaskState.TASK_STATE_INPUT_REQUIRED, await askParts(interrupts, { userMessage, problem }));
  };

  return {
    isRunning: (taskId) => running.has(taskId),
    stop: (taskId) => running.get(taskId)?.abort(),
    async execute(request, bus) {
      requests.set(bus, request);
      const held = request.task === undefined && replies === 'message' ? holdReply(bus) : undefined;
      const target = held?.bus ?? bus;
      try {
        await execute(request, target);
      } catch (error) {
        options.context?.onError?.(error);
        taskPublisher(target, request, newId).task();
      }
      held?.release({ messageId: newId(), contextId: request.contextId });
    },
    async takeUp(request, bus) {
      if (running.has(request.taskId) || (await isAlive(store, keyOf(request)))) return;
      // A caller who may only read the task does not continue it.
      const access = await accessFor(request).catch(() => undefined);
      if (access === undefined) return;
      const { task, userMessage } = request;
      const asks = task?.status?.state === TaskState.TASK_STATE_INPUT_REQUIRED;
      // The last message of a waiting task is an answer, valid or not, and never a prompt.
      const isPrompt = !asks && !(await hasBegun(store, keyOf(request), userMessage));
      if (isPrompt) return run(request, bus, { access, prompt: promptOf(request) });
      const thread = await readThread(accessTo(request));
      if (thread !== undefined && thread.pruned !== true) return run(request, bus, { access });
      const publish = taskPublisher(bus, request, newId);
      publish.task();
      publish.status(TaskState.TASK_STATE_FAILED, sentence('The conversation of this task was deleted.'));
    },
    async cancelTask(taskId, bus) {
      const paused = requests.get(bus);
      running.get(taskId)?.abort();
      if (paused === undefined || running.has(taskId)) return;
      const key = keyOf(paused);
      const principal = principalOf(paused.context);
      await cancelInterrupts(agent, { ...runSettings(options, key.scope), key, principal });
      taskPublisher(bus, paused, newId).status(TaskState.TASK_STATE_CANCELED);
    },
  };
}

/** An A2A server takes no uploads: an answer that names a file is not accepted. */
const NO_FILES: FileReader = { describe: async () => undefined, read: async () => undefined };

/** The options of every run of the server, also of the run that goes on after its interrupts are cancelled. */
export function runSettings(
  options: ExecutorOptions & Pick<AccessOptions, 'interrupts'>,
  scope: string,
): Omit<StoredOptions, 'access' | 'runId' | 'signal' | 'newId'> {
  const { context = {}, store, interrupts, leaseMs, onInterrupt, secretKey } = options;
  const { grants: given, ...rest } = context;
  const grants = given?.isStored === true ? storeGrants(store, scope) : given && grantsWithin(given, scope);
  return {
    ...rest,
    ...defined({ grants }),
    store,
    files: NO_FILES,
    approversOf: interrupts?.approvers,
    ...defined({ leaseMs, onInterrupt, secretKey }),
  };
}

/** The grants of one scope: those of another scope allow nothing. The scope is part of the agent's name. */
function grantsWithin(grants: Grants, scope: string): Grants {
  const within = <T extends { readonly agent: string }>(one: T): T => ({
    ...one,
    agent: `${scope}:${one.agent}`,
  });
  return {
    add: (grant) => grants.add(within(grant)),
    find: (call) => grants.find(within(call)),
    use: (id, amount) => grants.use(id, amount),
  };
}

/** One turn of a task. */
interface Turn {
  readonly request: RequestContext;
  readonly publish: TaskPublisher;
  readonly artifacts: RunArtifacts;
  /** Whether the run continues the work of another one. */
  readonly continues: boolean;
  /** Whether the run has claimed the thread. */
  isBegun: boolean;
}

/** Stops a run when a caller at another process has cancelled it. Returns the function to end the watch. */
function watchCancel(store: Store, request: RequestContext, stop: AbortController): () => void {
  const { scope, thread } = keyOf(request);
  const access = operatorAccess(store, { scope, thread });
  let isReading = false;
  const look = async () => {
    if (isReading) return;
    isReading = true;
    const active = (await readThread(access).catch(() => undefined))?.active;
    isReading = false;
    if (active?.runId === runIdOf(request.userMessage) && active.cancelledBy !== undefined) stop.abort();
  };
  return store.watch((change) => {
    if (change.scope === scope && change.thread === thread) void look();
  });
}

/** The messages of a task in its thread: from its first message to the first message of another task. Empty if it has none. */
async function messagesOf(access: Access<never>, request: RequestContext): Promise<Message[]> {
  const { task, userMessage } = request;
  const said = (task?.history ?? [userMessage]).filter(({ role }) => role === Role.ROLE_USER);
  const own = new Set(said.map(promptIdOf));
  // The checkpoints wrote the turn.
  const turn = (await readThread(access))?.turn as unknown as Message | undefined;
  const conversation = [...(await readConversation(access)), ...(turn === undefined ? [] : [turn])];
  const first = conversation.findIndex(({ id }) => own.has(id));
  if (first === -1) return [];
  const rest = conversation.slice(first);
  const next = rest.findIndex(({ id, role }) => role === 'user' && !own.has(id));
  return next === -1 ? rest : rest.slice(0, next);
}

/** A sentence for callers: only the code, because our own messages name threads, runs and interrupts. */
export function publicSentence(code: ErrorCode): string {
  return code === 'INTERNAL' ? 'The agent failed.' : `The agent could not go on: ${code}.`;
}
