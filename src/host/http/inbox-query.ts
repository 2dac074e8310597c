import { HoldpointError } from '../../core/index.ts';
import type { InterruptState, QuestionQuery } from '../../ledger/index.ts';
import { pageOf } from './page-of.ts';

const STATUSES: readonly InterruptState[] = [
  'pending',
  'answered',
  'claimed',
  'resolved',
  'cancelled',
  'expired',
];

/** What somebody can still do something about. */
export const OPEN: readonly InterruptState[] = ['pending', 'expired'];

/** Which questions a request wants to see. Throws `INPUT_INVALID`. */
export function queryOf(query: Readonly<Record<string, string>>): QuestionQuery {
  const { status, agent, reason, thread, expiringBefore } = query;
  const named: readonly string[] = status?.split(',') ?? OPEN;
  const statuses = STATUSES.filter((one) => named.includes(one));
  const wrong = named.find((one) => one !== 'all' && !STATUSES.some((known) => known === one));
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
    ...(named.includes('all') ? {} : { status: statuses }),
    ...(agent === undefined ? {} : { agent }),
    ...(reason === undefined ? {} : { reason }),
    ...(thread === undefined ? {} : { thread }),
    ...(before === undefined ? {} : { expiringBefore: before }),
    ...pageOf(query),
  };
}
