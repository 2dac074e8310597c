import type { Store } from '../store/index.ts';
import { isAtWork } from './is-at-work.ts';
import type { ThreadKey } from './records.ts';
import { giveUpLease } from './start-run.ts';
import { workOnThread } from './thread-work.ts';

/** Closes a run whose lease is over without going on with it; whoever watched is told. Says whether there was one. */
export function closeLostRun(store: Store, key: ThreadKey): Promise<boolean> {
  return workOnThread(store, { key, interruptIds: [] }, ({ thread, now }) => {
    if (thread?.active === undefined || isAtWork(thread, now, store)) return { result: false };
    return { change: giveUpLease(thread, now), result: true };
  });
}
