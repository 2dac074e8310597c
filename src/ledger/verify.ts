import type { JsonObject } from '../core/index.ts';
import { canonicalJson, defined, everyPage, isRecord } from '../core/index.ts';
import type { Row, Store, Stray } from '../store/index.ts';
import { CHAIN_START, findBrokenEntry, isIntactEntry, saltedDigest } from '../store/index.ts';
import type { Access } from './access.ts';
import { ERASED_ID, operatorAccess, storeOf, unknownThread } from './access.ts';
import type { Anchor, AnchoredEnd, AnchorEntry } from './anchor.ts';
import { anchorEntryKey, readAnchor } from './anchor.ts';
import { ownsResult, readCallResults } from './call-result.ts';
import type { ThreadChoice } from './read-ledger.ts';
import { everyThread, readHistory, readThread } from './read-ledger.ts';
import type { HistoryEntry, InterruptRecord, ThreadKey, ThreadRecord } from './records.ts';
import type { Shown } from './sealed-rows.ts';
import { outcomeOf, shownCourse, shownRequest } from './sealed-rows.ts';
import { interruptIndex } from './thread-change.ts';
import { fromDoc, threadName } from './thread-view.ts';

/** A difference between the history and what is stored. */
export interface AuditFinding {
  /** What differs, as a sentence. */
  readonly says: string;
  /** The thread; absent for the chain of anchors. */
  readonly key?: ThreadKey;
  /** The position of the entry of the history, from 0, if an entry was changed, moved or removed. */
  readonly index?: number;
  readonly interruptId?: string;
  /** What differs in the row of the interrupt: `tool`, `arguments`, `answer by`, `state` and others. */
  readonly field?: string;
}

/**
 * Compares the history of a thread with itself and with the rows of its interrupts. Returns the first difference; undefined for none.
 * {@link verifyAll} also finds removed threads and removed ends of histories.
 */
export async function verifyHistory(access: Access<'read'>): Promise<AuditFinding | undefined> {
  return verifyThread(access, []);
}

async function verifyThread(
  access: Access<'read'>,
  ends: readonly AnchoredEnd[],
): Promise<AuditFinding | undefined> {
  let thread = await readThread(access);
  for (;;) {
    const finding = await findDifference(access, thread, ends);
    if (finding === undefined) return undefined;
    // Every change of an interrupt adds to the history: a thread that changed while it was read is read again.
    const next = await readThread(access);
    if (next?.chain.hash === thread?.chain.hash) return { ...finding, key: access.key };
    thread = next;
  }
}

async function findDifference(
  access: Access<'read'>,
  thread: ThreadRecord | undefined,
  ends: readonly AnchoredEnd[],
): Promise<AuditFinding | undefined> {
  if (thread === undefined) {
    return ends.length === 0 ? undefined : { says: `The thread was removed: ${anchored(ends.at(-1))}.` };
  }
  const entries = await readHistory(access);
  return (
    findBroken(entries, thread) ??
    findUnanchored(entries, ends) ??
    findErased(entries) ??
    (await findChangedRow(access, { thread, entries }))
  );
}

/** The first entry that does not fit the chain. */
function findBroken(entries: readonly HistoryEntry[], { chain }: ThreadRecord): AuditFinding | undefined {
  // Entries are JSON by their types.
  const index = findBrokenEntry(entries as unknown as readonly JsonObject[], chain);
  if (index === undefined) return undefined;
  const says =
    index < entries.length
      ? `Entry ${index + 1} of the history was changed, moved, or an entry before it was removed.`
      : `The history has ${entries.length} entries, and the row of the thread counts ${chain.count} with another end.`;
  return { says, index };
}

function anchored([, , count] = ['', '', 0, ''] as AnchoredEnd): string {
  return `the chain of anchors has its history with ${count} entries`;
}

/** The first anchored end that the history does not have. */
function findUnanchored(
  entries: readonly HistoryEntry[],
  ends: readonly AnchoredEnd[],
): AuditFinding | undefined {
  const end = ends.find(([, , count, hash]) => entries[count - 1]?.hash !== hash);
  if (end === undefined) return undefined;
  const [, , count] = end;
  const says =
    entries.length < count
      ? `The end of the history was removed: it has ${entries.length} entries, and ${anchored(end)}.`
      : `The history was written anew: entry ${count} is not the one that was anchored.`;
  return { says, index: Math.min(count - 1, entries.length) };
}

/** The first erased entry that no later entry names. */
function findErased(entries: readonly HistoryEntry[]): AuditFinding | undefined {
  const named = new Map<number, number>();
  for (const [index, { what, erases = [] }] of entries.entries()) {
    if (what !== 'erased') continue;
    for (const [first, last] of erases)
      for (let sequence = first; sequence <= Math.min(last, entries.length); sequence += 1)
        named.set(sequence, index);
  }
  const index = entries.findIndex(({ erased }, at) => erased === true && (named.get(at + 1) ?? -1) <= at);
  if (index === -1) return undefined;
  return {
    says: `Entry ${index + 1} of the history was emptied, and no later entry says that it was erased.`,
    index,
  };
}

/** What the history says of one interrupt. */
interface ToldInterrupt {
  readonly entries: readonly HistoryEntry[];
  /** The entry that removed the other rows of its thread and kept this one. */
  readonly keptBy?: HistoryEntry;
}

/** The interrupts that have a row, by the history. */
function toldInterrupts(entries: readonly HistoryEntry[]): ReadonlyMap<string, ToldInterrupt> {
  const told = new Map<string, ToldInterrupt>();
  for (const entry of entries) {
    const { interruptId, kept } = entry;
    if (interruptId !== '') {
      const before = told.get(interruptId);
      // After a deletion, an interrupt of the same id is another one.
      const isNew = before?.keptBy !== undefined;
      told.set(interruptId, { entries: [...(isNew ? [] : (before?.entries ?? [])), entry] });
    }
    if (kept === undefined) continue;
    const ids = new Set(kept);
    for (const [id, one] of told) {
      if (!ids.has(id)) told.delete(id);
      else if (one.keptBy === undefined) told.set(id, { ...one, keptBy: entry });
    }
  }
  return told;
}

/** The first interrupt whose row and entries differ. */
async function findChangedRow(
  access: Access<'read'>,
  { thread, entries }: { readonly thread: ThreadRecord; readonly entries: readonly HistoryEntry[] },
): Promise<AuditFinding | undefined> {
  const store = storeOf(access);
  const told = toldInterrupts(entries);
  const rows = new Map<string, Row>();
  const query = { table: 'interrupts', ...access.key, limit: 1000 } as const;
  for await (const page of everyPage((from) => store.list({ ...query, ...from })))
    for (const row of page.rows) rows.set(row.key.id, row);
  const results = await readResults(access, thread, { told, rows });
  for (const [interruptId, one] of told) {
    const row = rows.get(interruptId);
    const name = `The interrupt ${interruptId}`;
    if (row === undefined) {
      const last = one.entries.at(-1)?.state ?? 'raised';
      return {
        says: `${name} is ${last} by the history, and its row was removed.`,
        interruptId,
        field: 'row',
      };
    }
    const field = changedField(row, one) ?? changedResult(row, one, results) ?? changedColumn(row, thread);
    if (field !== undefined)
      return { says: `${name} has another ${field} in its row than in the history.`, interruptId, field };
  }
  for (const interruptId of rows.keys()) {
    if (!told.has(interruptId))
      return {
        says: `The interrupt ${interruptId} has a row, and the history does not know it.`,
        interruptId,
        field: 'row',
      };
  }
  return undefined;
}

/** The last of these entries with a digest of this name. */
function sealOf({ entries }: ToldInterrupt, name: string): HistoryEntry | undefined {
  return entries.findLast(({ digests }) => digests?.[name] !== undefined);
}

/** Whether a value is the one that an entry seals. The value of an erased entry is unknown. */
function isSealed(entry: HistoryEntry | undefined, name: string, value: unknown): boolean {
  if (entry?.erased === true) return true;
  return entry?.digests?.[name] === saltedDigest(entry?.salt ?? '', name, value);
}

/** The first member of a row that its entries do not have. */
function changedField(row: Row, told: ToldInterrupt): string | undefined {
  const record = fromDoc(row, 'interrupt');
  const last = told.entries.findLast(({ state }) => state !== undefined);
  const request: Shown = shownRequest(record);
  const changed = Object.keys(request).find((name) => !isSealed(sealOf(told, name), name, request[name]));
  if (changed !== undefined) return changed;
  const answer = changedAnswer(record, told);
  if (answer !== undefined) return answer;
  if (record.state !== last?.state) return 'state';
  if (outcomeOf(record) !== last.outcome) return 'outcome';
  if (!isSealed(sealOf(told, 'course'), 'course', shownCourse(record))) return 'run, end or successor';
  return changedDeletion(record, told);
}

function changedAnswer({ answer }: InterruptRecord, told: ToldInterrupt): string | undefined {
  const entry = sealOf(told, 'answer');
  if (entry === undefined) return answer === undefined ? undefined : 'answer';
  if (answer === undefined)
    return isSealed(entry, 'answer', undefined) && entry.erased !== true ? undefined : 'answer';
  // Entries about an expiry and about asking again do not repeat the answer.
  if (entry.status !== undefined) {
    const { status, by, via, at, payload = null } = answer;
    const isErased = entry.erased === true;
    if (status !== entry.status) return 'answer status';
    if (by !== (isErased ? ERASED_ID : entry.by)) return 'answer by';
    if (via !== entry.via) return 'answer via';
    if (at !== entry.at) return 'answer time';
    if (canonicalJson(payload) !== canonicalJson(isErased ? null : (entry.payload ?? null)))
      return isRecord(payload) && payload['editedArgs'] !== undefined
        ? 'answer payload (edits)'
        : 'answer payload';
  }
  return isSealed(entry, 'answer', answer) ? undefined : 'answer';
}

/** Whether the row says of the deletion of its thread what the history says. */
function changedDeletion({ threadDeleted }: InterruptRecord, { keptBy }: ToldInterrupt): string | undefined {
  if (threadDeleted?.at !== keptBy?.at) return 'deletion';
  const by = keptBy?.erased === true ? ERASED_ID : keptBy?.by;
  return threadDeleted?.by === by ? undefined : 'deletion';
}

/** The results of the calls of a thread as pages show them, by call. */
async function readResults(
  access: Access<'read'>,
  { importedThrough = 0 }: ThreadRecord,
  {
    told,
    rows,
  }: { readonly told: ReadonlyMap<string, ToldInterrupt>; readonly rows: ReadonlyMap<string, Row> },
): Promise<ReadonlyMap<string, SealedResult>> {
  const sealed = new Map<string, SealedResult>();
  for (const [id, one] of told) {
    const row = rows.get(id);
    const entry = sealOf(one, 'result');
    const call = row === undefined ? undefined : fromDoc(row, 'interrupt').interrupt.toolCallId;
    if (entry === undefined || call === undefined) continue;
    // A call that was made again has several interrupts, and the result of the last one.
    const isLater = (sealed.get(call)?.entry.at ?? 0) <= entry.at;
    if (isLater) sealed.set(call, { entry });
  }
  const { key } = access;
  const found = await readCallResults(
    storeOf(access),
    { key, after: importedThrough },
    new Set(sealed.keys()),
  );
  return new Map(
    [...sealed].map(([call, one]) => [call, { ...one, ...defined({ shown: found.get(call) }) }]),
  );
}

interface SealedResult {
  readonly entry: HistoryEntry;
  readonly shown?: object;
}

function changedResult(
  row: Row,
  { keptBy }: ToldInterrupt,
  results: ReadonlyMap<string, SealedResult>,
): string | undefined {
  const record = fromDoc(row, 'interrupt');
  const result = results.get(record.interrupt.toolCallId ?? '');
  if (result === undefined || !ownsResult(record)) return undefined;
  const { by: _by, at: _at, ...deleted } = record.threadDeleted ?? { by: '', at: 0 };
  const shown = keptBy === undefined ? result.shown : deleted;
  // The messages of an open turn are not stored yet.
  if (shown === undefined || Object.keys(shown).length === 0) return undefined;
  return isSealed(result.entry, 'result', shown) ? undefined : 'result';
}

/** The first column that does not repeat the document of its row. */
function changedColumn(row: Row, thread: ThreadRecord): string | undefined {
  const expected: Readonly<Record<string, unknown>> = {
    ...interruptIndex(fromDoc(row, 'interrupt'), thread),
  };
  const found: Readonly<Record<string, unknown>> = { ...row.index };
  const name = [...new Set([...Object.keys(expected), ...Object.keys(found)])].find(
    (member) => canonicalJson(expected[member] ?? null) !== canonicalJson(found[member] ?? null),
  );
  return name === undefined ? undefined : `column ${name}`;
}

/** The options of {@link verifyAll}. */
export interface VerifyAll extends ThreadChoice {
  /** Ends of the chain of anchors that were kept in another place (see `anchorAll`). */
  readonly kept?: readonly Pick<Anchor, 'count' | 'hash'>[];
  /** Called once with the end of the chain of anchors; undefined for a database without one. */
  readonly onAnchor?: (anchor: Anchor | undefined) => void;
  /** Called for each thread with entries that are not anchored yet: a removal of these would not be found. */
  readonly onUnanchored?: (unanchored: { readonly key: ThreadKey; readonly entries: number }) => void;
  /** Called after each thread. */
  readonly onProgress?: (progress: { readonly checked: number; readonly broken: number }) => void;
  readonly signal?: AbortSignal;
}

/**
 * Compares the histories of all threads with themselves, with the rows of their interrupts and with the chain of anchors, also while
 * they grow. Yields the first difference of each thread. Writes nothing. Throws `THREAD_UNKNOWN` if no thread was chosen.
 *
 * @example
 * ```ts
 * import { verifyAll } from 'holdpoint/ledger';
 *
 * for await (const { key, says } of verifyAll(store)) console.error(key?.thread, says);
 * ```
 */
export async function* verifyAll(store: Store, options: VerifyAll = {}): AsyncGenerator<AuditFinding> {
  const { onProgress, onAnchor, onUnanchored, signal, kept = [], ...choice } = options;
  let checked = 0;
  let broken = 0;
  const anchor = await readAnchor(store);
  onAnchor?.(anchor);
  const { ends, finding: brokenAnchor } = await readEnds(store, { anchor, kept }, choice);
  if (brokenAnchor !== undefined) {
    broken += 1;
    yield brokenAnchor;
  }
  const strays = new Map(
    (await store.findStrays(choice)).map((stray) => [threadName(stray), stray] as const),
  );
  const check = async (key: ThreadKey): Promise<AuditFinding | undefined> => {
    signal?.throwIfAborted();
    const name = threadName(key);
    const own = ends.get(name) ?? [];
    const stray = strays.get(name);
    ends.delete(name);
    strays.delete(name);
    const access = operatorAccess(store, key);
    const finding = stray === undefined ? await verifyThread(access, own) : { key, ...strayFinding(stray) };
    const count = (await readThread(access))?.chain.count ?? 0;
    const entries = count - (own.at(-1)?.[2] ?? 0);
    if (finding === undefined && entries > 0) onUnanchored?.({ key, entries });
    checked += 1;
    if (finding !== undefined) broken += 1;
    onProgress?.({ checked, broken });
    return finding;
  };
  for await (const key of everyThread(store, choice)) {
    const finding = await check(key);
    if (finding !== undefined) yield finding;
  }
  const others = [
    ...[...strays.values()].map(({ scope, thread }) => ({ scope, thread })),
    ...[...ends.values()].flatMap(([end]) => (end === undefined ? [] : [{ scope: end[0], thread: end[1] }])),
  ];
  for (const key of new Map(others.map((one) => [threadName(one), one])).values()) {
    const finding = await check(key);
    if (finding !== undefined) yield finding;
  }
  const { scope, thread } = choice;
  if (checked > 0 || (scope ?? thread) === undefined) return;
  throw unknownThread(thread ?? `of the scope ${scope ?? ''}`);
}

function strayFinding({ table, sequence = 1, column }: Stray): AuditFinding {
  if (column === undefined) {
    const rows = table === 'history' ? 'a history' : 'interrupts';
    return { says: `The row of the thread was removed: it has ${rows}, and no row in threads.` };
  }
  return {
    says: `Entry ${sequence} of the history has another value in the column ${column} than in its document.`,
    index: sequence - 1,
    field: `column ${column}`,
  };
}

/** Entries of the chain of anchors that one read takes. */
const SOME = 100;

/** The anchored ends of the chosen threads, by thread, and the first fault of the chain of anchors. */
async function readEnds(
  store: Store,
  { anchor, kept }: { readonly anchor: Anchor | undefined; readonly kept: NonNullable<VerifyAll['kept']> },
  choice: ThreadChoice,
): Promise<{ readonly ends: Map<string, AnchoredEnd[]>; readonly finding?: AuditFinding }> {
  const ends = new Map<string, AnchoredEnd[]>();
  const hashes = new Map<number, Set<string>>();
  for (const { count, hash } of kept) hashes.set(count, (hashes.get(count) ?? new Set()).add(hash));
  const { count: last = 0, hash: end = CHAIN_START } = anchor ?? {};
  let says: string | undefined;
  let previous = CHAIN_START;
  for (let start = 1; start <= last; start += SOME) {
    const numbers = Array.from({ length: Math.min(SOME, last - start + 1) }, (_, at) => start + at);
    const rows = await store.get('anchors', numbers.map(anchorEntryKey));
    for (const [at, number] of numbers.entries()) {
      const doc = rows[at]?.doc;
      // Only the anchoring writes these rows.
      const entry = doc as unknown as AnchorEntry | undefined;
      const isIntact = doc !== undefined && entry?.previous === previous && isIntactEntry(doc);
      if (!isIntact) says ??= `Entry ${number} of the chain of anchors was changed or removed.`;
      if ([...(hashes.get(number) ?? [])].some((hash) => hash !== entry?.hash))
        says ??= `Entry ${number} of the chain of anchors is not the one that was kept.`;
      hashes.delete(number);
      previous = entry?.hash ?? '';
      for (const one of isIntact ? entry.ends : []) addEnd(ends, one, choice);
    }
  }
  if (previous !== end) says ??= `The chain of anchors does not end with its last entry, ${last}.`;
  for (const number of hashes.keys())
    says ??= `Entry ${number} of the chain of anchors was kept, and the chain ends with entry ${last}.`;
  return { ends, ...(says === undefined ? {} : { finding: { says } }) };
}

function addEnd(
  ends: Map<string, AnchoredEnd[]>,
  end: AnchoredEnd,
  { scope = end[0], thread = end[1] }: ThreadChoice,
): void {
  if (end[0] !== scope || end[1] !== thread) return;
  const name = threadName({ scope: end[0], thread: end[1] });
  const known = ends.get(name);
  if (known === undefined) ends.set(name, [end]);
  else known.push(end);
}
