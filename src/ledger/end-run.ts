import type { IdGenerator, JsonValue } from '../core/index.ts';
import { HoldpointError } from '../core/index.ts';
import type { Interrupt } from '../protocol/index.ts';
import type { Store } from '../store/index.ts';
import type { Lease } from './begin-run.ts';
import type { HistoryFacts } from './history-chain.ts';
import type { Approvers, InterruptRecord, OnExpire, RunRecord, ThreadRecord } from './records.ts';
import type { Decision, ThreadView } from './thread-work.ts';
import { workOnThread } from './thread-work.ts';

/** A question to be raised, and the rules that hold for it. */
export interface RaisedQuestion {
  readonly interrupt: Interrupt;
  readonly onExpire?: OnExpire;
  readonly approvers?: Approvers;
}

/** How a run ends. */
export interface EndRun {
  readonly outcome: 'success' | 'interrupt' | 'cancelled' | 'error';
  readonly messages: readonly JsonValue[];
  readonly state: JsonValue;
  /** What the paused turn needs to go on. */
  readonly turn?: JsonValue;
  readonly questions?: readonly RaisedQuestion[];
  /** Claimed questions whose calls are done. */
  readonly settled: readonly string[];
  /** Claimed questions whose calls never started: they are open again, without their answers. */
  readonly released?: readonly string[];
  readonly result?: JsonValue;
  readonly error?: { readonly code: string; readonly message: string };
}

/**
 * Ends a run: what it said, its questions, the checkpoint and the end itself are one commit, before anything is shown.
 * Throws `RUN_LOST` when the lease is no longer the run's own; nothing is changed then.
 */
export function endRun(
  store: Store,
  { lease, end, newId }: { readonly lease: Lease; readonly end: EndRun; readonly newId: IdGenerator },
): Promise<{ readonly batch: string | undefined }> {
  const interruptIds = [...end.settled, ...(end.released ?? [])];
  return workOnThread(store, { key: lease.key, interruptIds }, (view) => {
    const { thread } = view;
    assertLease(thread, lease);
    return decide({ view, thread, lease, end, batch: newId() });
  });
}

interface Ending {
  readonly view: ThreadView;
  readonly thread: ThreadRecord;
  readonly lease: Lease;
  readonly end: EndRun;
  readonly batch: string;
}

function decide(ending: Ending): Decision<{ readonly batch: string | undefined }> {
  const { view, thread, lease, end, batch } = ending;
  const { runId, epoch } = lease;
  const interrupts = new Map<string, InterruptRecord>();
  const facts: HistoryFacts[] = [];
  const now = view.now;
  for (const id of end.settled) {
    const record = view.interrupts.get(id);
    if (record?.state !== 'claimed') continue;
    const state = record.answer?.status === 'cancelled' ? ('cancelled' as const) : ('resolved' as const);
    interrupts.set(id, { ...record, state, endedAt: now });
    facts.push({ what: 'settled', interruptId: id, at: now, runId });
  }
  for (const id of end.released ?? []) {
    const record = view.interrupts.get(id);
    if (record?.state !== 'claimed') continue;
    const { answer: _given, claimedBy: _run, ...open } = record;
    interrupts.set(id, { ...open, state: 'pending' });
    facts.push({ what: 'released', interruptId: id, at: now, runId });
  }
  for (const question of end.questions ?? []) {
    const { interrupt } = question;
    interrupts.set(interrupt.id, newRecord(question, { ...ending, now }));
    facts.push({ what: 'raised', interruptId: interrupt.id, at: now, runId });
  }
  const open = [...(end.released ?? []), ...(end.questions ?? []).map(({ interrupt }) => interrupt.id)];
  const { active: _ended, turn: _old, ...rest } = thread;
  const run: RunRecord = {
    agent: thread.agent,
    status: end.outcome,
    epoch,
    principal: thread.active?.principal ?? '',
    startedAt: thread.active?.startedAt ?? now,
    endedAt: now,
    ...(end.error === undefined ? {} : { error: end.error }),
    ...(end.result === undefined ? {} : { result: end.result }),
  };
  return {
    change: {
      thread: {
        ...rest,
        state: end.state,
        ...(end.turn === undefined ? {} : { turn: end.turn }),
        ...(open.length === 0 ? {} : { batch: { id: batch, interruptIds: open } }),
      },
      interrupts,
      runs: new Map([[runId, run]]),
      messages: end.messages,
      history: facts,
    },
    result: { batch: open.length === 0 ? undefined : batch },
  };
}

function newRecord(
  { interrupt, onExpire, approvers }: RaisedQuestion,
  { thread, lease, batch, now }: Ending & { readonly now: number },
): InterruptRecord {
  return {
    interrupt,
    state: 'pending',
    batch,
    agent: thread.agent,
    runId: lease.runId,
    askedBy: thread.active?.principal ?? '',
    raisedAt: now,
    onExpire: onExpire ?? 'keep',
    ...(approvers === undefined ? {} : { approvers }),
  };
}

/** Throws `RUN_LOST` unless the lease is still the run's own. */
export function assertLease(thread: ThreadRecord | undefined, lease: Lease): asserts thread is ThreadRecord {
  if (thread?.epoch === lease.epoch && thread.active?.runId === lease.runId) return;
  throw new HoldpointError(
    'RUN_LOST',
    `The run ${lease.runId} lost its lease on the thread ${lease.key.thread}.`,
  );
}
