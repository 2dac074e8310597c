import type { JsonObject } from '../core/index.ts';
import { defined } from '../core/index.ts';
import type { DeleteRow, Store, TableName } from '../store/index.ts';
import type { Access } from './access.ts';
import { operatorAccess, storeOf } from './access.ts';
import { isAtWork } from './lease.ts';
import { readThread } from './read-ledger.ts';
import type { ThreadKey, ThreadRecord } from './records.ts';
import { workAs, workOnThread } from './thread-work.ts';

/** What of a thread is removed; its history is not. */
const TABLES: readonly TableName[] = ['interrupts', 'runs', 'executions', 'secrets', 'files', 'grants'];

/** How many rows one commit removes. */
const BATCH = 500;

/** Rows of files that are read at once: each may hold a whole file. */
const FEW = 4;

/** Stands in the log of messages where a conversation begins anew: after no message at all. */
const BEGINS_ANEW: JsonObject = { truncateAfter: '' };

export interface PruneThreads {
  /** Milliseconds for which nothing has happened on a thread. */
  readonly olderThanMs: number;
  /** Told after each thread. */
  readonly onProgress?: (progress: { readonly key: ThreadKey; readonly pruned: number }) => void;
  readonly signal?: AbortSignal;
  readonly alsoRemove?: AlsoRemove;
}

/** Removes what of a thread is kept elsewhere than in the store, such as its files; as often as it is asked to. */
export type AlsoRemove = (key: ThreadKey) => Promise<void>;

/**
 * Removes threads that are finished and on which nothing happened for a time: nobody is at work on them, nothing is asked,
 * nothing is left undone. Their history stays, with the end of its chain. Safe in as many processes as like to prune, beside
 * runs that begin at the same moment: either the run is there first and nothing is removed, or it begins afresh. What a
 * pruner that died left is removed by the next. Gives the number of threads that this call removed.
 */
export async function pruneThreads(store: Store, options: PruneThreads): Promise<number> {
  const { olderThanMs, onProgress, signal, alsoRemove } = options;
  const before = (await store.now()) - olderThanMs;
  const mayGo = ({ pruned, endedAt }: ThreadRecord) =>
    pruned === 'partly' || (endedAt !== undefined && endedAt < before);
  const idle = { status: ['idle', 'quiet'], dueBefore: before, order: 'due' as const };
  const queries = [{ status: ['pruning'] }, idle];
  let count = 0;
  for (const query of queries) {
    let cursor: string | undefined;
    do {
      const page = await store.list({
        table: 'threads',
        ...query,
        ...defined({ cursor }),
      });
      for (const { scope, thread } of page.rows.map((row) => row.key)) {
        signal?.throwIfAborted();
        const key = { scope, thread };
        const given = { mayGo, ...defined({ alsoRemove }) };
        if (!(await pruneThread(operatorAccess(store, key), given))) continue;
        count += 1;
        onProgress?.({ key, pruned: count });
      }
      cursor = page.next;
    } while (cursor !== undefined);
  }
  return count;
}

/**
 * Removes one thread but for its history, if it may be: that is asked of the thread as it is at the moment it goes. Says
 * whether this call removed it.
 */
export async function pruneThread(
  access: Access<'delete'>,
  given: {
    /** Is told whether a run is at work on the thread. */
    readonly mayGo: (thread: ThreadRecord, isBusy: boolean) => boolean;
    readonly alsoRemove?: AlsoRemove;
  },
): Promise<boolean> {
  const { mayGo, alsoRemove } = given;
  const { key } = access;
  const store = storeOf(access);
  const left = await workAs(access, [], async ({ thread, now }) => {
    if (thread === undefined || thread.pruned === true) return { result: undefined };
    if (!mayGo(thread, isAtWork(thread, now, store))) return { result: undefined };
    const { agent, epoch, chain, logs } = thread;
    const rows = await rowsOf(store, key);
    // All interrupts go with the thread: a process that dies after this commit leaves no interrupt in the inbox.
    const asked = rows.filter(({ table }) => table === 'interrupts').length;
    const first = Math.max(BATCH, asked);
    // Until the log is trimmed, this tells its readers that earlier messages do not count.
    const messages = logs.messages === 0 ? [] : [BEGINS_ANEW];
    const tombstone: ThreadRecord = {
      agent,
      epoch: epoch + 1,
      state: {},
      chain,
      logs,
      eventsTrimmed: logs.events,
      pruned: 'partly',
    };
    return {
      change: { thread: tombstone, messages, deletes: rows.slice(0, first) },
      result: { rows: rows.slice(first), epoch: epoch + 1, through: logs.messages + messages.length, logs },
    };
  });
  if (left === undefined) return false;
  for (let start = 0; start < left.rows.length; start += BATCH) {
    // A row that a new run has written since is not the one that was read: then the rest is left for the next time.
    const committed = await store.commit({ deletes: left.rows.slice(start, start + BATCH) });
    if (!committed.ok) return true;
  }
  await store.trim({ log: 'messages', ...key, through: left.through });
  await store.trim({ log: 'events', ...key, through: left.logs.events });
  // Before the thread counts as removed: after a crash here the next sweep repeats it. Rows of a new run stay.
  if (alsoRemove !== undefined && (await readThread(access))?.epoch === left.epoch) await alsoRemove(key);
  await workAs(access, [], ({ thread }) => {
    const isOurs = thread?.epoch === left.epoch && thread.pruned === 'partly';
    return isOurs
      ? { change: { thread: { ...thread, pruned: true } }, result: undefined }
      : { result: undefined };
  });
  return true;
}

/** The rows of a thread. None is added but with a new version of the thread's own row, against which all this is committed. */
async function rowsOf(store: Store, key: ThreadKey): Promise<DeleteRow[]> {
  const found: DeleteRow[] = [];
  for (const table of TABLES) {
    let cursor: string | undefined;
    do {
      const page = await store.list({
        table,
        ...key,
        ...(table === 'files' ? { limit: FEW } : {}),
        ...defined({ cursor }),
      });
      found.push(...page.rows.map((row) => ({ table, key: row.key, expect: row.version })));
      cursor = page.next;
    } while (cursor !== undefined);
  }
  return found;
}

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
