import type { Clock, JsonObject } from '../../core/index.ts';
import { HoldpointError, jsonCopy, systemClock } from '../../core/index.ts';
import { comparePositions, decodeCursor } from '../cursor.ts';
import { EQUAL_MEMBERS, pageLimit, pageOf } from '../list-query.ts';
import { changedThreads, Listeners } from '../listeners.ts';
import type { PlacedRow } from '../row-columns.ts';
import { answerTexts, containsForm, formsInJson, searchForms } from '../search-text.ts';
import type {
  AppendLog,
  Batch,
  Change,
  CommitResult,
  ListQuery,
  LogItem,
  LogQuery,
  Page,
  Row,
  RowIndex,
  RowsQuery,
  SnapshotOf,
  Store,
  TableName,
} from '../store.ts';
import { EVERYBODY } from '../store.ts';
import { keyText, logKey } from '../stored-text.ts';
import { assertIndex, columnOf } from '../tables.ts';

interface Log {
  next: number;
  items: LogItem[];
}

/** Copied on write and on read, so that callers cannot change it. */
interface KeptRow extends Row {
  readonly order: number;
}

/** The options of {@link memoryStore}. */
export interface MemoryStoreOptions {
  /** The clock of the store. Default: the clock of this machine. */
  readonly clock?: Clock;
}

/**
 * Keeps everything in the memory of this process, for tests and trials. A restart loses all of it.
 *
 * @example
 * ```ts
 * import { createHost } from 'holdpoint/host';
 * import { memoryStore } from 'holdpoint/store/memory';
 *
 * createHost({ agents: [assistant], store: memoryStore() });
 * ```
 */
export function memoryStore(options: MemoryStoreOptions = {}): Store {
  const { clock = systemClock } = options;
  const tables = new Map<TableName, Map<string, KeptRow>>();
  const logs = new Map<string, Log>();
  /** The threads with a history. */
  const histories = new Map<string, Change>();
  const listeners = new Listeners();
  let order = 0;
  let closed = false;

  const tableOf = (name: TableName) => {
    const table = tables.get(name) ?? new Map<string, KeptRow>();
    tables.set(name, table);
    return table;
  };
  const logOf = (append: Pick<AppendLog, 'log' | 'scope' | 'thread'>): Log => {
    const key = keyText({ scope: append.scope, thread: append.thread, id: append.log });
    const log = logs.get(key) ?? { next: 1, items: [] };
    logs.set(key, log);
    return log;
  };
  const assertOpen = () => {
    if (closed) throw new HoldpointError('STORE_FAILED', 'The store was closed.');
  };

  const readLog = ({ log, scope, thread, after = 0, limit = 1000 }: LogQuery): LogItem[] => {
    const { items } = logOf({ log, scope, thread });
    const begin = items.findIndex(({ sequence }) => sequence > after);
    if (begin === -1) return [];
    return items
      .slice(begin, begin + limit)
      .map(({ sequence, item }): LogItem => ({ sequence, item: jsonCopy(item) }));
  };
  const getRows = ({ table, keys }: RowsQuery) => keys.map((key) => toRow(tableOf(table).get(keyText(key))));
  const snapshot = async <const Reads extends readonly (RowsQuery | LogQuery)[]>(reads: Reads) => {
    assertOpen();
    // One result for each read, of its kind.
    return reads.map((read) =>
      'log' in read ? readLog(read) : getRows(read),
    ) as unknown as SnapshotOf<Reads>;
  };

  return {
    async commit(batch) {
      assertOpen();
      for (const { table, index = {} } of batch.puts ?? []) assertIndex(table, index);
      const conflict = findConflict(batch, tableOf, logOf);
      if (conflict !== undefined) return { ok: false, conflict };
      const { puts = [], deletes = [], appends = [], rewrites = [] } = batch;
      const now = clock.now();
      // Copies everything first, so that a value that is not JSON changes nothing.
      const docs = puts.map(({ doc }) => copyDoc(doc));
      const items = appends.map((append) => append.items.map((item) => jsonCopy(item)));
      const rewritten = rewrites.map((rewrite) => ({ ...rewrite, item: jsonCopy(rewrite.item) }));
      for (const { scope, thread, sequence, item } of rewritten) {
        const log = logOf({ log: 'history', scope, thread });
        log.items = log.items.map((kept) => (kept.sequence === sequence ? { sequence, item } : kept));
      }
      for (const { table, key } of deletes) tableOf(table).delete(keyText(key));
      for (const [number, { table, key, index = {} }] of puts.entries()) {
        const rows = tableOf(table);
        const place = keyText(key);
        const before = rows.get(place);
        order += 1;
        rows.set(place, {
          key: { ...key },
          version: (before?.version ?? 0) + 1,
          createdAt: before?.createdAt ?? now,
          index: copyIndex(index),
          doc: docs[number] ?? {},
          order: before?.order ?? order,
        });
      }
      const sequences = appends.map((append, number) => {
        const log = logOf(append);
        const first = log.next;
        if (append.log === 'history') {
          const { scope, thread } = append;
          histories.set(keyText({ scope, thread, id: '' }), { scope, thread });
        }
        for (const item of items[number] ?? []) {
          log.items.push({ sequence: log.next, item });
          log.next += 1;
        }
        return first;
      });
      listeners.tell(changedThreads(batch));
      return { ok: true, now, sequences };
    },
    snapshot,
    get: async (table, keys) => (await snapshot([{ table, keys }]))[0],
    async list(query) {
      assertOpen();
      return listRows([...tableOf(query.table).values()], query);
    },
    async count(query) {
      assertOpen();
      assertQuery(query);
      const found = [...tableOf(query.table).values()].filter((row) => matches(row, query)).length;
      return Math.max(0, Math.min(found, query.limit));
    },
    read: async (query) => (await snapshot([query]))[0],
    async findStrays({ scope, thread }) {
      assertOpen();
      const rows = [...tableOf('interrupts').values()].map(({ key }) => ({
        ...key,
        table: 'interrupts' as const,
      }));
      const places = [...histories.values()]
        .map((key) => ({ ...key, table: 'history' as const }))
        .filter((key) => logOf({ log: 'history', scope: key.scope, thread: key.thread }).items.length > 0);
      const found = [...rows, ...places].filter(
        (one) =>
          (scope === undefined || one.scope === scope) &&
          (thread === undefined || one.thread === thread) &&
          !tableOf('threads').has(keyText({ scope: one.scope, thread: one.thread, id: '' })),
      );
      const strays = found.map((one) => ({ scope: one.scope, thread: one.thread, table: one.table }));
      return [...new Map(strays.map((one) => [keyText({ ...one, id: '' }), one])).values()];
    },
    async trim({ log, scope, thread, through }) {
      assertOpen();
      const kept = logOf({ log, scope, thread });
      kept.items = kept.items.filter(({ sequence }) => sequence > through);
    },
    now: async () => clock.now(),
    watch: (listener) => listeners.add(listener),
    async close() {
      closed = true;
      await listeners.close();
    },
  };
}

function findConflict(
  batch: Batch,
  tableOf: (name: TableName) => ReadonlyMap<string, KeptRow>,
  logOf: (append: AppendLog) => Log,
): Extract<CommitResult, { ok: false }>['conflict'] | undefined {
  const { checks = [], puts = [], deletes = [], appends = [] } = batch;
  for (const rows of [checks, puts, deletes]) {
    for (const { table, key, expect } of rows) {
      if (expect !== undefined && (tableOf(table).get(keyText(key))?.version ?? 0) !== expect) {
        return { table, ...key };
      }
    }
  }
  for (const append of appends) {
    if (append.expectNext !== undefined && logOf(append).next !== append.expectNext) {
      return logKey(append.log, append);
    }
  }
  return undefined;
}

function matches({ key, index, createdAt, doc }: KeptRow, query: ListQuery): boolean {
  const { scope, thread, status, visibleTo, text = '', dueBefore, createdBefore, order } = query;
  const { owner, assignee, approverUsers = [], approverRoles = [], title, message, tool, askedBy } = index;
  return (
    (scope === undefined || key.scope === scope) &&
    (thread === undefined || key.thread === thread) &&
    (status === undefined || (index.status !== undefined && status.includes(index.status))) &&
    EQUAL_MEMBERS.every((member) => query[member] === undefined || index[member] === query[member]) &&
    (visibleTo === undefined ||
      [owner, assignee, ...approverUsers].includes(visibleTo.id) ||
      approverUsers.includes(EVERYBODY) ||
      approverRoles.some((role) => visibleTo.roles.includes(role))) &&
    (text === '' ||
      containsForm(searchForms(text), [title, message, tool, askedBy]) ||
      (query.table === 'interrupts' &&
        index.answeredAt !== undefined &&
        containsForm(formsInJson(searchForms(text)), answerTexts(doc)))) &&
    (order !== 'answered' || index.answeredAt !== undefined) &&
    (createdBefore === undefined || createdAt < createdBefore) &&
    (dueBefore === undefined || (index.dueAt !== undefined && index.dueAt < dueBefore))
  );
}

function listRows(rows: readonly KeptRow[], query: ListQuery): Page {
  const { order = 'created', cursor } = query;
  assertQuery(query);
  const after = cursor === undefined ? undefined : decodeCursor(cursor, order);
  const found = rows
    .filter((row) => pageLimit(query) > 0 && matches(row, query))
    .map((row): PlacedRow => ({ row, ordinal: row.order }))
    .filter(
      ({ row, ordinal }) =>
        after === undefined || comparePositions(order, { ordinal, ...row.index }, after) > 0,
    );
  const page = pageOf(query, found);
  return { ...page, rows: page.rows.flatMap((row) => toRow(row) ?? []) };
}

/** Rejects members without a column, as a database does. */
function assertQuery({ table, order, ...query }: ListQuery): void {
  const { status, visibleTo, text = '', dueBefore } = query;
  const members = EQUAL_MEMBERS.filter((member) => query[member] !== undefined);
  if ((status?.length ?? 0) > 0) columnOf(table, 'status');
  if (visibleTo !== undefined) columnOf(table, 'owner');
  if (text !== '') columnOf(table, 'title');
  if (order === 'due' || dueBefore !== undefined) columnOf(table, 'dueAt');
  if (order === 'answered') columnOf(table, 'answeredAt');
  for (const member of members) columnOf(table, member);
}

function toRow(row: Row | undefined): Row | undefined {
  if (row === undefined) return undefined;
  const { key, index, version, createdAt, doc } = row;
  return { key: { ...key }, version, createdAt, index: copyIndex(index), doc: copyDoc(doc) };
}

/** The copy of an object is an object. */
function copyDoc(doc: JsonObject): JsonObject {
  return jsonCopy(doc) as JsonObject;
}

/** Members of an index are texts, numbers and lists of texts. */
function copyIndex(index: RowIndex): RowIndex {
  return jsonCopy(index) as RowIndex;
}
