import { defined, HoldpointError } from '../core/index.ts';
import type { Principal, Quotas } from '../ledger/index.ts';
import type { HostLimits } from './host-options.ts';

const MIB = 1024 * 1024;

/** The limits of a host, with their defaults. */
export interface LimitsInForce extends Required<Pick<HostLimits, UsedOption>> {
  readonly perPrincipal: Required<NonNullable<HostLimits['perPrincipal']>>;
  readonly perScope: Required<Pick<NonNullable<HostLimits['perScope']>, UsedOption | 'openInterrupts'>> &
    NonNullable<Quotas['perScope']>;
}

/** The options that exist for the process, a scope and a principal. */
type UsedOption = 'openStreams' | 'concurrentRuns' | 'bodyBytesAtWork';

/** The limits in force. A scope may use ten times as much as a principal. */
export function limitsInForce(limits: HostLimits = {}): LimitsInForce {
  const { openStreams = 20_000, concurrentRuns = 1000, bodyBytesAtWork = 1024 * MIB } = limits;
  return {
    openStreams,
    concurrentRuns,
    bodyBytesAtWork,
    perPrincipal: {
      openStreams: 50,
      concurrentRuns: 20,
      openInterrupts: 500,
      bodyBytesAtWork: 64 * MIB,
      ...defined(limits.perPrincipal ?? {}),
    },
    perScope: {
      openStreams: 500,
      concurrentRuns: 200,
      openInterrupts: 5000,
      bodyBytesAtWork: 640 * MIB,
      ...defined(limits.perScope ?? {}),
    },
  };
}

/** Counts what callers use at one time in this process. */
export interface UseLimit {
  /**
   * Counts an amount for a principal until the returned function is called. Throws `RATE_LIMITED` beyond the limit of the
   * principal, of its scope or of the process, and `TOO_LARGE` for an amount that never fits.
   */
  take(who: Principal, amount?: number, how?: { readonly mayUseReserve?: boolean }): () => void;
}

/**
 * Limits one thing for the process, each scope and each principal. `what` names it in errors. `reserve` is the part of the limit of the
 * process that is kept for callers who may use it.
 */
export function createUseLimit(
  limits: LimitsInForce,
  {
    option,
    what,
    reserve = 0,
  }: { readonly option: UsedOption; readonly what: string; readonly reserve?: number },
): UseLimit {
  const used = new Map<string, number>();
  return {
    take({ scope, id }, amount = 1, { mayUseReserve = false } = {}) {
      const levels = [
        { name: '', limit: limits[option], kept: mayUseReserve ? 0 : reserve, whose: 'this process', at: '' },
        {
          name: JSON.stringify([scope]),
          limit: limits.perScope[option],
          whose: `the scope ${scope}`,
          at: 'perScope.',
        },
        {
          name: JSON.stringify([scope, id]),
          limit: limits.perPrincipal[option],
          whose: id,
          at: 'perPrincipal.',
        },
      ];
      // The narrowest limit is named first: it is the one that the caller can do something about.
      for (const { name, limit, kept = 0, whose, at } of levels.toReversed()) {
        if ((used.get(name) ?? 0) + amount <= limit - kept) continue;
        const sentence = `The limit of ${limit} ${what} of ${whose} is reached (limits.${at}${option}).`;
        const details = { limit };
        if (amount > 1 && amount > limit) throw new HoldpointError('TOO_LARGE', sentence, { details });
        throw new HoldpointError('RATE_LIMITED', `${sentence} Try again later.`, { details });
      }
      for (const { name } of levels) used.set(name, (used.get(name) ?? 0) + amount);
      let isTaken = true;
      return () => {
        if (!isTaken) return;
        isTaken = false;
        for (const { name } of levels) {
          const left = (used.get(name) ?? 0) - amount;
          if (left <= 0) used.delete(name);
          else used.set(name, left);
        }
      };
    },
  };
}
