import type { JsonObject, JsonValue } from '../core/index.ts';
import { faultPoint, HoldpointError } from '../core/index.ts';
import type { AppendLog, Batch, DeleteRow, PutRow, Row, RowIndex, Store } from '../store/index.ts';
import { CHAIN_START, extendChain } from './history-chain.ts';
import type { HistoryFacts } from './history-chain.ts';
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

/** What a decision changes; all of it holds together, or nothing does. */
export interface ThreadChange {
  readonly thread: ThreadRecord;
  readonly interrupts?: ReadonlyMap<string, InterruptRecord>;
  readonly runs?: ReadonlyMap<string, RunRecord>;
  /** By call, or by call and step; undefined for one that is over. */
  readonly executions?: ReadonlyMap<string, ExecutionRecord | undefined>;
  readonly messages?: readonly JsonValue[];
  readonly events?: readonly JsonValue[];
  readonly history?: readonly HistoryFacts[];
  readonly puts?: readonly PutRow[];
  readonly deletes?: readonly DeleteRow[];
}

/** A decision: what to change, and what to tell whoever asked. `change` is absent when nothing is to be changed. */
export interface Decision<Result> {
  readonly change?: ThreadChange;
  readonly result: Result;
}

const MAX_CONFLICTS = 20;

/**
 * Reads a thread, lets `decide` decide, and commits against what was read; when somebody else was faster, reads and decides
 * again. Every change of a thread goes this way, so two of them never mix, in one process or in many.
 */
export async function workOnThread<Result>(
  store: Store,
  place: ThreadPlace,
  decide: (view: ThreadView) => Promise<Decision<Result>> | Decision<Result>,
): Promise<Result> {
  return (await changeThread(store, place, decide)).result;
}

/** As {@link workOnThread}, and gives the thread as it is afterwards, for whoever goes on with it. */
export async function changeThread<Result>(
  store: Store,
  place: ThreadPlace,
  decide: (view: ThreadView) => Promise<Decision<Result>> | Decision<Result>,
): Promise<{ readonly result: Result; readonly after: ReadThread }> {
  for (let conflict = 0; conflict < MAX_CONFLICTS; conflict += 1) {
    const read = await readView(store, place);
    const { change, result } = await decide(read.view);
    if (change === undefined) return { result, after: read };
    const { batch, after } = await prepareChange(read, change);
    await faultPoint('change:before-commit');
    const committed = await store.commit(batch);
    await faultPoint('change:after-commit');
    if (committed.ok) return { result, after };
  }
  throw new HoldpointError(
    'STORE_FAILED',
    `The thread ${place.key.thread} is changed too often to be changed now.`,
  );
}

interface ThreadPlace {
  readonly key: ThreadKey;
  readonly interruptIds: readonly string[];
}

/** A thread as it was read, and the versions that a change of it has to name. */
export interface ReadThread {
  readonly view: ThreadView;
  readonly versions: Versions;
}

/** Reads a thread with its open questions, those whose answers its turn holds, and those that are named. */
export async function readView(store: Store, { key, interruptIds }: ThreadPlace): Promise<ReadThread> {
  const [row] = await store.get('threads', [{ ...key, id: '' }]);
  const thread = row === undefined ? undefined : fromDoc(row, 'thread');
  const own = [...(thread?.batch?.interruptIds ?? []), ...(thread?.claimed ?? [])];
  const ids = [...new Set([...own, ...interruptIds])];
  const keys = ids.map((id) => ({ ...key, id }));
  const reading = keys.length === 0 ? undefined : store.get('interrupts', keys);
  const [rows, now] = await Promise.all([reading, store.now()]);
  const found = (rows ?? []).filter((one) => one !== undefined);
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

/** A change as the store takes it, against the versions that were read; and the thread as it is when that held. */
export async function prepareChange(
  { view, versions }: ReadThread,
  change: ThreadChange,
): Promise<{ readonly batch: Batch; readonly after: ReadThread }> {
  const { key } = view;
  const { chain, entries } = await extendChain(change.thread.chain, change.history ?? []);
  const interrupts = [...(change.interrupts ?? [])].map(([id, record]): PutRow => ({
    table: 'interrupts',
    key: { ...key, id },
    doc: toDoc(record),
    index: interruptIndex(record),
    expect: versions.interrupts.get(id) ?? 0,
  }));
  const runs = [...(change.runs ?? [])].map(([id, record]): PutRow => ({
    table: 'runs',
    key: { ...key, id },
    doc: toDoc(record),
    index: { status: record.status, agent: record.agent },
  }));
  const thread: PutRow = {
    table: 'threads',
    key: { ...key, id: '' },
    doc: toDoc({ ...change.thread, chain }),
    index: threadIndex(change.thread),
    expect: versions.thread,
  };
  const executions = [...(change.executions ?? [])].map(([id, record]) => ({
    table: 'executions' as const,
    key: { ...key, id },
    doc: record,
  }));
  const appends: AppendLog[] = [];
  const append = (log: AppendLog['log'], items: readonly JsonValue[] = []) => {
    if (items.length > 0) appends.push({ log, ...key, items });
  };
  append('history', entries.map(toDoc));
  append('messages', change.messages);
  append('events', change.events);
  const batch: Batch = {
    puts: [
      thread,
      ...interrupts,
      ...runs,
      ...executions.flatMap((row) => (row.doc === undefined ? [] : [{ ...row, doc: toDoc(row.doc) }])),
      ...(change.puts ?? []),
    ],
    deletes: [
      ...executions.flatMap(({ doc, ...row }) => (doc === undefined ? [row] : [])),
      ...(change.deletes ?? []),
    ],
    appends,
  };
  const changed = [...(change.interrupts ?? [])];
  const after: ReadThread = {
    view: {
      ...view,
      thread: { ...change.thread, chain },
      interrupts: new Map([...view.interrupts, ...changed]),
    },
    versions: {
      thread: versions.thread + 1,
      interrupts: new Map([
        ...versions.interrupts,
        ...changed.map(([id]) => [id, (versions.interrupts.get(id) ?? 0) + 1] as const),
      ]),
    },
  };
  return { batch, after };
}

/** A thread that nobody has written to. */
export function newThread(agent: string): ThreadRecord {
  return { agent, epoch: 0, state: {}, chain: { count: 0, hash: CHAIN_START } };
}

/** What a thread is found by: at work until its lease is over, ready to go on, given up, waiting, or idle. */
function threadIndex({ agent, active, readyAt, failed, batch }: ThreadRecord): RowIndex {
  if (active !== undefined) return { status: 'active', agent, dueAt: active.leaseUntil };
  if (failed !== undefined) return { status: 'failed', agent };
  if (readyAt !== undefined) return { status: 'ready', agent, dueAt: readyAt };
  return { status: batch === undefined ? 'idle' : 'waiting', agent };
}

function interruptIndex({ state, agent, interrupt }: InterruptRecord): RowIndex {
  const dueAt = interrupt.expiresAt === undefined ? Number.NaN : Date.parse(interrupt.expiresAt);
  const base = { status: state, agent, reason: interrupt.reason };
  return Number.isNaN(dueAt) ? base : { ...base, dueAt };
}

/** Records are JSON by their types; the store keeps them as documents. */
function toDoc(record: object): JsonObject {
  return JSON.parse(JSON.stringify(record)) as JsonObject;
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
