import type { OnExpire } from '../content/interrupts/index.ts';
import { answerFormsOf, assertExpiry, checkAnswer } from '../content/interrupts/index.ts';
import type { IdGenerator, JsonValue, UnknownRecord } from '../core/index.ts';
import { defined, HoldpointError, isRecord, jsonCopy } from '../core/index.ts';
import { hasSecrets } from '../core/schema/index.ts';
import type { InterruptPart, LoopResult, RunCheckpoints } from '../engine/index.ts';
import { callState, readCallState, toolMessage, wireError } from '../engine/index.ts';
import type {
  CallResult,
  ExecutionRecord,
  RaisedInterrupt,
  RunChange,
  RunSession,
  Vault,
} from '../ledger/index.ts';
import { callResultOf, markersIn } from '../ledger/index.ts';
import type { Message } from '../protocol/index.ts';
import { toLog } from './conversation.ts';

/** The state of a run when its checkpoints begin. */
export interface CheckpointStart {
  /** The number of messages in the conversation. */
  readonly logged: number;
  /** Messages that follow the open turn; stored with the thread until the turn ends. */
  readonly input: readonly Message[];
  /** The turn that was open when the run began. */
  readonly turn: Message | undefined;
  /** Calls and steps that started before, or with the claim. */
  readonly begun: ReadonlyMap<string, ExecutionRecord>;
  readonly keyOf: (toolCallId: string, within: readonly string[]) => string;
  /** Whether nothing of the open turn has started. A run that fails before its first call releases its answers. */
  readonly untouched: boolean;
  readonly newId: IdGenerator;
  readonly cancelSignal: AbortSignal;
  /** The action for an expired interrupt that sets none itself. */
  readonly onExpire: OnExpire | undefined;
  /** Throws `RATE_LIMITED` when so many more interrupts may not be open. */
  readonly assertRoom: (adding: number) => Promise<void>;
  /** Encrypts the secrets of answers. */
  readonly vault: Vault | undefined;
  /** The interrupts whose answers hold secrets. */
  readonly secretIds: readonly string[];
}

/** Writes the work of a run through its session. */
export function createCheckpoints(session: RunSession, start: CheckpointStart): RunCheckpoints {
  const { runId } = session.lease;
  const begun = new Set(start.begun.keys());
  /** Steps of a lost run whose code did not start: they start now, and that is stored. */
  const unstarted = new Set(
    [...start.begun].flatMap(([key, { outcome }]) =>
      isRecord(outcome) && outcome['unstarted'] === true ? [key] : [],
    ),
  );
  let { logged, input } = start;
  let turn = start.turn;
  let isStored = start.turn !== undefined;
  let asked = interruptsByCall(start.turn);
  /** The interrupts whose calls failed. */
  const failed = new Set<string>();
  const secretsByCall = findSecrets(start);
  let untouched = start.untouched;
  /** Set while the end is written. No call starts after it, so that no call starts while it is released. */
  let isOver = false;
  /** Outcomes of a turn that is not stored yet. */
  let held = new Map<string, ExecutionRecord>();

  const keys = new Map([...start.begun].map(([id, { idempotencyKey }]) => [id, idempotencyKey]));
  /** The interrupts that grants spared, by the calls that started. */
  const sparedIds = new Map([...start.begun].map(([id, { spared }]) => [id, spared]));
  const record = (id: string, outcome?: unknown): ExecutionRecord => {
    return {
      runId,
      startedAt: 0,
      ...defined({ idempotencyKey: keys.get(id), spared: sparedIds.get(id) }),
      ...defined({ outcome: outcome === undefined ? undefined : toJson(outcome) }),
    };
  };
  const stored = (): RunChange => {
    if (isStored || turn === undefined) return {};
    isStored = true;
    return { turn: toJson(turn) };
  };
  /** The new messages of the conversation, without an open turn. */
  const news = (messages: readonly Message[]): RunChange => {
    const fresh = messages.slice(logged);
    logged = messages.length;
    const taken = new Set(fresh.map(({ id }) => id));
    const left = input.filter(({ id }) => !taken.has(id));
    if (left.length === input.length) return { messages: toLog(fresh) };
    input = left;
    return { messages: toLog(fresh), input: toLog(left) };
  };
  const assertNotOver = () => {
    if (!isOver) return;
    throw new HoldpointError('RUN_LOST', `The run ${runId} has ended: no further call starts in it.`);
  };
  const forgotten = (): RunChange => {
    const executions = new Map([...begun].map((key) => [key, null]));
    begun.clear();
    held = new Map();
    return { executions };
  };

  /** Adds the interrupts that the call of a new interrupt had before. */
  const withFollows = (waiting: Message) => {
    const callOf = new Map(
      [...interruptsByCall(waiting)].flatMap(([call, ids]) => ids.map((id) => [id, call] as const)),
    );
    return (raised: RaisedInterrupt): RaisedInterrupt => {
      const call = callOf.get(raised.interrupt.id) ?? '';
      const spared = sparedIds.get(call);
      const follows = [...(asked.get(call) ?? []), ...(spared === undefined ? [] : [spared])];
      return follows.length === 0 ? raised : { ...raised, follows };
    };
  };

  return {
    cancelSignal: start.cancelSignal,
    entering() {
      assertNotOver();
      session.assertHeld();
      untouched = false;
    },
    turnBegun(message) {
      turn = message;
      isStored = false;
      asked = new Map();
      sparedIds.clear();
    },
    idempotencyKey: (toolCallId, within = []) =>
      (within.length === 0 ? keys.get(toolCallId) : undefined) ?? start.keyOf(toolCallId, within),
    async starting(key, { idempotencyKey, grant } = {}) {
      assertNotOver();
      untouched = false;
      const isBegun = begun.has(key) && !unstarted.delete(key);
      if (isBegun && grant === undefined) return true;
      if (idempotencyKey !== undefined) keys.set(key, idempotencyKey);
      const executions = new Map(held);
      for (const heldKey of held.keys()) begun.add(heldKey);
      held = new Map();
      if (grant === undefined) {
        begun.add(key);
        executions.set(key, record(key));
        await session.keep({ ...stored(), executions });
        return true;
      }
      const { id: grantId, spared, ...call } = grant;
      const { interrupt, rules = {} } = spared;
      const sparedBefore = sparedIds.get(key);
      sparedIds.set(key, interrupt.id);
      const granted = {
        grantId,
        ...call,
        spared: { interrupt, ...defined({ approvers: rules.approvers }) },
        execution: key,
        record: isBegun ? undefined : record(key),
      };
      const isStarted = await session.start({ ...stored(), executions, granted });
      if (isStarted) begun.add(key);
      else sparedIds.set(key, sparedBefore);
      return isStarted;
    },
    finished(key, outcome) {
      const settled = asked.get(key) ?? [];
      const isFailed = isRecord(outcome) && outcome['error'] !== undefined;
      if (isFailed) for (const id of settled) failed.add(id);
      if (!isStored) {
        held.set(key, record(key, outcome));
        return;
      }
      begun.add(key);
      const isOver = isRecord(outcome) && outcome['status'] === 'done';
      const erased = isOver ? (secretsByCall.get(key) ?? []) : [];
      const result = resultOf(key, outcome);
      const spared = isRecord(outcome) ? sparedBy(outcome) : [];
      void session.keep({
        executions: new Map([[key, record(key, outcome)]]),
        settled,
        failed,
        failedByGrant: isFailed ? spared : [],
        ...(result === undefined
          ? {}
          : { results: new Map([[key, result]]), endedByGrant: new Map(spared.map((id) => [id, result])) }),
        erased,
      });
    },
    turnFinished(messages, state) {
      untouched = false;
      const settled = [...asked.values()].flat();
      void session.keep({
        ...news(messages),
        ...forgotten(),
        turn: null,
        state: toJson(state),
        settled,
        failed,
      });
      turn = undefined;
      isStored = false;
      asked = new Map();
    },
    async ended(result, state) {
      isOver = true;
      const last = result.messages.at(-1);
      const waits = result.finishReason === 'interrupted' && last !== undefined;
      const raised = waits ? raisedInterrupts(result, start.onExpire).map(withFollows(last)) : [];
      await start.assertRoom(raised.length);
      const { interrupts: _parts, messages, ...summary } = result;
      await session.end({
        outcome: OUTCOMES[result.finishReason],
        ...news(waits ? messages.slice(0, -1) : messages),
        ...forgotten(),
        turn: waits ? toJson(last) : null,
        state: toJson(state),
        summary: toJson(summary),
        ...(waits ? { raised, batch: start.newId(), vault: start.vault } : {}),
      });
    },
    async failed(error) {
      isOver = true;
      if (HoldpointError.is(error, 'RUN_LOST')) throw error;
      if (session.signal.aborted) throw session.signal.reason;
      await session.end({
        outcome: 'error',
        error: wireError(error),
        ...(untouched ? { release: true, ...forgotten() } : {}),
      });
    },
  };
}

const OUTCOMES: Readonly<Record<LoopResult['finishReason'], 'success' | 'interrupt' | 'cancelled'>> = {
  stop: 'success',
  length: 'success',
  'content-filter': 'success',
  other: 'success',
  'tool-calls': 'success',
  exit: 'success',
  interrupted: 'interrupt',
  cancelled: 'cancelled',
};

/** The interrupts of each call of a turn. */
function interruptsByCall(turn: Message | undefined): Map<string, readonly string[]> {
  const calls = turn?.role === 'assistant' ? (turn.toolCalls ?? []) : [];
  return new Map(
    calls.flatMap((call) => {
      const state = callState(call);
      if (state?.status !== 'waiting') return [];
      return [[call.id, state.interrupts.map(({ interrupt }) => interrupt.id)] as const];
    }),
  );
}

/** The result of a call that is done, as its message will have it. */
function resultOf(toolCallId: string, outcome: unknown): CallResult | undefined {
  const state = readCallState(outcome);
  if (state?.status !== 'done') return undefined;
  const [message] = toLog([toolMessage(toolCallId, state)]);
  return isRecord(message) ? callResultOf(message) : undefined;
}

/** The interrupt that the grant of a call spared. */
function sparedBy({ grant }: UnknownRecord): readonly string[] {
  const id = isRecord(grant) ? grant['interruptId'] : undefined;
  return typeof id === 'string' ? [id] : [];
}

/** The interrupts with secrets for each call of the open turn: those that it waits for, and those in its journal. */
function findSecrets({ turn, secretIds }: CheckpointStart): Map<string, readonly string[]> {
  if (secretIds.length === 0 || turn?.role !== 'assistant') return new Map();
  const asked = interruptsByCall(turn);
  return new Map(
    (turn.toolCalls ?? []).map((call) => {
      const own = new Set([...(asked.get(call.id) ?? []), ...markersIn(callState(call))]);
      return [call.id, secretIds.filter((id) => own.has(id))] as const;
    }),
  );
}

/** A value as JSON, without undefined members. */
function toJson(value: unknown): JsonValue {
  return value === undefined ? null : jsonCopy(value);
}

/**
 * The interrupts of a paused run, with the rules of their tools and the default for expiry. Throws `INPUT_INVALID`
 * for a secret that would become the result of its call, because the model reads results, and for an expiry rule
 * that is not a valid answer.
 */
export function raisedInterrupts(
  { interrupts }: LoopResult,
  onExpire: OnExpire | undefined,
): readonly RaisedInterrupt[] {
  return interrupts.map((part) => {
    const { interrupt, kind, toolName, toolVersion, rules } = part;
    const isOutput = kind === 'respond' || answerFormsOf(interrupt)[0] === 'output';
    if (isOutput && hasSecrets(interrupt.responseSchema)) {
      throw new HoldpointError(
        'INPUT_INVALID',
        `${toolName} asks for a secret that would be its result, which the model reads: ask in the body of a tool instead.`,
      );
    }
    const expiry =
      rules?.onExpire === undefined ? defaultExpiry(part, onExpire) : ownExpiry(part, rules.onExpire);
    return {
      interrupt,
      ...defined({ approvers: rules?.approvers, toolVersion }),
      ...expiry,
    };
  });
}

type Expiry = { readonly onExpire?: OnExpire };

function ownExpiry(part: InterruptPart, onExpire: OnExpire): Expiry {
  const { toolName: owner, kind } = part;
  assertExpiry(onExpire, { owner: `The tool ${owner}`, isApproval: kind === 'approval' });
  const issue = typeof onExpire === 'object' ? whyNot(part, onExpire.answer) : undefined;
  if (issue === undefined) return expiryOf(part, onExpire);
  throw new HoldpointError(
    'INPUT_INVALID',
    `${part.toolName} has an onExpire answer that does not fit its schema: ${issue}.`,
  );
}

/** A default rule applies to the interrupts that it fits; the others are cancelled. An answer never fits an approval. */
function defaultExpiry(part: InterruptPart, onExpire: OnExpire | undefined): Expiry {
  if (onExpire === undefined) return {};
  const isQuestion = part.kind !== 'approval';
  const fits = typeof onExpire !== 'object' || (isQuestion && whyNot(part, onExpire.answer) === undefined);
  return expiryOf(part, fits ? onExpire : 'cancel');
}

function whyNot({ interrupt }: InterruptPart, payload: JsonValue): string | undefined {
  if (hasSecrets(interrupt.responseSchema)) return 'it asks for a secret';
  const [issue] = checkAnswer(interrupt, { interruptId: interrupt.id, status: 'resolved', payload });
  return issue === undefined ? undefined : `${issue.pointer || 'the root'}: ${issue.message}`;
}

/** Only an approval can be denied. An interrupt about a call in doubt does not expire. */
function expiryOf({ kind }: InterruptPart, onExpire: OnExpire): Expiry {
  if (kind === 'recovery') return {};
  return { onExpire: onExpire === 'deny' && kind !== 'approval' ? 'cancel' : onExpire };
}
