import type { Dialect, SqlValue } from '../dialect.ts';
import type { EncodedAppend, EncodedBatch } from '../encode-batch.ts';
import type { LogName, RowKey, TableName } from '../store.ts';

/**
 * Batches that touch different rows and logs, as `commit_batches_5` takes them: the rows of each table and log as lists, each with the
 * number of its batch first. Documents are strings: jsonb would refuse NUL and sort members. Parts without rows are left out.
 */
export interface Wave {
  /** By table: batch, place in the batch, scope, thread, id, version. */
  expect?: Lists;
  /** By log: batch, place in the batch, scope, thread, sequence. */
  expectNext?: Lists;
  /** By table: batch, scope, thread, id. */
  deletes?: Lists;
  /** By table: batch, number of puts of the row, scope, thread, id, whole key, then the columns. */
  puts?: Lists;
  /** By log: batch, number of the log in the batch, scope, thread, rows. */
  appends?: Lists;
  /** Batch, scope, thread, sequence, then the columns. */
  rewrites?: List[];
  /** Batch, scope, thread, no id, whole key. */
  changes?: List[];
}

type List = unknown[];
type Lists = Record<string, List[]>;

/** A batch of a wave. */
export interface PlacedBatch {
  readonly batch: EncodedBatch;
  readonly wave: number;
  /** Its number in the wave. */
  readonly number: number;
  /** For each append: the number of its log in the batch, and how many items of the batch come before it. */
  readonly appends: readonly { readonly log: number; readonly before: number }[];
}

/** The waves of batches in their order, and the names to lock, with true for those that a batch changes. */
export interface Waves {
  readonly waves: readonly Wave[];
  readonly placed: readonly PlacedBatch[];
  readonly locks: ReadonlyMap<string, boolean>;
}

/** Puts each batch into the first wave after those with which it shares a changed thread or row. */
export function toWaves(dialect: Dialect, batches: readonly EncodedBatch[]): Waves {
  const waves: Wave[] = [];
  const sizes: number[] = [];
  const locks = new Map<string, boolean>();
  /** The last wave that uses a name, and the last that changes what it names. */
  const used = new Map<string, { readonly any: number; readonly change: number }>();
  const placed = batches.map((batch) => {
    const own = lockNames(batch);
    let at = 0;
    for (const [name, isChanged] of own) {
      const last = used.get(name);
      if (last !== undefined) at = Math.max(at, (isChanged ? last.any : last.change) + 1);
    }
    for (const [name, isChanged] of own) {
      const { any = -1, change = -1 } = used.get(name) ?? {};
      used.set(name, { any: Math.max(any, at), change: isChanged ? Math.max(change, at) : change });
      locks.set(name, isChanged || locks.get(name) === true);
    }
    const wave = (waves[at] ??= {});
    const number = sizes[at] ?? 0;
    sizes[at] = number + 1;
    const appends = addBatch({ dialect, wave, number }, batch);
    return { batch, wave: at, number, appends };
  });
  return { waves, placed, locks };
}

/**
 * The names to lock. A thread is locked as a whole: its commits share rows and logs anyway, and most batches then take one lock. A row
 * outside threads has a lock of its own. Rows that are only checked are shared.
 */
function lockNames({ places, checks }: EncodedBatch): ReadonlyMap<string, boolean> {
  const names = new Map<string, boolean>();
  let last: (typeof places)[number] | undefined;
  for (const [at, place] of places.entries()) {
    const isChanged = at >= checks.length;
    // Most places of a batch are of one thread.
    const isSame = place.thread !== '' && last?.thread === place.thread && last.scope === place.scope;
    if (isSame && at !== checks.length) continue;
    last = place;
    const name = lockName(place);
    names.set(name, isChanged || names.get(name) === true);
  }
  return names;
}

/** All releases must give the same name to the same lock. */
export function lockName(place: RowKey & { readonly table: TableName | LogName }): string {
  const { table, scope, thread, id } = place;
  return JSON.stringify(thread === '' ? [scope, table, id] : [scope, thread]);
}

interface Target {
  readonly dialect: Dialect;
  readonly wave: Wave;
  readonly number: number;
}

function addBatch({ dialect, wave, number }: Target, batch: EncodedBatch): PlacedBatch['appends'] {
  const { checks, puts, deletes, rewrites, changes } = batch;
  for (const [place, { table, key, expect }] of [...checks, ...puts, ...deletes].entries()) {
    const [scope, thread, id] = key;
    if (expect !== undefined) add((wave.expect ??= {}), table, [number, place, scope, thread, id, expect]);
  }
  for (const { table, key } of deletes) {
    add((wave.deletes ??= {}), table, [number, key[0], key[1], key[2]]);
  }
  /** A row that is put several times counts each time; the last values stay. */
  const rows = new Map<string, List>();
  for (const { table, key, values } of puts) {
    const [scope, thread, id, fullKey = null] = key;
    const name = `${table}\0${key.join('\0')}`;
    const known = rows.get(name);
    if (known !== undefined)
      known.splice(1, known.length, Number(known[1]) + 1, scope, thread, id, fullKey, ...values);
    else {
      const row = [number, 1, scope, thread, id, fullKey, ...values];
      rows.set(name, row);
      add((wave.puts ??= {}), table, row);
    }
  }
  for (const { key, row } of rewrites) (wave.rewrites ??= []).push([number, ...key, ...row]);
  for (const change of changes) (wave.changes ??= []).push([number, ...dialect.key({ ...change, id: '' })]);
  return addAppends({ dialect, wave, number }, batch);
}

/** Several appends to one log become one. */
function addAppends(
  { wave, number }: Target,
  { appends, checks, puts, deletes }: EncodedBatch,
): PlacedBatch['appends'] {
  const logs = new Map<string, { readonly log: number; readonly rows: SqlValue[][]; count: number }>();
  const before = checks.length + puts.length + deletes.length;
  return appends.map(({ log, key, rows, expectNext }: EncodedAppend, at) => {
    if (expectNext !== undefined)
      add((wave.expectNext ??= {}), log, [number, before + at, ...key, expectNext]);
    const name = `${log}\0${key.join('\0')}`;
    let known = logs.get(name);
    if (known === undefined) {
      known = { log: logs.size, rows: [], count: 0 };
      logs.set(name, known);
      add((wave.appends ??= {}), log, [number, known.log, ...key, known.rows]);
    }
    const { count } = known;
    for (const [place, ...columns] of rows) known.rows.push([count + place, ...columns]);
    known.count += (rows.at(-1)?.[0] ?? -1) + 1;
    return { log: known.log, before: count };
  });
}

function add(lists: Lists, name: string, list: List): void {
  (lists[name] ??= []).push(list);
}
