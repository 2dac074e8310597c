import type { Store } from '../store/index.ts';
import { operatorAccess } from './access.ts';
import type { HistoryFacts } from './history-chain.ts';
import { eraseSecrets } from './kept-secrets.ts';
import { everyThread, readExecutions } from './read-ledger.ts';
import type { ExecutionRecord, InterruptRecord, ThreadKey, ThreadRecord } from './records.ts';
import { giveUpLease } from './start-run.ts';
import type { ThreadChange } from './thread-change.ts';
import type { ThreadView } from './thread-view.ts';
import { workOnThread } from './thread-work.ts';

/** What a restored interrupt says to the person who is to answer it. */
const MAY_HAVE_RUN = 'This was restored from a backup: its call may already have run.';
const REASON = 'The database was restored from a backup.';

export interface MarkRestored {
  /** When the database was restored, in milliseconds since the epoch; what came later is left alone. */
  readonly restoredAt: number;
  /** Told after each thread. */
  readonly onProgress?: (progress: { readonly looked: number }) => void;
}

/**
 * Marks what a database that was restored from a backup cannot know: whether calls ran after the backup was made. Open interrupts
 * say so, in their message and in `metadata.mayHaveRun`; answers that were kept are dropped, so that a person gives them again;
 * runs that were at work are lost, and their calls are in doubt. Safe to repeat. Gives the number of threads that it changed.
 */
export async function markRestored(store: Store, options: MarkRestored): Promise<number> {
  let looked = 0;
  let changed = 0;
  for await (const key of everyThread(store, {})) {
    if (await markThread(store, key, options.restoredAt)) changed += 1;
    looked += 1;
    options.onProgress?.({ looked });
  }
  return changed;
}

async function markThread(store: Store, key: ThreadKey, restoredAt: number): Promise<boolean> {
  return workOnThread(store, { key, interruptIds: [] }, async (view) => {
    const { thread } = view;
    if (thread === undefined || thread.pruned !== undefined || !isFromBackup(thread, restoredAt)) {
      return { result: false };
    }
    const isIdle = [thread.batch, thread.active, thread.claimed, thread.readyAt].every(
      (member) => member === undefined,
    );
    if (isIdle && thread.unfinished !== true) return { result: false };
    const executions = await readExecutions(operatorAccess(store, key));
    return { change: markedThread(view, thread, { restoredAt, executions }), result: true };
  });
}

/** A thread that was marked, or that a run has been on since, is as it is by what happened after the restore. */
function isFromBackup(thread: ThreadRecord, restoredAt: number): boolean {
  const { restoredAt: marked = 0, active, restedAt = 0 } = thread;
  return marked < restoredAt && (active?.startedAt ?? restedAt) < restoredAt;
}

function markedThread(
  view: ThreadView,
  thread: ThreadRecord,
  restored: { readonly restoredAt: number; readonly executions: ReadonlyMap<string, ExecutionRecord> },
): ThreadChange {
  const { now } = view;
  const { restoredAt } = restored;
  const interrupts = new Map<string, InterruptRecord>();
  const history: HistoryFacts[] = [];
  const executions = new Map<string, ExecutionRecord>();
  for (const [id, record] of view.interrupts) {
    if (record.state === 'claimed') {
      const call = record.interrupt.toolCallId;
      // The call may have begun: the run that continues asks a person about it.
      if (call !== undefined && !restored.executions.has(call)) {
        executions.set(call, { runId: record.claimedBy ?? '', startedAt: record.answer?.at ?? restoredAt });
      }
    } else if ((record.answer?.at ?? record.raisedAt) < restoredAt) {
      interrupts.set(id, openAgain(record, restoredAt));
      history.push({ what: 'released', interruptId: id, at: now, by: 'holdpoint', reason: REASON });
    }
  }
  const { thread: kept, deletes } = eraseSecrets(view.key, thread, (id) => interrupts.has(id));
  const given = thread.active === undefined ? undefined : giveUpLease(thread, now);
  // Where a person has answered since, the thread is ready by that.
  const readyAt = interrupts.size > 0 || (thread.readyAt ?? 0) < restoredAt ? undefined : thread.readyAt;
  return {
    ...given,
    thread: { ...kept, ...given?.thread, secrets: kept.secrets, readyAt, restoredAt },
    interrupts,
    executions,
    history,
    deletes,
  };
}

/** Without its answer, and with a warning that every page shows. */
function openAgain(record: InterruptRecord, restoredAt: number): InterruptRecord {
  const { answer: _dropped, ...open } = record;
  const { message = '', metadata } = record.interrupt;
  return {
    ...open,
    state: record.state === 'expired' ? 'expired' : 'pending',
    interrupt: {
      ...record.interrupt,
      message: message.includes(MAY_HAVE_RUN) ? message : `${message} ${MAY_HAVE_RUN}`.trim(),
      metadata: { ...metadata, mayHaveRun: true, restoredAt },
    },
  };
}
