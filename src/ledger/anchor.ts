import type { JsonObject } from '../core/index.ts';
import { HoldpointError } from '../core/index.ts';
import type { Batch, PutRow, RowKey, Store } from '../store/index.ts';
import { CHAIN_START, sealEntry } from '../store/index.ts';
import type { ThreadKey } from './records.ts';
import { fromDoc, threadName } from './thread-view.ts';

/** The end of the chain of anchors: the number of its entries, the hash of the last one, and its time. */
export interface Anchor {
  readonly count: number;
  readonly hash: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** The end of the history of a thread, as an entry of the chain has it. */
export type AnchoredEnd = readonly [scope: string, thread: string, count: number, hash: string];

/** An entry of the chain of anchors. It covers the ends of the threads that changed since the entry before. */
export interface AnchorEntry {
  readonly at: number;
  readonly ends: readonly AnchoredEnd[];
  readonly previous: string;
  readonly hash: string;
}

/** The end of the chain. Each commit that adds an entry replaces it. */
const HEAD: RowKey = { scope: '', thread: '', id: 'head' };

/** The key of an entry of the chain, from 1. */
export function anchorEntryKey(number: number): RowKey {
  return { scope: '', thread: '', id: `entry ${number}` };
}

/** The row with the newest anchored end of a thread. It belongs to no thread, so that it shares no lock with the runs of one. */
function endKey({ scope, thread }: ThreadKey): RowKey {
  return { scope, thread: '', id: `thread ${thread}` };
}

/** The end of the chain of anchors; undefined before its first entry. */
export async function readAnchor(store: Store): Promise<Anchor | undefined> {
  const [row] = await store.get('anchors', [HEAD]);
  return row === undefined ? undefined : toAnchor(row.doc);
}

/** Only this file writes the rows. */
function toAnchor(doc: JsonObject): Anchor {
  return doc as unknown as Anchor;
}

/** Threads of one entry: each has a row, and a row a lock. */
const MOST_ENDS = 100;
const MOST_CONFLICTS = 20;

/** Adds the ends of these threads to the chain of anchors, unless it has them. Any number of processes may call it at once. */
export async function anchorThreads(store: Store, keys: readonly ThreadKey[]): Promise<void> {
  for (let start = 0; start < keys.length; start += MOST_ENDS)
    await anchorSome(store, keys.slice(start, start + MOST_ENDS));
}

async function anchorSome(store: Store, keys: readonly ThreadKey[]): Promise<void> {
  for (let tries = 0; tries < MOST_CONFLICTS; tries += 1) {
    const [threads, known, [head]] = await store.snapshot([
      { table: 'threads', keys: keys.map((key) => ({ ...key, id: '' })) },
      { table: 'anchors', keys: keys.map(endKey) },
      { table: 'anchors', keys: [HEAD] },
    ]);
    const ends: AnchoredEnd[] = [];
    const puts: PutRow[] = [];
    for (const [at, row] of threads.entries()) {
      if (row === undefined) continue;
      const { scope, thread } = row.key;
      const { count, hash } = fromDoc(row, 'thread').chain;
      if (count === 0 || known[at]?.doc['hash'] === hash) continue;
      ends.push([scope, thread, count, hash]);
      puts.push({ table: 'anchors', key: endKey({ scope, thread }), doc: { count, hash } });
    }
    if (ends.length === 0) return;
    const { count, hash } = head === undefined ? { count: 0, hash: CHAIN_START } : toAnchor(head.doc);
    const now = await store.now();
    const entry = sealEntry({ at: now, ends: ends.map((end) => [...end]) }, hash);
    const anchor: Anchor = { count: count + 1, hash: entry.hash, at: now };
    puts.push(
      // Two processes cannot both write the same entry: the later one reads again what is anchored.
      { table: 'anchors', key: anchorEntryKey(anchor.count), doc: entry, expect: 0 },
      { table: 'anchors', key: HEAD, doc: { ...anchor } },
    );
    if ((await store.commit({ puts })).ok) return;
  }
  throw new HoldpointError('STORE_FAILED', 'The chain of anchors is changed too often to be changed now.');
}

/** Threads that one page of {@link anchorAll} reads. */
const PAGE = 1000;

/**
 * Adds the ends of all threads that changed since the last entry to the chain of anchors, and returns its end, for the auditor to keep in
 * another place; undefined if there is nothing to anchor. A host does this once a minute for the threads that it changes.
 *
 * @example
 * ```ts
 * import { anchorAll } from 'holdpoint/ledger';
 *
 * const end = await anchorAll(store);
 * console.log(JSON.stringify(end));
 * ```
 */
export async function anchorAll(store: Store): Promise<Anchor | undefined> {
  await anchorNewest(store, Infinity);
  return readAnchor(store);
}

/** Anchors the threads that were created last. */
export async function anchorNewest(store: Store, most: number): Promise<void> {
  let cursor: string | undefined;
  for (let seen = 0; seen < most; seen += PAGE) {
    const query = { table: 'threads', order: 'newest', limit: PAGE } as const;
    const { rows, next } = await store.list(cursor === undefined ? query : { ...query, cursor });
    await anchorThreads(
      store,
      rows.map(({ key: { scope, thread } }) => ({ scope, thread })),
    );
    if (next === undefined) return;
    cursor = next;
  }
}

/** The threads of each store whose history this process has changed, while somebody collects them. */
const changed = new WeakMap<Store, Map<string, ThreadKey>>();

/** Remembers a thread whose history a commit may have changed, for the next sweep. */
export function noteChange(store: Store, key: ThreadKey, { appends = [] }: Batch): void {
  if (appends.some(({ log }) => log === 'history')) changed.get(store)?.set(threadName(key), key);
}

/** Begins to collect the threads that this process changes. The returned function anchors those that it has collected. */
export function collectChanges(store: Store): () => Promise<void> {
  const keys = changed.get(store) ?? new Map<string, ThreadKey>();
  changed.set(store, keys);
  return async () => {
    const taken = [...keys];
    keys.clear();
    try {
      await anchorThreads(
        store,
        taken.map(([, key]) => key),
      );
    } catch (error) {
      for (const [name, key] of taken) keys.set(name, key);
      throw error;
    }
  };
}
