import {
  abortAfter,
  defined,
  HoldpointError,
  newId as defaultNewId,
  publicError,
  systemClock,
} from '../../core/index.ts';
import type { Agent, AgentContext, DeliveryReport } from '../../engine/index.ts';
import type { ThreadKey } from '../../ledger/index.ts';
import type { AgentStreamEvent, Interrupt, RunAgentInput } from '../../protocol/index.ts';
import { createEmitter } from '../../protocol/index.ts';
import type { Store } from '../../store/index.ts';
import { memoryStore } from '../../store/memory/index.ts';
import type { RequestDialect } from '../dialects/request-dialect.ts';
import { a2aFailure, isTaskGone, mayPass } from './a2a-failure.ts';
import type { A2aMemory } from './a2a-memory.ts';
import { AUTH_REQUIRED, storeMemory } from './a2a-memory.ts';
import { createActivities } from './activities.ts';
import { answerTask } from './answer-task.ts';
import { beginTask, continueTask, takeUpTask, unfinishedMessage } from './begin-task.ts';
import type { Bridge, BridgeSettings } from './bridge.ts';
import type { A2aCaller, AgentAddress, Connection, ConnectOptions } from './connect.ts';
import { createConnector } from './connect.ts';
import { patiently } from './converse.ts';
import { freshMessages } from './outbound.ts';
import type { Reconciled } from './reconcile.ts';
import { reconcile } from './reconcile.ts';
import { createTaskDisplay } from './task-display.ts';
import type { Timing } from './timing.ts';
import { TIMING } from './timing.ts';
import { createViewState } from './view-state.ts';

/** Options of {@link a2aAgent}: the address of the agent (`url`, `card` or `client`), and these. */
export type A2aAgentOptions = AgentAddress &
  ConnectOptions & {
    /** The id of the agent on its host, and the name of its memory in the store: do not change it later. Default `a2a`. */
    readonly id?: string;
    /** A name for people. Default: none. */
    readonly name?: string;
    /** A description for people. Default: none. */
    readonly description?: string;
    /** Keeps the tasks of each thread and the claims of answers, across processes. Default: memory of this process. */
    readonly store?: Store;
    /** Keeps the same in place of `store`. Default: the store. */
    readonly memory?: A2aMemory;
    /** Further forms of input requests; tried before the built-in ones. Default: none. */
    readonly dialects?: readonly RequestDialect[];
    /** False polls the agent even if its card says that it streams. Default: as the card says. */
    readonly streaming?: boolean;
    /** The effect of a cancelled answer: cancel the task, or send a refusal and let the agent decide. Default `cancel-task`. */
    readonly onCancelled?: 'cancel-task' | 'decline';
    /** Number of times that the agent may repeat the same request before the run fails with `MAX_TURNS`. Default 10. */
    readonly maxRepeats?: number;
    /** Limit for one artifact, in bytes; a larger one fails the run with `TOO_LARGE`. Default 4 MiB. A response that is no stream has at most 64 MiB. */
    readonly artifactBytes?: number;
    /** Waiting times and limits, in milliseconds. Defaults: see {@link Timing}. */
    readonly timing?: Partial<Timing>;
  };

/** An A2A agent for a host. A host calls `reconcile` and `recheckMs`. */
export interface A2aAgent extends Agent {
  /** Reads the state of an open interrupt, or of one whose answer may have been sent, from the A2A agent. */
  reconcile(interrupt: Interrupt, thread: ThreadKey, caller?: A2aCaller): Promise<Reconciled>;
  /** Milliseconds between two checks of an open interrupt; undefined for the interval of the host. */
  recheckMs(interrupt: Interrupt): number | undefined;
  /** A run takes up the task of a lost run. */
  readonly takesUp: true;
  /** Milliseconds that a stopped run may take to cancel its task. */
  readonly stopMs: number;
}

const ARTIFACT_BYTES = 4 * 1024 * 1024;
const MAX_REPEATS = 10;

/** The time for the last events of a stopped run, in milliseconds. */
const STOP_MARGIN_MS = 2000;

/**
 * Makes an agent for a host from an A2A agent. The task of the A2A agent is the truth: a run shows the task, ends with interrupts
 * when the task pauses, and sends each answer once. Ids of threads, runs and interrupts are never sent to the agent.
 *
 * @example
 * ```ts
 * import { a2aAgent } from 'holdpoint/a2a';
 * import { createHost } from 'holdpoint/host';
 * import { sqliteStore } from 'holdpoint/store/sqlite';
 *
 * const store = sqliteStore('holdpoint.db');
 * const travel = a2aAgent({ id: 'travel', url: 'https://travel.example.com', store });
 * export const host = createHost({ agents: [travel], store });
 * ```
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
    ...defined({ name, description }),
    takesUp: true,
    stopMs: settings.timing.cancelMs + STOP_MARGIN_MS,
    reconcile: (interrupt, thread, caller) => reconcile(settings, interrupt, { key: thread, ...caller }),
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

function connector(options: A2aAgentOptions): BridgeSettings['connect'] {
  const connect = createConnector(options, options);
  return async (principal) => {
    const made = await connect(principal);
    return options.streaming === false ? { ...made, streaming: false } : made;
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
  const { newId = defaultNewId, clock = systemClock } = context;
  const emitter = createEmitter({ threadId, runId, write, newId });
  const stopping = abortAfter(context.stopSignal, settings.timing.cancelMs);
  const signal = AbortSignal.any([context.signal, stopping.signal]);
  // Once the agent has the answers, their interrupts do not open again.
  let isTaken = false;
  const report = (given: DeliveryReport) => {
    context.onDelivery?.(isTaken && given.status === 'open' ? { status: 'taken' } : given);
    isTaken ||= given.status === 'taken';
  };
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
      connection: await connectFor(settings, {
        context,
        signal,
        clock,
        report,
        onUnreachable() {
          const task = known.at(-1);
          if (task !== undefined && task.told === undefined) state.show({ ...task, status: 'unreachable' });
        },
      }),
      emitter,
      state,
      display: createTaskDisplay(emitter, input.messages, settings),
      activities: createActivities(emitter, input.messages),
      thread,
      report,
      fresh: freshMessages(input.messages, thread),
    };
    const { resume = [] } = input;
    const last = context.recovers === true ? await unfinishedMessage(bridge) : undefined;
    if (resume.length > 0) await answerTask(bridge, resume);
    else if (last !== undefined) await takeUpTask(bridge, last);
    else if (bridge.fresh.length > 0) await beginTask(bridge);
    else await continueTask(bridge);
  } catch (error) {
    if (emitter.ended) return;
    if (signal.aborted) {
      emitter.cancel();
      return;
    }
    context.onError?.(error);
    // The agent has lost the task, or this host cannot show it: the run leaves nothing to continue.
    if (isTaskGone(error) || HoldpointError.is(error, 'TOO_LARGE')) report({ status: 'taken' });
    const { message, code } = publicError(a2aFailure(settings.agentId, error), 'The run failed.');
    emitter.fail(message, { code });
  } finally {
    stopping.clear();
  }
}

/** Connects to the agent. Only a run that takes up a lost run waits for an agent that cannot be reached. */
async function connectFor(
  settings: BridgeSettings,
  {
    context,
    report,
    ...reach
  }: Pick<Bridge, 'context' | 'signal' | 'clock' | 'report'> & { readonly onUnreachable: () => void },
): Promise<Connection> {
  const connect = () => settings.connect(context.principal);
  if (context.recovers === true) return patiently({ ...reach, timing: settings.timing }, connect);
  try {
    return await connect();
  } catch (error) {
    const failure = a2aFailure(settings.agentId, error);
    report({ status: 'open', reason: failure.message, retry: mayPass(error) });
    throw failure;
  }
}
