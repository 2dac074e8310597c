import type { Store } from '../store/index.ts';
import { findBrokenEntry } from './history-chain.ts';
import type {
  ExecutionRecord,
  HistoryEntry,
  InterruptRecord,
  RunRecord,
  ThreadKey,
  ThreadRecord,
} from './records.ts';
import { fromDoc } from './thread-view.ts';

/** A thread as it is; undefined when nobody has written to it. */
export async function readThread(store: Store, key: ThreadKey): Promise<ThreadRecord | undefined> {
  const [row] = await store.get('threads', [{ ...key, id: '' }]);
  return row === undefined ? undefined : fromDoc(row, 'thread');
}

/** The open questions of a thread that nobody has answered, in their order. */
export async function openQuestions(store: Store, key: ThreadKey): Promise<readonly InterruptRecord[]> {
  const thread = await readThread(store, key);
  const ids = thread?.batch?.interruptIds ?? [];
  const rows = await store.get(
    'interrupts',
    ids.map((id) => ({ ...key, id })),
  );
  return rows
    .flatMap((row) => (row === undefined ? [] : [fromDoc(row, 'interrupt')]))
    .filter(({ answer }) => answer === undefined);
}

/** What the runs of an unfinished turn began, by call, or by call and step. */
export async function readExecutions(store: Store, key: ThreadKey): Promise<Map<string, ExecutionRecord>> {
  const found = new Map<string, ExecutionRecord>();
  let cursor: string | undefined;
  do {
    const page = await store.list({
      table: 'executions',
      ...key,
      ...(cursor === undefined ? {} : { cursor }),
    });
    for (const row of page.rows) found.set(row.key.id, fromDoc(row, 'execution'));
    cursor = page.next;
  } while (cursor !== undefined);
  return found;
}

/** One run of a thread; undefined when there was none of this id. */
export async function readRun(store: Store, key: ThreadKey, runId: string): Promise<RunRecord | undefined> {
  const [row] = await store.get('runs', [{ ...key, id: runId }]);
  return row === undefined ? undefined : fromDoc(row, 'run');
}

/** A thread's history, from its beginning, all of it. */
export async function readHistory(store: Store, key: ThreadKey): Promise<readonly HistoryEntry[]> {
  const entries: HistoryEntry[] = [];
  for (;;) {
    const after = entries.length;
    const items = await store.read({ log: 'history', ...key, after });
    if (items.length === 0) return entries;
    // Written by the ledger and nobody else; whether that is still so is for `verifyHistory` to say.
    entries.push(...items.map(({ item }) => item as unknown as HistoryEntry));
  }
}

/** The place of the first entry that is not as it was written; undefined when all are. */
export async function verifyHistory(store: Store, key: ThreadKey): Promise<number | undefined> {
  let thread = await readThread(store, key);
  for (;;) {
    if (thread === undefined) return undefined;
    const { chain } = thread;
    const broken = findBrokenEntry(await readHistory(store, key), chain);
    // A history that grew while it was read does not fit the end it had before: it is looked at again.
    if (broken === undefined || broken < chain.count) return broken;
    thread = await readThread(store, key);
    if (thread?.chain.count === chain.count) return broken;
  }
}
