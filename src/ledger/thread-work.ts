import type { JsonObject, JsonValue } from '../core/index.ts';
import { HoldpointError } from '../core/index.ts';
import type { AppendLog, Batch, PutRow, Row, RowIndex, Store } from '../store/index.ts';
import { CHAIN_START, extendChain } from './history-chain.ts';
import type { HistoryFacts } from './history-chain.ts';
import type { InterruptRecord, RunRecord, ThreadKey, ThreadRecord } from './records.ts';

/** A thread as it was read, and everything of it that a decision may need. */
export interface ThreadView {
  readonly key: ThreadKey;
  /** The store's time at the reading. */
  readonly now: number;
  readonly thread: ThreadRecord | undefined;
  readonly interrupts: ReadonlyMap<string, InterruptRecord>;
}

/** What a decision changes; all of it holds together, or nothing does. */
export interface ThreadChange {
  readonly thread: ThreadRecord;
  readonly interrupts?: ReadonlyMap<string, InterruptRecord>;
  readonly runs?: ReadonlyMap<string, RunRecord>;
  readonly messages?: readonly JsonValue[];
  readonly history?: readonly HistoryFacts[];
  readonly puts?: readonly PutRow[];
}

/** A decision: what to change, and what to tell whoever asked. `change` is absent when nothing is to be changed. */
export interface Decision<Result> {
  readonly change?: ThreadChange;
  readonly result: Result;
}

const MAX_ATTEMPTS = 20;

/**
 * Reads a thread, lets `decide` decide, and commits against what was read; when somebody else was faster, reads and decides
 * again. Every change of a thread goes this way, so two of them never mix, in one process or in many.
 */
export async function workOnThread<Result>(
  store: Store,
  place: { readonly key: ThreadKey; readonly interruptIds: readonly string[] },
  decide: (view: ThreadView) => Promise<Decision<Result>> | Decision<Result>,
): Promise<Result> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const { view, versions } = await readThread(store, place);
    const { change, result } = await decide(view);
    if (change === undefined) return result;
    const committed = await store.commit(await toBatch(view, change, versions));
    if (committed.ok) return result;
  }
  throw new HoldpointError(
    'STORE_FAILED',
    `The thread ${place.key.thread} is changed too often to be changed now.`,
  );
}

/** Reads a thread with its open questions and those that are named. */
async function readThread(
  store: Store,
  { key, interruptIds }: { readonly key: ThreadKey; readonly interruptIds: readonly string[] },
): Promise<{ readonly view: ThreadView; readonly versions: Versions }> {
  const [row] = await store.get('threads', [{ ...key, id: '' }]);
  const thread = row === undefined ? undefined : fromDoc(row, 'thread');
  const ids = [...new Set([...(thread?.batch?.interruptIds ?? []), ...interruptIds])];
  const rows = await store.get(
    'interrupts',
    ids.map((id) => ({ ...key, id })),
  );
  const found = rows.filter((one) => one !== undefined);
  return {
    view: {
      key,
      now: await store.now(),
      thread,
      interrupts: new Map(found.map((one) => [one.key.id, fromDoc(one, 'interrupt')])),
    },
    versions: {
      thread: row?.version ?? 0,
      interrupts: new Map(found.map((one) => [one.key.id, one.version])),
    },
  };
}

interface Versions {
  readonly thread: number;
  readonly interrupts: ReadonlyMap<string, number>;
}

async function toBatch(view: ThreadView, change: ThreadChange, versions: Versions): Promise<Batch> {
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
  const appends: AppendLog[] = [];
  if (entries.length > 0) appends.push({ log: 'history', ...key, items: entries.map(toDoc) });
  if ((change.messages ?? []).length > 0)
    appends.push({ log: 'messages', ...key, items: change.messages ?? [] });
  return { puts: [thread, ...interrupts, ...runs, ...(change.puts ?? [])], appends };
}

/** A thread that nobody has written to. */
export function newThread(agent: string): ThreadRecord {
  return { agent, epoch: 0, state: {}, chain: { count: 0, hash: CHAIN_START } };
}

function threadIndex({ agent, active }: ThreadRecord): RowIndex {
  return active === undefined
    ? { status: 'idle', agent }
    : { status: 'active', agent, dueAt: active.leaseUntil };
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
}
