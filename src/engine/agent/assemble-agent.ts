import { defined, HoldpointError } from '../../core/index.ts';
import type { AgentStreamEvent, RunAgentInput, TokenUsage, ToolCall } from '../../protocol/index.ts';
import { aggregateTokenUsage, EventType } from '../../protocol/index.ts';
import { callState, publicMessages } from '../calls/call-state.ts';
import type { RunContext, ToolMiddleware } from '../calls/run-context.ts';
import type { LoopResult, LoopRunner, LoopStart } from '../loop/run-loop.ts';
import type { Policy } from '../tools/policy.ts';
import type { Tool } from '../tools/tool.ts';
import type {
  Agent,
  AgentIdentity,
  DurableContext,
  GenerateOptions,
  GenerateResponse,
  GeneratingAgent,
  RunCheckpoints,
} from './agent.ts';
import type { RunParts, RunStart } from './create-run.ts';
import { createRun, fromInput, fromOptions, wireError } from './create-run.ts';
import type { ShownEvents } from './event-queue.ts';
import { createEventQueue, createShownEvents } from './event-queue.ts';

/** One run of an agent of ours, for a {@link GenerateHook}. */
export interface HookedAgent {
  readonly id: string;
  readonly tools: readonly Tool[];
  readonly policies: readonly Policy[];
  run(input: RunAgentInput, context: DurableContext, maxTurns?: number): Promise<GenerateResponse>;
}

/** Takes over `generate` and `stream`; returns undefined to leave them to the engine. `runs` gives one that uses a store. */
export type GenerateHook<Options extends GenerateOptions> = (
  options: Options,
  agent: HookedAgent,
) => Promise<GenerateResponse> | undefined;

export interface AgentParts<Options extends GenerateOptions = GenerateOptions> extends AgentIdentity {
  /** Whether a model or plain code drives the agent. */
  readonly kind: 'model' | 'code';
  readonly approval?: 'require';
  readonly tools: readonly Tool[];
  readonly policies: readonly Policy[];
  readonly toolMiddleware: readonly ToolMiddleware[];
  readonly runner: LoopRunner;
  /** A method, so that parts with any options can be kept together in one map. */
  hook?(...given: Parameters<GenerateHook<Options>>): ReturnType<GenerateHook<Options>>;
}

const known = new WeakMap<Agent, AgentParts>();

/** The parts of an agent of ours; undefined for any other agent. */
export function partsOf(agent: Agent): AgentParts | undefined {
  return known.get(agent);
}

/** Gives a runner its three forms: `generate`, `stream`, and `run` with AG-UI events. */
export function assembleAgent<Options extends GenerateOptions>(
  parts: AgentParts<Options>,
): GeneratingAgent<Options> {
  const { id, name, description, tools, runner } = parts;
  const attempt = async (
    given: RunStart,
    show?: (event: AgentStreamEvent) => void,
  ): Promise<GenerateResponse> => {
    const { threadId, runId, state, context } = given;
    const { checkpoints, onEvent } = context;
    const shown = show === undefined ? undefined : createShownEvents(show);
    const write = (event: AgentStreamEvent) => {
      onEvent?.(event);
      shown?.write(event);
    };
    const policies = [...(context.policies ?? []), ...parts.policies];
    const { toolMiddleware } = parts;
    const isWatched = shown !== undefined || onEvent !== undefined;
    const made = createRun(
      { agentId: id, threadId, runId, state, policies, toolMiddleware, context },
      isWatched ? write : undefined,
    );
    try {
      // Emitted first, so that readers see the start while the model works.
      made.emitter.start();
      const result = await runner(given.start, given, made.run);
      if (checkpoints !== undefined) shown?.hold();
      if (isWatched) finish(result, given.start, made);
      await checkpoints?.ended(result, made.run.state.value);
      shown?.release();
      return toResponse(result, made.run);
    } catch (error) {
      throw await settleFailure(error, made, { checkpoints, shown });
    }
  };
  const generate = (
    options: Options,
    show?: (event: AgentStreamEvent) => void,
  ): Promise<GenerateResponse> => {
    const hooked: HookedAgent = {
      id,
      tools,
      policies: parts.policies,
      run: (input, context, maxTurns) => attempt({ ...fromInput(input, context), maxTurns }, show),
    };
    return parts.hook?.(options, hooked) ?? attempt(fromOptions(options), show);
  };
  const agent: GeneratingAgent<Options> = {
    id,
    ...defined({ name, description, metadata: parts.metadata, dialect: parts.dialect }),
    tools,
    generate: async (options) => generate(options),
    stream(options) {
      const stop = new AbortController();
      const signal = anySignal(options.signal, stop);
      const queue = createEventQueue<AgentStreamEvent>(() => stop.abort());
      const response = generate({ ...options, signal }, (event) => queue.push(event));
      response.then(
        () => queue.end(),
        () => queue.end(),
      );
      return { response, [Symbol.asyncIterator]: () => queue[Symbol.asyncIterator]() };
    },
    run(input, context: DurableContext = {}) {
      const stop = new AbortController();
      const queue = createEventQueue<AgentStreamEvent>(() => stop.abort());
      const begin = () => {
        const given = fromInput(input, { ...context, signal: anySignal(context.signal, stop) });
        attempt(given, (event) => queue.push(event)).then(
          () => queue.end(),
          (error: unknown) => {
            context.onError?.(error);
            queue.end();
          },
        );
        return queue[Symbol.asyncIterator]();
      };
      // The run begins when it is read, and only once.
      let reader: AsyncIterator<AgentStreamEvent> | undefined;
      return { [Symbol.asyncIterator]: () => (reader ??= begin()) };
    },
  };
  known.set(agent, parts);
  return agent;
}

/** Emits the end of a run for its result. */
function finish(result: LoopResult, start: LoopStart, { run, emitter }: RunParts): void {
  const usage = result.usage.length === 0 ? {} : { usage: aggregateUsage(result.usage) };
  switch (result.finishReason) {
    case 'interrupted':
      emitter.interrupt(
        result.interrupts.map(({ interrupt }) => interrupt),
        {
          ...usage,
          state: run.state.value ?? {},
          ...(isShown(result, start) ? {} : { messages: publicMessages(result.messages) }),
        },
      );
      break;
    case 'cancelled':
      emitter.cancel(usage);
      break;
    case 'tool-calls':
      emitter.finish({ ...usage, pendingToolCallIds: result.pendingToolCallIds });
      break;
    default:
      emitter.finish(result.result === undefined ? usage : { ...usage, result: result.result });
  }
}

/**
 * Whether the client already has the messages: it sent the answers, and the run only added results, which it emitted.
 * A client may keep the interrupt with the message that the run writes, and lose it when a snapshot has no such message.
 */
function isShown({ messages }: LoopResult, start: LoopStart): boolean {
  if (start.replies === undefined || start.replies.length === 0) return false;
  const last = messages.findLast(({ role }) => role === 'assistant');
  return last === undefined || start.messages.some(({ id }) => id === last.id);
}

/** A cancelled run ends as cancelled, any other failure as an error. */
async function settleFailure(
  error: unknown,
  { run, emitter }: RunParts,
  { checkpoints, shown }: { checkpoints: RunCheckpoints | undefined; shown: ShownEvents | undefined },
): Promise<HoldpointError> {
  // A failed store or a lost lease also aborts the run, but it is not a cancellation.
  const reason: unknown = run.signal.reason;
  const stopped = run.signal.aborted && !HoldpointError.is(reason);
  const cause = HoldpointError.is(reason) ? reason : error;
  const { message, code } = wireError(cause);
  if (!emitter.ended) {
    if (stopped) emitter.cancel();
    else emitter.fail(message, { code });
    shown?.release();
  } else shown?.replace({ type: EventType.RUN_ERROR, message, code });
  try {
    await checkpoints?.failed(cause, run.state.value);
  } catch (failure) {
    if (HoldpointError.is(failure)) return failure;
  }
  if (stopped) return new HoldpointError('INTERNAL', `The run ${run.runId} was stopped.`, { cause: error });
  if (HoldpointError.is(cause)) return cause;
  return new HoldpointError('INTERNAL', `The run ${run.runId} failed.`, { cause: error });
}

function toResponse(result: LoopResult, run: RunContext): GenerateResponse {
  const index = result.messages.findLastIndex(({ role }) => role === 'assistant');
  const last = result.messages[index];
  const calls: readonly ToolCall[] = last?.role === 'assistant' ? (last.toolCalls ?? []) : [];
  const after = result.messages.slice(index + 1);
  const answered = new Set(after.flatMap((message) => (message.role === 'tool' ? message.toolCallId : [])));
  return {
    finishReason: result.finishReason,
    text: result.text,
    messages: [...result.messages],
    interrupts: result.interrupts,
    toolRequests: calls.filter((call) => !answered.has(call.id) && callState(call)?.status !== 'done'),
    usage: aggregateUsage(result.usage),
    result: result.result,
    state: run.state.value,
  };
}

function anySignal(outer: AbortSignal | undefined, own: AbortController): AbortSignal {
  return outer === undefined ? own.signal : AbortSignal.any([outer, own.signal]);
}

/** One entry for each provider and model; absent labels stay absent. */
export function aggregateUsage(usage: readonly TokenUsage[]): TokenUsage[] {
  return aggregateTokenUsage([...usage]).map(({ provider, model, ...counts }) => ({
    ...defined({ provider, model }),
    ...counts,
  }));
}
