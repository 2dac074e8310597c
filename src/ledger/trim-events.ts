import type { Store } from '../store/index.ts';
import type { ThreadKey } from './records.ts';
import { workOnThread } from './thread-work.ts';

/** Removes a thread's events up to a place; whoever comes back to an earlier one gets the thread as it is instead. */
export async function trimEvents(store: Store, key: ThreadKey, through: number): Promise<void> {
  const isDue = await workOnThread(store, { key, interruptIds: [] }, ({ thread }) => {
    if (thread === undefined || (thread.eventsTrimmed ?? 0) >= through) return { result: false };
    return { change: { thread: { ...thread, eventsTrimmed: through } }, result: true };
  });
  if (isDue) await store.trim({ log: 'events', ...key, through });
}
