import type { JsonObject } from '../core/index.ts';
import { defined, everyPage } from '../core/index.ts';
import type { DeleteRow, ListQuery, PutRow, RewriteEntry, Row, Store, TableName } from '../store/index.ts';
import { eraseEntry } from '../store/index.ts';
import type { Access } from './access.ts';
import { operatorAccess, ownerOf, storeOf } from './access.ts';
import { anchorThreads } from './anchor.ts';
import { ownsResult, readCallResults } from './call-result.ts';
import { expiredAnswer } from './check-answer.ts';
import { isAtWork } from './lease.ts';
import { readThread } from './read-ledger.ts';
import type {
  HistoryEntry,
  HistoryFacts,
  InterruptRecord,
  ThreadDeleted,
  ThreadKey,
  ThreadRecord,
} from './records.ts';
import { sealRow } from './sealed-rows.ts';
import { fromDoc } from './thread-view.ts';
import { workAs, workOnThread } from './thread-work.ts';

/** The tables that pruning empties, besides the interrupts; the history stays. */
const TABLES: readonly TableName[] = ['runs', 'executions', 'secrets', 'files', 'grants'];

/** Rows that one commit removes. */
const BATCH = 500;

/** Rows of `files` to read at once; each may hold a whole file. */
const FEW = 4;

/** Marks the start of a new conversation in the message log. */
const BEGINS_ANEW: JsonObject = { truncateAfter: '' };

export interface PruneThreads {
  /** Milliseconds since the last change of a thread. */
  readonly olderThanMs: number;
  /** Called after each thread. */
  readonly onProgress?: (progress: { readonly key: ThreadKey; readonly pruned: number }) => void;
  readonly signal?: AbortSignal;
  readonly alsoRemove?: AlsoRemove;
}

/** Removes data of a thread outside the store, such as files. Must be safe to repeat. */
export type AlsoRemove = (key: ThreadKey) => Promise<void>;

/**
 * Removes finished threads without recent changes: no active run, no open interrupt, no unfinished turn; and the decided
 * interrupts of threads that were deleted as long ago. Their history and the end of its chain stay. Any number of processes may prune while runs begin: either the run comes
 * first and nothing is removed, or it starts a new thread. The next pruner finishes the work of a dead one. Returns
 * the number of threads that this call removed.
 */
export async function pruneThreads(store: Store, options: PruneThreads): Promise<number> {
  const { olderThanMs, onProgress, signal, alsoRemove } = options;
  const before = (await store.now()) - olderThanMs;
  const mayGo = ({ pruned, endedAt }: ThreadRecord) =>
    pruned === 'partly' || (endedAt !== undefined && endedAt < before);
  const idle = { status: ['idle', 'quiet'], dueBefore: before, order: 'due' as const };
  const queries = [{ status: ['pruning'] }, idle, { ...idle, status: ['pruned'] }];
  let count = 0;
  for (const query of queries) {
    const list = (from: { readonly cursor?: string }) => store.list({ table: 'threads', ...query, ...from });
    for await (const page of everyPage(list)) {
      for (const { scope, thread } of page.rows.map((row) => row.key)) {
        signal?.throwIfAborted();
        const key = { scope, thread };
        const given = { mayGo, ...defined({ alsoRemove }) };
        if (!(await pruneThread(operatorAccess(store, key), given))) continue;
        count += 1;
        onProgress?.({ key, pruned: count });
      }
    }
  }
  return count;
}

/**
 * Removes one thread except its history, if `mayGo` allows it for the thread at that moment. Returns whether this
 * call removed it.
 */
export async function pruneThread(
  access: Access<'delete'>,
  given: {
    /** Gets whether a run is active on the thread. */
    readonly mayGo: (thread: ThreadRecord, isBusy: boolean) => boolean;
    readonly alsoRemove?: AlsoRemove;
    /** Keeps its decided interrupts for the audit, until {@link pruneThreads} or an erasure removes them. */
    readonly keepsDecisions?: true;
    /** Erases the values of its history in the same commit, also of a thread that was removed before. */
    readonly erasure?: {
      /** The id of the principal who erases. */
      readonly by: string;
      /** The owner of the rest, if the owner is erased too. Default: the owner of the thread stays. */
      readonly owner?: string;
    };
  },
): Promise<boolean> {
  const { mayGo, alsoRemove, keepsDecisions, erasure } = given;
  const { key } = access;
  const store = storeOf(access);
  // The end of its history is anchored before its rows go.
  await anchorThreads(store, [key]);
  const left = await workAs(access, [], async ({ thread, now }) => {
    if (thread === undefined) return { result: undefined };
    const rewrites = erasure === undefined ? [] : await erasedEntries(store, key, isErasedBy(erasure));
    const outside = erasure === undefined ? [] : await rowsOutside(store, key);
    const owner = erasure?.owner ?? ownerOf(thread);
    const asked = await everyRow(store, { table: 'interrupts', ...key });
    // A removal that did not finish has removed all interrupts but those to keep.
    const isKept = erasure === undefined && (keepsDecisions === true || thread.pruned === 'partly');
    const kept = isKept
      ? await keepDecided(store, { key, thread, rows: asked }, { by: access.principal.id, at: now })
      : NOTHING_KEPT;
    const interrupts = asked.filter(({ key: { id } }) => !kept.ids.has(id)).map(toDelete('interrupts'));
    const isChanged = rewrites.length + outside.length + interrupts.length > 0 || owner !== ownerOf(thread);
    if (thread.pruned === true && !isChanged) return { result: undefined };
    if (!mayGo(thread, isAtWork(thread, now, store))) return { result: undefined };
    const { agent, epoch, chain, logs } = thread;
    const rows = await rowsOf(store, key);
    const deletedAt = thread.pruned === undefined ? now : thread.endedAt;
    // Until the log is trimmed, this tells its readers that earlier messages do not count.
    const messages = logs.messages === 0 ? [] : [BEGINS_ANEW];
    const tombstone: ThreadRecord = {
      agent,
      // Only the owner may begin the thread anew.
      ...defined({ owner }),
      epoch: epoch + 1,
      state: {},
      chain,
      logs,
      eventsTrimmed: logs.events,
      pruned: 'partly',
      ...(kept.ids.size === 0 ? {} : defined({ endedAt: deletedAt })),
    };
    return {
      change: {
        thread: tombstone,
        messages,
        // All interrupts go in the same commit as the thread, so a process that dies afterwards leaves none in the inbox.
        deletes: [...interrupts, ...rows.slice(0, BATCH), ...outside],
        puts: kept.puts,
        rewrites,
        history: [
          ...kept.facts,
          ...(erasure === undefined
            ? interrupts.length + kept.puts.length === 0
              ? []
              : [
                  {
                    what: 'pruned' as const,
                    interruptId: '',
                    at: now,
                    by: access.principal.id,
                    kept: [...kept.ids],
                  },
                ]
            : [{ ...erasedFact(rewrites, { by: erasure.by, at: now }), kept: [] }]),
        ],
      },
      result: { rows: rows.slice(BATCH), epoch: epoch + 1, through: logs.messages + messages.length, logs },
    };
  });
  if (left === undefined) return false;
  for (let start = 0; start < left.rows.length; start += BATCH) {
    // The commit fails for a row that a new run has written since; the next pruner takes the rest.
    const committed = await store.commit({ deletes: left.rows.slice(start, start + BATCH) });
    if (!committed.ok) return true;
  }
  await store.trim({ log: 'messages', ...key, through: left.through });
  await store.trim({ log: 'events', ...key, through: left.logs.events });
  // Before the thread counts as removed: after a crash here the next sweep repeats it. Rows of a new run stay.
  if (alsoRemove !== undefined && (await readThread(access))?.epoch === left.epoch) await alsoRemove(key);
  await workAs(access, [], ({ thread }) => {
    const isOurs = thread?.epoch === left.epoch && thread.pruned === 'partly';
    return isOurs
      ? { change: { thread: { ...thread, pruned: true } }, result: undefined }
      : { result: undefined };
  });
  return true;
}

/** Entries about an erasure keep the name of its principal, unless the owner is erased. */
function isErasedBy({ owner }: { readonly owner?: string }): (entry: HistoryEntry) => boolean {
  return ({ what }) => owner !== undefined || what !== 'erased';
}

/** The entry about erased entries; it names them. */
export function erasedFact(
  rewrites: readonly RewriteEntry[],
  { by, at }: { readonly by: string; readonly at: number },
): HistoryFacts {
  const erases: [number, number][] = [];
  for (const { sequence } of rewrites) {
    const last = erases.at(-1);
    if (last?.[1] === sequence - 1) last[1] = sequence;
    else erases.push([sequence, sequence]);
  }
  return { what: 'erased', interruptId: '', at, by, ...(erases.length === 0 ? {} : { erases }) };
}

/** The entries of a history that have values and are to be erased, without these values. */
export async function erasedEntries(
  store: Store,
  key: ThreadKey,
  isErased: (entry: HistoryEntry) => boolean,
): Promise<RewriteEntry[]> {
  const rewrites: RewriteEntry[] = [];
  for (let after = 0; ;) {
    const items = await store.read({ log: 'history', ...key, after });
    const last = items.at(-1);
    if (last === undefined) return rewrites;
    for (const { sequence, item } of items) {
      // Only the ledger writes these items.
      const entry = item as JsonObject;
      const erased = isErased(entry as unknown as HistoryEntry) ? eraseEntry(entry) : entry;
      if (erased !== entry) rewrites.push({ ...key, sequence, item: erased });
    }
    after = last.sequence;
  }
}

/** The rows of a thread. New rows come only with a new version of the thread row, which the commit checks. */
async function rowsOf(store: Store, key: ThreadKey): Promise<DeleteRow[]> {
  const found: DeleteRow[] = [];
  for (const table of TABLES) {
    const query = { table, ...key, ...(table === 'files' ? { limit: FEW } : {}) };
    found.push(...(await deletesOf(store, query)));
  }
  return found;
}

async function deletesOf(store: Store, query: ListQuery): Promise<DeleteRow[]> {
  return (await everyRow(store, query)).map(toDelete(query.table));
}

/** The rows of a query, without the documents of `files`, which may hold whole files. */
async function everyRow(store: Store, query: ListQuery): Promise<Row[]> {
  const found: Row[] = [];
  for await (const page of everyPage((from) => store.list({ ...query, ...from })))
    found.push(...(query.table === 'files' ? page.rows.map((row) => ({ ...row, doc: {} })) : page.rows));
  return found;
}

function toDelete(table: TableName): (row: Row) => DeleteRow {
  return ({ key, version }) => ({ table, key, expect: version });
}

/** The interrupts that a deletion keeps: their ids, the rows that change, and the history of those that it closes. */
interface KeptDecisions {
  readonly ids: ReadonlySet<string>;
  readonly puts: readonly PutRow[];
  readonly facts: readonly HistoryFacts[];
}

const NOTHING_KEPT: KeptDecisions = { ids: new Set(), puts: [], facts: [] };
const REASON = 'The conversation was deleted.';

/**
 * Marks the interrupts of a thread that a person, a rule or a grant has decided as those of a deleted thread, with the results of
 * their calls. None of them stays open. Those of earlier threads of the same id stay as they are.
 */
async function keepDecided(
  store: Store,
  {
    key,
    thread,
    rows,
  }: { readonly key: ThreadKey; readonly thread: ThreadRecord; readonly rows: readonly Row[] },
  deletion: Pick<ThreadDeleted, 'by' | 'at'>,
): Promise<KeptDecisions> {
  const records = rows.map((row) => ({ row, record: fromDoc(row, 'interrupt') }));
  const news = records.filter(({ record }) => record.threadDeleted === undefined);
  const calls = new Set(news.flatMap(({ record }) => record.interrupt.toolCallId ?? []));
  // A client may have written the messages up to this position.
  const results = await readCallResults(store, { key, after: thread.importedThrough ?? 0 }, calls);
  const ids = new Set(records.flatMap(({ row, record }) => (record.threadDeleted ? [row.key.id] : [])));
  const puts: PutRow[] = [];
  const facts: HistoryFacts[] = [];
  for (const { row, record } of news) {
    const closed = closedRecord(record, deletion);
    if (closed === undefined) continue;
    const { id } = row.key;
    const result = ownsResult(closed) ? results.get(record.interrupt.toolCallId ?? '') : undefined;
    // Records are JSON by their types.
    const doc = { ...closed, threadDeleted: { ...deletion, ...result } } as unknown as JsonObject;
    const { by: answeredBy, at: answeredAt } = closed.answer ?? {};
    const index = { ...row.index, status: closed.state, ...defined({ answeredBy, answeredAt }) };
    ids.add(id);
    puts.push({ table: 'interrupts', key: row.key, doc, index, expect: row.version });
    if (closed === record) continue;
    const what = record.state === 'claimed' ? ('settled' as const) : ('withdrawn' as const);
    facts.push(sealRow({ what, interruptId: id, ...deletion, reason: REASON }, record, closed));
  }
  return { ids, puts, facts };
}

/** A decided interrupt, closed; the same record if it is; undefined for one that still waits, or was asked again under another id. */
function closedRecord(
  record: InterruptRecord,
  { at }: Pick<ThreadDeleted, 'at'>,
): InterruptRecord | undefined {
  const { state, answer } = record;
  if (state === 'expired') {
    return { ...record, state: 'cancelled', answer: answer ?? expiredAnswer(record, at), endedAt: at };
  }
  if (answer === undefined) return undefined;
  if (state === 'answered') return { ...record, state: 'cancelled', endedAt: at };
  if (state !== 'claimed') return record;
  // Its run was lost: the call may have run.
  const isCancelled = answer.status === 'cancelled';
  return {
    ...record,
    state: isCancelled ? 'cancelled' : 'resolved',
    endedAt: at,
    ...(isCancelled ? {} : { uncertain: true }),
  };
}

/** The rows of `files` that name a thread and outlive it: the tasks of an A2A server. An erasure removes them too. */
function rowsOutside(store: Store, { scope, thread }: ThreadKey): Promise<DeleteRow[]> {
  return deletesOf(store, { table: 'files', scope, thread: '', reason: thread, limit: FEW });
}

/** Threads that one call reads. */
const MOST_THREADS = 200;

/**
 * Removes the events of threads without an active run whose last run ended long enough ago. A client that reconnects
 * to an earlier position gets the current thread. Starts with the oldest; the next call continues. Any number of
 * processes may trim. Returns the number of threads that this call trimmed.
 */
export async function trimEvents(store: Store, options: { readonly keepMs: number }): Promise<number> {
  const before = (await store.now()) - options.keepMs + 1;
  const { rows } = await store.list({
    table: 'threads',
    status: ['idle', 'waiting', 'failed'],
    dueBefore: before,
    order: 'due',
    limit: MOST_THREADS,
  });
  let trimmed = 0;
  for (const { key } of rows) {
    if (await trimThread(store, { scope: key.scope, thread: key.thread }, before)) trimmed += 1;
  }
  return trimmed;
}

async function trimThread(store: Store, key: ThreadKey, before: number): Promise<boolean> {
  const through = await workOnThread(store, { key, interruptIds: [] }, ({ thread }) => {
    if (thread === undefined || !isDue(thread, before)) return { result: undefined };
    const { restedAt: _over, ...rest } = thread;
    const { events } = thread.logs;
    return { change: { thread: { ...rest, eventsTrimmed: events } }, result: events };
  });
  if (through === undefined) return false;
  await store.trim({ log: 'events', ...key, through });
  return true;
}

function isDue({ active, pruned, restedAt, endedAt }: ThreadRecord, before: number): boolean {
  if (active !== undefined || pruned !== undefined) return false;
  const since = restedAt ?? endedAt;
  return since !== undefined && since < before;
}
