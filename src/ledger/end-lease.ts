import type { Store } from '../store/index.ts';
import type { Lease } from './begin-request.ts';
import { workOnThread } from './thread-work.ts';

/** Ends a lease before its time, so that another process can take the run up at once. Nothing happens when it is over already. */
export function endLease(store: Store, { key, runId, epoch }: Lease): Promise<void> {
  return workOnThread(store, { key, interruptIds: [] }, ({ thread, now }) => {
    const active = thread?.active;
    const isOurs = active?.runId === runId && thread?.epoch === epoch;
    if (thread === undefined || active === undefined || !isOurs || active.leaseUntil <= now) {
      return { result: undefined };
    }
    return { change: { thread: { ...thread, active: { ...active, leaseUntil: now } } }, result: undefined };
  });
}
