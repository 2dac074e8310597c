import { cancelledText, DECIDED_TEXTS, rejectionText } from '../../content/interrupts/index.ts';
import { canonicalJson, defined, HoldpointError, isRecord } from '../../core/index.ts';
import type { Agent } from '../../engine/index.ts';
import { cancellationOf } from '../../engine/index.ts';
import type { Interrupt, Message, ResumeEntry } from '../../protocol/index.ts';
import { decisionOf } from '../approvals.ts';
import type { AdapterAgent, AdapterOptions, HostThread, RunWork } from '../emit-run.ts';
import { adapterAgent, refuseRun, scopedThreadId, threadOf } from '../emit-run.ts';
import { freshMessages, takeContents } from '../user-content.ts';
import { breakpointId, toBreakpoint } from './breakpoint.ts';
import type { GraphPlace } from './graph-place.ts';
import { markHanded, placeOf, readPlace } from './graph-place.ts';
import { changedState, pickState, publicState, raisedIn } from './graph-state.ts';
import type { Waiting } from './interrupts.ts';
import { toResume } from './interrupts.ts';
import { closeCalls, FORM, messagesOf, openCallsIn, textIn, newMessages, writeMessage } from './messages.ts';
import type { GraphConfig, GraphMessage, GraphSaver, GraphState, LangGraph } from './sdk.ts';

export interface FromLangGraphOptions extends AdapterOptions {
  /** `thread_id` of a thread's checkpoints. Default: scope and thread, so that tenants never share a checkpoint. */
  readonly threadId?: (thread: HostThread) => string;
  /**
   * Members of the state that a client may set: with its next message, the graph gets those that the client changed. Everybody who
   * may send a message may set them, so none of them may decide about a call. Default: none.
   */
  readonly clientState?: readonly string[];
  /**
   * Input of the graph for new messages; `state` has the members of `clientState`. Default: `messages`, and the members of
   * `clientState` that a client changed. A graph without `messages` in its state needs it: else a run without a changed state
   * ends with `INPUT_INVALID`.
   */
  readonly toInput?: (messages: readonly Message[], state: unknown) => unknown;
}

/** A graph as an agent for a host. */
export interface LangGraphAgent extends Agent {
  /** The interrupts that the graph waits at. */
  pending(thread: HostThread): Promise<readonly Interrupt[]>;
  /**
   * `waiting`: the graph has no answer. `taken`: it has gone on from the answer, and no step is under way. `consumed`: it has the
   * answer, and a step after it has not ended: a new attempt would repeat that step. `unknown`: the checkpointer does not have
   * the thread.
   */
  reconcile(interrupt: Interrupt, thread: HostThread): Promise<'waiting' | 'taken' | 'consumed' | 'unknown'>;
}

/**
 * Puts a compiled LangGraph graph, or an agent of LangChain's `createAgent`, behind a host. Each `interrupt()` is an
 * interrupt; its answer goes back by its id. The graph keeps its own checkpoints, so it needs a checkpointer that outlives the
 * process. Throws `INPUT_INVALID` without one.
 *
 * @example
 * ```ts
 * import { createHost } from 'holdpoint/host';
 * import { fromLangGraph } from 'holdpoint/langgraph';
 *
 * const host = createHost({ agents: { support: fromLangGraph(graph) }, store });
 * ```
 */
export function fromLangGraph(
  given: LangGraph | { readonly graph: LangGraph },
  options: FromLangGraphOptions = {},
): LangGraphAgent {
  const graph =
    'getState' in given && 'checkpointer' in given ? given : 'graph' in given ? given.graph : given;
  const saver = saverOf(graph);
  const threadId = options.threadId ?? scopedThreadId;
  const configOf = (thread: HostThread): GraphConfig => ({ configurable: { thread_id: threadId(thread) } });
  const clientState = new Set(options.clientState);
  const takesMessages = !Array.isArray(graph.streamChannels) || graph.streamChannels.includes('messages');
  const read = async (config: GraphConfig): Promise<ReadGraph> => {
    const state = await graph.getState(config, { subgraphs: true });
    return { ...(await readPlace(saver, state)), state };
  };

  async function* work(run: RunWork): AsyncGenerator<void, void, undefined> {
    const { input, context, emitter, transcript } = run;
    const { resume = [] } = input;
    const { decision } = context;
    const config = configOf(threadOf(input, context));
    const before = await read(config);
    const note = await context.memory?.read();
    const { lastMessage, closing } = isRecord(note) ? (note as Note) : {};
    const seen = new Set(messagesOf(before.state.values).map(({ id }) => id));
    const fresh = freshMessages(input.messages, (id) => id === lastMessage || seen.has(id));
    const given: Note = defined({ lastMessage: fresh.at(-1)?.id ?? lastMessage });
    const skip = () => context.memory?.write({ ...given });
    // The option `toInput` reads the messages itself.
    const contents = await takeContents(run, options.toInput === undefined ? fresh : [], {
      form: FORM,
      skip,
    });
    if (contents === undefined) return;
    const told = tell(before, run);
    const { answers, stop } = told;
    const isRecovery = told.names.length === 0 && resume.some(({ status }) => status === 'resolved');
    if (isRecovery && (await saver.getTuple(config)) === undefined) return refuseRun(run, LOST);
    const client = pickState(input.state, clientState);
    const hasInput =
      options.toInput !== undefined ||
      takesMessages ||
      changedState(before.state.values, client) !== undefined;
    if (fresh.length > 0 && !hasInput) return refuseRun(run, NO_INPUT);
    const openCalls = openCallsIn(before.state.values);
    const steps: ('answer' | 'continue' | 'input')[] = [];
    if (answers.size > 0) steps.push('answer');
    else if (stop?.approved === true || (isRecovery && decision === undefined && mayContinue(before)))
      steps.push('continue');
    // A model hears at once that its calls were rejected.
    const isRejected = stop?.approved === false && openCalls.length > 0 && options.toInput === undefined;
    if (fresh.length > 0 || isRejected) steps.push('input');
    const toStep = async (step: (typeof steps)[number]): Promise<unknown> => {
      if (step === 'answer') return { lg_name: 'Command', resume: Object.fromEntries(answers), goto: [] };
      if (step === 'continue') return null;
      if (options.toInput !== undefined) return options.toInput(fresh, client);
      const { values, tasks, config: at } = await graph.getState(config);
      // The input discards what the tasks of an unfinished step have written.
      const unkept = tasks.length === 0 ? [] : newMessages((await graph.getState(at)).values, values);
      const said = contents.map((content, index) => ({ role: 'user', id: fresh[index]?.id, content }));
      const closed = closeCalls(values, told.closing ?? closing ?? cancelledText());
      return { ...changedState(values, client), messages: [...unkept, ...closed, ...said] };
    };
    if (decision !== undefined)
      for (const { id } of openCalls) if (id !== undefined) transcript.result(id, told.closing);
    let shown = canonicalJson(input.state ?? {});
    const show = (values: unknown) => {
      const state = publicState(values);
      if (canonicalJson(state) === shown) return;
      shown = canonicalJson(state);
      emitter.state(state);
    };
    const raised = new Set<unknown>();
    let isGiven = false;
    /** The text of each streamed message. */
    const streamed = new Map<string | undefined, string>();
    for (const step of steps) {
      // A new message would discard what the graph asks now: it is given with a later run.
      if (raised.size > 0) break;
      const { signal } = context;
      const setting = { streamMode: ['messages' as const, 'values' as const], subgraphs: true as const };
      if (step !== 'input' && told.names.length > 0)
        await markHanded(saver, before.state.config, [...before.handed, ...told.names]);
      try {
        const chunks = await graph.stream(await toStep(step), {
          ...config,
          ...setting,
          ...defined({ signal }),
        });
        for await (const chunk of chunks) {
          const [namespace, mode, payload] = chunk as [readonly string[], string, unknown];
          if (mode === 'messages') {
            const [message] = payload as readonly [GraphMessage];
            writeMessage(transcript, message);
            streamed.set(message.id, `${streamed.get(message.id) ?? ''}${textIn(message)}`);
          }
          if (mode === 'values' && namespace.length === 0) {
            transcript.close();
            show(payload);
            for (const one of raisedIn(payload)) raised.add(one.id);
          }
          // For graphs that keep no messages, or not all of them.
          if (step === 'input' && !isGiven) await context.memory?.write({ ...given });
          isGiven ||= step === 'input';
          yield;
        }
      } catch (error) {
        if (resume.length === 0 || signal?.aborted === true) throw error;
        const place = await read(config);
        // The error of a step is a failure. Another error, such as one of the checkpointer, leaves a doubt.
        if (!place.hasFailed) throw error;
        const failed = step === 'input' ? [] : failedIn(place, before, resume);
        transcript.close();
        for (const { toolCallId } of failed)
          if (toolCallId !== undefined) transcript.result(toolCallId, FAILED, true);
        await context.memory?.write({ ...(isGiven ? given : defined({ lastMessage })), closing: FAILED });
        context.onDelivery?.({ status: 'taken', failed: failed.map(({ id }) => id) });
        yield;
        throw new HoldpointError('TOOL_FAILED', 'A step of the graph failed after the answer.', {
          cause: error,
        });
      }
      transcript.close();
    }
    if (told.closing !== undefined && !isGiven)
      await context.memory?.write(defined({ lastMessage, closing: told.closing }));
    const after = await read(config);
    // LangGraph streams no message that a node returned as a plain object. A lost run may have shown none.
    const news =
      steps.length > 0 || !isRecovery
        ? newMessages(before.state.values, after.state.values)
        : messagesOf(after.state.values).filter(({ id }) => !input.messages.some((one) => one.id === id));
    const texts = new Set(streamed.values());
    for (const message of steps.length > 0 || isRecovery ? news : []) {
      if (!streamed.has(message.id) && !texts.has(textIn(message))) writeMessage(transcript, message);
    }
    transcript.close();
    show(after.state.values);
    if (decision !== undefined && steps.length === 0) return;
    const cancelled = new Set(
      resume.flatMap(({ status, interruptId }) => (status === 'cancelled' ? [interruptId] : [])),
    );
    const isCancelled = ({ interrupts }: Waiting) => interrupts.some(({ id }) => cancelled.has(id));
    // The state also has interrupts of tasks that ended while others of their step wait.
    const isRaised = (one: Waiting) => (steps.length === 0 ? isOpen(one) : raised.has(one.id));
    const open = after.waiting
      .filter((one) => isRaised(one) && !isCancelled(one))
      .flatMap(({ interrupts }) => interrupts);
    if (open.length > 0) emitter.interrupt(open);
    else if (steps.length > 0 && raised.size === 0 && mayContinue(after))
      emitter.interrupt([toBreakpoint(after)]);
    else if (after.waiting.length > 0 || cancelled.has(breakpointId(after))) emitter.cancel();
  }

  const agent: AdapterAgent = { ...adapterAgent('langgraph', options, work), takesDecision: true };
  return {
    ...agent,
    async pending(thread) {
      const { waiting } = await read(configOf(thread));
      return waiting.filter(isOpen).flatMap(({ interrupts }) => interrupts);
    },
    async reconcile({ id }, thread) {
      const config = configOf(thread);
      const place = await read(config);
      if (id === breakpointId(place)) return place.handed.includes(id) ? 'consumed' : 'waiting';
      const { id: taskPlace, answered } = placeOf(id);
      const one = place.waiting.find((waiting) => waiting.id === taskPlace);
      if (one !== undefined) {
        if (one.answered === answered && isOpen(one)) return 'waiting';
        // The next interrupt of its task waits, or its step has not ended.
        return one.answered > answered && isOpen(one) ? 'taken' : 'consumed';
      }
      if (place.hasStep) return 'consumed';
      return (await saver.getTuple(config)) === undefined ? 'unknown' : 'taken';
    },
  };
}

/** A graph's state, and where it stands. */
interface ReadGraph extends GraphPlace {
  readonly state: GraphState;
}

/** What the graph is told. */
interface Told {
  /** Its answers, by LangGraph's ids. */
  readonly answers: ReadonlyMap<string, unknown>;
  /** The decision about a breakpoint. */
  readonly stop: ReturnType<typeof decisionOf> | undefined;
  /** The names under which the answers are kept. */
  readonly names: readonly string[];
  /** The result of calls that will never have one, because of these answers. */
  readonly closing: string | undefined;
}

function tell(before: ReadGraph, { input, context }: RunWork): Told {
  const { resume = [] } = input;
  const { decision } = context;
  if (decision !== undefined) {
    const { action, result = DECIDED_TEXTS[action] } = decision;
    const closing = typeof result === 'string' ? result : JSON.stringify(result);
    return { answers: new Map(), stop: undefined, names: [], closing };
  }
  const answers = toResume(before.waiting, resume, context);
  const waiting = before.waiting.filter(({ id }) => answers.has(id));
  const entry = resume.find(({ interruptId }) => interruptId === breakpointId(before));
  const stop = entry?.status === 'resolved' ? decisionOf(entry, context) : undefined;
  const cancelled = resume.findLast(({ status }) => status === 'cancelled');
  return {
    answers,
    stop,
    names: [
      ...waiting.map(({ id, answered }) => `${id}-${answered}`),
      ...(entry === undefined || stop === undefined ? [] : [entry.interruptId]),
    ],
    closing:
      stop?.approved === false
        ? rejectionText(stop.reason)
        : cancelled && cancelledText(cancellationOf(cancelled, context)),
  };
}

/** Whether an interrupt waits for its first answer: no step works with one. */
function isOpen({ isHanded, hasFailed }: Waiting): boolean {
  return !isHanded && !hasFailed;
}

/** Whether the graph stands before a step, and waits for no answer. */
function mayContinue({ state, waiting }: ReadGraph): boolean {
  return state.tasks.length > 0 && !waiting.some(isOpen);
}

/** The interrupts with these answers whose step failed, or whose call has no result at a later step that failed. */
function failedIn(
  place: ReadGraph,
  before: ReadGraph,
  entries: readonly ResumeEntry[],
): readonly Pick<Interrupt, 'id' | 'toolCallId'>[] {
  const asked = new Map(before.waiting.flatMap(({ interrupts }) => interrupts.map((one) => [one.id, one])));
  const results = new Set(messagesOf(place.state.values).map(({ tool_call_id }) => tool_call_id));
  return entries.flatMap(({ interruptId: id, status, payload }) => {
    const interrupt: Pick<Interrupt, 'id' | 'toolCallId'> = asked.get(id) ?? { id };
    const { toolCallId } = interrupt;
    if (toolCallId !== undefined && results.has(toolCallId)) return [];
    const waiting = place.waiting.find((one) => one.id === placeOf(id).id);
    if (waiting !== undefined) return waiting.hasFailed ? [interrupt] : [];
    const isRejected = status === 'cancelled' || (isRecord(payload) && payload['approved'] === false);
    return isRejected ? [] : [interrupt];
  });
}

/** The result of a call whose step failed. */
const FAILED = 'The call failed.';

/** The error of an answer that the graph has no place for. */
const LOST = {
  code: 'UNAVAILABLE',
  message:
    'The graph has no checkpoint of this thread, so the answer was not delivered. Restore its checkpointer, or cancel the interrupt.',
} as const;

/** The error of a message that the graph has no channel for. */
const NO_INPUT = {
  code: 'INPUT_INVALID',
  message:
    'The state of the graph has no `messages`. Give fromLangGraph the option `toInput`, which makes the input of the graph.',
} as const;

/** What the thread keeps besides the graph's checkpoint. */
interface Note {
  /** The last message of the user that the graph was given. */
  readonly lastMessage?: string;
  /** The result of calls that the graph will not make: they were cancelled or rejected, or failed. */
  readonly closing?: string;
}

function saverOf({ checkpointer }: LangGraph): GraphSaver {
  if (isRecord(checkpointer) && typeof checkpointer['getTuple'] === 'function') {
    return checkpointer as unknown as GraphSaver;
  }
  throw new HoldpointError(
    'INPUT_INVALID',
    'The graph has no checkpointer, so it cannot wait for an answer. Compile it with one: compile({ checkpointer }).',
  );
}
