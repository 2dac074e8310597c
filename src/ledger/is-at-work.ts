import type { Store } from '../store/index.ts';
import type { Access } from './access.ts';
import { storeOf } from './access.ts';
import type { ThreadKey, ThreadRecord } from './records.ts';
import { fromDoc } from './thread-view.ts';

/** Whether a run has a thread: its lease is not over, and the process that holds it is not certainly gone. */
export function isAtWork(
  thread: ThreadRecord | undefined,
  now: number,
  { processes }: Pick<Store, 'processes'>,
): boolean {
  const active = thread?.active;
  if (active === undefined || active.leaseUntil <= now) return false;
  return active.owner === undefined || processes?.isGone(active.owner) !== true;
}

/** The same now, for a caller. */
export async function isThreadAtWork(access: Access, thread: ThreadRecord | undefined): Promise<boolean> {
  const store = storeOf(access);
  return isAtWork(thread, await store.now(), store);
}

/** Threads whose leases are not over, and whose runs are: the processes that held them are gone. */
export async function* abandonedThreads(store: Store): AsyncGenerator<ThreadKey> {
  if (store.processes === undefined) return;
  let cursor: string | undefined;
  do {
    const page = await store.list({
      table: 'threads',
      status: ['active'],
      ...(cursor === undefined ? {} : { cursor }),
    });
    for (const row of page.rows) {
      const { scope, thread } = row.key;
      if (!isAtWork(fromDoc(row, 'thread'), 0, store)) yield { scope, thread };
    }
    cursor = page.next;
  } while (cursor !== undefined);
}
