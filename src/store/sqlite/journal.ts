import type { Change, CommitResult } from '../store.ts';
import { markChange, selectChanged } from './change-marks.ts';
import type { Connection } from './connection.ts';
import { filePending } from './file-pending.ts';
import type { Found } from './filed.ts';
import { Filed } from './filed.ts';
import type { FrozenBatch, FrozenPut, FrozenRow } from './freeze-batch.ts';
import { readRecord, writeRecord } from './journal-record.ts';
import type { JournalRecord } from './journal-record.ts';
import type { PendingLog, PendingRow, StoredKey } from './pending.ts';
import { Pending, threadsOf } from './pending.ts';
import { fromStored } from './stored-text.ts';

/**
 * Commits that are pending at most: whoever opens the file reads them, and memory holds them. There are as many records: each
 * is written over when its turn comes again, when what it changed is long filed. So the journal does not grow.
 */
const SLOTS = 256;
const MOST_CHARACTERS = 2_000_000;
/** A transaction that adds more is filed at once: what is large is not written twice, and does not make the journal large. */
const MOST_IN_RECORD = 250_000;
/** A record that has this many characters or fewer leaves its page to itself: writing it over writes that page alone. */
const SLOT_CHARACTERS = 3900;

const DATA_VERSION = 'PRAGMA data_version';
const SELECT_SLOT = 'SELECT number, text FROM journal WHERE slot = ?';
const SELECT_ALL = 'SELECT number, text FROM journal ORDER BY number';
/** Only over what lay there a whole turn before: where somebody else has written this record, nothing is changed. */
const WRITE_SLOT = `INSERT INTO journal (slot, number, text) VALUES (?1, ?2, ?3)
  ON CONFLICT (slot) DO UPDATE SET number = excluded.number, text = excluded.text
  WHERE number = excluded.number - ${SLOTS}`;

/** Who has been alone for so many transactions does not ask at the beginning of one whether somebody else has written. */
const ALONE = 64;

/** Somebody else has written since: the transaction is to be made again. */
class Outdated extends Error {}

/** Who wants to know what other connections have changed. */
export interface Others {
  readonly isWatched: boolean;
  heard(changes: readonly Change[]): void;
}

type Conflict = Extract<CommitResult, { ok: false }>['conflict'];

/**
 * What makes a commit cheap: a transaction writes one record into the journal, which is one page of the file, instead of
 * every row and every index where it belongs. What a few hundred commits have changed is filed at once. In between it is
 * held here, in front of what is filed; other connections read it from the journal.
 */
export class Journal {
  readonly pending: Pending = new Pending();
  readonly filed: Filed;
  readonly #connection: Connection;
  readonly #others: Others;
  /** The last record that is known, and the last whose changes are filed. */
  #number = 0;
  #filedTo = 0;
  #lastPlace = 0;
  /** What SQLite called the file when it was last looked at; undefined while nothing is known. */
  #dataVersion: number | undefined;
  #isFresh = false;
  /** Transactions since somebody else was last seen to write. */
  #alone = 0;
  // What the transaction at work has done:
  readonly #touched = new Set<PendingRow>();
  readonly #added = new Map<PendingLog, PendingLog>();
  #changed: Change[] = [];
  #commits = 0;
  #hasFiled = false;
  #sizeBefore = 0;
  /** Whether it is known that nobody else has written since. */
  #isCurrent = false;

  constructor(connection: Connection, others: Others) {
    this.#connection = connection;
    this.filed = new Filed(connection);
    this.#others = others;
  }

  /** {@link catchUp}, once for all that is read in one go: nothing that this process hears of comes in between. */
  catchUpOnce(): void {
    if (this.#isFresh) return;
    this.catchUp();
    this.#isFresh = true;
    queueMicrotask(() => {
      this.#isFresh = false;
    });
  }

  /** Takes in what other connections have committed. */
  catchUp(): void {
    // Read before the records: whatever is committed in between gives yet another version next time.
    const version = this.#connection.number(DATA_VERSION);
    if (version === this.#dataVersion) return;
    if (this.#dataVersion === undefined || !this.#readOn()) this.#readAll();
    this.#dataVersion = version;
    this.#alone = 0;
  }

  /** At the beginning of a transaction. */
  begin(): void {
    this.#alone += 1;
    this.#isCurrent = this.#dataVersion === undefined || this.#alone < ALONE;
    if (this.#isCurrent) this.catchUp();
    const { commits, size } = this.pending;
    if (commits >= SLOTS || size >= MOST_CHARACTERS) this.#file(this.#number);
    this.#sizeBefore = this.pending.size;
  }

  /** Adds a batch to the transaction, or says what is not as it expects and adds nothing. Gives the sequence of each append. */
  add(batch: FrozenBatch, now: number): readonly number[] | Conflict {
    const before = batch.puts.map((put) => this.#find(put));
    const conflict = this.#conflict(batch, before);
    if (conflict !== undefined) {
      this.#assertCurrent();
      return conflict;
    }
    for (const row of batch.replaced) this.#remove(row);
    for (const [index, put] of batch.puts.entries()) this.#put(put, before[index] ?? ABSENT, now);
    const sequences = batch.appends.map((append) => {
      const log = this.#log(append);
      const first = log.first + log.items.length;
      this.#append(log, append.items);
      return first;
    });
    for (const row of batch.deletes) this.#remove(row);
    this.#commits += 1;
    this.pending.commits += 1;
    return sequences;
  }

  /** Files everything now, for whoever is about to change what is filed. */
  fileNow(): void {
    this.#file(this.#number + 1);
  }

  /** Says that the transaction changes something of a thread besides. */
  mark(change: Change): void {
    this.#changed.push(change);
    this.#lastPlace += 1;
    markChange(this.#connection, change, this.#lastPlace);
  }

  /** At the end of a transaction: what it did becomes one record. */
  end(): void {
    if (this.pending.size - this.#sizeBefore >= MOST_IN_RECORD) this.fileNow();
    if (this.#commits === 0 && this.#changed.length === 0 && !this.#hasFiled) return;
    const number = this.#number + 1;
    const record = writeRecord({
      filed: this.#filedTo,
      lastPlace: this.#lastPlace,
      commits: this.#commits,
      rows: [...this.#touched],
      logs: [...this.#added.values()],
      changed: this.#changed.map(({ scope, thread }) => [scope, thread]),
    });
    // The first that comes to a slot takes the whole page.
    const text = number > SLOTS ? record : `${record}\n`.padEnd(SLOT_CHARACTERS);
    const written = this.#connection.run(WRITE_SLOT, [number % SLOTS, number, text]);
    if (written === 0) throw new Outdated();
    this.#number = number;
    this.#forgetTransaction();
  }

  /** Whatever was begun did not hold: what is known is read again. True where the same may hold then. */
  lose(error: unknown): boolean {
    this.#dataVersion = undefined;
    this.#isFresh = false;
    this.#forgetTransaction();
    return error instanceof Outdated;
  }

  /** Throws where somebody else has written since: what was decided was decided by what is no longer so. */
  #assertCurrent(): void {
    if (!this.#isCurrent && this.#connection.number(DATA_VERSION) !== this.#dataVersion) throw new Outdated();
    this.#isCurrent = true;
  }

  #forgetTransaction(): void {
    this.#touched.clear();
    this.#added.clear();
    this.#changed = [];
    this.#commits = 0;
    this.#hasFiled = false;
  }

  /** Reads the records that came since; false where some have been written over. */
  #readOn(): boolean {
    for (let number = this.#number + 1; ; number += 1) {
      const [found, text] = this.#connection.row(SELECT_SLOT, [number % SLOTS]) ?? [0, ''];
      if (Number(found) < number) return true;
      if (Number(found) > number) return false;
      const record = readRecord(String(text));
      this.#take(record, number);
      if (this.#others.isWatched) this.#others.heard(changesOf(record));
    }
  }

  #readAll(): void {
    const since = this.#lastPlace;
    const records = this.#connection.all(SELECT_ALL).map(([number, text]) => ({
      number: Number(number),
      record: readRecord(String(text)),
    }));
    const last = records.at(-1);
    this.#clear();
    this.#number = last?.number ?? 0;
    this.#filedTo = last?.record.filed ?? 0;
    this.#lastPlace = last?.record.lastPlace ?? this.#connection.number('SELECT max(place) FROM rows');
    for (const { number, record } of records) if (number > this.#filedTo) this.#take(record, number);
    if (!this.#others.isWatched) return;
    this.#others.heard(selectChanged(this.#connection, since));
    for (const { record } of records) this.#others.heard(changesOf(record));
  }

  #take(record: JournalRecord, number: number): void {
    // Whoever files anything files everything.
    if (record.filed !== this.#filedTo) this.#clear();
    for (const row of record.rows) this.pending.putRow(row);
    for (const log of record.logs) {
      const known = this.pending.log(log);
      if (known === undefined) this.pending.putLog(log);
      else known.items.push(...log.items);
    }
    this.pending.commits += record.commits;
    this.#number = number;
    this.#filedTo = record.filed;
    this.#lastPlace = record.lastPlace;
  }

  /** Nothing is pending any more. */
  #clear(): void {
    this.pending.clear();
    this.filed.forget();
  }

  #file(through: number): void {
    if (this.pending.commits === 0) return;
    this.#assertCurrent();
    this.#changed.push(...threadsOf([...this.#touched, ...this.#added.keys()]));
    this.#lastPlace = filePending(this.#connection, this.pending, this.#lastPlace);
    this.#clear();
    this.#touched.clear();
    this.#added.clear();
    this.#filedTo = through;
    this.#hasFiled = true;
  }

  /** The first thing in a batch that is not as it expects, in the order of the contract: checks, puts, deletes, appends. */
  #conflict(batch: FrozenBatch, puts: readonly Found[]): Conflict | undefined {
    for (const row of batch.checks) if (this.#find(row).version !== row.expect) return conflictAt(row);
    for (const [index, put] of batch.puts.entries()) {
      if (put.expect !== undefined && puts[index]?.version !== put.expect) return conflictAt(put);
    }
    for (const row of [...batch.replaced, ...batch.deletes]) {
      if (row.expect !== undefined && this.#find(row).version !== row.expect) return conflictAt(row);
    }
    for (const append of batch.appends) {
      if (append.expectNext === undefined) continue;
      const { first, items } = this.#log(append);
      if (first + items.length !== append.expectNext) return { ...append.given, table: append.table, id: '' };
    }
    return undefined;
  }

  #find(key: FrozenRow): Found {
    return this.pending.row(key) ?? this.filed.find(key) ?? ABSENT;
  }

  #log(key: StoredKey & Pick<PendingLog, 'table'>): PendingLog {
    const known = this.pending.log(key);
    if (known !== undefined) return known;
    const { table, scope, thread } = key;
    const log = { table, scope, thread, id: '', first: this.filed.next(key), items: [] };
    this.pending.putLog(log);
    return log;
  }

  #append(log: PendingLog, items: readonly string[]): void {
    if (items.length === 0) return;
    const added = this.#added.get(log) ?? { ...log, first: log.first + log.items.length, items: [] };
    this.#added.set(log, added);
    for (const item of items) {
      log.items.push(item);
      added.items.push(item);
      this.pending.size += item.length;
    }
  }

  #put(put: FrozenPut, before: Found, now: number): void {
    const row = this.#pendingRow(put, before);
    if (row.version === 0) {
      this.#lastPlace += 1;
      row.place = this.#lastPlace;
      row.createdAt = now;
    }
    row.version += 1;
    row.status = put.status;
    row.agent = put.agent;
    row.reason = put.reason;
    row.dueAt = put.dueAt;
    row.text = put.text;
    this.pending.size += put.text.length;
    this.#touched.add(row);
  }

  #remove(key: FrozenRow): void {
    const before = this.#find(key);
    if (before.version === 0) return;
    const row = this.#pendingRow(key, before);
    row.version = 0;
    row.text = undefined;
    this.#touched.add(row);
  }

  #pendingRow(key: FrozenRow, { version, place, createdAt }: Found): PendingRow {
    const known = this.pending.row(key);
    if (known !== undefined) return known;
    const { table, scope, thread, id } = key;
    const states = { status: null, agent: null, reason: null, dueAt: null };
    const row = {
      table,
      scope,
      thread,
      id,
      place,
      version,
      createdAt,
      ...states,
      text: undefined,
      filed: place,
    };
    this.pending.putRow(row);
    return row;
  }
}

const ABSENT: Found = { version: 0, place: 0, createdAt: 0 };

function conflictAt({ table, given }: FrozenRow): Conflict {
  return { table, ...given };
}

function changesOf({ rows, logs, changed }: JournalRecord): Change[] {
  const marked = changed.map(([scope, thread]) => ({ scope, thread }));
  return threadsOf([...rows, ...logs, ...marked]).map(({ scope, thread }) => ({
    scope: fromStored(scope),
    thread: fromStored(thread),
  }));
}
