import { answerEffect, checkAnswer } from '../../content/questions/index.ts';
import type { JsonValue } from '../../core/index.ts';
import { newId as defaultNewId } from '../../core/index.ts';
import type { BeginRun, Begun, InterruptRecord, RunSession, StartedRun } from '../../ledger/index.ts';
import { beginRun, openSession, readExecutions } from '../../ledger/index.ts';
import type { Message, ResumeEntry } from '../../protocol/index.ts';
import type { Store } from '../../store/index.ts';
import type { AgentContext } from '../agent/agent.ts';
import { callState } from '../calls/call-state.ts';
import { createRecovery } from '../calls/recovery.ts';
import type { Tool } from '../tools/tool.ts';
import { readConversation } from './conversation.ts';
import { createCheckpoints } from './durable-checkpoints.ts';
import { raisedQuestions } from './raised-questions.ts';

export interface DurableRequest extends Omit<BeginRun, 'beginning' | 'rules' | 'leaseMs'> {
  readonly store: Store;
  readonly tools: readonly Tool[];
  readonly leaseMs?: number | undefined;
  readonly newId?: AgentContext['newId'];
}

/** A run that has begun, with all that an agent of ours needs to go on and to be continued. */
export interface DurableRun {
  readonly session: RunSession;
  readonly started: StartedRun;
  /** What goes to the agent with the answers. */
  readonly context: AgentContext & { readonly history: readonly Message[] };
  readonly answers: readonly ResumeEntry[];
  readonly state: JsonValue;
  /** Stops the run at its next call. */
  cancel(): void;
}

/** How long a run keeps its thread without a sign of life. */
export const LEASE_MS = 30_000;

/** Begins a run on a stored thread; what is not a run of one's own is given as the ledger gives it. */
export async function beginDurable(
  request: DurableRequest,
): Promise<{ readonly type: 'run'; readonly run: DurableRun } | Exclude<Begun, StartedRun>> {
  const { store, tools, leaseMs = LEASE_MS, newId = defaultNewId, ...begin } = request;
  const begun = await beginRun(store, {
    ...begin,
    leaseMs,
    rules: (record, entry) => checkAnswer(record.interrupt, entry),
    beginning: (turn, answers) => callsThatBegin(asMessage(turn), answers, tools),
  });
  if (begun.type !== 'started') return begun;
  const session = openSession(store, begun, { leaseMs });
  try {
    return { type: 'run', run: await prepare({ store, newId, session }, begun) };
  } catch (error) {
    session.abandon();
    throw error;
  }
}

async function prepare(
  given: {
    readonly store: Store;
    readonly newId: NonNullable<AgentContext['newId']>;
    readonly session: RunSession;
  },
  started: StartedRun,
): Promise<DurableRun> {
  const { store, newId, session } = given;
  const { key } = started.lease;
  const [conversation, executions] = await Promise.all([
    readConversation(store, key),
    started.recovers ? readExecutions(store, key) : new Map<string, never>(),
  ]);
  const turn = asMessage(started.turn);
  // Written by `toLog`.
  const input = started.input as unknown as readonly Message[];
  const cancel = new AbortController();
  const checkpoints = createCheckpoints(session, {
    logged: conversation.length,
    input,
    turn,
    begun: started.recovers ? executions.keys() : started.begun,
    untouched: !started.recovers && turn !== undefined,
    newId,
    cancelSignal: cancel.signal,
    questionOf: raisedQuestions,
  });
  const left = new Map([...executions].map(([id, { outcome }]) => [id, outcome]));
  const answeredBy = answerers(started.claimed);
  return {
    session,
    started,
    answers: started.answers,
    state: started.state,
    cancel: () => cancel.abort(),
    context: {
      history: turn === undefined ? [...conversation, ...input] : [...conversation, turn, ...input],
      checkpoints,
      answeredBy,
      openInterrupts: started.claimed.map(({ interrupt }) => interrupt),
      signal: session.signal,
      ...(started.recovers && turn !== undefined ? { recovery: createRecovery(left) } : {}),
    },
  };
}

/** The calls that run at once with these answers and must not run twice: that they began is part of the claim. */
function callsThatBegin(
  turn: Message | undefined,
  answers: readonly ResumeEntry[],
  tools: readonly Tool[],
): string[] {
  const calls = turn?.role === 'assistant' ? (turn.toolCalls ?? []) : [];
  const given = new Map(answers.map((entry) => [entry.interruptId, entry]));
  return calls.flatMap((call) => {
    const tool = tools.find(({ name }) => name === call.function.name);
    const state = callState(call);
    if (tool?.kind !== 'function' || tool.idempotent || state?.status !== 'waiting') return [];
    const runs = state.questions.some(({ kind, interrupt, askKey }) => {
      const entry = given.get(interrupt.id);
      if (entry === undefined) return false;
      const effect = answerEffect(kind, entry).type;
      return askKey !== undefined || effect === 'run' || effect.startsWith('replay') || effect === 'finished';
    });
    return runs ? [call.id] : [];
  });
}

function answerers(
  claimed: readonly InterruptRecord[],
): (interruptId: string) => { readonly id: string } | undefined {
  const by = new Map(claimed.map(({ interrupt, answer }) => [interrupt.id, answer?.by]));
  return (interruptId) => {
    const id = by.get(interruptId);
    return id === undefined ? undefined : { id };
  };
}

/** A turn is the message that carries its calls; the checkpoints wrote it. */
function asMessage(turn: JsonValue | undefined): Message | undefined {
  return turn as unknown as Message | undefined;
}
