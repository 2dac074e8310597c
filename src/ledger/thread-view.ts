import type { Row, Store } from '../store/index.ts';
import type { ExecutionRecord, InterruptRecord, RunRecord, ThreadKey, ThreadRecord } from './records.ts';

/** A thread as it was read, and everything of it that a decision may need. */
export interface ThreadView {
  readonly key: ThreadKey;
  /** The store's time at the reading. */
  readonly now: number;
  readonly thread: ThreadRecord | undefined;
  readonly interrupts: ReadonlyMap<string, InterruptRecord>;
}

/** The versions of the rows that were read. */
export interface Versions {
  readonly thread: number;
  readonly interrupts: ReadonlyMap<string, number>;
}

/** Which thread, and which of its questions besides the open ones. */
export interface ThreadPlace {
  readonly key: ThreadKey;
  readonly interruptIds: readonly string[];
}

/** A thread as it was read, and the versions that a change of it has to name. */
export interface ReadThread {
  readonly view: ThreadView;
  readonly versions: Versions;
}

/**
 * Reads a thread with its open questions, those whose answers its turn holds, and those that are named. With `atOnce` the
 * named ones are read beside the thread and may be older than it: what is decided by them holds only if a commit that checks
 * all of them does.
 */
export async function readView(
  store: Store,
  { key, interruptIds }: ThreadPlace,
  { atOnce = false }: { readonly atOnce?: boolean } = {},
): Promise<ReadThread> {
  const interrupts = new Map<string, InterruptRecord>();
  const versions = new Map<string, number>();
  const read = async (ids: readonly string[]): Promise<void> => {
    const keys = ids.map((id) => ({ scope: key.scope, thread: key.thread, id }));
    for (const row of await store.get('interrupts', keys)) {
      if (row === undefined) continue;
      interrupts.set(row.key.id, fromDoc(row, 'interrupt'));
      versions.set(row.key.id, row.version);
    }
  };
  const asked = new Set(atOnce ? interruptIds : []);
  const [[row], now] = await Promise.all([
    store.get('threads', [{ scope: key.scope, thread: key.thread, id: '' }]),
    store.now(),
    asked.size === 0 ? undefined : read([...asked]),
  ]);
  const thread = row === undefined ? undefined : fromDoc(row, 'thread');
  const own = [...(thread?.batch?.interruptIds ?? []), ...(thread?.claimed ?? [])];
  const others = [...new Set([...own, ...interruptIds])].filter((id) => !asked.has(id));
  if (others.length > 0) await read(others);
  return {
    view: { key, now, thread, interrupts },
    versions: { thread: row?.version ?? 0, interrupts: versions },
  };
}

/** What the ledger wrote, it reads back: `kind` names what that was. */
export function fromDoc<Kind extends keyof Records>(row: Row, _kind: Kind): Records[Kind] {
  return row.doc as unknown as Records[Kind];
}

interface Records {
  readonly thread: ThreadRecord;
  readonly interrupt: InterruptRecord;
  readonly run: RunRecord;
  readonly execution: ExecutionRecord;
}

/** The name of a thread in maps: different threads have different names. */
export function threadName({ scope, thread }: ThreadKey): string {
  return JSON.stringify([scope, thread]);
}
