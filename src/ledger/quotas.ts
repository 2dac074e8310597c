import { defined, HoldpointError } from '../core/index.ts';
import type { ListQuery, Store } from '../store/index.ts';

/**
 * Limits of one scope. Nothing open is removed for a limit: a run beyond it fails with `RATE_LIMITED`.
 *
 * Nothing keeps a count: what is there is counted when something is added, and no further than to the limit. So nothing can
 * drift from what is true, a crash leaves nothing to repair, and a scope without quotas costs nothing. The price: runs that
 * add something in the same instant do not see each other, and may pass the limit by as many as they are.
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
  throw new HoldpointError('RATE_LIMITED', `There may be ${limit} ${what} at a time, and no more.`, {
    details: { limit },
  });
}
