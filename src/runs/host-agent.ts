import type { AgentCapabilities } from '@ag-ui/core';
import { defined, HoldpointError, isRecord } from '../core/index.ts';
import type { AbstractAgentLike, Agent, AgentContext, Principal } from '../engine/index.ts';
import {
  abstractThreadId,
  isAbstractAgent,
  partsOf,
  runAbstractAgent,
  withoutClientMembers,
} from '../engine/index.ts';
import type { ThreadKey } from '../ledger/index.ts';
import type { AgentStreamEvent, DialectName, Interrupt, RunAgentInput } from '../protocol/index.ts';
import { dialectNamed } from '../protocol/index.ts';
import { assertAgent } from './assert-agent.ts';

/**
 * The state of an interrupt at its agent. For an answer in doubt: `waiting`, the agent does not have it, so it is
 * sent again; `taken`, the agent has it, so the run continues from there; otherwise a person decides. For an open
 * interrupt: `taken`, the agent went on without an answer from here.
 */
export type Reconciled = 'waiting' | 'taken' | 'consumed' | 'unknown';

/** The output of an agent: events in any form, or an AG-UI `AbstractAgent` that was made for the run. */
type RunOutput = AsyncIterable<unknown> | Promise<AsyncIterable<unknown>> | Subscribable | AbstractAgentLike;

interface Subscribable {
  subscribe(observer: { next(value: unknown): void; error(error: unknown): void; complete(): void }): {
    unsubscribe(): void;
  };
}

/** An agent of another library: a LangGraph graph, an AG-UI `AbstractAgent`, a function. */
export interface ForeignAgent {
  readonly id?: string;
  readonly agentId?: string | undefined;
  readonly name?: string;
  readonly description?: string | undefined;
  /** The dialect of requests that name none. Default: that of the host. */
  readonly dialect?: DialectName;
  /** The AG-UI capabilities of the agent. */
  getCapabilities?(): Promise<AgentCapabilities>;
  run(input: RunAgentInput, context?: AgentContext): RunOutput;
  /** The interrupts that the agent holds open on a thread. */
  pending?(thread: ThreadKey): Promise<readonly Interrupt[]>;
  /** The state of an interrupt at the agent: after a crash, and repeatedly while it is open. */
  reconcile?(interrupt: Interrupt, thread: ThreadKey, caller?: ReconcileCaller): Promise<Reconciled>;
  /** Milliseconds between two checks of an open interrupt. Default: the interval of the host. */
  recheckMs?(interrupt: Interrupt): number | undefined;
  /**
   * Whether a run with `context.recovers` takes up the work of a lost run: it repeats no message and no answer, and reports
   * a doubt by `context.onDelivery`. A host then continues every lost run by itself. Default false.
   */
  readonly takesUp?: boolean;
  /** Whether the answer to an interrupt can be sent again if the agent may have it; else no person is offered that. Default true. */
  canRetry?(interrupt: Interrupt): boolean;
  /**
   * Whether the agent asks for an approval, with `metadata.functionName` and `functionArguments`, before it makes a call that needs
   * one. The policies and the mode of the host then decide about these calls. Default false: a host with policies says at start that
   * they see no calls of the agent.
   */
  readonly showsCalls?: boolean;
  /**
   * Whether a run with `context.decision` keeps what a person decided about calls in doubt, and makes none of them. Without it
   * the agent is not called. Default false.
   */
  readonly takesDecision?: boolean;
  /**
   * Milliseconds that a stopped run may take to end by itself, after `context.stopSignal` fires. Default 0: the host ends
   * the run at once.
   */
  readonly stopMs?: number;
}

/** The thread and the principal for which a host asks an agent about an interrupt. */
export interface ReconcileCaller {
  /** The principal of the thread. */
  readonly principal?: Principal | undefined;
}

/** The forms of an agent that a host accepts. */
export type AgentLike = Agent | ForeignAgent | ((input: RunAgentInput, context: AgentContext) => RunOutput);

/** An agent in the form that the host uses. */
export interface HostAgent {
  readonly id: string;
  readonly alias?: string;
  readonly name?: string;
  readonly description?: string;
  /** Whether `defineAgent` made it; then it continues call by call. */
  readonly isOurs: boolean;
  readonly agent: Agent;
  readonly dialect?: DialectName;
  readonly capabilities?: ForeignAgent['getCapabilities'];
  readonly reconcile?: ForeignAgent['reconcile'];
  readonly recheckMs?: ForeignAgent['recheckMs'];
  readonly pending?: ForeignAgent['pending'];
  readonly takesUp?: boolean;
  readonly canRetry?: ForeignAgent['canRetry'];
  readonly showsCalls?: boolean;
  readonly takesDecision?: boolean;
  readonly stopMs?: number;
}

/** Makes a host's agent of anything that runs. Throws `INPUT_INVALID` for any other value and without an id, `PROTOCOL_UNSUPPORTED` for an unknown dialect. */
export function toHostAgent(given: AgentLike, name?: string): HostAgent {
  assertAgent(given, name);
  if (typeof given === 'function') {
    return toHostAgent({ id: name ?? given.name, run: (input, context = {}) => given(input, context) });
  }
  const id = name ?? given.id ?? ('agentId' in given ? given.agentId : undefined);
  if (id === undefined || id === '') {
    throw new HoldpointError('INPUT_INVALID', 'An agent without an id: give it one, or give agents by name.');
  }
  const isOurs = partsOf(given as Agent) !== undefined;
  const foreign: ForeignAgent = given;
  const { dialect, takesUp, showsCalls, takesDecision, stopMs } = foreign;
  const described = defined({ name: given.name, description: given.description });
  return {
    id,
    ...described,
    ...defined({
      dialect: dialect && dialectNamed(dialect).name,
      takesUp,
      showsCalls,
      takesDecision,
      stopMs,
    }),
    isOurs,
    agent: isOurs
      ? (given as Agent)
      : { id, ...described, run: (input, context) => iterate({ id, agent: given }, input, context ?? {}) },
    // The methods of another library may need their `this`.
    ...defined({
      capabilities: foreign.getCapabilities?.bind(foreign),
      pending: foreign.pending?.bind(foreign),
      reconcile: foreign.reconcile?.bind(foreign),
      recheckMs: foreign.recheckMs?.bind(foreign),
      canRetry: foreign.canRetry?.bind(foreign),
    }),
  };
}

/** An agent of another library with its id on the host. */
interface NamedAgent {
  readonly id: string;
  readonly agent: Exclude<AgentLike, (...given: never[]) => unknown>;
}

/** The iterator of the agent's own output. A generator in between would cost several promises for each event. */
function iterate(
  named: NamedAgent,
  input: RunAgentInput,
  context: AgentContext,
): AsyncIterable<AgentStreamEvent> {
  return {
    [Symbol.asyncIterator]() {
      let opening: Promise<AsyncIterator<AgentStreamEvent>> | undefined;
      let opened: AsyncIterator<AgentStreamEvent> | undefined;
      const first = async () => {
        opening ??= open(named, input, context);
        opened = await opening;
        return opened.next();
      };
      return {
        next: () => (opened === undefined ? first() : Promise.resolve(opened.next())),
        async return() {
          await (await opening)?.return?.();
          return { done: true, value: undefined };
        },
      };
    },
  };
}

/** Opens the output of an agent. Its reader checks that the values are events. */
async function open(
  { id, agent }: NamedAgent,
  input: RunAgentInput,
  context: AgentContext,
): Promise<AsyncIterator<AgentStreamEvent>> {
  if (isAbstractAgent(agent)) return openAbstract(agent, input, context);
  const output: unknown = await agent.run(input, context);
  if (isAbstractAgent(output)) return openAbstract(output, input, { ...context, isFresh: true });
  const events = isSubscribable(output) ? fromObservable(output, context.signal) : output;
  if (isAsyncIterable(events)) return events[Symbol.asyncIterator]() as AsyncIterator<AgentStreamEvent>;
  if (isIterable(events)) return fromIterable(events) as AsyncIterator<AgentStreamEvent>;
  throw new HoldpointError('INTERNAL', `The agent ${id} returned no events.`);
}

/** The events of an AG-UI `AbstractAgent`; a function that returns one makes it for this run. It gets nothing that a client may write at will. */
function openAbstract(
  agent: AbstractAgentLike,
  input: RunAgentInput,
  { principal, signal, isFresh }: AgentContext & { readonly isFresh?: boolean },
): AsyncIterator<AgentStreamEvent> {
  const scope = principal?.scope ?? 'default';
  const threadId = abstractThreadId({ scope, thread: input.threadId });
  return runAbstractAgent(
    agent,
    { ...withoutClientMembers(input), threadId },
    { signal, ...defined({ isFresh }) },
  );
}

async function* fromIterable(events: Iterable<unknown>): AsyncGenerator<unknown, void, undefined> {
  yield* events;
}

function isSubscribable(value: unknown): value is Subscribable {
  return isRecord(value) && typeof value['subscribe'] === 'function';
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

function isIterable(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value;
}

/** Reads an observable; leaving early unsubscribes. */
async function* fromObservable(
  source: Subscribable,
  signal: AbortSignal | undefined,
): AsyncGenerator<unknown, void, undefined> {
  const queue: unknown[] = [];
  let wake: () => void = () => undefined;
  let end: { readonly error?: unknown } | undefined;
  const subscription = source.subscribe({
    next(value) {
      queue.push(value);
      wake();
    },
    error(error) {
      end = { error };
      wake();
    },
    complete() {
      end ??= {};
      wake();
    },
  });
  const stop = () => wake();
  signal?.addEventListener('abort', stop, { once: true });
  try {
    for (;;) {
      while (queue.length > 0) yield queue.shift();
      if (end !== undefined) {
        if ('error' in end) throw end.error;
        return;
      }
      if (signal?.aborted === true) return;
      await new Promise<void>((resolve) => {
        wake = resolve;
        if (queue.length > 0 || end !== undefined) resolve();
      });
    }
  } finally {
    signal?.removeEventListener('abort', stop);
    subscription.unsubscribe();
  }
}
