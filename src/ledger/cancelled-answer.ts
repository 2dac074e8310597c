import { answerDigest } from './check-answer.ts';
import type { GivenAnswer } from './records.ts';

/** The answer of somebody who ends a question that nobody answered, and why they did. */
export function cancelledAnswer({
  reason,
  ...given
}: Pick<GivenAnswer, 'by' | 'at' | 'via'> & { readonly reason?: string | undefined }): GivenAnswer {
  return {
    status: 'cancelled',
    ...given,
    digest: answerDigest({ status: 'cancelled' }),
    ...(reason === undefined ? {} : { metadata: { reason } }),
  };
}
