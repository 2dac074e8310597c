import { HoldpointError } from '../core/index.ts';
import type { Store } from '../store/index.ts';
import type { Lease } from './begin-request.ts';
import type { ThreadRecord } from './records.ts';
import type { EndRun } from './run-change.ts';
import { assertKeepable, toThreadChange } from './run-change.ts';
import { workOnThread } from './thread-work.ts';

/**
 * Ends a run: what it said, its questions, the checkpoint and the end itself are one commit, before anything is shown.
 * Throws `RUN_LOST` when the lease is no longer the run's own, and `INPUT_INVALID` for a question that asks for a secret
 * without a key; nothing is changed then.
 */
export async function endRun(store: Store, lease: Lease, end: EndRun): Promise<void> {
  assertKeepable(end.questions ?? [], end.vault);
  const raised = (end.questions ?? []).map(({ interrupt }) => interrupt.id);
  return workOnThread(
    store,
    { key: lease.key, interruptIds: [...(end.settled ?? []), ...raised] },
    (view) => {
      const { thread } = view;
      assertLease(thread, lease);
      return { change: toThreadChange({ ...view, thread }, lease, { changes: [], end }), result: undefined };
    },
  );
}

/** Throws `RUN_LOST` unless the lease is still the run's own. */
export function assertLease(thread: ThreadRecord | undefined, lease: Lease): asserts thread is ThreadRecord {
  if (thread?.epoch === lease.epoch && thread.active?.runId === lease.runId) return;
  throw lost(lease);
}

/** What is told to whoever goes on with a run that is no longer theirs. */
export function lost({ runId, key }: Lease, cause?: unknown): HoldpointError {
  const sentence = `The run ${runId} lost its lease on the thread ${key.thread}.`;
  return new HoldpointError('RUN_LOST', sentence, { cause });
}
