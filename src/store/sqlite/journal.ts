import type { Change } from '../store.ts';
import type { Conflict, Places } from './additions.ts';
import { Additions } from './additions.ts';
import { markChange, selectChanged } from './change-marks.ts';
import type { Connection } from './connection.ts';
import { filePending } from './file-pending.ts';
import { Filed } from './filed.ts';
import type { FrozenBatch } from './freeze-batch.ts';
import { readRecord, writeRecord } from './journal-record.ts';
import type { JournalRecord } from './journal-record.ts';
import type { SqlValue } from './libsql.ts';
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
const SELECT_SLOT = 'SELECT number, filed_to, text FROM journal WHERE slot = ?';
/** The last record, and all that are not filed. */
const SELECT_PENDING = `SELECT number, filed_to, text FROM journal
  WHERE number = (SELECT max(number) FROM journal)
    OR number > (SELECT filed_to FROM journal ORDER BY number DESC LIMIT 1)
  ORDER BY number`;
/** Only over what lay there a whole turn before: where somebody else has written this record, nothing is changed. */
const WRITE_SLOT = `INSERT INTO journal (slot, number, filed_to, text) VALUES (?1, ?2, ?3, ?4)
  ON CONFLICT (slot) DO UPDATE SET number = excluded.number, filed_to = excluded.filed_to, text = excluded.text
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
  readonly #places: Places = { last: 0 };
  /** What SQLite called the file when it was last looked at; undefined while nothing is known. */
  #dataVersion: number | undefined;
  #isFresh = false;
  /** Transactions since somebody else was last seen to write. */
  #alone = 0;
  // What the transaction at work has done:
  readonly #added: Additions;
  #changed: Change[] = [];
  #hasFiled = false;
  #sizeBefore = 0;
  /** Whether it is known that nobody else has written since. */
  #isCurrent = false;

  constructor(connection: Connection, others: Others) {
    this.#connection = connection;
    this.filed = new Filed(connection);
    this.#added = new Additions({ pending: this.pending, filed: this.filed, places: this.#places });
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
    if (commits >= SLOTS || size >= MOST_CHARACTERS) this.#file();
    this.#sizeBefore = this.pending.size;
  }

  /** Adds a batch to the transaction, or says what is not as it expects and adds nothing. Gives the sequence of each append. */
  add(batch: FrozenBatch, now: number): readonly number[] | Conflict {
    const added = this.#added.add(batch, now);
    if ('table' in added) this.#assertCurrent();
    return added;
  }

  /** Files every pending change now, including those of the open transaction. Changes that follow in it are pending again. */
  fileNow(): void {
    this.#file();
  }

  /** Says that the transaction changes something of a thread besides. */
  mark(change: Change): void {
    this.#changed.push(change);
    this.#places.last += 1;
    markChange(this.#connection, change, this.#places.last);
  }

  /** At the end of a transaction: what it did becomes one record. */
  end(): void {
    if (this.pending.size - this.#sizeBefore >= MOST_IN_RECORD) this.fileNow();
    const { commits, rows, logs } = this.#added;
    if (commits === 0 && this.#changed.length === 0 && !this.#hasFiled) return;
    const number = this.#number + 1;
    const record = writeRecord({
      lastPlace: this.#places.last,
      commits,
      rows,
      logs,
      changed: this.#changed.map(({ scope, thread }) => [scope, thread]),
    });
    // The first that comes to a slot takes the whole page.
    const text = number > SLOTS ? record : `${record}\n`.padEnd(SLOT_CHARACTERS);
    const written = this.#connection.run(WRITE_SLOT, [number % SLOTS, number, this.#filedTo, text]);
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
    this.#added.clear();
    this.#changed = [];
    this.#hasFiled = false;
  }

  /** Reads the records that came since; false where some have been written over. */
  #readOn(): boolean {
    for (let number = this.#number + 1; ; number += 1) {
      const found = toFound(this.#connection.row(SELECT_SLOT, [number % SLOTS]) ?? []);
      if (found.number < number) return true;
      if (found.number > number) return false;
      const record = this.#take(found);
      if (this.#others.isWatched) this.#others.heard(changesOf(record));
    }
  }

  #readAll(): void {
    const since = this.#places.last;
    const found = this.#connection.all(SELECT_PENDING).map(toFound);
    this.#clear();
    this.#number = 0;
    this.#filedTo = 0;
    if (found.length === 0) this.#places.last = this.#connection.number('SELECT max(place) FROM rows');
    // The last record may be filed itself: what it has besides is taken, and it has no rows.
    const records = found.map((one) => this.#take(one));
    if (!this.#others.isWatched) return;
    // What was filed meanwhile lies at the end of the file.
    this.#others.heard(selectChanged(this.#connection, since));
    for (const record of records) this.#others.heard(changesOf(record));
  }

  #take({ number, filedTo, text }: FoundRecord): JournalRecord {
    const record = readRecord(text);
    // Whoever files anything files everything.
    if (filedTo !== this.#filedTo) this.#clear();
    for (const row of record.rows) this.pending.putRow(row);
    for (const log of record.logs) {
      const known = this.pending.log(log);
      if (known === undefined) this.pending.putLog(log);
      else known.items.push(...log.items);
    }
    if (number > filedTo) this.pending.commits += record.commits;
    this.#number = number;
    this.#filedTo = filedTo;
    this.#places.last = record.lastPlace;
    return record;
  }

  /** Nothing is pending any more. */
  #clear(): void {
    this.pending.clear();
    this.filed.forget();
  }

  /**
   * Every earlier record is filed; the record that this transaction will write is not, because later jobs of the same
   * transaction may still add rows to it.
   */
  #file(): void {
    if (this.pending.commits === 0) return;
    this.#assertCurrent();
    this.#changed.push(...threadsOf([...this.#added.rows, ...this.#added.logs]));
    this.#places.last = filePending(this.#connection, this.pending, this.#places.last);
    this.#clear();
    this.#added.forgetRows();
    this.#filedTo = this.#number;
    this.#hasFiled = true;
  }
}

interface FoundRecord {
  /** 0 where there is none. */
  readonly number: number;
  /** Records up to this one are filed. */
  readonly filedTo: number;
  readonly text: string;
}

function toFound([number, filedTo, text]: readonly SqlValue[]): FoundRecord {
  return { number: Number(number ?? 0), filedTo: Number(filedTo ?? 0), text: String(text ?? '') };
}

function changesOf({ rows, logs, changed }: JournalRecord): Change[] {
  const marked = changed.map(([scope, thread]) => ({ scope, thread }));
  return threadsOf([...rows, ...logs, ...marked]).map(({ scope, thread }) => ({
    scope: fromStored(scope),
    thread: fromStored(thread),
  }));
}
