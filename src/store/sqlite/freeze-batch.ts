import type { JsonValue } from '../../core/index.ts';
import { HoldpointError } from '../../core/index.ts';
import { changedThreads } from '../changed-threads.ts';
import { keyText } from '../row-text.ts';
import type { AppendLog, Batch, Change, DeleteRow, LogName, PutRow, RowKey, TableName } from '../store.ts';
import type { SqlValue } from './libsql.ts';
import { toStored } from './stored-text.ts';

/** A row that has to have a version: to be looked at, or where the batch writes it. */
interface Expected {
  readonly table: TableName;
  readonly key: RowKey;
  /** Absent where it may be any. */
  readonly expect: number | undefined;
}

/** A batch as it was when it was given: whoever gave it may go on to change what is in it. */
export interface FrozenBatch {
  readonly checks: readonly Expected[];
  readonly deletes: readonly Expected[];
  /** Rows that it deletes to write them anew. */
  readonly replaced: readonly Expected[];
  readonly puts: readonly (Expected & { readonly columns: readonly SqlValue[] })[];
  readonly appends: readonly FrozenAppend[];
  /** The threads that it changes. */
  readonly changes: readonly Change[];
  /** What a mark at the end has to tell of: what it adds there does not, or might lie before what it deletes. */
  readonly marks: readonly Change[];
}

export interface FrozenAppend {
  readonly log: LogName;
  readonly scope: string;
  readonly thread: string;
  readonly items: readonly string[];
  readonly expectNext: number | undefined;
}

/** Takes down a batch as text. Throws `INPUT_INVALID` for what is no JSON: that does not become better by trying again. */
export function freezeBatch(batch: Batch): FrozenBatch {
  const { checks = [], puts = [], deletes = [], appends = [] } = batch;
  const isPut = (row: DeleteRow) =>
    puts.some(({ table, key }) => table === row.table && keyText(key) === keyText(row.key));
  const replaced = deletes.filter(isPut);
  return {
    checks: checks.map(expected),
    deletes: deletes.filter((row) => !replaced.includes(row)).map(expected),
    replaced: replaced.map(expected),
    puts: puts.map((put) => ({ ...expected(put), columns: putColumns(put) })),
    appends: appends.map(({ log, scope, thread, items, expectNext }) => ({
      log,
      scope,
      thread,
      items: items.map(jsonText),
      expectNext,
    })),
    ...changesOf(batch, replaced.length > 0),
  };
}

function changesOf(batch: Batch, replaces: boolean): Pick<FrozenBatch, 'changes' | 'marks'> {
  const { deletes = [] } = batch;
  const changes = changedThreads(batch);
  const unseen = changes.filter((change) => !addsTo(change, batch));
  const mayShrink = replaces || (deletes.length > 0 && unseen.length === changes.length);
  return { changes, marks: mayShrink ? [...changes, ...outsideThreads(deletes)] : unseen };
}

/** Whether a batch surely adds a row to a thread. */
function addsTo({ scope, thread }: Change, { puts = [], appends = [] }: Batch): boolean {
  return (
    appends.some((append) => append.scope === scope && append.thread === thread && append.items.length > 0) ||
    puts.some(({ key, expect }) => expect === 0 && key.scope === scope && key.thread === thread)
  );
}

function outsideThreads(deletes: readonly DeleteRow[]): Change[] {
  return deletes.filter(({ key }) => key.thread === '').map(({ key }) => ({ scope: key.scope, thread: '' }));
}

function expected({ table, key, expect }: { table: TableName; key: RowKey; expect?: number }): Expected {
  const { scope, thread, id } = key;
  return { table, key: { scope, thread, id }, expect };
}

/** The parameters for where a log is. */
export function logPlace({ scope, thread }: Pick<AppendLog, 'scope' | 'thread'>): [string, string] {
  return [toStored(scope), toStored(thread)];
}

/** What of a row may change with each version: its states and its document. */
function putColumns({ index = {}, doc }: PutRow): SqlValue[] {
  const name = (value: string | undefined) => (value === undefined ? null : toStored(value));
  return [name(index.status), name(index.agent), name(index.reason), index.dueAt ?? null, jsonText(doc)];
}

function jsonText(value: JsonValue): string {
  try {
    return JSON.stringify(value);
  } catch (cause) {
    throw new HoldpointError('INPUT_INVALID', 'What was to be stored is no JSON.', { cause });
  }
}
