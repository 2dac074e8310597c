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
  const read = async (ids: readonly string[]): Promise<readonly Row[]> => {
    if (ids.length === 0) return [];
    const rows = await store.get(
      'interrupts',
      ids.map((id) => ({ ...key, id })),
    );
    return rows.filter((row) => row !== undefined);
  };
  const named = atOnce ? [...new Set(interruptIds)] : [];
  const [[row], first, now] = await Promise.all([
    store.get('threads', [{ ...key, id: '' }]),
    read(named),
    store.now(),
  ]);
  const thread = row === undefined ? undefined : fromDoc(row, 'thread');
  const own = [...(thread?.batch?.interruptIds ?? []), ...(thread?.claimed ?? [])];
  const others = await read([...new Set([...own, ...interruptIds])].filter((id) => !named.includes(id)));
  const found = [...first, ...others];
  return {
    view: {
      key,
      now,
      thread,
      interrupts: new Map(found.map((one) => [one.key.id, fromDoc(one, 'interrupt')])),
    },
    versions: {
      thread: row?.version ?? 0,
      interrupts: new Map(found.map((one) => [one.key.id, one.version])),
    },
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
