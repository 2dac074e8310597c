import type { JsonValue } from '../core/index.ts';
import type { Bind, Dialect, Selection, SqlValue } from './dialect.ts';
import type { LogItem, LogQuery } from './store.ts';
import { EVENTS_PER_ROW } from './tables.ts';

const DEFAULT_LIMIT = 1000;

/** Selects the items of a log after a sequence. Reads at most one row of events too many: a row has many events. */
export function selectItems(dialect: Dialect, query: LogQuery, bind: Bind): Selection {
  const table = dialect.table(query.log);
  const place =
    `scope = ${bind(dialect.keyPart(query.scope))} AND thread = ${bind(dialect.keyPart(query.thread))} ` +
    `AND sequence > ${bind(wholeNumber(query.after ?? 0))}`;
  const limit = bind(limitOf(query));
  const first = `(SELECT min(sequence) FROM ${table} WHERE ${place})`;
  const most = query.log === 'events' ? ` AND sequence < ${first} + ${limit} + ${EVENTS_PER_ROW}` : '';
  return {
    columns: ['sequence', 'doc'],
    rest: `FROM ${table} AS log WHERE ${place}${most} ORDER BY log.sequence LIMIT ${limit}`,
  };
}

/** The items of a log from the rows of its statement. */
export function toItems(query: LogQuery, rows: readonly (readonly SqlValue[])[]): LogItem[] {
  const found = rows.map(([sequence, doc]): LogItem => ({
    sequence: Number(sequence),
    item: JSON.parse(String(doc)) as JsonValue,
  }));
  if (query.log !== 'events') return found;
  return found.flatMap((row) => eventsAfter(row, query.after ?? 0)).slice(0, limitOf(query));
}

/** The events of a row after a sequence. The sequence of the row is that of its last event. */
export function eventsAfter({ sequence: last, item }: LogItem, after: number): LogItem[] {
  // A row of events is a list.
  const items = item as readonly JsonValue[];
  return items
    .map((event, at): LogItem => ({ sequence: last - items.length + 1 + at, item: event }))
    .filter(({ sequence }) => sequence > after);
}

function limitOf({ limit = DEFAULT_LIMIT }: LogQuery): number {
  return wholeNumber(limit);
}

/** A whole number that both databases accept: callers may pass `Infinity`. */
export function wholeNumber(value: number): number {
  return Math.floor(Math.max(0, Math.min(value, Number.MAX_SAFE_INTEGER)));
}
