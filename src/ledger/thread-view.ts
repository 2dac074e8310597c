import type { JsonValue } from '../core/index.ts';
import type { LogItem, LogQuery, Row, RowKey, RowsQuery, Store } from '../store/index.ts';
import type { Moment } from './lease.ts';
import type { ExecutionRecord, InterruptRecord, RunRecord, ThreadKey, ThreadRecord } from './records.ts';

/** A thread with all rows that a decision may need. */
export interface ThreadView {
  readonly key: ThreadKey;
  /** The time of the store when it was read. */
  readonly now: number;
  readonly thread: ThreadRecord | undefined;
  readonly interrupts: ReadonlyMap<string, InterruptRecord>;
}

/** The versions of the rows that were read. */
export interface Versions {
  readonly thread: number;
  readonly interrupts: ReadonlyMap<string, number>;
}

/** Which thread, which of its interrupts besides the open ones, and how many of its messages. */
export interface ThreadPlace {
  readonly key: ThreadKey;
  readonly interruptIds: readonly string[];
  /** Default 0. */
  readonly messages?: number;
  /** Also reads named interrupts of a deleted thread of the same id. Default: they do not count. */
  readonly ofDeleted?: true;
}

/** A thread with the versions that a change must name. */
export interface ReadThread {
  readonly view: ThreadView;
  readonly versions: Versions;
  /** The turn as its row has it. */
  readonly storedTurn: JsonValue | undefined;
}

/** The first messages of a thread, of the same moment as the thread. */
export interface ReadMessages {
  readonly messages: readonly LogItem[];
}

/** A thread and its first messages as one read found them. A change can rest on it instead of another read. */
export interface ThreadLook extends ReadThread, ReadMessages {
  /** Taken before the time of the store is read, because a lease counts from that time. */
  readonly since: Moment;
  /** The database that it was read from, where the store has one. */
  readonly database: string | undefined;
}

/**
 * Reads a thread with its open interrupts, those whose answers its turn holds, those that are named, and its messages. The thread, its
 * turn, the named interrupts and the messages are of one moment and come in one round trip.
 */
export async function readView(store: Store, place: ThreadPlace): Promise<ReadThread & ReadMessages> {
  const { key, interruptIds, messages: limit = 0 } = place;
  const interrupts = new Map<string, InterruptRecord>();
  const versions = new Map<string, number>();
  const take = (rows: readonly (Row | undefined)[]) => {
    for (const row of rows) {
      if (row === undefined) continue;
      const record = fromDoc(row, 'interrupt');
      if (record.threadDeleted !== undefined && place.ofDeleted !== true) continue;
      interrupts.set(row.key.id, record);
      versions.set(row.key.id, row.version);
    }
  };
  const named = rowsOf(key, interruptIds);
  const log: LogQuery = { log: 'messages', ...key, limit };
  const [[rows, turns, found, messages], now] = await Promise.all([
    store.snapshot([...threadReads(key), named, log]),
    store.now(),
  ]);
  take(found);
  const thread = toThread(rows, turns);
  const own = [...(thread?.batch?.interruptIds ?? []), ...(thread?.claimed ?? [])];
  const others = own.filter((id) => !interruptIds.includes(id));
  if (others.length > 0) take(await store.get('interrupts', rowsOf(key, others).keys));
  return {
    view: { key, now, thread, interrupts },
    versions: { thread: rows[0]?.version ?? 0, interrupts: versions },
    storedTurn: turns[0]?.doc['turn'],
    messages,
  };
}

function rowsOf({ scope, thread }: ThreadKey, ids: readonly string[]): RowsQuery {
  return { table: 'interrupts', keys: ids.map((id) => ({ scope, thread, id })) };
}

/**
 * The row of a thread's turn. It is written when the turn changes, and not with every change of the thread. It is an execution
 * without an id: executions are what an unfinished turn has begun.
 */
export function turnKey({ scope, thread }: ThreadKey): RowKey {
  return { scope, thread, id: '' };
}

/** The reads of a thread: its row, and the row of its turn. */
export function threadReads(key: ThreadKey): readonly [RowsQuery, RowsQuery] {
  const { scope, thread } = key;
  return [
    { table: 'threads', keys: [{ scope, thread, id: '' }] },
    { table: 'executions', keys: [turnKey(key)] },
  ];
}

/** A thread from its reads. Threads of earlier versions have their turn in their own row. */
export function toThread(
  [row]: readonly (Row | undefined)[],
  [turn]: readonly (Row | undefined)[],
): ThreadRecord | undefined {
  if (row === undefined) return undefined;
  const thread = fromDoc(row, 'thread');
  return turn === undefined ? thread : { ...thread, turn: turn.doc['turn'] ?? null };
}

/** Reads a record from its document. Only the ledger writes these documents. */
export function fromDoc<Kind extends keyof Records>(row: Row, _kind: Kind): Records[Kind] {
  return row.doc as unknown as Records[Kind];
}

interface Records {
  readonly thread: ThreadRecord;
  readonly interrupt: InterruptRecord;
  readonly run: RunRecord;
  readonly execution: ExecutionRecord;
}

/** A unique name of a thread, for maps. */
export function threadName({ scope, thread }: ThreadKey): string {
  return JSON.stringify([scope, thread]);
}
