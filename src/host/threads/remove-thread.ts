import { HoldpointError } from '../../core/index.ts';
import type { ThreadKey } from '../../ledger/index.ts';
import { pruneThread, readThread } from '../../ledger/index.ts';
import type { Store } from '../../store/index.ts';

/** Removes a session at somebody's wish; who decided what on it stays on record. Throws `THREAD_UNKNOWN` or `RUN_CONFLICT`. */
export async function removeThread(store: Store, key: ThreadKey): Promise<void> {
  const thread = await readThread(store, key);
  if (thread === undefined || thread.pruned === true) {
    throw new HoldpointError('THREAD_UNKNOWN', `There is no thread ${key.thread}.`);
  }
  const now = await store.now();
  const removed = await pruneThread(
    store,
    key,
    ({ active }) => active === undefined || active.leaseUntil <= now,
  );
  if (!removed) {
    throw new HoldpointError('RUN_CONFLICT', `A run is at work on the thread ${key.thread}: stop it first.`);
  }
}
