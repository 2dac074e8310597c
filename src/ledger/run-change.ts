import type { Approvers, OnExpire } from '../content/interrupts/index.ts';
import type { JsonValue } from '../core/index.ts';
import { defined, HoldpointError, isRecord } from '../core/index.ts';
import { hasSecrets } from '../core/schema/index.ts';
import type { Interrupt } from '../protocol/index.ts';
import { UNNAMED_INTERRUPT } from '../protocol/index.ts';
import type { DeleteRow, PutRow, Store } from '../store/index.ts';
import { MAX_ATTEMPTS } from './begin-request.ts';
import type { CallOutcome } from './call-outcome.ts';
import {
  hasOutcome,
  isRecovery,
  leastKnown,
  outcomeAfter,
  outcomeBeforeRecovery,
  withOutcome,
} from './call-outcome.ts';
import { eraseSecrets } from './kept-secrets.ts';
import type { Lease } from './lease.ts';
import { callResultOf } from './call-result.ts';
import type {
  CallResult,
  ExecutionRecord,
  HistoryFacts,
  InterruptRecord,
  RunFailure,
  RunRecord,
  ThreadRecord,
} from './records.ts';
import { outcomeOf } from './sealed-rows.ts';
import type { StoredGrant } from './store-grants.ts';
import { grantKey, useGrant } from './store-grants.ts';
import type { ThreadChange, ThreadDraft } from './thread-change.ts';
import { askedBy } from './thread-change.ts';
import type { ThreadView } from './thread-view.ts';
import type { Vault } from './vault.ts';
import { markersIn, noKey } from './vault.ts';

/** The change of a thread for the writes of a run. `uses`: the grants that its calls start by. */
export function toThreadChange(
  view: ThreadView & { readonly thread: ThreadRecord },
  lease: Lease,
  writes: {
    readonly changes: readonly RunChange[];
    readonly end?: EndRun | undefined;
    readonly uses?: GrantUses;
  },
): ThreadChange {
  const draft = createDraft(view, lease);
  for (const change of writes.changes) {
    draft.keep(change);
    const { granted } = change;
    const grant = granted === undefined ? undefined : writes.uses?.started.get(granted);
    if (granted !== undefined && grant !== undefined) draft.start(granted, grant);
  }
  if (writes.end !== undefined) {
    draft.keep(writes.end);
    draft.end(writes.end);
  }
  return { ...draft.change(), puts: writes.uses?.puts ?? [] };
}

function createDraft(view: ThreadView & { readonly thread: ThreadRecord }, lease: Lease) {
  const { now } = view;
  const { runId, epoch } = lease;
  const thread: ThreadDraft = { ...view.thread };
  const interrupts = new Map<string, InterruptRecord>();
  const executions = new Map<string, ExecutionRecord | undefined>();
  const runs = new Map<string, RunRecord>();
  const facts: HistoryFacts[] = [];
  const messages: JsonValue[] = [];
  const events: JsonValue[] = [];
  const deletes: DeleteRow[] = [];
  const recordOf = (id: string) => interrupts.get(id) ?? view.interrupts.get(id);

  const erase = (isOver: (id: string) => boolean) => {
    const erased = eraseSecrets(view.key, thread, isOver);
    thread.secrets = erased.thread.secrets;
    deletes.push(...erased.deletes);
  };
  const setOutcome = (id: string, outcome: CallOutcome) => {
    const record = recordOf(id);
    if (record !== undefined) interrupts.set(id, withOutcome(record, outcome));
  };
  /** Closes interrupts whose calls have ended. Their outcome is also that of the earlier interrupts of the same calls. */
  const settle = (ids: readonly string[], { failed = NONE, results = resultsIn(messages) }: Settled = {}) => {
    const outcomes = new Map<string, CallOutcome>();
    for (const id of ids) {
      const record = recordOf(id);
      if (record?.state !== 'claimed') continue;
      const outcome = outcomeAfter(record, failed.has(id));
      for (const one of [id, ...(record.earlier ?? [])])
        outcomes.set(one, leastKnown(outcomes.get(one) ?? 'ran', outcome));
      const state = record.answer?.status === 'cancelled' ? ('cancelled' as const) : ('resolved' as const);
      interrupts.set(id, { ...record, state, endedAt: now });
      // A foreign agent may write its messages anew.
      const isForeign = record.foreign === true;
      const result = isForeign ? undefined : results.get(record.interrupt.toolCallId ?? '');
      const shown = result === undefined ? {} : { shown: { result } };
      facts.push({ what: 'settled', interruptId: id, at: now, runId, ...shown });
    }
    for (const [id, outcome] of outcomes) setOutcome(id, outcome);
  };
  /** Closes an interrupt whose approval no longer counts, because its tool has changed: another interrupt asks again. */
  const supersede = (id: string) => {
    const record = recordOf(id);
    if (record?.state !== 'claimed') return;
    interrupts.set(id, { ...record, state: 'cancelled', endedAt: now });
    facts.push({ what: 'superseded', interruptId: id, at: now, runId });
  };
  /** Opens an interrupt again: without its answer, or with it in the background, where no person can repeat it. */
  const release = (id: string, keepAnswer: boolean, reason?: string) => {
    const record = recordOf(id);
    if (record === undefined) return;
    const { answer, claimedBy: _run, ...open } = record;
    const interrupt = reason === undefined ? open.interrupt : withReason(open.interrupt, reason);
    interrupts.set(
      id,
      keepAnswer && answer !== undefined
        ? { ...open, interrupt, answer, state: 'answered' }
        : { ...open, interrupt, state: 'pending' },
    );
    facts.push({ what: 'released', interruptId: id, at: now, runId, ...defined({ reason }) });
  };
  /** Closes an interrupt whose agent no longer waits for an answer. */
  const withdraw = (id: string, reason: string) => {
    const record = recordOf(id);
    if (record?.state !== 'claimed') return;
    interrupts.set(id, { ...record, state: 'cancelled', endedAt: now });
    facts.push({ what: 'withdrawn', interruptId: id, at: now, by: thread.agent, runId, reason });
  };
  /** The interrupts that share the outcome of a call, of those that the call had before. */
  const earlierOf = (follows: readonly string[]): readonly string[] => {
    const found = follows.flatMap((id) => {
      const record = recordOf(id);
      if (record === undefined) return [];
      return [...(record.earlier ?? []), ...(hasOutcome(record.interrupt) ? [id] : [])];
    });
    return [...new Set(found)];
  };
  const raise = (toRaise: RaisedInterrupt, batch: string) => {
    const { interrupt, onExpire = 'keep', approvers, toolVersion, foreign, follows = [] } = toRaise;
    const { id } = interrupt;
    if (recordOf(id)?.state === 'claimed') return release(id, false);
    const earlier = earlierOf(follows);
    if (isRecovery(interrupt)) for (const one of earlier) setOutcome(one, outcomeBeforeRecovery(interrupt));
    interrupts.set(id, {
      interrupt,
      state: 'pending',
      batch,
      agent: thread.agent,
      runId,
      ...askedBy(thread),
      raisedAt: now,
      onExpire,
      ...(earlier.length === 0 ? {} : { earlier }),
      ...defined({ approvers, toolVersion, foreign }),
    });
    facts.push({ what: 'raised', interruptId: id, at: now, runId });
  };

  return {
    keep(change: RunChange): void {
      const { turn, state, settled = [], failed, results } = change;
      settle(settled, {
        ...defined({ failed }),
        results: new Map([...resultsIn(change.messages), ...(results ?? [])]),
      });
      for (const id of change.failedByGrant ?? []) setOutcome(id, 'failed');
      for (const [id, result] of change.endedByGrant ?? [])
        facts.push({ what: 'settled', interruptId: id, at: now, runId, shown: { result } });
      if (state !== undefined) thread.state = state;
      if (turn !== undefined) thread.turn = turn ?? undefined;
      if (turn === null) thread.turnMayHaveRun = undefined;
      if (change.input !== undefined) thread.input = change.input.length === 0 ? undefined : change.input;
      if (settled.length > 0) {
        const left = (thread.claimed ?? []).filter((id) => !settled.includes(id));
        thread.claimed = left.length === 0 ? undefined : left;
      }
      erase((id) => turn === null || (change.erased ?? []).includes(id));
      for (const [id, record] of change.executions ?? []) executions.set(id, record ?? undefined);
      messages.push(...(change.messages ?? []));
      events.push(...(change.events ?? []));
      if (state !== undefined && thread.active !== undefined) {
        const stateAt = thread.logs.events + events.length;
        thread.active = { ...thread.active, stateAt };
      }
    },

    start({ execution, record, toolCallId, spared }: GrantedStart, grant: StoredGrant): void {
      if (record !== undefined) executions.set(execution, record);
      const { id, grantedAt, givenBy } = grant;
      const { interrupt, approvers } = spared;
      interrupts.set(interrupt.id, {
        interrupt,
        state: 'resolved',
        batch: runId,
        agent: thread.agent,
        runId,
        ...askedBy(thread),
        raisedAt: now,
        answer: {
          status: 'resolved',
          payload: { approved: true },
          by: givenBy ?? '',
          at: now,
          via: 'grant',
          grantedAt,
        },
        claimedBy: runId,
        endedAt: now,
        onExpire: 'keep',
        ...defined({ approvers }),
      });
      facts.push({
        what: 'granted',
        interruptId: interrupt.id,
        at: now,
        ...defined({ by: givenBy }),
        via: 'grant',
        runId,
        grant: id,
        toolCallId,
      });
    },

    end(end: EndRun): void {
      const { outcome, raised = [], error, summary } = end;
      const { active, claimed = [], attempts } = thread;
      const released = releaseOf(end, attempts);
      Object.assign(thread, NOT_AT_WORK);
      let open: readonly string[] = [];
      if (end.closed !== undefined) {
        const { reason } = end.closed;
        if (reason === undefined) settle(claimed, defined({ failed: end.failed }));
        else for (const id of claimed) withdraw(id, reason);
        thread.turnMayHaveRun = undefined;
      } else if (released !== undefined) {
        for (const id of claimed) release(id, released.keepsAnswers, released.reason);
        open = claimed;
        // Without an interrupt, the turn can be continued without new input.
        if (claimed.length === 0 && end.release !== true) thread.unfinished = true;
      } else if (outcome === 'error') {
        thread.unfinished = true;
        if (claimed.length > 0) thread.claimed = claimed;
      } else {
        // Its calls have ended, or a person is asked about them.
        thread.turnMayHaveRun = undefined;
        for (const { interrupt } of raised) if (claimed.includes(interrupt.id)) release(interrupt.id, false);
        const superseded = new Set(
          raised.map(({ interrupt, foreign }) =>
            foreign === true ? undefined : interrupt.metadata?.['supersedes'],
          ),
        );
        for (const id of claimed) if (superseded.has(id)) supersede(id);
        settle(claimed, defined({ failed: end.failed }));
        for (const toRaise of raised)
          if (!claimed.includes(toRaise.interrupt.id)) raise(toRaise, end.batch ?? runId);
        open = raised.map(({ interrupt }) => interrupt.id);
      }
      if (thread.unfinished !== true && thread.secrets !== undefined) {
        // Only the secrets in the stored turn and in staged answers are still needed.
        const needed = markersIn(thread.turn);
        for (const id of open) if (interrupts.get(id)?.answer !== undefined) needed.add(id);
        erase((id) => !needed.has(id));
      }
      if (open.length > 0) thread.batch = { id: end.batch ?? runId, interruptIds: open };
      const isDone = end.closed !== undefined || released?.triesAgain === false;
      if (outcome === 'error' && attempts !== undefined && !isDone) {
        Object.assign(thread, afterFailure({ attempts, now, error }));
      }
      const { unfinished, batch, readyAt, failed } = thread;
      // Without events there is nothing to remove later.
      if (thread.logs.events + events.length > (thread.eventsTrimmed ?? 0)) thread.restedAt = now;
      if ((unfinished ?? batch ?? readyAt ?? failed) === undefined) thread.endedAt = now;
      runs.set(runId, {
        agent: thread.agent,
        status: outcome,
        epoch,
        principal: thread.principal ?? { id: '', scope: '' },
        startedAt: active?.startedAt ?? now,
        endedAt: now,
        ...defined({ error, summary }),
      });
    },

    change(): ThreadChange {
      const told = new Set(facts.map(({ interruptId }) => interruptId));
      for (const [interruptId, record] of interrupts) {
        const before = view.interrupts.get(interruptId);
        const isOther = before !== undefined && outcomeOf(before) !== outcomeOf(record);
        if (isOther && !told.has(interruptId)) facts.push({ what: 'outcome', interruptId, at: now, runId });
      }
      return { thread, interrupts, runs, executions, messages, events, history: facts, deletes };
    },
  };
}

/** What is known of the calls of settled interrupts. */
interface Settled {
  readonly failed?: ReadonlySet<string>;
  /** By call. */
  readonly results?: ReadonlyMap<string, CallResult>;
}

const NONE: ReadonlySet<string> = new Set();

/** The results of calls among messages, by call. */
function resultsIn(messages: readonly JsonValue[] = []): ReadonlyMap<string, CallResult> {
  const found = new Map<string, CallResult>();
  for (const message of messages) {
    if (!isRecord(message) || message['role'] !== 'tool') continue;
    const call = message['toolCallId'];
    if (typeof call === 'string') found.set(call, callResultOf(message));
  }
  return found;
}

/** The answers that a run gives back: whether they stay with their interrupts, and whether the background tries again. */
function releaseOf({ release }: EndRun, attempts: number | undefined) {
  if (release === undefined || release === false) return undefined;
  const inBackground = attempts !== undefined;
  if (release === true) return { keepsAnswers: inBackground, triesAgain: inBackground, reason: undefined };
  const again = release.retry && inBackground && attempts < MAX_ATTEMPTS;
  return { keepsAnswers: again, triesAgain: again, reason: release.reason };
}

/** The interrupt with the reason why its answer was not delivered, which cards show. */
function withReason(interrupt: Interrupt, reason: string): Interrupt {
  return { ...interrupt, metadata: { ...interrupt.metadata, notDelivered: reason } };
}

/** The members that the end of a run clears. */
const NOT_AT_WORK: Partial<ThreadDraft> = {
  active: undefined,
  claimed: undefined,
  unfinished: undefined,
  readyAt: undefined,
  attempts: undefined,
  batch: undefined,
};

/** After a failure in the background, tries again with growing delays, up to a maximum. */
function afterFailure(failure: {
  readonly attempts: number;
  readonly now: number;
  readonly error: RunFailure | undefined;
}): Pick<ThreadDraft, 'attempts' | 'readyAt' | 'failed'> {
  const { attempts, now, error } = failure;
  if (attempts < MAX_ATTEMPTS) return { attempts, readyAt: now + 1000 * 2 ** attempts };
  return { attempts, failed: error ?? { code: 'INTERNAL', message: 'The run failed.' } };
}

/** A write of an active run. */
export interface RunChange {
  /** The unfinished turn; null when it is finished. */
  readonly turn?: JsonValue;
  readonly state?: JsonValue;
  readonly messages?: readonly JsonValue[];
  /** The messages that still wait for the turn; the others are now part of the conversation. */
  readonly input?: readonly JsonValue[];
  /** By call, or by call and step; null removes the record. */
  readonly executions?: ReadonlyMap<string, ExecutionRecord | null>;
  /** Claimed interrupts whose calls have ended. */
  readonly settled?: readonly string[];
  /** Those of them whose calls failed. */
  readonly failed?: ReadonlySet<string>;
  /** The results of calls that have ended, by call, where the messages of the change do not have them. */
  readonly results?: ReadonlyMap<string, CallResult>;
  /** Interrupts that grants spared, and whose calls failed. */
  readonly failedByGrant?: readonly string[];
  /** The results of calls that have ended, by the interrupts that grants spared. */
  readonly endedByGrant?: ReadonlyMap<string, CallResult>;
  /** Interrupts whose secrets are no longer needed: their calls have ended. */
  readonly erased?: readonly string[];
  readonly events?: readonly JsonValue[];
  /** A call that starts by a grant. Left out, without the rest of the change, if the grant no longer allows the call. */
  readonly granted?: GrantedStart;
}

/** The start of a call by a grant. */
export interface GrantedStart {
  readonly grantId: string;
  /** The amount of the call; undefined for a tool without amounts. */
  readonly amount: number | undefined;
  readonly toolCallId: string;
  /** The interrupt that the grant spares. It is stored as answered by the grant. */
  readonly spared: Pick<RaisedInterrupt, 'interrupt' | 'approvers'>;
  readonly execution: string;
  /** Undefined if the execution has started before: a call inside another call. */
  readonly record: ExecutionRecord | undefined;
}

/** The calls that start by grants in a commit, and the rows of these grants after it. */
export interface GrantUses {
  readonly started: ReadonlyMap<GrantedStart, StoredGrant>;
  readonly puts: readonly PutRow[];
}

/** The starts that their grants allow now; each start counts for the next one of the same grant. */
export async function readGrantUses(
  store: Store,
  { scope, now }: { readonly scope: string; readonly now: number },
  starts: readonly GrantedStart[],
): Promise<GrantUses> {
  const started = new Map<GrantedStart, StoredGrant>();
  const puts = new Map<string, PutRow>();
  const keys = [...new Set(starts.map(({ grantId }) => grantId))];
  const rows = await store.get(
    'grants',
    keys.map((id) => grantKey(scope, id)),
  );
  for (const start of starts) {
    const { grantId, amount } = start;
    const row = rows[keys.indexOf(grantId)];
    const before = puts.get(grantId);
    const current = row === undefined || before === undefined ? row : { ...row, doc: before.doc };
    const use = useGrant(current, { now, amount });
    if (use === undefined) continue;
    started.set(start, use.grant);
    puts.set(grantId, use.put);
  }
  return { started, puts: [...puts.values()] };
}

/** An interrupt to raise, with its rules. */
export interface RaisedInterrupt {
  readonly interrupt: Interrupt;
  readonly onExpire?: OnExpire;
  readonly approvers?: Approvers;
  /** The version of the tool that asks, if it has one. */
  readonly toolVersion?: string;
  /** A foreign agent raises the interrupt, so its schema came from outside. */
  readonly foreign?: true;
  /** The interrupts that its call had before. */
  readonly follows?: readonly string[];
}

/** Answers that a foreign agent did not get. */
export interface Undelivered {
  /** Shown with the open interrupts. */
  readonly reason: string;
  /** Whether the background tries to deliver the same answers again, up to a maximum. */
  readonly retry: boolean;
}

/** The end of a run. */
export interface EndRun extends RunChange {
  readonly outcome: 'success' | 'interrupt' | 'cancelled' | 'error';
  /** The id of the batch, if the run raises interrupts. */
  readonly batch?: string;
  readonly raised?: readonly RaisedInterrupt[];
  /** Encrypts the secrets of answers. Without it, an interrupt that asks for secrets is rejected. */
  readonly vault?: Vault | undefined;
  /** Opens the claimed interrupts again, because none of their calls started, or because their answers were not delivered. */
  readonly release?: boolean | Undelivered;
  /** The run failed and leaves nothing to continue. The claimed interrupts are settled, or withdrawn if there is a reason. */
  readonly closed?: { readonly reason?: string };
  readonly summary?: JsonValue;
  readonly error?: RunFailure;
}

/**
 * Throws `INPUT_INVALID` for an interrupt without an id, because no answer could name it, and for an interrupt that
 * asks for secrets without a key.
 */
export function assertKeepable(raised: readonly RaisedInterrupt[], vault: Vault | undefined): void {
  if (raised.some(({ interrupt }) => interrupt.id === UNNAMED_INTERRUPT)) {
    throw new HoldpointError('INPUT_INVALID', 'An interrupt of the run has no id.');
  }
  if (vault !== undefined) return;
  const secret = raised.find(({ interrupt }) => hasSecrets(interrupt.responseSchema));
  if (secret !== undefined) throw noKey(secret.interrupt.id);
}
