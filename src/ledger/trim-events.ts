import type { Store } from '../store/index.ts';
import type { ThreadKey, ThreadRecord } from './records.ts';
import { workOnThread } from './thread-work.ts';

/** How many threads one call looks at. */
const MOST_THREADS = 200;

/**
 * Removes the events of threads on which nobody is at work, once their newest run has been over for so long; whoever comes back
 * to an earlier place gets the thread as it is instead. The oldest come first, and what is left is for the next call. Safe in as
 * many processes as like to. Gives the number of threads that this call trimmed.
 */
export async function trimEvents(store: Store, options: { readonly keepMs: number }): Promise<number> {
  const before = (await store.now()) - options.keepMs + 1;
  const { rows } = await store.list({
    table: 'threads',
    status: ['idle', 'waiting', 'failed'],
    dueBefore: before,
    order: 'due',
    limit: MOST_THREADS,
  });
  let trimmed = 0;
  for (const { key } of rows) {
    if (await trimThread(store, { scope: key.scope, thread: key.thread }, before)) trimmed += 1;
  }
  return trimmed;
}

async function trimThread(store: Store, key: ThreadKey, before: number): Promise<boolean> {
  const through = await workOnThread(store, { key, interruptIds: [] }, ({ thread }) => {
    if (thread === undefined || !isDue(thread, before)) return { result: undefined };
    const { restedAt: _over, ...rest } = thread;
    const { events } = thread.logs;
    return { change: { thread: { ...rest, eventsTrimmed: events } }, result: events };
  });
  if (through === undefined) return false;
  await store.trim({ log: 'events', ...key, through });
  return true;
}

function isDue({ active, pruned, restedAt, endedAt }: ThreadRecord, before: number): boolean {
  if (active !== undefined || pruned !== undefined) return false;
  const since = restedAt ?? endedAt;
  return since !== undefined && since < before;
}
