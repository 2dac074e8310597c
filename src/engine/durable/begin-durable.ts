import { answerEffect, checkBeyondSchema } from '../../content/interrupts/index.ts';
import type { JsonValue } from '../../core/index.ts';
import { newId as defaultNewId } from '../../core/index.ts';
import type {
  Access,
  BeginRun,
  Begun,
  ExecutionRecord,
  InterruptRecord,
  OnExpire,
  RunSession,
  StartedRun,
  ThreadKey,
} from '../../ledger/index.ts';
import {
  assertQuestionQuota,
  beginRun,
  openMarkers,
  openSecrets,
  openSession,
  readExecutions,
} from '../../ledger/index.ts';
import type { Message, ResumeEntry, ToolCall } from '../../protocol/index.ts';
import type { Store } from '../../store/index.ts';
import type { AgentContext } from '../agent/agent.ts';
import { publicMessages } from '../agent/public-messages.ts';
import { callState } from '../calls/call-state.ts';
import { createRecovery } from '../calls/recovery.ts';
import type { Tool } from '../tools/tool.ts';
import { extendConversation, PAGE, readConversation } from './conversation.ts';
import { createCheckpoints } from './durable-checkpoints.ts';
import { raisedQuestions } from './raised-questions.ts';

export interface DurableRequest extends Omit<BeginRun, 'beginning' | 'rules' | 'leaseMs'> {
  readonly store: Store;
  /** The right to begin the run. */
  readonly access: Access<'run' | 'answer'>;
  readonly tools: readonly Tool[];
  readonly leaseMs?: number | undefined;
  readonly newId?: AgentContext['newId'];
  /** What becomes of a question that expires and has no rule of its own. */
  readonly onExpire?: OnExpire | undefined;
  /** Puts something around the session: what else is to be written with it. Is told how many messages others see of the conversation. */
  readonly wrapSession?: WrapSession;
}

type WrapSession = (session: RunSession, started: StartedRun, messages: number) => RunSession;

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
  const { store, access, tools, leaseMs = LEASE_MS } = request;
  const begun = await beginRun(access, {
    ...request,
    leaseMs,
    messages: PAGE,
    rules: (record, entry) => checkBeyondSchema(record.interrupt, entry),
    beginning: (turn, answers, incarnation) =>
      new Map(
        callsThatBegin(asMessage(turn), answers, tools).map((call) => [
          call.id,
          recordedKey(call) ?? idempotencyKey({ ...access.key, incarnation }, [call.id]),
        ]),
      ),
  });
  if (begun.type !== 'started') return begun;
  const session = openSession(store, begun, { leaseMs });
  try {
    return { type: 'run', run: await prepare(request, begun, session) };
  } catch (error) {
    session.abandon();
    throw error;
  }
}

async function prepare(
  request: DurableRequest,
  started: StartedRun,
  opened: RunSession,
): Promise<DurableRun> {
  const { store, access, newId = defaultNewId, vault, onExpire, quotas, wrapSession } = request;
  const { key } = started.lease;
  const { thread } = started.thread.view;
  const conversation = await conversationOf(request, started);
  const executions = started.recovers ? await readExecutions(access) : new Map<string, ExecutionRecord>();
  const secrets =
    thread?.secrets === undefined
      ? new Map<string, never>()
      : await openSecrets(store, { key, thread }, vault);
  const shown = wrapSession === undefined ? 0 : publicMessages(conversation).length;
  const session = wrapSession?.(opened, started, shown) ?? opened;
  const turn = asMessage(started.turn);
  // Written by `toLog`.
  const input = started.input as unknown as readonly Message[];
  const cancel = new AbortController();
  const checkpoints = createCheckpoints(session, {
    logged: conversation.length,
    input,
    turn,
    begun: started.recovers ? executions : started.begun,
    keyOf: (id, within) => idempotencyKey({ ...key, incarnation: thread?.incarnation }, [...within, id]),
    untouched: !started.recovers && turn !== undefined,
    newId,
    cancelSignal: cancel.signal,
    async questionOf(result) {
      const questions = raisedQuestions(result, onExpire);
      const asked = { scope: key.scope, adding: questions.length };
      if (quotas !== undefined) await assertQuestionQuota(store, asked, quotas);
      return questions;
    },
    vault,
    secretIds: (thread?.secrets ?? []).map(({ id }) => id),
  });
  const recovery =
    started.recovers && turn !== undefined
      ? createRecovery(new Map([...executions].map(([id, { outcome }]) => [id, outcome])), {
          mayHaveRun: thread?.turnMayHaveRun === true,
        })
      : undefined;
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
      clock: session,
      secrets: { canKeep: vault !== undefined, open: (value) => openMarkers(value, secrets) },
      ...(recovery === undefined ? {} : { recovery }),
    },
  };
}

/** The conversation that the run begins with: the messages that the claim read, and those that it added. */
async function conversationOf(
  { access, newMessages }: DurableRequest,
  { messages, appended }: StartedRun,
): Promise<readonly Message[]> {
  if (messages.length === PAGE) return readConversation(access);
  const items = messages.map(({ item }) => item);
  return extendConversation([], appended === 0 ? items : [...items, ...newMessages]);
}

/** The calls that run at once with these answers: that they began is part of the claim. */
function callsThatBegin(
  turn: Message | undefined,
  answers: readonly ResumeEntry[],
  tools: readonly Tool[],
): ToolCall[] {
  const calls = turn?.role === 'assistant' ? (turn.toolCalls ?? []) : [];
  const given = new Map(answers.map((entry) => [entry.interruptId, entry]));
  return calls.filter((call) => {
    const tool = tools.find(({ name }) => name === call.function.name);
    const state = callState(call);
    if (tool?.kind !== 'function' || state?.status !== 'waiting') return false;
    return state.questions.some(({ kind, interrupt, askKey }) => {
      const entry = given.get(interrupt.id);
      if (entry === undefined) return false;
      const effect = answerEffect(kind, entry);
      // Other arguments may have to be approved first.
      if (kind !== 'approval' && effect.type === 'run' && effect.editedArgs !== undefined) return false;
      return askKey !== undefined || ['run', 'replay', 'replay-answers', 'finished'].includes(effect.type);
    });
  });
}

/**
 * The key of a call, the last of `path`; those before it are the calls that it is made in. It names the scope and the
 * incarnation of the thread, so that no other call has it, in this store or in another. A thread without an incarnation has
 * calls in flight that an older version began, with keys of this older form.
 */
function idempotencyKey(
  { scope, thread, incarnation }: ThreadKey & { readonly incarnation: string | undefined },
  path: readonly string[],
): string {
  if (incarnation === undefined) return `${thread}:${path.at(-1) ?? ''}`;
  return [scope, incarnation, ...path].map(toAscii).join(':');
}

/** For headers of HTTP, where most such keys go. */
function toAscii(part: string): string {
  return encodeURIComponent(part.replaceAll(/\p{Surrogate}/gu, '\u{fffd}'));
}

function recordedKey(call: ToolCall): string | undefined {
  const state = callState(call);
  return state?.status === 'waiting' ? state.idempotencyKey : undefined;
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
