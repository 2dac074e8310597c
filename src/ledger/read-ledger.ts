import type { LogItem, Store } from '../store/index.ts';
import type { Access } from './access.ts';
import { confirm, isConfirmed, operatorAccess, storeOf, threadRow } from './access.ts';
import { findBrokenEntry } from './history-chain.ts';
import type {
  ExecutionRecord,
  HistoryEntry,
  InterruptRecord,
  RunRecord,
  ThreadKey,
  ThreadRecord,
} from './records.ts';
import { fromDoc, turnKey } from './thread-view.ts';

/** A thread as it is; undefined when nobody has written to it. */
export async function readThread(access: Access): Promise<ThreadRecord | undefined> {
  const thread = await threadRow(storeOf(access), access.key);
  await confirm(access, thread);
  return thread;
}

/** A piece of the thread's messages or events after a place of the log. */
export async function readLog(
  access: Access<'read' | 'run' | 'answer'>,
  place: { readonly log: 'messages' | 'events'; readonly after: number; readonly limit: number },
): Promise<readonly LogItem[]> {
  const items = await storeOf(access).read({ ...place, ...access.key });
  // A thread that came into being after the check is asked about before anything of it is given.
  if (items.length > 0 && !isConfirmed(access)) await readThread(access);
  return items;
}

/** The open questions of a thread that nobody has answered, in their order; of the thread as `given`, where it was read before. */
export async function openQuestions(
  access: Access<'read' | 'run' | 'answer'>,
  given?: ThreadRecord,
): Promise<readonly InterruptRecord[]> {
  const thread = given ?? (await readThread(access));
  const ids = thread?.batch?.interruptIds ?? [];
  const rows = await storeOf(access).get(
    'interrupts',
    ids.map((id) => ({ ...access.key, id })),
  );
  return rows
    .flatMap((row) => (row === undefined ? [] : [fromDoc(row, 'interrupt')]))
    .filter(({ answer }) => answer === undefined);
}

/** What the runs of an unfinished turn began, by call, or by call and step. */
export async function readExecutions(access: Access): Promise<Map<string, ExecutionRecord>> {
  const found = new Map<string, ExecutionRecord>();
  let cursor: string | undefined;
  do {
    const page = await storeOf(access).list({
      table: 'executions',
      ...access.key,
      ...(cursor === undefined ? {} : { cursor }),
    });
    for (const row of page.rows) {
      if (row.key.id !== turnKey(access.key).id) found.set(row.key.id, fromDoc(row, 'execution'));
    }
    cursor = page.next;
  } while (cursor !== undefined);
  return found;
}

/** One run of a thread; undefined when there was none of this id. */
export async function readRun(access: Access, runId: string): Promise<RunRecord | undefined> {
  const [row] = await storeOf(access).get('runs', [{ ...access.key, id: runId }]);
  return row === undefined ? undefined : fromDoc(row, 'run');
}

/** A thread's history, from its beginning, all of it. */
export async function readHistory(access: Access<'read'>): Promise<readonly HistoryEntry[]> {
  const entries: HistoryEntry[] = [];
  for (;;) {
    const after = entries.length;
    const items = await storeOf(access).read({ log: 'history', ...access.key, after });
    if (items.length === 0) return entries;
    // Written by the ledger and nobody else; whether that is still so is for `verifyHistory` to say.
    entries.push(...items.map(({ item }) => item as unknown as HistoryEntry));
  }
}

/** The place of the first entry that is not as it was written; undefined when all are. */
export async function verifyHistory(access: Access<'read'>): Promise<number | undefined> {
  let thread = await readThread(access);
  for (;;) {
    if (thread === undefined) return undefined;
    const { chain } = thread;
    const broken = findBrokenEntry(await readHistory(access), chain);
    // A history that grew while it was read does not fit the end it had before: it is looked at again.
    if (broken === undefined || broken < chain.count) return broken;
    thread = await readThread(access);
    if (thread?.chain.count === chain.count) return broken;
  }
}

/** Which threads: all, those of one scope, or one of them. */
export interface ThreadChoice {
  readonly scope?: string;
  readonly thread?: string;
}

/** The threads of a store in the order they were made, those that were pruned among them. */
export async function* everyThread(store: Store, { scope, thread }: ThreadChoice): AsyncGenerator<ThreadKey> {
  const choice = { ...(scope === undefined ? {} : { scope }), ...(thread === undefined ? {} : { thread }) };
  let cursor: string | undefined;
  do {
    const page = await store.list({
      table: 'threads',
      ...choice,
      ...(cursor === undefined ? {} : { cursor }),
    });
    for (const { key } of page.rows) yield { scope: key.scope, thread: key.thread };
    cursor = page.next;
  } while (cursor !== undefined);
}

export interface VerifyAll extends ThreadChoice {
  /** Told after each thread. */
  readonly onProgress?: (progress: { readonly checked: number; readonly broken: number }) => void;
  readonly signal?: AbortSignal;
}

/** A history that is not as it was written. */
export interface BrokenHistory {
  readonly key: ThreadKey;
  /** The place of the first entry that was changed, moved or left out, counted from 0. */
  readonly index: number;
}

/** Looks through the histories of all threads, also while they grow, and gives those that are not as they were written. */
export async function* verifyAll(store: Store, options: VerifyAll = {}): AsyncGenerator<BrokenHistory> {
  const { onProgress, signal, ...choice } = options;
  let checked = 0;
  let broken = 0;
  for await (const key of everyThread(store, choice)) {
    signal?.throwIfAborted();
    const index = await verifyHistory(operatorAccess(store, key));
    checked += 1;
    if (index !== undefined) broken += 1;
    onProgress?.({ checked, broken });
    if (index !== undefined) yield { key, index };
  }
}
