import type { JsonValue } from '../core/index.ts';
import type { SqlValue } from './dialect.ts';
import type { LogItem, LogQuery } from './store.ts';

const DEFAULT_LIMIT = 1000;

/** The items of a log from the rows of its result: lists, each with the sequence of its last item, as the rows of `events` are. */
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

/** How many items a query reads at most. */
export function limitOf({ limit = DEFAULT_LIMIT }: LogQuery): number {
  return wholeNumber(limit);
}

/** A whole number that both databases accept: callers may pass `Infinity`. */
export function wholeNumber(value: number): number {
  return Math.floor(Math.max(0, Math.min(value, Number.MAX_SAFE_INTEGER)));
}
