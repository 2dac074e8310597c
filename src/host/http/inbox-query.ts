import { HoldpointError } from '../../core/index.ts';
import type { ListQuery } from '../../store/index.ts';
import { pageOf } from './page-of.ts';

const STATUSES = ['pending', 'answered', 'claimed', 'resolved', 'cancelled', 'expired'];

/** What somebody can still do something about. */
export const OPEN: readonly string[] = ['pending', 'expired'];

/** Which questions a request wants to see. Throws `INPUT_INVALID`. */
export function queryOf(scope: string, query: Readonly<Record<string, string>>): ListQuery {
  const { status, agent, reason, thread, expiringBefore } = query;
  const statuses = status === undefined ? OPEN : status.split(',');
  const wrong = statuses.find((one) => one !== 'all' && !STATUSES.includes(one));
  if (wrong !== undefined) {
    throw new HoldpointError(
      'INPUT_INVALID',
      `There is no status ${wrong}; there are ${STATUSES.join(', ')}.`,
    );
  }
  const before = expiringBefore === undefined ? undefined : Date.parse(expiringBefore);
  if (before !== undefined && Number.isNaN(before)) {
    throw new HoldpointError('INPUT_INVALID', 'expiringBefore is a time, such as 2026-01-31T12:00:00Z.');
  }
  return {
    table: 'interrupts',
    scope,
    ...(statuses.includes('all') ? {} : { status: statuses }),
    ...(agent === undefined ? {} : { agent }),
    ...(reason === undefined ? {} : { reason }),
    ...(thread === undefined ? {} : { thread }),
    ...(before === undefined ? {} : { dueBefore: before, order: 'due' as const }),
    ...pageOf(query),
  };
}
