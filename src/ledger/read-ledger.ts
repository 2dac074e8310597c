import { defined, everyPage } from '../core/index.ts';
import type { LogItem, Store } from '../store/index.ts';
import type { Access } from './access.ts';
import { confirm, isConfirmed, storeOf, threadRow } from './access.ts';
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
    // Only the ledger writes these rows; `verifyHistory` and `verifyAll` check them.
    entries.push(...items.map(({ item }) => item as unknown as HistoryEntry));
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
