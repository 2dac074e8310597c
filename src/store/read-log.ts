import type { JsonValue } from '../core/index.ts';
import type { Bind, Dialect, Selection, SqlValue } from './dialect.ts';
import type { LogItem, LogQuery } from './store.ts';
import { EVENTS_PER_ROW } from './tables.ts';

const DEFAULT_LIMIT = 1000;

/**
 * Selects the items of a log after a sequence. A row of the result is a list and the sequence of its last item, as a row of `events` is.
 * Reads at most one row of events too many.
 */
export function selectItems(dialect: Dialect, query: LogQuery, bind: Bind): Selection {
  const table = dialect.table(query.log);
  const place =
    `scope = ${bind(dialect.keyPart(query.scope))} AND thread = ${bind(dialect.keyPart(query.thread))} ` +
    `AND sequence > ${bind(wholeNumber(query.after ?? 0))}`;
  const limit = bind(limitOf(query));
  const ordered = (where: string) =>
    `FROM ${table} AS log WHERE ${where} ORDER BY log.sequence LIMIT ${limit}`;
  if (query.log === 'events') {
    const first = `(SELECT min(sequence) FROM ${table} WHERE ${place})`;
    return {
      columns: ['sequence', 'doc'],
      rest: ordered(`${place} AND sequence < ${first} + ${limit} + ${EVENTS_PER_ROW}`),
    };
  }
  return {
    columns: ['max(sequence)', `'[' || ${dialect.joinDocs} || ']'`],
    // A row costs more than an item, so that all items come in one.
    rest: `FROM (SELECT sequence, doc ${ordered(place)}) AS items HAVING count(*) > 0`,
  };
}

/** The items of a log from the rows of its result. */
export function toItems(query: LogQuery, rows: readonly (readonly SqlValue[])[]): LogItem[] {
  return rows
    .flatMap(([last, list]) => itemsAfter(Number(last), String(list), query.after ?? 0))
    .slice(0, limitOf(query));
}

/** The items of a list after a sequence; `last` is the sequence of the last item. */
export function itemsAfter(last: number, list: string, after: number): LogItem[] {
  const items = JSON.parse(list) as readonly JsonValue[];
  const first = last - items.length + 1;
  const skipped = Math.max(0, after - first + 1);
  return items.slice(skipped).map((item, at) => ({ sequence: first + skipped + at, item }));
}

function limitOf({ limit = DEFAULT_LIMIT }: LogQuery): number {
  return wholeNumber(limit);
}

/** A whole number that both databases accept: callers may pass `Infinity`. */
export function wholeNumber(value: number): number {
  return Math.floor(Math.max(0, Math.min(value, Number.MAX_SAFE_INTEGER)));
}
