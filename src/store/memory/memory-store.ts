import type { Clock, JsonObject } from '../../core/index.ts';
import { HoldpointError, jsonCopy, systemClock } from '../../core/index.ts';
import { changedThreads } from '../changed-threads.ts';
import { decodeCursor, encodeCursor } from '../cursor.ts';
import { keyText, logKey } from '../row-text.ts';
import type {
  AppendLog,
  Batch,
  Change,
  CommitResult,
  ListQuery,
  LogItem,
  Page,
  Row,
  Store,
  TableName,
} from '../store.ts';

interface Log {
  next: number;
  items: LogItem[];
}

/** Copied when it is given and when it is gotten: nobody else can change it. */
interface KeptRow extends Row {
  readonly order: number;
}

/** Keeps everything in this process, and forgets it with the process: for tests and trials. */
export function memoryStore(options: { readonly clock?: Clock } = {}): Store {
  const { clock = systemClock } = options;
  const tables = new Map<TableName, Map<string, KeptRow>>();
  const logs = new Map<string, Log>();
  const listeners = new Set<(change: Change) => void>();
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

  return {
    async commit(batch) {
      assertOpen();
      const conflict = findConflict(batch, tableOf, logOf);
      if (conflict !== undefined) return { ok: false, conflict };
      const { puts = [], deletes = [], appends = [] } = batch;
      const now = clock.now();
      // All of it is taken down before any of it is kept: what is not JSON changes nothing.
      const docs = puts.map(({ doc }) => copyDoc(doc));
      const items = appends.map((append) => append.items.map((item) => jsonCopy(item)));
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
          index: { ...index },
          doc: docs[number] ?? {},
          order: before?.order ?? order,
        });
      }
      const sequences = appends.map((append, number) => {
        const log = logOf(append);
        const first = log.next;
        for (const item of items[number] ?? []) {
          log.items.push({ sequence: log.next, item });
          log.next += 1;
        }
        return first;
      });
      notify(batch, listeners);
      return { ok: true, now, sequences };
    },
    async get(table, keys) {
      assertOpen();
      return keys.map((key) => toRow(tableOf(table).get(keyText(key))));
    },
    async list(query) {
      assertOpen();
      return listRows([...tableOf(query.table).values()], query);
    },
    async read({ log, scope, thread, after = 0, limit = 1000 }) {
      assertOpen();
      const { items } = logOf({ log, scope, thread });
      const begin = items.findIndex(({ sequence }) => sequence > after);
      if (begin === -1) return [];
      return items
        .slice(begin, begin + limit)
        .map(({ sequence, item }): LogItem => ({ sequence, item: jsonCopy(item) }));
    },
    async trim({ log, scope, thread, through }) {
      assertOpen();
      const kept = logOf({ log, scope, thread });
      kept.items = kept.items.filter(({ sequence }) => sequence > through);
    },
    now: async () => clock.now(),
    watch(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async close() {
      closed = true;
      listeners.clear();
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

function listRows(rows: readonly KeptRow[], query: ListQuery): Page {
  const { order = 'created', limit = 100, cursor } = query;
  const place = (row: KeptRow) => (order === 'due' ? (row.index.dueAt ?? 0) : row.order);
  const after = cursor === undefined ? undefined : decodeCursor(cursor);
  const found = rows
    .filter((row) => matches(row, query) && (order === 'created' || row.index.dueAt !== undefined))
    .toSorted((a, b) => place(a) - place(b) || compare(keyText(a.key), keyText(b.key)))
    .filter(
      (row) =>
        after === undefined ||
        place(row) > after.at ||
        (place(row) === after.at && compare(keyText(row.key), after.tie) > 0),
    );
  const page = found.slice(0, Math.min(limit, 1000));
  const last = page.at(-1);
  const more = found.length > page.length && last !== undefined;
  return {
    rows: page.flatMap((row) => toRow(row) ?? []),
    ...(more ? { next: encodeCursor({ at: place(last), tie: keyText(last.key) }) } : {}),
  };
}

function matches({ key, index }: KeptRow, query: ListQuery): boolean {
  return (
    (query.scope === undefined || key.scope === query.scope) &&
    (query.thread === undefined || key.thread === query.thread) &&
    (query.status === undefined || (index.status !== undefined && query.status.includes(index.status))) &&
    (query.agent === undefined || index.agent === query.agent) &&
    (query.reason === undefined || index.reason === query.reason) &&
    (query.dueBefore === undefined || (index.dueAt !== undefined && index.dueAt < query.dueBefore))
  );
}

function toRow(row: KeptRow | undefined): Row | undefined {
  if (row === undefined) return undefined;
  const { key, index, version, createdAt, doc } = row;
  return { key: { ...key }, version, createdAt, index: { ...index }, doc: copyDoc(doc) };
}

/** An object stays one. */
function copyDoc(doc: JsonObject): JsonObject {
  return jsonCopy(doc) as JsonObject;
}

function notify(batch: Batch, listeners: ReadonlySet<(change: Change) => void>): void {
  for (const { scope, thread } of changedThreads(batch))
    for (const listener of listeners) listener({ scope, thread });
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
