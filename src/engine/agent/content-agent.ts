import type { ChatContent, RequestContent } from '../../content/index.ts';
import { createContentWriter, fromInterrupt, fromResume, messageToContents } from '../../content/index.ts';
import { defined, HoldpointError, newId } from '../../core/index.ts';
import type { AgentStreamEvent, Interrupt, Message, RunAgentInput } from '../../protocol/index.ts';
import { createEmitter, EventType, interruptsOf, validateCoverage } from '../../protocol/index.ts';
import type { Agent, AgentContext } from './agent.ts';
import { wireError } from './create-run.ts';
import { createEventQueue } from './event-queue.ts';

/** A message with its content parts. */
export interface ContentMessage {
  readonly role: Message['role'];
  readonly contents: readonly ChatContent[];
}

export interface ContentAgentContext {
  readonly threadId: string;
  readonly runId: string;
  readonly signal: AbortSignal;
  readonly state: unknown;
}

/** The options of {@link contentAgent}. */
export interface ContentAgentOptions {
  /** The id of the agent. */
  readonly id: string;
  /** The name for people. Default: the id. */
  readonly name?: string;
  /** What the agent does, for lists of agents. Default: none. */
  readonly description?: string;
  /**
   * Yields content parts. A request part raises an interrupt and ends the run; the answer comes as a response part
   * of a user message before the agent runs again.
   */
  readonly run: (
    messages: readonly ContentMessage[],
    context: ContentAgentContext,
  ) => AsyncIterable<ChatContent>;
}

/** An agent with content parts. */
export interface ContentAgent extends Agent {
  readonly contents: ContentAgentOptions['run'];
}

/**
 * Makes an agent from a function that yields content parts.
 *
 * @example
 * ```ts
 * import { contentAgent } from 'holdpoint';
 *
 * const greeter = contentAgent({
 *   id: 'greeter',
 *   async *run() {
 *     yield { type: 'text', text: 'Hello.' };
 *   },
 * });
 * ```
 */
export function contentAgent(options: ContentAgentOptions): ContentAgent {
  const { id, name, description } = options;
  // Without a store, the interrupts are kept in memory.
  const waiting = new Map<string, readonly Interrupt[]>();
  return {
    id,
    ...defined({ name, description }),
    contents: options.run,
    async *run(input, context = {}) {
      const stop = new AbortController();
      const queue = createEventQueue<AgentStreamEvent>(() => stop.abort());
      const signal =
        context.signal === undefined ? stop.signal : AbortSignal.any([context.signal, stop.signal]);
      const write = (event: AgentStreamEvent) => {
        if (event.type === EventType.RUN_FINISHED) waiting.set(input.threadId, interruptsOf(event));
        queue.push(event);
      };
      const open = context.openInterrupts ?? waiting.get(input.threadId) ?? [];
      runParts(options, { input, context: { ...context, signal, openInterrupts: open }, write }).then(
        () => queue.end(),
        (error: unknown) => queue.end(error),
      );
      yield* queue;
    },
  };
}

interface Attempt {
  readonly input: RunAgentInput;
  readonly context: AgentContext & {
    readonly signal: AbortSignal;
    readonly openInterrupts: readonly Interrupt[];
  };
  readonly write: (event: AgentStreamEvent) => void;
}

async function runParts(options: ContentAgentOptions, { input, context, write }: Attempt): Promise<void> {
  const { threadId, runId, state } = input;
  const { signal } = context;
  const emitter = createEmitter({ threadId, runId, write, newId: context.newId ?? newId });
  try {
    const messages = [...input.messages.map(toContents), ...answers(input, context.openInterrupts)];
    const writer = createContentWriter(emitter);
    for await (const part of options.run(messages, { threadId, runId, signal, state })) {
      writer.write(part);
      if (emitter.ended) return;
      signal.throwIfAborted();
    }
    writer.end();
    if (!emitter.ended) emitter.finish();
  } catch (error) {
    context.onError?.(error);
    if (emitter.ended) return;
    if (signal.aborted) emitter.cancel();
    else {
      const { message, code } = wireError(error);
      emitter.fail(message, { code });
    }
  }
}

function toContents(message: Message): ContentMessage {
  return { role: message.role, contents: messageToContents(message) };
}

/** The answers as response parts of a user message. Throws for a missing answer and for an unknown interrupt. */
function answers(input: RunAgentInput, open: readonly Interrupt[]): ContentMessage[] {
  const { resume = [] } = input;
  if (resume.length === 0) return [];
  const { unknown, unanswered } = validateCoverage(open, resume, 0);
  if (unknown.length > 0) {
    throw new HoldpointError('INTERRUPT_UNKNOWN', `No open interrupt has the id ${unknown.join(', ')}.`);
  }
  if (unanswered.length > 0) {
    throw new HoldpointError(
      'INTERRUPTS_UNANSWERED',
      `These interrupts have no answer: ${unanswered.join(', ')}.`,
    );
  }
  const requests = new Map<string, RequestContent>(
    open.map((interrupt) => [interrupt.id, fromInterrupt(interrupt)]),
  );
  return [
    { role: 'user', contents: resume.map((entry) => fromResume(entry, requests.get(entry.interruptId))) },
  ];
}
