import type { JsonObject, JsonValue } from '../core/index.ts';
import type { AppendLog, Batch, CheckRow, DeleteRow, PutRow, RowIndex, RowKey } from '../store/index.ts';
import type { HistoryFacts } from './history-chain.ts';
import { CHAIN_START, extendChain } from './history-chain.ts';
import type { ExecutionRecord, InterruptRecord, RunRecord, ThreadKey, ThreadRecord } from './records.ts';
import type { ReadThread } from './thread-view.ts';
import { turnKey } from './thread-view.ts';

/** What a decision changes; all of it holds together, or nothing does. */
export interface ThreadChange {
  readonly thread: ThreadDraft;
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

/** A decision: what to change, and the result for the caller. `change` is absent when nothing changes. */
export interface Decision<Result> {
  readonly change?: ThreadChange;
  readonly result: Result;
}

/** A change as the store takes it, against the versions that were read; and the thread as it is when that held. */
export function prepareChange(
  { view, versions, storedTurn }: ReadThread,
  change: ThreadChange,
): { readonly batch: Batch; readonly after: ReadThread } {
  const { key } = view;
  const { history = [], messages = [], events = [] } = change;
  const { chain, entries } = extendChain(change.thread.chain, history);
  const heads = change.thread.logs;
  const logs = { messages: heads.messages + messages.length, events: heads.events + events.length };
  const thread = toThreadRecord(change.thread, { chain, logs });
  const { turn, ...doc } = thread;
  const puts: PutRow[] = [
    {
      table: 'threads',
      key: rowKey(key, ''),
      doc: toDoc(doc),
      index: threadIndex(thread),
      expect: versions.thread,
    },
  ];
  const deletes: DeleteRow[] = [];
  const checks: CheckRow[] = [];
  const appends: AppendLog[] = [];
  const after = { interrupts: new Map(view.interrupts), versions: new Map(versions.interrupts) };

  for (const [id, record] of change.interrupts ?? []) {
    const expect = versions.interrupts.get(id) ?? 0;
    const index = interruptIndex(record, thread);
    puts.push({ table: 'interrupts', key: rowKey(key, id), doc: toDoc(record), index, expect });
    after.interrupts.set(id, record);
    after.versions.set(id, expect + 1);
  }
  for (const [id, record] of change.runs ?? []) {
    const index = { status: record.status, agent: record.agent, askedBy: record.principal.id };
    puts.push({ table: 'runs', key: rowKey(key, id), doc: toDoc(record), index });
  }
  for (const [id, record] of change.executions ?? []) {
    if (record === undefined) deletes.push({ table: 'executions', key: rowKey(key, id) });
    else
      puts.push({
        table: 'executions',
        key: rowKey(key, id),
        doc: toDoc(record),
        index: executionIndex(record),
      });
  }
  const turnRow = { table: 'executions', key: turnKey(key) } as const;
  // The turn is large and changes seldom: most changes of a thread leave its row as it is.
  if (turn === undefined) {
    if (storedTurn !== undefined) deletes.push(turnRow);
  } else if (turn !== storedTurn) puts.push({ ...turnRow, doc: { turn }, index: { status: 'turn' } });
  puts.push(...(change.puts ?? []));
  deletes.push(...(change.deletes ?? []));
  // What was looked at and not changed has to be as it was as well.
  for (const [id, expect] of versions.interrupts) {
    if (change.interrupts?.has(id) !== true) {
      checks.push({ table: 'interrupts', key: rowKey(key, id), expect });
    }
  }
  const { scope, thread: place } = key;
  if (entries.length > 0) {
    appends.push({ log: 'history', scope, thread: place, items: entries.map(toDoc) });
  }
  if (messages.length > 0) appends.push({ log: 'messages', scope, thread: place, items: messages });
  if (events.length > 0) appends.push({ log: 'events', scope, thread: place, items: events });
  return {
    batch: { checks, puts, deletes, appends },
    after: {
      view: { key, now: view.now, thread, interrupts: after.interrupts },
      versions: { thread: versions.thread + 1, interrupts: after.versions },
      storedTurn: turn,
    },
  };
}

function rowKey({ scope, thread }: ThreadKey, id: string): RowKey {
  return { scope, thread, id };
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
  const { agent, owner, title } = thread;
  return {
    agent,
    ...threadState(thread),
    ...(owner === undefined ? {} : { owner }),
    ...(title === undefined ? {} : { title }),
  };
}

function threadState(thread: ThreadRecord): Pick<RowIndex, 'status' | 'dueAt'> {
  const { active, readyAt, failed, batch, pruned, endedAt, restedAt } = thread;
  const rested = restedAt === undefined ? {} : { dueAt: restedAt };
  if (pruned !== undefined) return { status: pruned === true ? 'pruned' : 'pruning' };
  if (active !== undefined) return { status: 'active', dueAt: active.leaseUntil };
  if (failed !== undefined) return { status: 'failed', ...rested };
  if (readyAt !== undefined) return { status: 'ready', dueAt: readyAt };
  if (batch !== undefined) return { status: 'waiting', ...rested };
  if (restedAt !== undefined) return { status: 'idle', ...rested };
  return { status: 'quiet', ...(endedAt === undefined ? {} : { dueAt: endedAt }) };
}

const LONGEST_TITLE = 300;

/** What an interrupt is found by, and what people read in its table. */
function interruptIndex(record: InterruptRecord, { owner }: ThreadRecord): RowIndex {
  const { state, agent, interrupt, askedBy, answer, approvers } = record;
  const { reason, message, metadata = {} } = interrupt;
  const dueAt = interrupt.expiresAt === undefined ? Number.NaN : Date.parse(interrupt.expiresAt);
  const tool = metadata['toolName'] ?? metadata['functionName'];
  const args = metadata['functionArguments'] ?? metadata['toolInput'];
  const call = typeof tool === 'string' && args !== undefined ? `${tool} ${JSON.stringify(args)}` : undefined;
  // An interrupt without a title is found by its call.
  const title = typeof metadata['title'] === 'string' ? metadata['title'] : call?.slice(0, LONGEST_TITLE);
  return {
    status: state,
    agent,
    reason,
    askedBy,
    ...(typeof tool === 'string' ? { tool } : {}),
    ...(title === undefined ? {} : { title }),
    ...(message === undefined ? {} : { message }),
    ...(owner === undefined ? {} : { owner }),
    ...(approvers?.roles === undefined ? {} : { approverRoles: approvers.roles }),
    ...(approvers?.principals === undefined ? {} : { approverUsers: approvers.principals }),
    ...(Number.isNaN(dueAt) ? {} : { dueAt }),
    ...(answer === undefined ? {} : { answeredBy: answer.by, answeredAt: answer.at }),
  };
}

function executionIndex({ outcome }: ExecutionRecord): RowIndex {
  return { status: outcome === undefined ? 'started' : 'ended' };
}

/** Records are JSON by their types, and a store takes down what it is given before anybody can change it. */
function toDoc(record: object): JsonObject {
  return record as JsonObject;
}

type OptionalName = {
  [Name in keyof ThreadRecord]-?: object extends Pick<ThreadRecord, Name> ? Name : never;
}[keyof ThreadRecord];

/** A thread while it is changed: a member that is undefined is no longer in it. */
export type ThreadDraft = {
  -readonly [Name in Exclude<keyof ThreadRecord, OptionalName>]: ThreadRecord[Name];
} & {
  -readonly [Name in OptionalName]?: ThreadRecord[Name] | undefined;
};

/** The record that a draft comes to, with where its chain and its logs end then. */
export function toThreadRecord(draft: ThreadDraft, ends: Pick<ThreadRecord, 'chain' | 'logs'>): ThreadRecord {
  const present: Record<string, unknown> = {};
  // The names of a draft are those of a record.
  for (const name of Object.keys(draft) as (keyof ThreadDraft)[]) {
    if (draft[name] !== undefined) present[name] = draft[name];
  }
  // Whatever a draft may lose, a record may be without.
  return Object.assign(present, ends) as unknown as ThreadRecord;
}
