import { newId as defaultNewId, publicError, systemClock } from '../../core/index.ts';
import type { Agent, AgentContext } from '../../engine/index.ts';
import type { ThreadKey } from '../../ledger/index.ts';
import type { AgentStreamEvent, Interrupt, RunAgentInput } from '../../protocol/index.ts';
import { createEmitter } from '../../protocol/index.ts';
import type { Store } from '../../store/index.ts';
import { memoryStore } from '../../store/memory/index.ts';
import type { RequestDialect } from '../dialects/index.ts';
import { a2aFailure } from './a2a-failure.ts';
import type { A2aMemory } from './a2a-memory.ts';
import { createActivities } from './activities.ts';
import { answerTask } from './answer-task.ts';
import { AUTH_REQUIRED } from './raise-interrupts.ts';
import { beginTask, takeUpTask } from './begin-task.ts';
import type { Bridge, BridgeSettings } from './bridge.ts';
import type { AgentAddress, Connection, ConnectOptions } from './connect.ts';
import { connect } from './connect.ts';
import { freshMessages } from './outbound.ts';
import type { Reconciled } from './reconcile.ts';
import { reconcile } from './reconcile.ts';
import { createTaskDisplay } from './task-display.ts';
import { storeMemory } from './store-memory.ts';
import type { Timing } from './timing.ts';
import { TIMING } from './timing.ts';
import { createViewState } from './view-state.ts';

export type A2aAgentOptions = AgentAddress &
  ConnectOptions & {
    /** Default `a2a`. Its memory in the store is under this name: keep it. */
    readonly id?: string;
    readonly name?: string;
    readonly description?: string;
    /** Keeps which thread is which task, and who has answered; without it only this process knows. */
    readonly store?: Store;
    /** In place of the store. */
    readonly memory?: A2aMemory;
    /** Further ways to ask for input; they come before the built-in ones. */
    readonly dialects?: readonly RequestDialect[];
    /** False polls an agent although its card says that it streams. */
    readonly streaming?: boolean;
    /** What a cancelled answer is to the agent. Default `cancel-task`. */
    readonly onCancelled?: 'cancel-task' | 'decline';
    /** How often an agent may ask the very same again before the run fails. Default 10. */
    readonly maxRepeats?: number;
    /** Bytes of one artifact. Default 4 MiB. */
    readonly artifactBytes?: number;
    readonly timing?: Partial<Timing>;
  };

/** An A2A agent as an agent for a host. */
export interface A2aAgent extends Agent {
  /** What became of a question that is open, or whose answer may have reached the agent. */
  reconcile(interrupt: Interrupt, thread: ThreadKey): Promise<Reconciled>;
  /** Milliseconds between two looks at a question that is open: an authorization settles itself. */
  recheckMs(interrupt: Interrupt): number | undefined;
}

const ARTIFACT_BYTES = 4 * 1024 * 1024;
const MAX_REPEATS = 10;

/**
 * Makes an agent of an A2A agent. A2A owns the truth: a run shows what the task says, ends with its questions when it
 * waits, and hands each answer over once. Nothing of a thread, a run or a question is ever sent.
 */
export function a2aAgent(options: A2aAgentOptions): A2aAgent {
  const { id = 'a2a', name, description } = options;
  const settings: BridgeSettings = {
    agentId: id,
    memory: options.memory ?? storeMemory(options.store ?? memoryStore(), id),
    dialects: options.dialects ?? [],
    timing: { ...TIMING, ...options.timing },
    onCancelled: options.onCancelled ?? 'cancel-task',
    maxRepeats: options.maxRepeats ?? MAX_REPEATS,
    artifactBytes: options.artifactBytes ?? ARTIFACT_BYTES,
    connect: connector(options),
  };
  return {
    id,
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
    reconcile: (interrupt, thread) => reconcile(settings, interrupt, thread),
    recheckMs: ({ reason }) => (reason === AUTH_REQUIRED ? settings.timing.authMs : undefined),
    async *run(input, context = {}) {
      const stop = new AbortController();
      const signal =
        context.signal === undefined ? stop.signal : AbortSignal.any([context.signal, stop.signal]);
      const events = new ReadableStream<AgentStreamEvent>({
        start(controller) {
          const write = (event: AgentStreamEvent) => {
            context.onEvent?.(event);
            if (!stop.signal.aborted) controller.enqueue(event);
          };
          void runBridge(settings, { input, context: { ...context, signal } }, write).finally(() => {
            if (!stop.signal.aborted) controller.close();
          });
        },
        cancel: () => stop.abort(),
      });
      yield* events;
    },
  };
}

/** Connects when it is first needed, and again after a failure. */
function connector(options: A2aAgentOptions): () => Promise<Connection> {
  let connection: Promise<Connection> | undefined;
  return () => {
    connection ??= connect(options, options).then(
      (made) => (options.streaming === false ? { ...made, streaming: false } : made),
      (error: unknown) => {
        connection = undefined;
        throw error;
      },
    );
    return connection;
  };
}

async function runBridge(
  settings: BridgeSettings,
  {
    input,
    context,
  }: { readonly input: RunAgentInput; readonly context: AgentContext & { readonly signal: AbortSignal } },
  write: (event: AgentStreamEvent) => void,
): Promise<void> {
  const { threadId, runId } = input;
  const { newId = defaultNewId, clock = systemClock, signal } = context;
  const emitter = createEmitter({ threadId, runId, write, newId });
  try {
    emitter.start();
    const key: ThreadKey = { scope: context.principal?.scope ?? 'default', thread: threadId };
    const { value: thread } = await settings.memory.readThread(key);
    const tasks = await Promise.all(thread.tasks.map((taskId) => settings.memory.readTask(key, taskId)));
    const known = tasks.flatMap((task) => (task === undefined ? [] : [task.value]));
    const state = createViewState(emitter, input.state, known);
    const bridge: Bridge = {
      ...settings,
      key,
      input,
      context,
      signal,
      newId,
      clock,
      connection: await settings.connect(),
      emitter,
      state,
      display: createTaskDisplay(emitter, input.messages, settings),
      activities: createActivities(emitter, input.messages),
      thread,
      fresh: freshMessages(input.messages, thread),
    };
    const { resume = [] } = input;
    if (resume.length > 0) await answerTask(bridge, resume);
    else if (bridge.fresh.length > 0) await beginTask(bridge);
    else await takeUpTask(bridge);
  } catch (error) {
    if (emitter.ended) return;
    if (signal.aborted) {
      emitter.cancel();
      return;
    }
    context.onError?.(error);
    const { message, code } = publicError(a2aFailure(settings.agentId, error), 'The run failed.');
    emitter.fail(message, { code });
  }
}
