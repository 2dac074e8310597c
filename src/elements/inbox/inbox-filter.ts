import type { InboxRow } from './inbox-item.ts';

/** The filter and the order of the rows. */
export interface RowFilter {
  readonly reason: string;
  readonly agent: string;
  /** Minimum age in milliseconds. */
  readonly olderThanMs: number;
  readonly sort: 'expiry' | 'newest' | 'oldest';
}

export const ALL_ROWS: RowFilter = { reason: '', agent: '', olderThanMs: 0, sort: 'expiry' };

/** The rows that match a filter: by expiry, earliest first, then the rows without expiry, oldest first. */
export function filterRows(rows: readonly InboxRow[], filter: RowFilter, now: number): readonly InboxRow[] {
  const left = rows.filter(
    ({ item, agent, raisedAt }) =>
      (filter.reason === '' || item.interrupt.reason === filter.reason) &&
      (filter.agent === '' || agent === filter.agent) &&
      (filter.olderThanMs === 0 || (raisedAt !== undefined && now - raisedAt >= filter.olderThanMs)),
  );
  const age = (one: InboxRow, other: InboxRow) => (one.raisedAt ?? 0) - (other.raisedAt ?? 0);
  if (filter.sort === 'newest') return left.toSorted((one, other) => age(other, one));
  if (filter.sort === 'oldest') return left.toSorted(age);
  return left.toSorted(
    (one, other) => (one.expiresAt ?? Infinity) - (other.expiresAt ?? Infinity) || age(one, other),
  );
}
