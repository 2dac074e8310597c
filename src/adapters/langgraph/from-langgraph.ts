import { cancelledText } from '../../content/interrupts/index.ts';
import { canonicalJson, defined, HoldpointError, isRecord, jsonCopy } from '../../core/index.ts';
import type { Agent } from '../../engine/index.ts';
import { cancellationOf } from '../../engine/index.ts';
import type { Interrupt, Message } from '../../protocol/index.ts';
import type { AdapterOptions, HostThread, RunWork } from '../emit-run.ts';
import { adapterAgent, refuseRun, scopedThreadId, threadOf } from '../emit-run.ts';
import { freshMessages, takeContents } from '../user-content.ts';
import type { Waiting } from './interrupts.ts';
import { readWaiting, toResume } from './interrupts.ts';
import { closeCalls, FORM, messagesOf, textIn, writeMessage } from './messages.ts';
import type { GraphConfig, GraphInterrupt, GraphMessage, GraphSaver, LangGraph } from './sdk.ts';

export interface FromLangGraphOptions extends AdapterOptions {
  /** `thread_id` of a thread's checkpoints. Default: scope and thread, so that tenants never share a checkpoint. */
  readonly threadId?: (thread: HostThread) => string;
  /**
   * Input of the graph for new messages. Default: `messages`, and what a client changed in the state. A graph without
   * `messages` in its state needs it: else a run without a changed state ends with `INPUT_INVALID`.
   */
  readonly toInput?: (messages: readonly Message[], state: unknown) => unknown;
}

/** A graph as an agent for a host. */
export interface LangGraphAgent extends Agent {
  /** The interrupts that the graph waits at. */
  pending(thread: HostThread): Promise<readonly Interrupt[]>;
  /**
   * `waiting`: the graph has no answer. `taken`: it has gone on from the answer. `consumed`: it has the answer, and the step
   * that took it has not ended: a new attempt would repeat that step. `unknown`: the checkpointer does not have the thread.
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
  const read = async (config: GraphConfig) => {
    const state = await graph.getState(config, { subgraphs: true });
    return { state, waiting: await readWaiting(saver, state) };
  };

  async function* work(run: RunWork): AsyncGenerator<void, void, undefined> {
    const { input, context, emitter, transcript } = run;
    const { resume = [] } = input;
    const config = configOf(threadOf(input, context));
    const before = await read(config);
    const note = await context.memory?.read();
    const { lastMessage, cancelled } = isRecord(note) ? (note as Note) : {};
    const known = new Set(messagesOf(before.state.values).map(({ id }) => id));
    const fresh = freshMessages(input.messages, (id) => id === lastMessage || known.has(id));
    const given: Note = defined({ lastMessage: fresh.at(-1)?.id ?? lastMessage });
    const skip = () => context.memory?.write({ ...given });
    // The option `toInput` reads the messages itself.
    const contents = await takeContents(run, options.toInput === undefined ? fresh : [], {
      form: FORM,
      skip,
    });
    if (contents === undefined) return;
    const cancelledEntry = resume.findLast(({ status }) => status === 'cancelled');
    const whyCancelled =
      cancelledEntry === undefined ? cancelled : cancelledText(cancellationOf(cancelledEntry, context));
    const answers = toResume(before.waiting, resume, context);
    const isRecovery = resume.some(({ status }) => status === 'resolved') && answers.size === 0;
    if (isRecovery && (await saver.getTuple(config)) === undefined) return refuseRun(run, LOST);
    const changed = changedState(before.state.values, input.state);
    const takesMessages = !Array.isArray(graph.streamChannels) || graph.streamChannels.includes('messages');
    const hasInput = options.toInput !== undefined || takesMessages || Object.keys(changed).length > 0;
    if (fresh.length > 0 && !hasInput) return refuseRun(run, NO_INPUT);
    const isBetweenSteps = before.state.tasks.length > 0 && before.waiting.length === 0;
    const steps: ('answer' | 'continue' | 'input')[] = [];
    if (answers.size > 0) steps.push('answer');
    else if (isRecovery || (isBetweenSteps && fresh.length === 0)) steps.push('continue');
    if (fresh.length > 0) steps.push('input');
    const toStep = async (step: (typeof steps)[number]): Promise<unknown> => {
      if (step === 'answer') return { lg_name: 'Command', resume: Object.fromEntries(answers), goto: [] };
      if (step === 'continue') return null;
      if (options.toInput !== undefined) return options.toInput(fresh, input.state);
      const { values } = (await read(config)).state;
      const said = contents.map((content, index) => ({ role: 'user', id: fresh[index]?.id, content }));
      const messages = [...closeCalls(values, whyCancelled ?? cancelledText()), ...said];
      return { ...changedState(values, input.state), messages };
    };
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
      transcript.close();
    }
    if (cancelledEntry !== undefined && !isGiven)
      await context.memory?.write(defined({ lastMessage, cancelled: whyCancelled }));
    const after = await read(config);
    // LangGraph streams no message that a node returned as a plain object.
    const texts = new Set(streamed.values());
    for (const message of messagesOf(after.state.values)) {
      const isStreamed = streamed.has(message.id) || texts.has(textIn(message));
      if (steps.length > 0 && !known.has(message.id) && !isStreamed) writeMessage(transcript, message);
    }
    transcript.close();
    show(after.state.values);
    const cancelledIds = new Set(
      resume.flatMap(({ status, interruptId }) => (status === 'cancelled' ? [interruptId] : [])),
    );
    const isCancelled = ({ interrupts }: Waiting) => interrupts.some(({ id }) => cancelledIds.has(id));
    // The state also has interrupts of tasks that ended while others of their step wait.
    const isRaised = ({ id }: Waiting) => steps.length === 0 || raised.has(id);
    const open = after.waiting
      .filter((one) => isRaised(one) && !isCancelled(one))
      .flatMap(({ interrupts }) => interrupts);
    if (open.length > 0) emitter.interrupt(open);
    else if (after.waiting.length > 0) emitter.cancel();
  }

  return {
    ...adapterAgent('langgraph', options, work),
    async pending(thread) {
      const { waiting } = await read(configOf(thread));
      return waiting.flatMap(({ interrupts }) => interrupts);
    },
    async reconcile(interrupt, thread) {
      const config = configOf(thread);
      const { waiting } = await read(config);
      const interrupts = waiting.flatMap((one) => one.interrupts);
      if (interrupts.some((one) => one.id === interrupt.id)) return 'waiting';
      // The same interrupt under the next number: asked again, or left over from the step that took the answer.
      const same = interrupts.some(
        (one) =>
          placeOf(one) === placeOf(interrupt) &&
          canonicalJson(one.metadata ?? {}) === canonicalJson(interrupt.metadata ?? {}),
      );
      if (same) return 'consumed';
      return (await saver.getTuple(config)) === undefined ? 'unknown' : 'taken';
    },
  };
}

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
  /** How the last cancelled interrupt was cancelled: the result of its call. */
  readonly cancelled?: string;
}

/** LangGraph's own id in the id of an interrupt. */
function placeOf({ id }: Interrupt): string {
  return id.slice(0, Math.max(id.indexOf('-'), 0));
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

/** A graph's values without messages, as JSON. */
function publicState(values: unknown): Readonly<Record<string, unknown>> {
  if (!isRecord(values)) return {};
  const { messages: _messages, __interrupt__: _interrupts, ...state } = values;
  const copy = jsonCopy(state);
  return isRecord(copy) ? copy : {};
}

function raisedIn(values: unknown): readonly GraphInterrupt[] {
  const raised = isRecord(values) ? values['__interrupt__'] : undefined;
  return Array.isArray(raised) ? (raised as GraphInterrupt[]) : [];
}

/** The members of a client's state that differ from the graph's own. */
function changedState(values: unknown, state: unknown): Readonly<Record<string, unknown>> {
  const own = publicState(values);
  const members = Object.entries(isRecord(state) ? state : {});
  return Object.fromEntries(
    members.filter(([name, value]) => canonicalJson(own[name] ?? null) !== canonicalJson(value ?? null)),
  );
}
