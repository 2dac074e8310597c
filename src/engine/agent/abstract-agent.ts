import type { UnknownRecord } from '../../core/index.ts';
import { defined, digestJson, HoldpointError, isRecord, messageOf } from '../../core/index.ts';
import type { AgentStreamEvent, RunAgentInput } from '../../protocol/index.ts';

/** The used part of an `AbstractAgent` of `@ag-ui/client`. */
export interface AbstractAgentLike {
  threadId: string;
  clone(): unknown;
  setMessages(messages: never): void;
  setState(state: never): void;
  runAgent(parameters: never, subscriber: never): Promise<unknown>;
  abortRun(): void;
}

/** An `AbstractAgent` during one run. */
interface RunningAgent {
  threadId: string;
  pendingInterrupts?: unknown[];
  setMessages(messages: unknown): void;
  setState(state: unknown): void;
  runAgent(
    parameters: Pick<RunAgentInput, 'runId' | 'tools' | 'context' | 'forwardedProps' | 'resume'>,
    subscriber: { readonly onEvent: (given: { readonly event: unknown }) => void },
  ): Promise<unknown>;
  abortRun(): void;
  /** Unsubscribes from the agent's own events; versions before 0.0.45 do not have it. */
  detachActiveRun?(): Promise<void>;
}

const METHODS = ['runAgent', 'clone', 'setMessages', 'setState', 'abortRun'];

export function isAbstractAgent(value: unknown): value is AbstractAgentLike {
  if (typeof value !== 'object' || value === null) return false;
  return METHODS.every((name) => typeof Reflect.get(value, name) === 'function');
}

/**
 * The id of a thread for an `AbstractAgent`: derived from scope and thread, because tenants may use the same id, and a UUID,
 * because servers such as LangGraph's accept nothing else.
 */
export function abstractThreadId({
  scope,
  thread,
}: {
  readonly scope: string;
  readonly thread: string;
}): string {
  const hex = digestJson([scope, thread]);
  const variant = '89ab'.charAt(Number.parseInt(hex.charAt(16), 16) % 4);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    variant + hex.slice(17, 20),
    hex.slice(20, 32),
  ].join('-');
}

/**
 * The input without what a client may write at will, but for the named members of its state and its `forwardedProps`: servers take commands, checkpoints and addresses
 * from `forwardedProps`, and decisions from the state. Answers go to the agent by `resume` only.
 */
export function withoutClientMembers(
  input: RunAgentInput,
  {
    clientState = [],
    clientProps = [],
  }: { readonly clientState?: readonly string[]; readonly clientProps?: readonly string[] } = {},
): RunAgentInput {
  const { command, ...props } = pick(input.forwardedProps, clientProps);
  const { resume: _resume, interruptEvent: _event, ...commands } = isRecord(command) ? command : {};
  return {
    ...input,
    state: pick(input.state, clientState),
    forwardedProps: command === undefined ? props : { ...props, command: commands },
  };
}

function pick(value: unknown, names: readonly string[]): UnknownRecord {
  const members = Object.entries(isRecord(value) ? value : {});
  return Object.fromEntries(members.filter(([name]) => names.includes(name)));
}

/** The last run of each instance that cannot be copied. */
const lastRuns = new WeakMap<AbstractAgentLike, Promise<void>>();

/**
 * Runs an `AbstractAgent` by `runAgent`, so that its middleware runs. An instance keeps the messages and the state of its run,
 * so each run has its own: a clone, if the class of the instance defines `clone`. Other instances, whose clone would lack the
 * members of their class, run one at a time. `isFresh`: the instance was made for this run.
 */
export async function* runAbstractAgent(
  agent: AbstractAgentLike,
  input: RunAgentInput,
  { signal, isFresh = false }: { readonly signal?: AbortSignal | undefined; readonly isFresh?: boolean },
): AsyncGenerator<AgentStreamEvent, void, undefined> {
  const own = isFresh
    ? agent
    : Object.hasOwn(Object.getPrototypeOf(agent) as object, 'clone')
      ? agent.clone()
      : undefined;
  if (own !== undefined) {
    yield* runOnce(own as RunningAgent, input, signal);
    return;
  }
  const before = lastRuns.get(agent) ?? Promise.resolve();
  let end: () => void = () => undefined;
  const over = new Promise<void>((resolve) => {
    end = resolve;
  });
  lastRuns.set(
    agent,
    before.then(() => over),
  );
  try {
    await untilAborted(before, signal);
    if (signal?.aborted !== true) yield* runOnce(agent, input, signal);
  } finally {
    end();
  }
}

async function* runOnce(
  agent: RunningAgent,
  input: RunAgentInput,
  signal: AbortSignal | undefined,
): AsyncGenerator<AgentStreamEvent, void, undefined> {
  const { threadId, runId, messages, state, tools, context, forwardedProps, resume } = input;
  agent.threadId = threadId;
  agent.setMessages(messages);
  agent.setState(state ?? {});
  // The host knows which interrupts are open; those of an earlier run may be of another thread.
  agent.pendingInterrupts = [];
  let hasEnded = false;
  let isLeft = false;
  let running: Promise<unknown> = Promise.resolve();
  const stop = () => {
    if (isLeft) return;
    isLeft = true;
    // A run that has sent its end event is not aborted.
    if (!hasEnded) agent.abortRun();
    void agent.detachActiveRun?.();
  };
  const events = new ReadableStream<AgentStreamEvent>({
    start(controller) {
      const parameters = {
        runId,
        tools,
        context,
        forwardedProps,
        ...defined({ resume }),
      };
      const onEvent = ({ event }: { readonly event: unknown }) => {
        if (isLeft) return;
        hasEnded ||= isEnd(event);
        // The reader of the run checks that it is an event.
        controller.enqueue(event as AgentStreamEvent);
      };
      running = agent.runAgent(parameters, { onEvent }).then(
        () => controller.close(),
        (cause: unknown) =>
          controller.error(
            new HoldpointError('INTERNAL', `The agent failed: ${messageOf(cause)}`, { cause }),
          ),
      );
    },
    cancel: stop,
  });
  signal?.addEventListener('abort', stop, { once: true });
  try {
    yield* events;
  } finally {
    signal?.removeEventListener('abort', stop);
    // The next run of the same instance waits for this.
    await running.catch(() => undefined);
  }
}

function isEnd(event: unknown): boolean {
  const type: unknown = typeof event === 'object' && event !== null ? Reflect.get(event, 'type') : undefined;
  return typeof type === 'string' && /^run_(?:finished|error)$/i.test(type);
}

/** Resolves with the promise, or when the signal aborts. */
async function untilAborted(promise: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return promise;
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    const leave = () => {
      signal.removeEventListener('abort', leave);
      resolve();
    };
    signal.addEventListener('abort', leave);
    void promise.then(leave);
  });
}
