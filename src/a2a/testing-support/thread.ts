/** A thread without a host: verifies, applies and keeps every event, and replays it in the official client. */
import type { Agent, AgentContext } from '../../engine/index.ts';
import type {
  AgentStreamEvent,
  Interrupt,
  Message,
  ResumeEntry,
  RunAgentInput,
} from '../../protocol/index.ts';
import {
  createApplier,
  createVerifier,
  interruptsOf,
  isRunError,
  isRunFinished,
} from '../../protocol/index.ts';
import { replayOfficially } from './official-client.ts';

export interface Ended {
  readonly events: readonly AgentStreamEvent[];
  readonly types: readonly string[];
  readonly interrupts: readonly Interrupt[];
  readonly error: { readonly code?: string | undefined; readonly message: string } | undefined;
  readonly outcome: string;
}

export interface TestThread {
  readonly id: string;
  readonly messages: readonly Message[];
  readonly state: unknown;
  /** The AG-UI ids that must never reach an A2A agent. */
  readonly ids: ReadonlySet<string>;
  say(text: string, context?: AgentContext): Promise<Ended>;
  /** Answers all interrupts of a run with the same payload. */
  answer(paused: Ended, payload: unknown, context?: AgentContext): Promise<Ended>;
  /** Replaces the agent, as after a restart. */
  handOver(agent: Agent): void;
  resume(entries: readonly ResumeEntry[], context?: AgentContext): Promise<Ended>;
  /** Adds a user message for the next run. */
  write(text: string): void;
  /** Runs without new input. */
  again(context?: AgentContext): Promise<Ended>;
  /** Forgets messages and state, as a new client. */
  wipe(): void;
  /** The assistant texts, in order. */
  texts(): string[];
}

let threads = 0;

/** `id`: the id of a thread that another agent has already used. */
export function testThread(agent: Agent, id?: string): TestThread {
  threads += 1;
  const number = threads;
  const threadId = id ?? `agui-thread-${number}`;
  const ids = new Set([threadId]);
  let messages: Message[] = [];
  let state: unknown = {};
  let runs = 0;
  let current = agent;
  const run = async (resume: readonly ResumeEntry[], context?: AgentContext): Promise<Ended> => {
    runs += 1;
    const runId = `agui-run-${number}-${runs}`;
    ids.add(runId);
    const input: RunAgentInput = {
      threadId,
      runId,
      messages,
      state,
      tools: [],
      context: [],
      forwardedProps: {},
    };
    if (resume.length > 0) input.resume = [...resume];
    const verifier = createVerifier();
    const warnings: string[] = [];
    const applier = createApplier({ messages, state, onWarning: (warning) => warnings.push(warning) });
    const events: AgentStreamEvent[] = [];
    for await (const event of current.run(input, context)) {
      verifier.check(event);
      applier.apply(event);
      events.push(event);
    }
    verifier.end();
    if (warnings.length > 0) throw new Error(`A patch did not apply: ${warnings.join('; ')}`);
    await replayOfficially(input, events, { messages: applier.messages, state: applier.state });
    messages = [...applier.messages];
    state = applier.state;
    const last = events.at(-1);
    const interrupts = last !== undefined && isRunFinished(last) ? interruptsOf(last) : [];
    for (const { id } of interrupts) ids.add(id);
    const failed = last !== undefined && isRunError(last) ? last : undefined;
    return {
      events,
      types: events.map(({ type }) => type),
      interrupts,
      error: failed,
      outcome: last !== undefined && isRunFinished(last) ? (last.outcome?.type ?? 'success') : 'error',
    };
  };
  const write = (text: string) => {
    const id = `agui-message-${number}-${runs}`;
    ids.add(id);
    messages = [...messages, { id, role: 'user', content: text }];
  };
  return {
    id: threadId,
    get messages() {
      return messages;
    },
    get state() {
      return state;
    },
    ids,
    write,
    say(text, context) {
      write(text);
      return run([], context);
    },
    resume: run,
    answer: ({ interrupts }, payload, context) =>
      run(
        interrupts.map(({ id: interruptId }) => ({ interruptId, status: 'resolved', payload })),
        context,
      ),
    handOver(next) {
      current = next;
    },
    again: (context) => run([], context),
    wipe() {
      messages = [];
      state = {};
    },
    texts: () =>
      messages.flatMap(({ role, content }) =>
        role === 'assistant' && typeof content === 'string' ? [content] : [],
      ),
  };
}
