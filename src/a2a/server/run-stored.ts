import { checkBeyondSchema } from '../../content/interrupts/index.ts';
import type { JsonValue } from '../../core/index.ts';
import { HoldpointError, isRecord, ownMember } from '../../core/index.ts';
import type { Agent, AgentContext, GenerateOptions, GeneratingAgent } from '../../engine/index.ts';
import { LEASE_MS, readConversation, toLog } from '../../engine/index.ts';
import type { Access, BeginRun, StartedRun } from '../../ledger/index.ts';
import { beginRun, createVault, openQuestions, openSession } from '../../ledger/index.ts';
import type { AgentStreamEvent, Interrupt, Message, ResumeEntry } from '../../protocol/index.ts';
import { createApplier, interruptsOf, isRunError, isRunFinished } from '../../protocol/index.ts';
import type { Store } from '../../store/index.ts';

/** What a run on a stored thread came to. */
export interface StoredEnd {
  readonly finishReason: string;
  readonly text: string;
  readonly interrupts: readonly { readonly interrupt: Interrupt }[];
  readonly result?: unknown;
}

export interface StoredRun extends AsyncIterable<AgentStreamEvent> {
  readonly response: Promise<StoredEnd>;
}

export type StoredOptions = Pick<AgentContext, 'policies' | 'mode' | 'grants' | 'onError' | 'onWarning'> &
  Pick<GenerateOptions, 'leaseMs' | 'secretKey'> &
  Pick<BeginRun, 'runId'> & {
    readonly store: Store;
    /** The right to run the agent on the thread, or to answer what the thread waits for. */
    readonly access: Access<'run' | 'answer'>;
    readonly signal: AbortSignal;
    readonly newId: () => string;
    readonly prompt?: string;
    readonly resume?: readonly ResumeEntry[];
  };

/** Runs an agent on a thread of the store; one that can only run is given the ledger here. */
export function runStored(agent: Agent | GeneratingAgent, options: StoredOptions): StoredRun {
  const { key, principal } = options.access;
  if ('stream' in agent) return agent.stream({ ...options, threadId: key.thread, principal });
  let settle: { resolve(end: StoredEnd): void; reject(error: unknown): void } | undefined;
  const response = new Promise<StoredEnd>((resolve, reject) => {
    settle = { resolve, reject };
  });
  // Whoever reads the events awaits it; until then nobody has to.
  response.catch(() => undefined);
  async function* events(): AsyncGenerator<AgentStreamEvent, void, undefined> {
    try {
      settle?.resolve(yield* runPlain(agent, options));
    } catch (error) {
      settle?.reject(error);
    }
  }
  return { response, [Symbol.asyncIterator]: events };
}

async function* runPlain(
  agent: Agent,
  options: StoredOptions,
): AsyncGenerator<AgentStreamEvent, StoredEnd, undefined> {
  const { store, access, runId, prompt, resume = [], newId, leaseMs = LEASE_MS } = options;
  const vault = options.secretKey === undefined ? undefined : await createVault(options.secretKey);
  const said: Message[] = prompt === undefined ? [] : [{ id: newId(), role: 'user', content: prompt }];
  const begun = await beginRun(access, {
    runId,
    agent: agent.id,
    entries: resume,
    newMessages: toLog(said),
    via: 'in-process',
    leaseMs,
    vault,
    rules: (record, entry) => checkBeyondSchema(record.interrupt, entry),
    ...(prompt === undefined && resume.length === 0 ? { continues: 'on-request' as const } : {}),
  });
  if (begun.type !== 'started') {
    const open = await openQuestions(access);
    return { finishReason: open.length > 0 ? 'interrupted' : 'stop', text: '', interrupts: open };
  }
  const session = openSession(store, begun, { leaseMs });
  try {
    return yield* speak(agent, options, { begun, session, vault });
  } catch (error) {
    if (session.signal.aborted) throw session.signal.reason;
    const failure = { code: HoldpointError.is(error) ? error.code : 'INTERNAL', message: 'The run failed.' };
    await session.end({ outcome: 'error', error: failure });
    throw error;
  }
}

interface Begun {
  readonly begun: StartedRun;
  readonly session: ReturnType<typeof openSession>;
  readonly vault: BeginRun['vault'];
}

/** The agent's own run; its questions, what it said and its end are one commit. */
async function* speak(
  agent: Agent,
  { store: _store, access, runId, signal, newId, ...context }: StoredOptions,
  { begun, session, vault }: Begun,
): AsyncGenerator<AgentStreamEvent, StoredEnd, undefined> {
  const { answers, claimed, recovers, lease } = begun;
  const { thread: threadId } = lease.key;
  if (recovers && answers.length > 0) {
    throw new HoldpointError('RUN_LOST', 'Nobody knows whether the agent was given the answer.');
  }
  const names: Readonly<Record<string, unknown>> = isRecord(begun.turn) ? begun.turn : {};
  const ownId = (id: string) => {
    const name = ownMember(names, id);
    return typeof name === 'string' ? name : id;
  };
  const conversation = await readConversation(access);
  const input = begun.input as unknown as readonly Message[];
  const applier = createApplier({ messages: [...conversation, ...input], state: begun.state });
  const given = {
    threadId,
    runId,
    messages: [...applier.messages],
    state: begun.state,
    tools: [],
    context: [],
    forwardedProps: {},
    ...(answers.length === 0
      ? {}
      : { resume: answers.map((entry) => ({ ...entry, interruptId: ownId(entry.interruptId) })) }),
  };
  const surroundings = {
    ...context,
    principal: access.principal,
    newId,
    openInterrupts: claimed.map(({ interrupt }) => ({ ...interrupt, id: ownId(interrupt.id) })),
    signal: AbortSignal.any([signal, session.signal]),
  };
  for await (const event of agent.run(given, surroundings)) {
    applier.apply(event);
    if (isRunError(event)) throw new HoldpointError('TOOL_FAILED', 'The agent failed.', { cause: event });
    yield event;
    if (!isRunFinished(event)) continue;
    const own = interruptsOf(event);
    // An agent may ask under the same id again; the ledger never does.
    const interrupts = own.map((interrupt) => ({ interrupt: { ...interrupt, id: newId() } }));
    const turn = Object.fromEntries(
      interrupts.map(({ interrupt }, index) => [interrupt.id, own[index]?.id ?? '']),
    );
    const outcome = event.outcome?.type ?? 'success';
    await session.end({
      outcome: interrupts.length > 0 ? 'interrupt' : outcome === 'cancelled' ? 'cancelled' : 'success',
      turn: interrupts.length > 0 ? turn : null,
      messages: toLog(applier.messages.slice(conversation.length)),
      state: applier.state as JsonValue,
      inputTaken: true,
      ...(interrupts.length > 0 ? { questions: interrupts, batch: newId(), vault } : {}),
    });
    const finishReason =
      interrupts.length > 0 ? 'interrupted' : outcome === 'cancelled' ? 'cancelled' : 'stop';
    return { finishReason, text: '', interrupts, result: event.result };
  }
  throw new HoldpointError('INTERNAL', `The agent ${agent.id} stopped without an end.`);
}
