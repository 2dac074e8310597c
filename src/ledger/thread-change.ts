import type { JsonObject, JsonValue } from '../core/index.ts';
import type { AppendLog, Batch, DeleteRow, PutRow, RowIndex } from '../store/index.ts';
import type { HistoryFacts } from './history-chain.ts';
import { CHAIN_START, extendChain } from './history-chain.ts';
import type { ExecutionRecord, InterruptRecord, RunRecord, ThreadRecord } from './records.ts';
import type { ReadThread } from './thread-view.ts';

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

/** A change as the store takes it, against the versions that were read; and the thread as it is when that held. */
export function prepareChange(
  { view, versions }: ReadThread,
  change: ThreadChange,
): { readonly batch: Batch; readonly after: ReadThread } {
  const { key } = view;
  const { chain, entries } = extendChain(change.thread.chain, change.history ?? []);
  const { messages = [], events = [] } = change;
  const heads = change.thread.logs;
  const logs = { messages: heads.messages + messages.length, events: heads.events + events.length };
  const written = { ...change.thread, chain, logs };
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
    doc: toDoc(written),
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
  append('messages', messages);
  append('events', events);
  const changed = [...(change.interrupts ?? [])];
  const batch: Batch = {
    // What was looked at and not changed has to be as it was as well.
    checks: [...versions.interrupts]
      .filter(([id]) => change.interrupts?.has(id) !== true)
      .map(([id, expect]) => ({ table: 'interrupts', key: { ...key, id }, expect })),
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
  const after: ReadThread = {
    view: {
      ...view,
      thread: written,
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
  return {
    agent,
    epoch: 0,
    state: {},
    logs: { messages: 0, events: 0 },
    chain: { count: 0, hash: CHAIN_START },
  };
}

/**
 * What a thread is found by: at work until its lease is over, ready to go on, given up, waiting, idle since, or gone. One that
 * is idle and has no events left is quiet; one that waits or was given up has a time as long as it has some.
 */
function threadIndex(thread: ThreadRecord): RowIndex {
  const { agent, active, readyAt, failed, batch, pruned, endedAt, restedAt } = thread;
  const rested = restedAt === undefined ? {} : { dueAt: restedAt };
  if (pruned !== undefined) return { status: pruned === true ? 'pruned' : 'pruning', agent };
  if (active !== undefined) return { status: 'active', agent, dueAt: active.leaseUntil };
  if (failed !== undefined) return { status: 'failed', agent, ...rested };
  if (readyAt !== undefined) return { status: 'ready', agent, dueAt: readyAt };
  if (batch !== undefined) return { status: 'waiting', agent, ...rested };
  if (restedAt !== undefined) return { status: 'idle', agent, ...rested };
  return { status: 'quiet', agent, ...(endedAt === undefined ? {} : { dueAt: endedAt }) };
}

function interruptIndex({ state, agent, interrupt }: InterruptRecord): RowIndex {
  const dueAt = interrupt.expiresAt === undefined ? Number.NaN : Date.parse(interrupt.expiresAt);
  const base = { status: state, agent, reason: interrupt.reason };
  return Number.isNaN(dueAt) ? base : { ...base, dueAt };
}

/** Records are JSON by their types, and a store takes down what it is given before anybody can change it. */
function toDoc(record: object): JsonObject {
  return record as JsonObject;
}
