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
  const at = answer['at'] ?? record['at'];
  const time = typeof at === 'string' ? Date.parse(at) : Number.NaN;
  const { status, via, you, withdrawn } = answer;
  return {
    ...(typeof by === 'string' ? { by } : {}),
    ...(you === true ? { you } : {}),
    ...(Number.isNaN(time) ? {} : { at: time }),
    ...(typeof via === 'string' ? { via } : {}),
    ...(status === 'resolved' || status === 'cancelled' ? { status } : {}),
    ...defined({ payload: answer['payload'] }),
    ...(withdrawn === true ? { withdrawn } : {}),
  };
}
