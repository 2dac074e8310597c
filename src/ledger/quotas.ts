import { defined, HoldpointError } from '../core/index.ts';
import type { ListQuery, Store } from '../store/index.ts';

/**
 * Limits of one scope. A run beyond a limit fails with `RATE_LIMITED`; open interrupts are never removed to make space.
 *
 * The ledger stores no count. It counts the rows when it adds one, up to the limit. So a count is never stale, a crash leaves
 * nothing to repair, and a scope without quotas costs nothing. The price: runs that add rows at the same moment do not see
 * each other, and each may exceed the limit by its own row.
 */
export interface Quotas {
  /** Open interrupts. */
  readonly maxOpenInterrupts?: number;
  readonly maxThreads?: number;
}

const LONGEST_PAGE = 1000;

/** Throws `RATE_LIMITED` if a scope would have too many open interrupts. */
export function assertInterruptQuota(
  store: Store,
  asked: { readonly scope: string; readonly adding: number },
  { maxOpenInterrupts: limit }: Quotas,
): Promise<void> {
  const status = ['pending', 'expired'];
  return assertRoom(store, {
    query: { table: 'interrupts', status },
    ...asked,
    limit,
    what: 'open interrupts',
  });
}

/** Throws `RATE_LIMITED` when a scope has as many threads as it may. Pruned threads do not count. */
export function assertThreadQuota(store: Store, scope: string, { maxThreads: limit }: Quotas): Promise<void> {
  const status = ['active', 'ready', 'waiting', 'failed', 'idle', 'quiet'];
  return assertRoom(store, { query: { table: 'threads', status }, scope, adding: 1, limit, what: 'threads' });
}

async function assertRoom(
  store: Store,
  asked: {
    readonly query: ListQuery;
    readonly scope: string;
    readonly adding: number;
    readonly limit: number | undefined;
    readonly what: string;
  },
): Promise<void> {
  const { query, scope, adding, limit, what } = asked;
  if (limit === undefined || adding === 0) return;
  let left = limit - adding;
  let cursor: string | undefined;
  while (left >= 0) {
    const page = await store.list({
      ...query,
      scope,
      limit: Math.min(left + 1, LONGEST_PAGE),
      ...defined({ cursor }),
    });
    left -= page.rows.length;
    cursor = page.next;
    if (left >= 0 && cursor === undefined) return;
  }
  throw new HoldpointError('RATE_LIMITED', `The limit of ${limit} ${what} is reached.`, {
    details: { limit },
  });
}
