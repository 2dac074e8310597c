import type { HoldpointError } from '../core/index.ts';
import { defined, messageOf } from '../core/index.ts';
import type { Agent, AgentContext } from '../engine/index.ts';
import type { AgentStreamEvent, Emitter, Message, OpenStream, RunAgentInput } from '../protocol/index.ts';
import { createEmitter } from '../protocol/index.ts';

/** A thread of a host. */
export interface HostThread {
  readonly scope: string;
  readonly thread: string;
}

/** The thread of a run. */
export function threadOf({ threadId }: RunAgentInput, { principal }: AgentContext): HostThread {
  return { scope: principal?.scope ?? 'default', thread: threadId };
}

/** An id for a framework's own thread, made of scope and thread, so that tenants never share one. */
export function scopedThreadId({ scope, thread }: HostThread): string {
  return `${encodeURIComponent(scope)}:${encodeURIComponent(thread)}`;
}

/** Writes the messages of a run; calls, results and messages that the thread already has are written once. */
export interface Transcript {
  text(messageId: string, delta: string): void;
  reasoning(messageId: string, delta: string): void;
  /** Opens a call, if it is new. */
  call(call: { readonly id: string; readonly name: string; readonly messageId?: string | undefined }): void;
  args(callId: string, delta: string): void;
  /** A piece of a call; the first one of a key has its id and its name. */
  callPiece(
    key: string,
    piece: {
      readonly id?: string | undefined;
      readonly name?: string | undefined;
      readonly args?: string | undefined;
      readonly messageId?: string | undefined;
    },
  ): void;
  /** A whole call. */
  wholeCall(call: Parameters<Transcript['call']>[0], args: unknown): void;
  /** Writes the result of a call. `isError`: it says why the call failed. */
  result(callId: string, output: unknown, isError?: boolean): void;
  /** The result that this run wrote for a call; undefined without one. */
  resultOf(callId: string): unknown;
  /** Writes the error of a call as its result. */
  failure(callId: string, error: unknown): void;
  /** The calls that failed. */
  readonly failed: ReadonlySet<string>;
  /** Closes every message and call that is open. */
  close(): void;
}

/** What a run of an adapter works with. */
export interface RunWork {
  readonly input: RunAgentInput;
  readonly context: AgentContext;
  readonly emitter: Emitter;
  readonly transcript: Transcript;
}

/** The options of every adapter. */
export interface AdapterOptions {
  /** Default: the name of the adapter. A host that is given agents by name uses the name. */
  readonly id?: string;
  /** The name that people see. Default: none. */
  readonly name?: string;
  /** A sentence for lists of agents. Default: none. */
  readonly description?: string;
}

/** The agent of an adapter, as a host takes it. */
export interface AdapterAgent extends Agent {
  readonly takesDecision?: boolean;
}

/** The agent of an adapter; each of its runs does `work`. */
export function adapterAgent(
  defaultId: string,
  about: AdapterOptions,
  work: (work: RunWork) => AsyncGenerator<void, void, undefined>,
): AdapterAgent {
  const { id = defaultId, name, description } = about;
  return {
    id,
    ...defined({ name, description }),
    run: (input, context = {}) => emitRun(input, context, work),
  };
}

/**
 * Runs `work` and yields the events that it writes, as it writes them: `work` yields whenever a reader may see them. The run
 * ends with success unless `work` ended it otherwise.
 */
async function* emitRun(
  input: RunAgentInput,
  context: AgentContext,
  work: (work: RunWork) => AsyncGenerator<void, void, undefined>,
): AsyncGenerator<AgentStreamEvent, void, undefined> {
  const { threadId, runId, messages } = input;
  const events: AgentStreamEvent[] = [];
  const emitter = createEmitter({
    threadId,
    runId,
    write: (event) => events.push(event),
    ...defined({ newId: context.newId }),
  });
  emitter.start();
  const transcript = createTranscript(emitter, messages);
  for await (const _written of work({ input, context, emitter, transcript })) yield* events.splice(0);
  if (!emitter.ended) emitter.finish();
  yield* events.splice(0);
}

/** Ends a run with an error before it hands over anything: its answers are open again. */
export function refuseRun(
  { input, context, emitter }: RunWork,
  { code, message }: Pick<HoldpointError, 'code' | 'message'>,
): void {
  if (input.resume !== undefined) context.onDelivery?.({ status: 'open', reason: message });
  emitter.fail(message, { code });
}

function createTranscript(emitter: Emitter, earlier: readonly Message[]): Transcript {
  const said = new Set(earlier.map(({ id }) => id));
  const called = new Set(
    earlier.flatMap((message) =>
      message.role === 'assistant' ? (message.toolCalls ?? []).map(({ id }) => id) : [],
    ),
  );
  const answered = new Set(
    earlier.flatMap((message) => (message.role === 'tool' ? [message.toolCallId] : [])),
  );
  const results = new Map<string, unknown>();
  const open = new Map<string, OpenStream>();
  const callOf = new Map<string, string>();
  const failed = new Set<string>();
  const write = (key: string, delta: string, start: () => OpenStream) => {
    if (delta === '') return;
    const stream = open.get(key) ?? start();
    open.set(key, stream);
    stream.delta(delta);
  };
  const transcript: Transcript = {
    text(messageId, delta) {
      if (!said.has(messageId)) write(`text ${messageId}`, delta, () => emitter.text({ messageId }));
    },
    reasoning(messageId, delta) {
      const id = `${messageId}-reasoning`;
      if (!said.has(id)) write(`text ${id}`, delta, () => emitter.reasoning({ messageId: id }));
    },
    call({ id, name, messageId }) {
      if (called.has(id)) return;
      called.add(id);
      const parent = messageId === undefined ? {} : { parentMessageId: messageId };
      open.set(`call ${id}`, emitter.toolCall(name, { toolCallId: id, ...parent }));
    },
    args: (callId, delta) => open.get(`call ${callId}`)?.delta(delta),
    callPiece(key, { id, name, args, messageId }) {
      if (id !== undefined && name !== undefined) {
        callOf.set(key, id);
        transcript.call({ id, name, messageId });
      }
      const callId = callOf.get(key);
      if (callId !== undefined && args !== undefined) transcript.args(callId, args);
    },
    wholeCall(call, args) {
      transcript.call(call);
      transcript.args(call.id, JSON.stringify(args ?? {}));
      open.get(`call ${call.id}`)?.end();
      open.delete(`call ${call.id}`);
    },
    result(callId, output, isError = false) {
      if (answered.has(callId)) return;
      answered.add(callId);
      results.set(callId, output);
      if (isError) failed.add(callId);
      open.get(`call ${callId}`)?.end();
      open.delete(`call ${callId}`);
      const text = typeof output === 'string' ? output : (JSON.stringify(output) ?? '');
      emitter.toolResult(callId, text, isError ? { metadata: { error: text } } : {});
    },
    failure: (callId, error) => transcript.result(callId, messageOf(error), true),
    failed,
    resultOf: (callId) => results.get(callId),
    close() {
      for (const stream of open.values()) stream.end();
      for (const key of open.keys()) if (key.startsWith('text ')) said.add(key.slice(5));
      open.clear();
    },
  };
  return transcript;
}
