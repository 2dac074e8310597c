import { cancelledText } from '../../content/interrupts/index.ts';
import { canonicalJson, defined, HoldpointError, isRecord, jsonCopy } from '../../core/index.ts';
import type { Agent } from '../../engine/index.ts';
import type { Interrupt, Message } from '../../protocol/index.ts';
import { freshMessages, textOf } from '../approvals.ts';
import type { HostThread, RunWork, Transcript } from '../emit-run.ts';
import { emitRun, scopedThreadId, threadOf } from '../emit-run.ts';
import type { Waiting } from './interrupts.ts';
import { readWaiting, toResume } from './interrupts.ts';
import type { GraphConfig, GraphInterrupt, GraphMessage, GraphSaver, GraphState, LangGraph } from './sdk.ts';

export interface FromLangGraphOptions {
  /** Default `langgraph`; a host that is given agents by name uses the name. */
  readonly id?: string;
  readonly name?: string;
  readonly description?: string;
  /** `thread_id` of a thread's checkpoints. Default: scope and thread, so that tenants never share a checkpoint. */
  readonly threadId?: (thread: HostThread) => string;
  /** Input of the graph for new messages. Default: `messages`, and what a client changed in the state. */
  readonly toInput?: (messages: readonly Message[], state: unknown) => unknown;
}

/** A graph as an agent for a host. */
export interface LangGraphAgent extends Agent {
  /** The interrupts that the graph waits at. */
  pending(thread: HostThread): Promise<readonly Interrupt[]>;
  /**
   * `waiting`: the graph has no answer. `taken`: it has gone on from the answer. `consumed`: it has the answer, and the step
   * that took it has not ended: a new attempt would repeat that step.
   */
  reconcile(interrupt: Interrupt, thread: HostThread): Promise<'waiting' | 'taken' | 'consumed'>;
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
  const { id = 'langgraph', name, description } = options;
  const saver = saverOf(graph);
  const threadId = options.threadId ?? scopedThreadId;
  const configOf = (thread: HostThread): GraphConfig => ({ configurable: { thread_id: threadId(thread) } });
  const read = async (config: GraphConfig) => {
    const state = await graph.getState(config, { subgraphs: true });
    return { state, waiting: await readWaiting(saver, state) };
  };

  async function* work({
    input,
    context,
    emitter,
    transcript,
  }: RunWork): AsyncGenerator<void, void, undefined> {
    const config = configOf(threadOf(input, context));
    const before = await read(config);
    const { resume = [] } = input;
    const lastMessage = await context.memory?.read();
    const known = new Set(messagesOf(before.state.values).map(({ id }) => id));
    const fresh = freshMessages(input.messages, (id) => id === lastMessage || known.has(id));
    const answers = toResume(before.waiting, resume);
    const isRecovery = resume.some(({ status }) => status === 'resolved') && answers.size === 0;
    const isBetweenSteps = before.state.tasks.length > 0 && before.waiting.length === 0;
    const steps: ('answer' | 'continue' | 'input')[] = [];
    if (answers.size > 0) steps.push('answer');
    else if (isRecovery || (isBetweenSteps && fresh.length === 0)) steps.push('continue');
    if (fresh.length > 0) steps.push('input');
    const toStep = async (step: (typeof steps)[number]): Promise<unknown> => {
      if (step === 'answer') return { lg_name: 'Command', resume: Object.fromEntries(answers), goto: [] };
      if (step === 'continue') return null;
      const { state } = await read(config);
      return (options.toInput ?? toInput(state))(fresh, input.state);
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
      const chunks = await graph.stream(await toStep(step), {
        ...config,
        streamMode: ['messages', 'values'],
        subgraphs: true,
        ...defined({ signal: context.signal }),
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
        if (step === 'input' && !isGiven) await context.memory?.write(fresh.at(-1)?.id ?? null);
        isGiven ||= step === 'input';
        yield;
      }
      transcript.close();
    }
    const after = await read(config);
    // LangGraph streams no message that a node returned as a plain object.
    const texts = new Set(streamed.values());
    for (const message of messagesOf(after.state.values) as readonly GraphMessage[]) {
      const isStreamed = streamed.has(message.id) || texts.has(textIn(message));
      if (steps.length > 0 && !known.has(message.id) && !isStreamed) writeMessage(transcript, message);
    }
    transcript.close();
    show(after.state.values);
    const cancelled = new Set(
      resume.flatMap((entry) => (entry.status === 'cancelled' ? [entry.interruptId] : [])),
    );
    const isCancelled = ({ interrupts }: Waiting) => interrupts.some((one) => cancelled.has(one.id));
    // The state also has interrupts of tasks that ended while others of their step wait.
    const isRaised = ({ id }: Waiting) => steps.length === 0 || raised.has(id);
    const open = after.waiting
      .filter((one) => isRaised(one) && !isCancelled(one))
      .flatMap(({ interrupts }) => interrupts);
    if (open.length > 0) emitter.interrupt(open);
    else if (after.waiting.length > 0) emitter.cancel();
  }

  return {
    id,
    ...defined({ name, description }),
    run: (input, context = {}) => emitRun(input, context, work),
    async pending(thread) {
      const { waiting } = await read(configOf(thread));
      return waiting.flatMap(({ interrupts }) => interrupts);
    },
    async reconcile(interrupt, thread) {
      const { waiting } = await read(configOf(thread));
      const interrupts = waiting.flatMap((one) => one.interrupts);
      if (interrupts.some((one) => one.id === interrupt.id)) return 'waiting';
      // The same interrupt under the next number: asked again, or left over from the step that took the answer.
      const same = interrupts.some(
        (one) =>
          placeOf(one) === placeOf(interrupt) &&
          canonicalJson(one.metadata ?? {}) === canonicalJson(interrupt.metadata ?? {}),
      );
      return same ? 'consumed' : 'taken';
    },
  };
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

function messagesOf(values: unknown): readonly Readonly<Record<string, unknown>>[] {
  return isRecord(values) && Array.isArray(values['messages']) ? values['messages'].filter(isRecord) : [];
}

/** New messages, and the members of the state that differ from the graph's own. */
function toInput({ values }: GraphState): NonNullable<FromLangGraphOptions['toInput']> {
  return (messages, state) => {
    const own = publicState(values);
    const changed = Object.entries(isRecord(state) ? state : {}).filter(
      ([name, value]) => canonicalJson(own[name] ?? null) !== canonicalJson(value ?? null),
    );
    const said = messages.map((message) => ({ role: 'user', id: message.id, content: textOf(message) }));
    return { ...Object.fromEntries(changed), messages: [...closeCalls(values), ...said] };
  };
}

/** A result for each call that will never have one: models reject a conversation with open calls. */
function closeCalls(values: unknown): readonly object[] {
  const messages = messagesOf(values);
  const last = messages.findLastIndex(({ tool_calls }) => Array.isArray(tool_calls) && tool_calls.length > 0);
  const calls: unknown = messages[last]?.['tool_calls'];
  const closed = new Set(messages.slice(last + 1).map(({ tool_call_id }) => tool_call_id));
  const open = (Array.isArray(calls) ? calls : []).filter(isRecord).filter(({ id }) => !closed.has(id));
  return open.map((call) => ({
    role: 'tool',
    tool_call_id: call['id'],
    name: call['name'],
    content: cancelledText(undefined),
  }));
}

function textIn({ content }: GraphMessage): string {
  if (typeof content === 'string') return content;
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  return blocks
    .flatMap((block) => (isRecord(block) && typeof block['text'] === 'string' ? [block['text']] : []))
    .join('');
}

function writeMessage(transcript: Transcript, message: GraphMessage): void {
  const { id = '', type, content, tool_calls = [], tool_call_chunks = [], tool_call_id } = message;
  if (type === 'tool' && tool_call_id !== undefined) return transcript.result(tool_call_id, content);
  if (type !== 'ai') return;
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [{ type: 'text', text: content }];
  for (const block of blocks.filter(isRecord)) {
    if (typeof block['text'] === 'string') transcript.text(id, block['text']);
    const thought = block['reasoning'] ?? block['thinking'];
    if (typeof thought === 'string') transcript.reasoning(id, thought);
  }
  if (tool_call_chunks.length === 0) {
    for (const { id: callId, name, args } of tool_calls) {
      if (callId !== undefined) transcript.wholeCall({ id: callId, name, messageId: id }, args);
    }
  }
  for (const chunk of tool_call_chunks)
    transcript.callPiece(`${id} ${chunk.index ?? 0}`, { ...chunk, messageId: id });
}
