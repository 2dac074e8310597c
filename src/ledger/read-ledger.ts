import type { JsonObject } from '../core/index.ts';
import { defined, everyPage } from '../core/index.ts';
import type { LogItem, Store } from '../store/index.ts';
import { findBrokenEntry } from '../store/index.ts';
import type { Access } from './access.ts';
import { confirm, isConfirmed, operatorAccess, storeOf, threadRow } from './access.ts';
import type {
  ExecutionRecord,
  HistoryEntry,
  InterruptRecord,
  RunRecord,
  ThreadKey,
  ThreadRecord,
} from './records.ts';
import { fromDoc, turnKey } from './thread-view.ts';

/** A thread as it is; undefined before its first write. */
export async function readThread(access: Access): Promise<ThreadRecord | undefined> {
  const thread = await threadRow(storeOf(access), access.key);
  await confirm(access, thread);
  return thread;
}

/** A part of the messages or events of a thread, after a position of the log. */
export async function readLog(
  access: Access<'read' | 'run' | 'answer'>,
  place: { readonly log: 'messages' | 'events'; readonly after: number; readonly limit: number },
): Promise<readonly LogItem[]> {
  const items = await storeOf(access).read({ ...place, ...access.key });
  // Checks a thread that was created after the check, before its items are returned.
  if (items.length > 0 && !isConfirmed(access)) await readThread(access);
  return items;
}

/** The open interrupts of a thread without an answer, in order; `given` is the thread where it was read before. */
export async function openInterrupts(
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

/** The calls and steps of an unfinished turn, by call, or by call and step. */
export async function readExecutions(access: Access): Promise<Map<string, ExecutionRecord>> {
  const found = new Map<string, ExecutionRecord>();
  const query = { table: 'executions', ...access.key } as const;
  for await (const page of everyPage((from) => storeOf(access).list({ ...query, ...from }))) {
    for (const row of page.rows) {
      if (row.key.id !== turnKey(access.key).id) found.set(row.key.id, fromDoc(row, 'execution'));
    }
  }
  return found;
}

/** One run of a thread; undefined for an unknown id. */
export async function readRun(access: Access, runId: string): Promise<RunRecord | undefined> {
  const [row] = await storeOf(access).get('runs', [{ ...access.key, id: runId }]);
  return row === undefined ? undefined : fromDoc(row, 'run');
}

/** The whole history of a thread, from its start. */
export async function readHistory(access: Access<'read'>): Promise<readonly HistoryEntry[]> {
  const entries: HistoryEntry[] = [];
  for (;;) {
    const after = entries.length;
    const items = await storeOf(access).read({ log: 'history', ...access.key, after });
    if (items.length === 0) return entries;
    // Only the ledger writes these rows; `verifyHistory` checks them.
    entries.push(...items.map(({ item }) => item as unknown as HistoryEntry));
  }
}

/** The position of the first entry that was changed; undefined for an intact history. */
export async function verifyHistory(access: Access<'read'>): Promise<number | undefined> {
  let thread = await readThread(access);
  for (;;) {
    if (thread === undefined) return undefined;
    const { chain } = thread;
    const broken = findBrokenEntry(toDocs(await readHistory(access)), chain);
    // A history that grew while it was read does not match the end that was read before: check again.
    if (broken === undefined || broken < chain.count) return broken;
    thread = await readThread(access);
    if (thread?.chain.count === chain.count) return broken;
  }
}

/** A choice of threads: all, those of one scope, or one thread. */
export interface ThreadChoice {
  readonly scope?: string;
  readonly thread?: string;
}

/** The threads of a store in the order of creation, pruned ones included. */
export async function* everyThread(store: Store, { scope, thread }: ThreadChoice): AsyncGenerator<ThreadKey> {
  const query = { table: 'threads' as const, ...defined({ scope, thread }) };
  for await (const page of everyPage((from) => store.list({ ...query, ...from })))
    for (const { key } of page.rows) yield { scope: key.scope, thread: key.thread };
}

export interface VerifyAll extends ThreadChoice {
  /** Called after each thread. */
  readonly onProgress?: (progress: { readonly checked: number; readonly broken: number }) => void;
  readonly signal?: AbortSignal;
}

/** A history that was changed. */
export interface BrokenHistory {
  readonly key: ThreadKey;
  /** The position of the first entry that was changed, moved or removed, from 0. */
  readonly index: number;
}

/** Verifies the histories of all threads, also while they grow, and yields those that were changed. */
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

/** Entries are JSON by their types. */
function toDocs(entries: readonly HistoryEntry[]): readonly JsonObject[] {
  return entries as unknown as readonly JsonObject[];
}
