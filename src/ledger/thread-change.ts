import type { Approvers } from '../content/interrupts/index.ts';
import type { JsonObject, JsonValue, UnknownRecord } from '../core/index.ts';
import { defined, isRecord } from '../core/index.ts';
import type {
  AppendLog,
  Batch,
  CheckRow,
  DeleteRow,
  PutRow,
  RewriteEntry,
  RowIndex,
  RowKey,
} from '../store/index.ts';
import { CHAIN_START, EVERYBODY, sealEntry } from '../store/index.ts';
import { isListed } from './access.ts';
import type { BeginRun } from './begin-request.ts';
import type { NewAnswer } from './check-answer.ts';
import type {
  ExecutionRecord,
  HistoryEntry,
  HistoryFacts,
  InterruptRecord,
  Principal,
  RunRecord,
  ThreadKey,
  ThreadRecord,
} from './records.ts';
import { sealRows } from './sealed-rows.ts';
import type { ReadThread, ThreadView } from './thread-view.ts';
import { turnKey } from './thread-view.ts';

/** The changes of a decision, committed together. */
export interface ThreadChange {
  readonly thread: ThreadDraft;
  readonly interrupts?: ReadonlyMap<string, InterruptRecord>;
  readonly runs?: ReadonlyMap<string, RunRecord>;
  /** By call, or by call and step; undefined removes the record. */
  readonly executions?: ReadonlyMap<string, ExecutionRecord | undefined>;
  readonly messages?: readonly JsonValue[];
  readonly events?: readonly JsonValue[];
  readonly history?: readonly HistoryFacts[];
  readonly puts?: readonly PutRow[];
  readonly deletes?: readonly DeleteRow[];
  readonly rewrites?: readonly RewriteEntry[];
}

/** A decision: what to change, and the result for the caller. `change` is absent when nothing changes. */
export interface Decision<Result> {
  readonly change?: ThreadChange;
  readonly result: Result;
}

/** The commit for a change against the versions that were read, and the thread after it. */
export function prepareChange(
  { view, versions, storedTurn }: ReadThread,
  change: ThreadChange,
): { readonly batch: Batch; readonly after: ReadThread } {
  const { key } = view;
  const { messages = [], events = [] } = change;
  const history = sealRows(change.history ?? [], view.interrupts, change.interrupts);
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
    // Few changes follow on a call that runs by a grant: a run with many of them does not check each of their rows.
    if (record.answer?.via === 'grant') {
      after.interrupts.delete(id);
      after.versions.delete(id);
      continue;
    }
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
  // Rows that were read but not changed must still have their version.
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
    batch: { checks, puts, deletes, appends, ...defined({ rewrites: change.rewrites }) },
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

/** A thread before its first write. */
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
 * The status and time of a thread in the index: active until its lease ends, ready, failed, waiting, idle or pruned.
 * An idle thread without events has the time of its end; a waiting or failed one has a time as long as it has events. A pruned one
 * has the time of its deletion as long as its decided interrupts are kept.
 */
function threadIndex(thread: ThreadRecord): RowIndex {
  const { agent, owner, title } = thread;
  return {
    agent,
    ...threadState(thread),
    ...defined({ owner, title }),
  };
}

function threadState(thread: ThreadRecord): Pick<RowIndex, 'status' | 'dueAt'> {
  const { active, readyAt, failed, batch, pruned, endedAt, restedAt } = thread;
  const rested = restedAt === undefined ? {} : { dueAt: restedAt };
  if (pruned === 'partly') return { status: 'pruning' };
  if (pruned === true) return { status: 'pruned', ...defined({ dueAt: endedAt }) };
  if (active !== undefined) return { status: 'active', dueAt: active.leaseUntil };
  if (failed !== undefined) return { status: 'failed', ...rested };
  if (readyAt !== undefined) return { status: 'ready', dueAt: readyAt };
  if (batch !== undefined) return { status: 'waiting', ...rested };
  if (restedAt !== undefined) return { status: 'idle', ...rested };
  return { status: 'quiet', ...defined({ dueAt: endedAt }) };
}

const LONGEST_TITLE = 300;

/** The index of an interrupt, with the columns that people read. */
export function interruptIndex(record: InterruptRecord, { owner }: Pick<ThreadRecord, 'owner'>): RowIndex {
  const { state, agent, interrupt, askedBy, answer, approvers } = record;
  const { reason, message, metadata = {} } = interrupt;
  const dueAt = interrupt.expiresAt === undefined ? Number.NaN : Date.parse(interrupt.expiresAt);
  const tool = metadata['toolName'] ?? metadata['functionName'];
  const args = metadata['functionArguments'] ?? metadata['toolInput'];
  return {
    status: state,
    agent,
    reason,
    askedBy,
    ...(typeof tool === 'string' ? { tool } : {}),
    ...defined({ title: searchableTitle(metadata, tool, args), message, owner }),
    ...approverColumns(approvers),
    ...(Number.isNaN(dueAt) ? {} : { dueAt }),
    ...defined({ answeredBy: answer?.by, answeredAt: answer?.at }),
  };
}

/** The longest argument that a title repeats, in characters. */
const LONGEST_ARGUMENT = 80;

/** The title and the short arguments that it does not say, as people read them: a search finds both. Without a title, the call. */
function searchableTitle(metadata: UnknownRecord, tool: unknown, args: unknown): string | undefined {
  const { title, display } = metadata;
  const call = typeof tool === 'string' && args !== undefined ? `${tool} ${JSON.stringify(args)}` : undefined;
  const head = typeof title === 'string' ? title : call?.slice(0, LONGEST_TITLE);
  if (head === undefined) return undefined;
  const shown = { ...(isRecord(args) ? args : {}), ...(isRecord(display) ? display : {}) };
  const texts = Object.values(shown)
    .filter((value) => typeof value === 'string' || typeof value === 'number')
    .map(String)
    .filter((text) => text !== '' && text.length <= LONGEST_ARGUMENT && !head.includes(text));
  const rest = texts.join(' · ').slice(0, LONGEST_TITLE);
  return rest === '' ? head : `${head} · ${rest}`;
}

/** A rule that names no one but excludes the asker admits everybody of the scope. */
function approverColumns(approvers: Approvers = {}): Pick<RowIndex, 'approverRoles' | 'approverUsers'> {
  const { roles, principals, notAsker } = approvers;
  if (notAsker === true && !isListed(approvers)) return { approverUsers: [EVERYBODY] };
  return defined({ approverRoles: roles, approverUsers: principals });
}

function executionIndex({ outcome }: ExecutionRecord): RowIndex {
  return { status: outcome === undefined ? 'started' : 'ended' };
}

/** Records are JSON by their types, and a store copies them on commit. */
function toDoc(record: object): JsonObject {
  return record as JsonObject;
}

type OptionalName = {
  [Name in keyof ThreadRecord]-?: object extends Pick<ThreadRecord, Name> ? Name : never;
}[keyof ThreadRecord];

/** A thread during a change; undefined members are removed. */
export type ThreadDraft = {
  -readonly [Name in Exclude<keyof ThreadRecord, OptionalName>]: ThreadRecord[Name];
} & {
  -readonly [Name in OptionalName]?: ThreadRecord[Name] | undefined;
};

/** The record of a draft, with the new ends of its chain and logs. */
export function toThreadRecord(draft: ThreadDraft, ends: Pick<ThreadRecord, 'chain' | 'logs'>): ThreadRecord {
  const present: Record<string, unknown> = {};
  // A draft has the members of a record.
  for (const name of Object.keys(draft) as (keyof ThreadDraft)[]) {
    if (draft[name] !== undefined) present[name] = draft[name];
  }
  // All members that a draft can lose are optional in a record.
  return Object.assign(present, ends) as unknown as ThreadRecord;
}

/**
 * A thread with messages that wait for its open turn. A message that waits already is not added again; a call has
 * one result.
 */
export function withInput(thread: ThreadRecord, messages: readonly JsonValue[]): ThreadRecord {
  const input = [...(thread.input ?? [])];
  const known = new Set(input.map(nameOf));
  for (const message of messages) {
    const name = nameOf(message);
    if (known.has(name)) continue;
    known.add(name);
    input.push(message);
  }
  return input.length === (thread.input ?? []).length ? thread : { ...thread, input };
}

/** Whether a message is the result of a call of the client. With an open batch, it is for a call of the open turn. */
export function isResult(message: JsonValue): boolean {
  return isRecord(message) && message['role'] === 'tool';
}

/** The name of a message: its id, or for a result its call. */
function nameOf(message: JsonValue): string {
  if (!isRecord(message)) return JSON.stringify(message);
  const { toolCallId, id } = message;
  return typeof toolCallId === 'string' ? `result ${toolCallId}` : `message ${JSON.stringify(id)}`;
}

/** The members of a principal that a row keeps. Applications may add others, such as tokens. */
export function storedPrincipal({ id, scope, roles }: Principal): Principal {
  return { id, scope, ...defined({ roles }) };
}

/** The principals whose messages the runs of a thread work on. */
export function askersOf({ askers, principal }: ThreadDraft): readonly string[] {
  return askers ?? (principal === undefined ? [] : [principal.id]);
}

/** The askers of a run that begins. A principal who only answers is no asker; an asker stays one after the answers of others. */
export function nextAskers(
  thread: ThreadRecord,
  { principal, newMessages }: Pick<BeginRun, 'newMessages'> & { readonly principal: Principal },
  continues: boolean,
): readonly string[] {
  if (!continues) return [principal.id];
  const before = askersOf(thread);
  if (before.length > 0 && newMessages.length === 0) return before;
  return [...new Set([...before, principal.id])];
}

/** The askers, as an interrupt stores them. */
export function askedBy(thread: ThreadDraft): Pick<InterruptRecord, 'askedBy' | 'alsoAskedBy'> {
  const [first = '', ...others] = askersOf(thread);
  return others.length === 0 ? { askedBy: first } : { askedBy: first, alsoAskedBy: others };
}

/** Appends facts to a chain. Each entry contains the hash of the entry before it (see `sealEntry`). */
export function extendChain(
  chain: ThreadRecord['chain'],
  facts: readonly HistoryFacts[],
): { readonly chain: ThreadRecord['chain']; readonly entries: readonly HistoryEntry[] } {
  const entries: HistoryEntry[] = [];
  if (facts.length === 0) return { chain, entries };
  let { count, hash } = chain;
  for (const { shown, ...fact } of facts) {
    // A sealed entry has the facts and the members of the seal.
    const sealed = sealEntry(toDoc(fact), hash, shown) as unknown as HistoryEntry;
    entries.push(sealed);
    hash = sealed.hash;
    count += 1;
  }
  return { chain: { count, hash }, entries };
}

/** The history entries for new answers. */
export function stagedFacts(view: ThreadView, answers: ReadonlyMap<string, NewAnswer>): HistoryFacts[] {
  return [...answers].map(([interruptId, { answer }]) => {
    const { status, payload, by, at, via, withdrawn } = answer;
    const raisedAt = view.interrupts.get(interruptId)?.raisedAt ?? at;
    const reason = answer.metadata?.['reason'];
    return {
      what:
        withdrawn === true
          ? ('withdrawn' as const)
          : status === 'cancelled'
            ? ('cancelled' as const)
            : ('staged' as const),
      interruptId,
      at,
      by,
      via,
      status,
      ...defined({ payload }),
      ...(withdrawn === true && typeof reason === 'string' ? { reason } : {}),
      latency: at - raisedAt,
    };
  });
}
