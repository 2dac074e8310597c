import type { FileReader, OnExpire } from '../content/interrupts/index.ts';
import {
  answerEffect,
  checkBeyondSchema,
  checkFiles,
  checkForm,
  kindOfAnswer,
} from '../content/interrupts/index.ts';
import type { JsonValue } from '../core/index.ts';
import { defined, newId as defaultNewId } from '../core/index.ts';
import type { AgentContext, DurableContext, Policy, Tool } from '../engine/index.ts';
import { callState, createRecovery, isChanged } from '../engine/index.ts';
import type {
  Access,
  AnswerRules,
  BeginRun,
  ClaimedRun,
  ExecutionRecord,
  InterruptRecord,
  NoRun,
  Principal,
  RunSession,
  RunStatus,
  ThreadKey,
} from '../ledger/index.ts';
import {
  askersOf,
  assertInterruptQuota,
  beginRun,
  hasMarkers,
  openMarkers,
  openSecrets,
  openSession,
  readExecutions,
} from '../ledger/index.ts';
import type { Message, ResumeEntry, ToolCall } from '../protocol/index.ts';
import type { Store } from '../store/index.ts';
import { extendConversation, PAGE, readConversation } from './conversation.ts';
import { createCheckpoints } from './durable-checkpoints.ts';

export interface DurableRequest extends Omit<BeginRun, 'beginning' | 'rules'> {
  readonly store: Store;
  /** The permission to begin the run. */
  readonly access: Access<'run' | 'answer'>;
  readonly tools: readonly Tool[];
  /** Whether policies or the mode decide about a waiting call again. Its start is then recorded after them, not with the claim. */
  readonly decidesAgain: boolean;
  readonly newId?: AgentContext['newId'];
  /** Reads the files that answers name. */
  readonly files?: FileReader | undefined;
  /** The action for an expired interrupt that sets none itself. */
  readonly onExpire?: OnExpire | undefined;
  /** The answers come from a program with its own tools: an answer may have a form that its interrupt does not offer. Default false. */
  readonly takesAnyForm?: boolean | undefined;
  /** Called once with the outcome of the run. */
  readonly onOutcome?: ((outcome: RunStatus) => void) | undefined;
}

/** Whether policies or the mode decide about a waiting call when its answer arrives. */
export function decidesAgain(
  { policies = [], mode = 'interactive' }: Pick<AgentContext, 'policies' | 'mode'>,
  own: readonly Policy[],
): boolean {
  return policies.length > 0 || own.length > 0 || (mode !== 'interactive' && mode !== 'allowAll');
}

/** A claimed run of an agent of ours, with the context that the agent needs. */
export interface DurableRun {
  readonly type: 'run';
  readonly session: RunSession;
  readonly claim: ClaimedRun;
  /** The stored conversation, without the open turn. */
  readonly conversation: readonly Message[];
  /** The context of the agent's run. */
  readonly context: DurableContext & { readonly history: readonly Message[] };
  readonly answers: readonly ResumeEntry[];
  readonly state: JsonValue;
  /** Stops the run at its next call. */
  cancel(): void;
}

/** The rules for answers beyond the schema: forms, decisions, and the files that an answer names, if the thread can have files. */
export function answerRules(files: FileReader | undefined, takesAnyForm = false): AnswerRules {
  return (record, entry) => {
    const byForm = takesAnyForm ? [] : checkForm(record.interrupt, entry);
    const issues = byForm.length > 0 ? byForm : checkBeyondSchema(record.interrupt, entry);
    return issues.length > 0 || files === undefined ? issues : checkFiles(record.interrupt, entry, files);
  };
}

/** Begins a run of an agent of ours on a stored thread. */
export async function beginDurable(request: DurableRequest): Promise<DurableRun | NoRun> {
  const { store, access, tools, decidesAgain, onOutcome } = request;
  const claim = await beginRun(access, {
    ...request,
    messages: PAGE,
    rules: answerRules(request.files, request.takesAnyForm),
    beginning: (turn, answers, incarnation) =>
      new Map(
        (decidesAgain ? [] : callsThatBegin(asMessage(turn), answers, tools)).map((call) => [
          call.id,
          recordedKey(call) ?? idempotencyKey({ ...access.key, incarnation }, [call.id]),
        ]),
      ),
  });
  if (claim.type !== 'started') return claim;
  const session = openSession(store, claim, { onOutcome });
  try {
    return await prepare(request, claim, session);
  } catch (error) {
    session.abandon();
    throw error;
  }
}

async function prepare(request: DurableRequest, claim: ClaimedRun, session: RunSession): Promise<DurableRun> {
  const { store, access, newId = defaultNewId, vault, onExpire, quotas } = request;
  const { key } = claim.lease;
  const { thread } = claim.thread.view;
  const conversation = await conversationOf(request, claim);
  const executions = claim.recovers ? await readExecutions(access) : new Map<string, ExecutionRecord>();
  const secrets =
    thread?.secrets === undefined
      ? new Map<string, never>()
      : await openSecrets(store, { key, thread }, vault);
  const turn = asMessage(claim.turn);
  // Written by `toLog`.
  const input = claim.input as unknown as readonly Message[];
  const cancel = new AbortController();
  const checkpoints = createCheckpoints(session, {
    logged: conversation.length,
    input,
    turn,
    begun: claim.recovers ? executions : claim.begun,
    keyOf: (id, within) => idempotencyKey({ ...key, incarnation: thread?.incarnation }, [...within, id]),
    untouched: !claim.recovers && turn !== undefined,
    newId,
    cancelSignal: cancel.signal,
    onExpire,
    async assertRoom(adding) {
      const principal = { scope: key.scope, id: askerOf(claim, access.principal) };
      if (quotas !== undefined) await assertInterruptQuota(store, { principal, adding }, quotas);
    },
    vault,
    secretIds: (thread?.secrets ?? []).map(({ id }) => id),
  });
  const recovery =
    claim.recovers && turn !== undefined
      ? createRecovery(new Map([...executions].map(([id, { outcome }]) => [id, outcome])), {
          mayHaveRun: thread?.turnMayHaveRun === true,
        })
      : undefined;
  return {
    type: 'run',
    session,
    claim,
    conversation,
    answers: claim.answers,
    state: claim.state,
    cancel: () => cancel.abort(),
    context: {
      history: turn === undefined ? [...conversation, ...input] : [...conversation, turn, ...input],
      checkpoints,
      ...answersBy(claim.claimed),
      ...defined({ askers: thread && askersOf(thread) }),
      openInterrupts: claim.claimed.map(({ interrupt }) => interrupt),
      signal: session.signal,
      clock: session,
      secrets: {
        canKeep: vault !== undefined,
        holds: hasMarkers,
        open: (value) => openMarkers(value, secrets),
      },
      ...defined({ recovery }),
    },
  };
}

/** The id of the principal for whom the interrupts of a run count. */
export function askerOf({ thread }: ClaimedRun, caller: Principal): string {
  const [first = caller.id] = thread.view.thread === undefined ? [] : askersOf(thread.view.thread);
  return first;
}

/** The conversation that the run begins with: the messages that the claim read, and those that it added. */
async function conversationOf(
  { access, newMessages }: DurableRequest,
  { messages, appended }: ClaimedRun,
): Promise<readonly Message[]> {
  if (messages.length === PAGE) return readConversation(access, { read: messages });
  const items = messages.map(({ item }) => item);
  return extendConversation([], appended === 0 ? items : [...items, ...newMessages]);
}

/** The calls that start with the claim, because these answers approve them. */
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
    // A changed tool asks again.
    if (isChanged(state, tool)) return false;
    return state.interrupts.some(({ kind, interrupt, askKey }) => {
      const entry = given.get(interrupt.id);
      if (entry === undefined) return false;
      const effect = answerEffect(kindOfAnswer(kind, interrupt, entry), entry);
      // Edited arguments may need another approval first.
      if (effect.type === 'run' && effect.editedArgs !== undefined) return false;
      return askKey !== undefined || ['run', 'replay', 'replay-answers', 'finished'].includes(effect.type);
    });
  });
}

/**
 * The idempotency key of the last call of `path`; the calls before it contain it. It names the scope and the
 * incarnation of the thread, so it is unique, also across stores. A thread without an incarnation has calls of an
 * older version, with keys of the older form.
 */
function idempotencyKey(
  { scope, thread, incarnation }: ThreadKey & { readonly incarnation: string | undefined },
  path: readonly string[],
): string {
  if (incarnation === undefined) return `${thread}:${path.at(-1) ?? ''}`;
  return [scope, incarnation, ...path].map(toAscii).join(':');
}

/** Makes the key usable in HTTP headers. */
function toAscii(part: string): string {
  return encodeURIComponent(part.replaceAll(/\p{Surrogate}/gu, '\u{fffd}'));
}

function recordedKey(call: ToolCall): string | undefined {
  const state = callState(call);
  return state?.status === 'waiting' ? state.idempotencyKey : undefined;
}

function isWithdrawnByAsker({ answer, askedBy, alsoAskedBy = [] }: InterruptRecord): boolean {
  return answer?.withdrawn === true && [askedBy, ...alsoAskedBy].includes(answer.by);
}

/** Who gave the answers of a run, and which interrupts their asker took back; by the ids in `names`, which the agent uses. */
export function answersBy(
  claimed: readonly InterruptRecord[],
  names: Readonly<Record<string, string>> = {},
): Pick<AgentContext, 'isWithdrawn'> & {
  readonly answeredBy: (interruptId: string) => { readonly id: string } | undefined;
} {
  const records = new Map(
    claimed.map((record) => [names[record.interrupt.id] ?? record.interrupt.id, record]),
  );
  return {
    answeredBy(interruptId) {
      const answer = records.get(interruptId)?.answer;
      // An expiry has no person.
      return answer === undefined || answer.via === 'expiry' ? undefined : { id: answer.by };
    },
    isWithdrawn(interruptId) {
      const record = records.get(interruptId);
      return record !== undefined && isWithdrawnByAsker(record);
    },
  };
}

/** The stored turn is the message with its calls; the checkpoints wrote it. */
function asMessage(turn: JsonValue | undefined): Message | undefined {
  return turn as unknown as Message | undefined;
}
