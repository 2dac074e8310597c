import type { CommitResult } from '../store.ts';
import type { Filed, Found } from './filed.ts';
import type { FrozenBatch, FrozenPut, FrozenRow } from './freeze-batch.ts';
import type { Pending, PendingLog, PendingRow, StoredKey } from './pending.ts';

/** The first thing in a batch that was not as it expects. */
export type Conflict = Extract<CommitResult, { ok: false }>['conflict'];

/** The last place that any row has got; each that is made gets the next. */
export interface Places {
  last: number;
}

const ABSENT: Found = { version: 0, place: 0, createdAt: 0 };

/** What the transaction at work adds to what is pending, in front of what is filed. */
export class Additions {
  readonly #pending: Pending;
  readonly #filed: Filed;
  readonly #places: Places;
  readonly #rows = new Set<PendingRow>();
  readonly #logs = new Map<PendingLog, PendingLog>();
  /** How many batches it has. */
  commits = 0;

  constructor({ pending, filed, places }: { pending: Pending; filed: Filed; places: Places }) {
    this.#pending = pending;
    this.#filed = filed;
    this.#places = places;
  }

  /** The rows that it has changed, as they are now. */
  get rows(): readonly PendingRow[] {
    return [...this.#rows];
  }

  /** What it has added to logs. */
  get logs(): readonly PendingLog[] {
    return [...this.#logs.values()];
  }

  /** Adds a batch, or says what is not as it expects and adds nothing. Gives the sequence of each append. */
  add(batch: FrozenBatch, now: number): readonly number[] | Conflict {
    const before = batch.puts.map((put) => this.#find(put));
    const conflict = this.#conflict(batch, before);
    if (conflict !== undefined) return conflict;
    for (const row of batch.replaced) this.#remove(row);
    for (const [index, put] of batch.puts.entries()) this.#put(put, before[index] ?? ABSENT, now);
    const sequences = batch.appends.map((append) => {
      const log = this.#log(append);
      const first = log.first + log.items.length;
      this.#append(log, append.items);
      return first;
    });
    for (const row of batch.deletes) this.#remove(row);
    this.commits += 1;
    this.#pending.commits += 1;
    return sequences;
  }

  /** What was changed is filed. */
  forgetRows(): void {
    this.#rows.clear();
    this.#logs.clear();
  }

  clear(): void {
    this.forgetRows();
    this.commits = 0;
  }

  /** In the order of the contract: checks, puts, deletes, appends. */
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
    return this.#pending.row(key) ?? this.#filed.find(key) ?? ABSENT;
  }

  #log(key: StoredKey & Pick<PendingLog, 'table'>): PendingLog {
    const known = this.#pending.log(key);
    if (known !== undefined) return known;
    const { table, scope, thread } = key;
    const log = { table, scope, thread, id: '', first: this.#filed.next(key), items: [] };
    this.#pending.putLog(log);
    return log;
  }

  #append(log: PendingLog, items: readonly string[]): void {
    if (items.length === 0) return;
    const added = this.#logs.get(log) ?? { ...log, first: log.first + log.items.length, items: [] };
    this.#logs.set(log, added);
    for (const item of items) {
      log.items.push(item);
      added.items.push(item);
      this.#pending.size += item.length;
    }
  }

  #put(put: FrozenPut, before: Found, now: number): void {
    const row = this.#pendingRow(put, before);
    if (row.version === 0) {
      this.#places.last += 1;
      row.place = this.#places.last;
      row.createdAt = now;
    }
    row.version += 1;
    row.status = put.status;
    row.agent = put.agent;
    row.reason = put.reason;
    row.dueAt = put.dueAt;
    row.text = put.text;
    this.#pending.size += put.text.length;
    this.#rows.add(row);
  }

  #remove(key: FrozenRow): void {
    const before = this.#find(key);
    if (before.version === 0) return;
    const row = this.#pendingRow(key, before);
    row.version = 0;
    row.text = undefined;
    this.#rows.add(row);
  }

  #pendingRow(key: FrozenRow, { version, place, createdAt }: Found): PendingRow {
    const known = this.#pending.row(key);
    if (known !== undefined) return known;
    const row = {
      table: key.table,
      scope: key.scope,
      thread: key.thread,
      id: key.id,
      place,
      version,
      createdAt,
      status: null,
      agent: null,
      reason: null,
      dueAt: null,
      text: undefined,
      filed: place,
    };
    this.#pending.putRow(row);
    return row;
  }
}

function conflictAt({ table, given }: FrozenRow): Conflict {
  return { table, ...given };
}
