import type { Approvers } from '../content/interrupts/index.ts';
import type { JsonValue } from '../core/index.ts';
import { defined } from '../core/index.ts';
import type { Interrupt } from '../protocol/index.ts';
import type { Access } from './access.ts';
import { cancelledAnswer } from './check-answer.ts';
import { eraseSecrets } from './kept-secrets.ts';
import { undoableUntil } from './stage-answer.ts';
import type { HistoryFacts, InterruptRecord } from './records.ts';
import type { Decision, ThreadDraft } from './thread-change.ts';
import { newThread, storedPrincipal } from './thread-change.ts';
import type { ThreadView } from './thread-view.ts';
import { changeAs, workAs } from './thread-work.ts';

export interface DropInterrupts {
  /** The batch of the interrupts. A batch that a run has claimed since is left alone. */
  readonly batch: string;
  readonly interruptIds: readonly string[];
  readonly by: string;
  readonly reason: string;
}

/** The rest of the batch: unchanged, others still wait, or the thread can continue. */
export type Dropped = 'unchanged' | 'waiting' | 'ready';

/**
 * Removes interrupts from the open batch that their agent no longer waits for; staged answers to them are not sent.
 * If the rest has all its answers, the same commit makes the thread ready to continue. A batch that was completed
 * first is left alone.
 */
export function dropInterrupts(access: Access<never>, drop: DropInterrupts): Promise<Dropped> {
  return workAs(access, [], (view): Decision<Dropped> => {
    const { thread } = view;
    if (thread?.batch === undefined || thread.batch.id !== drop.batch) return { result: 'unchanged' };
    const isTaken = [thread.active, thread.readyAt, thread.failed].some((taken) => taken !== undefined);
    const ids = thread.batch.interruptIds;
    const gone = ids.filter((id) => drop.interruptIds.includes(id));
    if (isTaken || gone.length === 0) return { result: 'unchanged' };
    const left = ids.filter((id) => !gone.includes(id));
    const isReady = left.every((id) => view.interrupts.get(id)?.answer !== undefined);
    const readyAt = isReady ? Math.max(view.now, undoableUntil(view.interrupts, left)) : undefined;
    const { interrupts, history } = withdrawn(view, drop, gone);
    const { thread: kept, deletes } = eraseSecrets(view.key, thread, (id) => gone.includes(id));
    return {
      change: {
        thread: { ...withBatch(kept, left), ...defined({ readyAt }) },
        interrupts,
        history,
        deletes,
      },
      result: isReady ? 'ready' : 'waiting',
    };
  });
}

/** Without interrupts, the turn can be continued without new input. */
function withBatch(thread: ThreadDraft, left: readonly string[]): ThreadDraft {
  const { batch } = thread;
  if (batch === undefined || left.length === 0) return { ...thread, batch: undefined, unfinished: true };
  return { ...thread, batch: { ...batch, interruptIds: left } };
}

function withdrawn(view: ThreadView, { by, reason }: DropInterrupts, gone: readonly string[]) {
  const { now } = view;
  const interrupts = new Map<string, InterruptRecord>();
  const history: HistoryFacts[] = [];
  const cancellation = cancelledAnswer({ by, at: now, via: 'in-process', reason });
  for (const interruptId of gone) {
    const record = view.interrupts.get(interruptId);
    if (record === undefined) continue;
    const { answer = cancellation } = record;
    interrupts.set(interruptId, { ...record, answer, state: 'cancelled', endedAt: now });
    const latency = now - record.raisedAt;
    history.push({ what: 'withdrawn', interruptId, at: now, by, reason, latency });
  }
  return { interrupts, history };
}

/**
 * Records interrupts that a foreign agent already holds open and that the ledger does not know. Only if the thread
 * has no open batch and no active run. Returns whether it did.
 */
export async function adoptInterrupts(
  access: Access<'read' | 'run' | 'answer'>,
  adopt: {
    readonly agent: string;
    readonly interrupts: readonly Interrupt[];
    readonly batch: string;
    /** By the id of the interrupt. Default: none. */
    readonly approvers?: ReadonlyMap<string, Approvers>;
    /** The data that the agent needs to continue with the answers. */
    readonly turn?: JsonValue;
  },
): Promise<boolean> {
  const { agent, interrupts, batch, approvers, turn } = adopt;
  const { principal } = access;
  const interruptIds = interrupts.map(({ id }) => id);
  const changed = await changeAs(access, { interruptIds, ofDeleted: true }, (view) => {
    const { askers: _before, ...thread } = view.thread ?? newThread(agent);
    const isBusy = thread.batch !== undefined || thread.active !== undefined || thread.unfinished === true;
    // A deleted thread begins anew with a run, not when it is read.
    if (thread.pruned !== undefined) return { result: false };
    const isKnown = interrupts.some(({ id }) => view.interrupts.has(id));
    if (isBusy || isKnown || interrupts.length === 0) return { result: false };
    const now = view.now;
    const records = interrupts.map((interrupt): [string, InterruptRecord] => [
      interrupt.id,
      {
        interrupt,
        state: 'pending',
        batch,
        agent,
        runId: '',
        askedBy: principal.id,
        raisedAt: now,
        onExpire: 'keep',
        foreign: true,
        ...defined({ approvers: approvers?.get(interrupt.id) }),
      },
    ]);
    const history = interruptIds.map((interruptId): HistoryFacts => ({
      what: 'raised',
      interruptId,
      at: now,
    }));
    return {
      change: {
        thread: {
          owner: principal.id,
          ...thread,
          agent,
          principal: storedPrincipal(principal),
          batch: { id: batch, interruptIds },
          ...defined({ turn }),
        },
        interrupts: new Map(records),
        history,
      },
      result: true,
    };
  });
  return changed.result;
}
