import { HoldpointError } from '../../core/index.ts';
import type { InterruptState, QuestionOrder, QuestionQuery } from '../../ledger/index.ts';
import { pageOf } from './page-of.ts';

const STATUSES: readonly InterruptState[] = [
  'pending',
  'answered',
  'claimed',
  'resolved',
  'cancelled',
  'expired',
];

const ORDERS: readonly QuestionOrder[] = ['oldest', 'newest', 'expiring', 'answered'];

/** What somebody can still do something about. */
export const OPEN: readonly InterruptState[] = ['pending', 'expired'];

/** Which questions a request wants to see. Throws `INPUT_INVALID`. */
export function queryOf(query: Readonly<Record<string, string>>): QuestionQuery {
  const { status, agent, reason, thread, tool, askedBy, answeredBy, text } = query;
  const named: readonly string[] = status?.split(',') ?? OPEN;
  const statuses = STATUSES.filter((one) => named.includes(one));
  const wrong = named.find((one) => one !== 'all' && !STATUSES.some((known) => known === one));
  if (wrong !== undefined) {
    throw new HoldpointError(
      'INPUT_INVALID',
      `There is no status ${wrong}; there are ${STATUSES.join(', ')}.`,
    );
  }
  const order = ORDERS.find((one) => one === query['order']);
  if (order === undefined && query['order'] !== undefined) {
    throw new HoldpointError('INPUT_INVALID', `The orders are ${ORDERS.join(', ')}.`);
  }
  const expiringBefore = timeOf(query, 'expiringBefore');
  const raisedBefore = timeOf(query, 'raisedBefore');
  return {
    ...(named.includes('all') ? {} : { status: statuses }),
    ...(agent === undefined ? {} : { agent }),
    ...(reason === undefined ? {} : { reason }),
    ...(thread === undefined ? {} : { thread }),
    ...(tool === undefined ? {} : { tool }),
    ...(askedBy === undefined ? {} : { askedBy }),
    ...(answeredBy === undefined ? {} : { answeredBy }),
    ...(text === undefined || text === '' ? {} : { text }),
    ...(expiringBefore === undefined ? {} : { expiringBefore }),
    ...(raisedBefore === undefined ? {} : { raisedBefore }),
    ...(order === undefined ? {} : { order }),
    ...pageOf(query),
  };
}

/** A time of the query, in milliseconds since the epoch. Throws `INPUT_INVALID`. */
function timeOf(query: Readonly<Record<string, string>>, name: string): number | undefined {
  const given = query[name];
  const time = given === undefined ? undefined : Date.parse(given);
  if (time === undefined || !Number.isNaN(time)) return time;
  throw new HoldpointError('INPUT_INVALID', `${name} is a time, such as 2026-01-31T12:00:00Z.`);
}
