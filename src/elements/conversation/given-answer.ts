import type { UnknownRecord } from '../../core/index.ts';
import { isRecord } from '../../core/index.ts';
import type { GivenAnswer } from '../interrupt/card-status.ts';

/**
 * Who answered what and when, as a host says it: in the `answer` of a question in the inbox, or in the details of the
 * error that tells somebody who was too late.
 */
export function givenAnswerOf(told: UnknownRecord): GivenAnswer | undefined {
  const { answer } = told;
  if (!isRecord(answer)) return undefined;
  const by = answer['by'] ?? told['by'];
  const at = answer['at'] ?? told['at'];
  const time = typeof at === 'string' ? Date.parse(at) : Number.NaN;
  const { status } = answer;
  return {
    ...(typeof by === 'string' ? { by } : {}),
    ...(Number.isNaN(time) ? {} : { at: time }),
    ...(status === 'resolved' || status === 'cancelled' ? { status } : {}),
    ...(answer['payload'] === undefined ? {} : { payload: answer['payload'] }),
  };
}
