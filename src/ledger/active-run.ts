import { everyPage, HoldpointError } from '../core/index.ts';
import type { Store } from '../store/index.ts';
import type { Access } from './access.ts';
import { storeOf, unknownThread } from './access.ts';
import type { ThreadKey, ThreadRecord } from './records.ts';
import { isAtWork } from './lease.ts';
import { giveUpLease } from './start-run.ts';
import { fromDoc } from './thread-view.ts';
import { workAs } from './thread-work.ts';

/** Whether a run is at work on a thread now, for a caller. */
export async function isThreadAtWork(access: Access, thread: ThreadRecord | undefined): Promise<boolean> {
  const store = storeOf(access);
  return isAtWork(thread, await store.now(), store);
}

/** Threads with a lease that has not ended but whose process is dead. */
export async function* abandonedThreads(store: Store): AsyncGenerator<ThreadKey> {
  if (store.processes === undefined) return;
  const query = { table: 'threads', status: ['active'] } as const;
  for await (const page of everyPage((from) => store.list({ ...query, ...from }))) {
    for (const row of page.rows) {
      const { scope, thread } = row.key;
      if (!isAtWork(fromDoc(row, 'thread'), 0, store)) yield { scope, thread };
    }
  }
}

/** Closes a run whose lease is over without continuing it; its readers get `RUN_LOST`. Returns whether there was one. */
export function closeLostRun(access: Access<never>): Promise<boolean> {
  return workAs(access, [], ({ thread, now }) => {
    if (thread?.active === undefined || isAtWork(thread, now, storeOf(access))) return { result: false };
    return { change: giveUpLease(thread, now), result: true };
  });
}

/**
 * Asks a run, in any process, to stop at its next call. Throws `THREAD_UNKNOWN`, or `RUN_CONFLICT` if the run is not
 * active.
 */
export function requestCancel(access: Access<'cancel'>, runId: string): Promise<void> {
  const by = access.principal.id;
  return workAs(access, [], ({ thread }) => {
    if (thread === undefined) throw unknownThread(access.key.thread);
    const { active } = thread;
    if (active?.runId !== runId) {
      throw new HoldpointError('RUN_CONFLICT', `The run ${runId} is not at work.`, { details: { runId } });
    }
    if (active.cancelledBy !== undefined) return { result: undefined };
    return { change: { thread: { ...thread, active: { ...active, cancelledBy: by } } }, result: undefined };
  });
}
