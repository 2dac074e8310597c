import type { UnknownRecord } from '../../core/index.ts';
import { defined, isRecord } from '../../core/index.ts';
import type { GivenAnswer } from '../interrupt/card-status.ts';

/**
 * Reads who answered what and when from a host's record: the `answer` of an inbox item, or the details of the error
 * for a late answer.
 */
export function givenAnswerOf(record: UnknownRecord): GivenAnswer | undefined {
  const { answer } = record;
  if (!isRecord(answer)) return undefined;
  const by = answer['by'] ?? record['by'];
  const { status, via, you, withdrawn, reason } = answer;
  return {
    // A grant of the application names no giver.
    ...(typeof by === 'string' && by !== '' ? { by } : {}),
    ...(you === true ? { you } : {}),
    ...defined({ at: timeOf(answer['at'] ?? record['at']), grantedAt: timeOf(answer['grantedAt']) }),
    ...(typeof via === 'string' ? { via } : {}),
    ...(status === 'resolved' || status === 'cancelled' ? { status } : {}),
    ...defined({ payload: answer['payload'] }),
    ...(withdrawn === true ? { withdrawn } : {}),
    ...(typeof reason === 'string' ? { reason } : {}),
    ...(via === 'expiry' && record['supersededBy'] !== undefined ? { askedAgain: true } : {}),
    ...(status === 'resolved' && isDropped(record) ? { dropped: true } : {}),
  };
}

/** A record is cancelled with an answer when its thread was deleted before a run had claimed it. */
function isDropped({ status, threadDeleted }: UnknownRecord): boolean {
  return status === 'cancelled' && threadDeleted !== undefined;
}

function timeOf(value: unknown): number | undefined {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}
