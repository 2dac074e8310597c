import { defined, everyPage } from '../core/index.ts';
import type { PutRow, Row, Store } from '../store/index.ts';
import { ERASED_ID, operatorAccess, ownerOf } from './access.ts';
import { isAtWork } from './lease.ts';
import type { AlsoRemove } from './prune-threads.ts';
import { erasedEntries, erasedFact, pruneThread } from './prune-threads.ts';
import { everyThread } from './read-ledger.ts';
import type { GivenAnswer, InterruptRecord, RunRecord, ThreadKey, ThreadRecord } from './records.ts';
import { askersOf } from './thread-change.ts';
import { fromDoc } from './thread-view.ts';
import { workOnThread } from './thread-work.ts';

/** The options of {@link eraseThread}. */
export interface EraseThread {
  /** The id of the principal who erases, for the history. Default `holdpoint`. */
  readonly by?: string;
  /** Removes data of the thread outside the store, such as files. Must be safe to repeat. */
  readonly alsoRemove?: AlsoRemove;
}

/**
 * Erases a thread: its messages, interrupts, runs, files, grants and A2A tasks, and the values of its history. The history still
 * verifies. Returns false, and changes nothing, while a run is active on the thread, and for a thread that has nothing to erase.
 *
 * @example
 * ```ts
 * import { eraseThread } from 'holdpoint/ledger';
 *
 * const isErased = await eraseThread(store, { scope: 'acme', thread: threadId }, { by: 'ana' });
 * ```
 */
export function eraseThread(store: Store, key: ThreadKey, options: EraseThread = {}): Promise<boolean> {
  const { by, alsoRemove } = options;
  const principal = by === undefined ? undefined : { id: by, scope: key.scope };
  const access = operatorAccess(store, key, principal);
  return pruneThread(access, {
    mayGo: (_thread, isBusy) => !isBusy,
    erasure: { by: access.principal.id },
    ...defined({ alsoRemove }),
  });
}

/** The options of {@link erasePerson}. */
export interface ErasePerson {
  readonly scope: string;
  /** The id of the principal. */
  readonly person: string;
  /** Removes the files of an erased thread outside the store. Must be safe to repeat. */
  readonly alsoRemove?: AlsoRemove;
  /** Called after each thread. */
  readonly onProgress?: (progress: { readonly checked: number }) => void;
  readonly signal?: AbortSignal;
}

/** The result of {@link erasePerson}. */
export interface ErasedPerson {
  /** Threads of the person, which were erased as a whole. */
  readonly threads: number;
  /** Threads of others in which answers and the name of the person were erased. */
  readonly others: number;
  /** Grants that the person gave or received. */
  readonly grants: number;
  /** Threads with an active run or an unfinished turn: they are unchanged; erase again when they are done. */
  readonly busy: readonly ThreadKey[];
}

/**
 * Erases a person in a scope: the threads that the person owns, the person's answers, reasons and name in other threads and in every
 * history, the person's grants, A2A tasks, and uploads in the store. Messages have no author: those in threads of others stay.
 *
 * @example
 * ```ts
 * import { erasePerson } from 'holdpoint/ledger';
 *
 * const { threads, busy } = await erasePerson(store, { scope: 'acme', person: 'ana' });
 * console.log(`${threads} threads erased, ${busy.length} to erase later`);
 * ```
 */
export async function erasePerson(store: Store, options: ErasePerson): Promise<ErasedPerson> {
  const { scope, person, alsoRemove, onProgress, signal } = options;
  const busy: ThreadKey[] = [];
  let [threads, others, checked] = [0, 0, 0];
  for await (const key of everyThread(store, { scope })) {
    signal?.throwIfAborted();
    const outcome = await eraseIn(store, key, { person, ...defined({ alsoRemove }) });
    if (outcome === 'busy') busy.push(key);
    if (outcome === 'thread') threads += 1;
    if (outcome === 'answers') others += 1;
    checked += 1;
    onProgress?.({ checked });
  }
  await eraseTasks(store, { scope, person, busy });
  return { threads, others, grants: await eraseGrants(store, { scope, person }), busy };
}

async function eraseIn(
  store: Store,
  key: ThreadKey,
  { person, alsoRemove }: { readonly person: string; readonly alsoRemove?: AlsoRemove },
): Promise<'thread' | 'answers' | 'busy' | 'none'> {
  const access = operatorAccess(store, key);
  const [row] = await store.get('threads', [{ ...key, id: '' }]);
  if (row === undefined) return 'none';
  if (ownerOf(fromDoc(row, 'thread')) === person) {
    const isErased = await pruneThread(access, {
      mayGo: (_thread, isBusy) => !isBusy,
      erasure: { by: access.principal.id, owner: ERASED_ID },
      ...defined({ alsoRemove }),
    });
    return isErased ? 'thread' : 'busy';
  }
  const found = await rowsOf(store, key, 'interrupts');
  const interruptIds = found.map((one) => one.key.id);
  return workOnThread(store, { key, interruptIds, ofDeleted: true }, async (view) => {
    const { thread, now } = view;
    if (thread === undefined) return { result: 'none' as const };
    // The seal of a request names its askers.
    const asked = new Set(
      [...view.interrupts].flatMap(([id, record]) => (hasAsker(record, person) ? [id] : [])),
    );
    const rewrites = await erasedEntries(
      store,
      key,
      ({ by, digests, interruptId }) =>
        by === person || (digests?.['asker'] !== undefined && asked.has(interruptId)),
    );
    const interrupts = new Map(
      [...view.interrupts].flatMap(([id, record]) => {
        const erased = withoutPerson(record, person);
        return erased === record ? [] : [[id, erased] as const];
      }),
    );
    const puts = await erasedRuns(store, key, person);
    const deletes = (await rowsOf(store, key, 'files')).filter(({ index }) => index.owner === person);
    const isNamed = thread.principal?.id === person || askersOf(thread).includes(person);
    if (!isNamed && rewrites.length + interrupts.size + puts.length + deletes.length === 0)
      return { result: 'none' as const };
    // A run needs the answers of its turn.
    const isOpen = thread.turn !== undefined || thread.batch !== undefined || isAtWork(thread, now, store);
    if (isOpen) return { result: 'busy' as const };
    return {
      change: {
        thread: namedAnew(thread, person),
        interrupts,
        rewrites,
        history: rewrites.length === 0 ? [] : [erasedFact(rewrites, { by: access.principal.id, at: now })],
        puts,
        deletes: deletes.flatMap(({ key: described }) => [
          { table: 'files' as const, key: described },
          // The body of the file that the row describes (see `storeFiles`).
          { table: 'files' as const, key: { ...described, id: described.id.replace(/^file:/, '') } },
        ]),
      },
      result: 'answers' as const,
    };
  });
}

async function rowsOf(
  store: Store,
  key: ThreadKey,
  table: 'interrupts' | 'runs' | 'files',
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  // Rows of `files` without a status hold bodies.
  const query = { table, ...key, ...(table === 'files' ? { status: ['file'] } : {}) };
  for await (const page of everyPage((from) => store.list({ ...query, ...from }))) rows.push(...page.rows);
  return rows;
}

function hasAsker({ askedBy, alsoAskedBy = [] }: InterruptRecord, person: string): boolean {
  return askedBy === person || alsoAskedBy.includes(person);
}

/** An interrupt without the id and the answer of a person; the same record if it has neither. */
function withoutPerson(record: InterruptRecord, person: string): InterruptRecord {
  const { askedBy, alsoAskedBy, answer, threadDeleted } = record;
  const isAnswer = answer?.by === person;
  const isNamed = hasAsker(record, person) || threadDeleted?.by === person;
  if (!isNamed && !isAnswer) return record;
  const rename = (id: string) => (id === person ? ERASED_ID : id);
  return {
    ...record,
    askedBy: rename(askedBy),
    ...defined({ alsoAskedBy: alsoAskedBy?.map(rename) }),
    ...(isAnswer ? { answer: erasedAnswer(answer) } : {}),
    ...defined({
      threadDeleted: threadDeleted && { ...threadDeleted, by: rename(threadDeleted.by) },
    }),
  };
}

/** An answer without its values. Its digest goes too: it has no salt, so the payload could be guessed. No answer equals an empty one. */
function erasedAnswer({ status, at, via }: GivenAnswer): GivenAnswer {
  return { status, at, via, by: ERASED_ID, digest: '' };
}

/** The thread without the name of the person. */
function namedAnew(thread: ThreadRecord, person: string): ThreadRecord {
  const { principal, askers } = thread;
  const isPrincipal = principal?.id === person;
  return {
    ...thread,
    ...(isPrincipal ? { principal: { id: ERASED_ID, scope: principal.scope } } : {}),
    ...defined({ askers: askers?.map((id) => (id === person ? ERASED_ID : id)) }),
  };
}

async function erasedRuns(store: Store, key: ThreadKey, person: string): Promise<PutRow[]> {
  const rows = await rowsOf(store, key, 'runs');
  return rows.flatMap((row): PutRow[] => {
    const run: RunRecord = fromDoc(row, 'run');
    if (run.principal.id !== person) return [];
    const doc = { ...row.doc, principal: { id: ERASED_ID, scope: run.principal.scope } };
    const index = { ...row.index, askedBy: ERASED_ID };
    return [{ table: 'runs', key: row.key, doc, index, expect: row.version }];
  });
}

/** Deletes the A2A tasks that a person began in threads of others; a busy thread keeps its tasks. */
async function eraseTasks(
  store: Store,
  given: { readonly scope: string; readonly person: string; readonly busy: readonly ThreadKey[] },
): Promise<void> {
  const { scope, person, busy } = given;
  const open = new Set(busy.map(({ thread }) => thread));
  // Rows without a thread name their thread as the reason (see `readableTaskStore`).
  const query = { table: 'files', scope, thread: '', owner: person } as const;
  for await (const page of everyPage((from) => store.list({ ...query, ...from }))) {
    const over = page.rows.filter(({ index: { reason } }) => reason !== undefined && !open.has(reason));
    const keys = over.flatMap(({ key, index }) => [key, { ...key, thread: index.reason ?? '' }]);
    if (keys.length > 0)
      await store.commit({ deletes: keys.map((key) => ({ table: 'files' as const, key })) });
  }
}

/** Deletes the grants that a person gave or received. */
async function eraseGrants(
  store: Store,
  { scope, person }: { readonly scope: string; readonly person: string },
): Promise<number> {
  let count = 0;
  for (const member of ['owner', 'askedBy'] as const) {
    for (;;) {
      const { rows } = await store.list({ table: 'grants', scope, [member]: person });
      if (rows.length === 0) break;
      await store.commit({ deletes: rows.map(({ key }) => ({ table: 'grants', key })) });
      count += rows.length;
    }
  }
  return count;
}
