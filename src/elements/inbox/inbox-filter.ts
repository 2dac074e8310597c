import type { InboxRow } from './inbox-item.ts';

/** Which rows are shown, and in which order. */
export interface RowFilter {
  readonly reason: string;
  readonly agent: string;
  /** Asked at least this many milliseconds ago. */
  readonly olderThan: number;
  readonly sort: 'expiry' | 'newest' | 'oldest';
}

export const ALL_ROWS: RowFilter = { reason: '', agent: '', olderThan: 0, sort: 'expiry' };

/** The rows that a filter leaves: what expires first is first, and what never does comes after it, oldest first. */
export function filterRows(rows: readonly InboxRow[], filter: RowFilter, now: number): readonly InboxRow[] {
  const left = rows.filter(
    ({ item, agent, raisedAt }) =>
      (filter.reason === '' || item.interrupt.reason === filter.reason) &&
      (filter.agent === '' || agent === filter.agent) &&
      (filter.olderThan === 0 || (raisedAt !== undefined && now - raisedAt >= filter.olderThan)),
  );
  const age = (one: InboxRow, other: InboxRow) => (one.raisedAt ?? 0) - (other.raisedAt ?? 0);
  if (filter.sort === 'newest') return left.toSorted((one, other) => age(other, one));
  if (filter.sort === 'oldest') return left.toSorted(age);
  return left.toSorted(
    (one, other) => (one.expiresAt ?? Infinity) - (other.expiresAt ?? Infinity) || age(one, other),
  );
}
