import { HoldpointError } from '../core/index.ts';
import type { CountQuery, Store } from '../store/index.ts';
import type { Principal } from './records.ts';

/**
 * Limits for what the store keeps. A run beyond a limit fails with `RATE_LIMITED`; open interrupts are never removed to make
 * space.
 *
 * The ledger stores no count. It counts the rows when it adds one, up to the limit. So a count is never stale, a crash leaves
 * nothing to repair, and a scope without quotas costs nothing. The price: runs that add rows at the same moment do not see
 * each other, and each may exceed the limit by its own row.
 */
export interface Quotas {
  /** Limits for one principal. */
  readonly perPrincipal?: {
    /** Open interrupts that runs of the principal raised. */
    readonly openInterrupts?: number;
  };
  /** Limits for one scope. */
  readonly perScope?: {
    /** Open interrupts. */
    readonly openInterrupts?: number;
    /** Threads. Deleted threads do not count. */
    readonly threads?: number;
  };
}

/** Throws `RATE_LIMITED` if a principal or its scope would have too many open interrupts. */
export async function assertInterruptQuota(
  store: Store,
  { principal, adding }: { readonly principal: Principal; readonly adding: number },
  { perPrincipal, perScope }: Quotas,
): Promise<void> {
  const { scope, id: askedBy } = principal;
  const query = { table: 'interrupts', scope, status: ['pending', 'expired'] } as const;
  const ofScope = { limit: perScope?.openInterrupts, name: 'perScope.openInterrupts' };
  const own = { limit: perPrincipal?.openInterrupts, name: 'perPrincipal.openInterrupts' };
  await Promise.all([
    assertRoom(store, { ...ofScope, query, adding }),
    assertRoom(store, { ...own, query: { ...query, askedBy }, adding }),
  ]);
}

/** Throws `RATE_LIMITED` when a scope has as many threads as it may. Pruned threads do not count. */
export function assertThreadQuota(store: Store, scope: string, { perScope }: Quotas): Promise<void> {
  const status = ['active', 'ready', 'waiting', 'failed', 'idle', 'quiet'];
  const query = { table: 'threads', scope, status } as const;
  return assertRoom(store, { query, adding: 1, limit: perScope?.threads, name: 'perScope.threads' });
}

async function assertRoom(
  store: Store,
  asked: {
    readonly query: Omit<CountQuery, 'limit'>;
    readonly adding: number;
    readonly limit: number | undefined;
    /** The option of the limit. */
    readonly name: string;
  },
): Promise<void> {
  const { query, adding, limit, name } = asked;
  if (limit === undefined || adding === 0) return;
  const found = adding > limit ? limit : await store.count({ ...query, limit });
  if (found + adding <= limit) return;
  const what = query.table === 'threads' ? 'threads' : 'open interrupts';
  throw new HoldpointError('RATE_LIMITED', `The limit of ${limit} ${what} is reached (${name}).`, {
    details: { limit },
  });
}
