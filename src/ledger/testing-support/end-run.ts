import type { Store } from '../../store/index.ts';
import type { Lease } from '../lease.ts';
import { assertLease } from '../lease.ts';
import type { EndRun } from '../run-change.ts';
import { assertKeepable, toThreadChange } from '../run-change.ts';
import { workOnThread } from '../thread-work.ts';

/** Ends a run without a session, in one commit. Throws `RUN_LOST` when the lease is no longer the run's own. */
export async function endRun(store: Store, lease: Lease, end: EndRun): Promise<void> {
  assertKeepable(end.raised ?? [], end.vault);
  const raised = (end.raised ?? []).map(({ interrupt }) => interrupt.id);
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
